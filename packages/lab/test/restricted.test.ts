import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkExperiment } from './support/check-experiment.js';
import { experimentSchema } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { runEvaluation } from './support/run-evaluation.js';

const facts = {
  'gradientMoment.2': { value: 2, why: 'a test' },
  populationSmoothness: { value: 1, why: 'a test' },
};
const problem = (name: string, loss: string) => ({
  name,
  title: name,
  data: { generate: { rows: 60, columns: 2, features: { law: 'gaussian' } } },
  record: { featureNorm: 4, labelBound: 4 },
  loss: { name: loss },
  domain: { name: 'l2-ball', params: { radius: 1 } },
  facts,
});
const baseline = {
  name: 'dp-sgd',
  label: 'baseline',
  params: { steps: 3, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
};
const content = {
  lethe: 1,
  kind: 'evaluation',
  name: 'a',
  title: 'A',
  problems: [problem('median', 'absolute'), problem('mean', 'squared')],
  optimizers: [
    { ...baseline, label: 'everywhere' },
    {
      name: 'noisy-clipped-ac-sa',
      label: 'smooth only',
      problems: ['mean'],
      expected: [{ problem: 'mean', excessRisk: 1, tolerance: 1e9, source: 'a test' }],
    },
    { ...baseline, problems: ['median'] },
    { ...baseline, label: 'last' },
  ],
  budgets: [{ epsilon: 1 }],
  seeds: { count: 2 },
};
type Change = (same: typeof content) => object;

describe('optimizers for some of the problems', async () => {
  const result = await runEvaluation(content);

  test('run on those, and are asked about no others', () => {
    expect(result.problems.map(({ cells }) => cells.map(({ label }) => label))).toEqual([
      ['everywhere', 'baseline', 'last'],
      ['everywhere', 'smooth only', 'last'],
    ]);
  });

  test('and without that, a loss that one cannot take ends it', async () => {
    await expect(
      runEvaluation({
        ...content,
        optimizers: content.optimizers.map((one) => ({ ...one, problems: undefined })),
      }),
    ).rejects.toThrow(/smooth/u);
  });

  test('what is expected of them is compared there', () => {
    expect(result.problems.map(({ comparison }) => comparison?.cells.map(({ label }) => label))).toEqual([
      undefined,
      ['smooth only'],
    ]);
  });

  test('look the same in all figures, and the parameters say where they ran', () => {
    const document = parseHTML(renderReport([result])).document as unknown as {
      querySelectorAll(selector: string): Iterable<{ textContent: string; innerHTML: string }>;
      querySelector(selector: string): { textContent: string };
    };
    const keys = [...document.querySelectorAll('.legend li')].map(
      ({ textContent, innerHTML }) => [textContent, innerHTML] as const,
    );
    for (const name of ['everywhere', 'last'])
      expect(new Set(keys.filter(([text]) => text === name).map(([, markup]) => markup)).size).toBe(1);
    expect(
      new Set(
        keys
          .filter(([text]) => ['everywhere', 'smooth only', 'baseline', 'last'].includes(text))
          .map(([, markup]) => markup.replaceAll(/<span>.*/gu, '')),
      ).size,
    ).toBe(4);
    expect(document.querySelector('main').textContent).toContain('; compared on mean only');
  });
});

describe('refused by place', () => {
  const messageOf = (change: Change): string => {
    try {
      checkExperiment(experimentSchema.parse(change(structuredClone(content))), 'a.yaml', registry);
      return 'accepted';
    } catch (error) {
      return error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    }
  };
  const second =
    (more: object): Change =>
    (same) => ({
      ...same,
      optimizers: same.optimizers.map((one, i) => (i === 1 ? { ...one, ...more } : one)),
    });
  test.each<[string, Change, RegExp]>([
    ['nothing', (same) => same, /^accepted$/u],
    [
      'a problem that is not there',
      second({ problems: ['mean', 'mode'] }),
      /there is no problem 'mode' in this experiment; there are median, mean\s+→ at optimizers\[1\]\.problems\[1\]/u,
    ],
    [
      'a problem named twice',
      second({ problems: ['mean', 'mean'] }),
      /stands here twice\s+→ at optimizers\[1\]\.problems\[1\]/u,
    ],
    ['no problem', second({ problems: [] }), /optimizers\[1\]\.problems/u],
    [
      'an expectation of another problem',
      second({ expected: [{ problem: 'median', bound: 1, source: 'x' }] }),
      /not compared on 'median'; add it to its problems, or leave the expectation out\s+→ at optimizers\[1\]\.expected\[0\]\.problem/u,
    ],
    [
      'parameters for a problem whose name is misspelt',
      second({ paramsFor: { meen: {} } }),
      /there is no problem 'meen' in this experiment; write 'mean'/,
    ],
    [
      'parameters for another problem',
      second({ paramsFor: { median: {} } }),
      /not compared on 'median'.*\s+→ at optimizers\[1\]\.paramsFor\.median/u,
    ],
    [
      'a problem without optimizers',
      (same) => ({ ...same, optimizers: same.optimizers.slice(1, 2) }),
      /no optimizer is compared on the problem 'median'.*\s+→ at problems\[0\]/u,
    ],
    [
      'a parameter that fits no optimizer where it runs',
      second({ params: { rounds: -1 } }),
      /optimizers\.1: .*rounds/u,
    ],
  ])('%s', (_name, change, message) => {
    expect(messageOf(change)).toMatch(message);
  });

  test('a parameter is read only where its optimizer runs', () => {
    expect(
      messageOf((same) => ({
        ...same,
        optimizers: same.optimizers.map((one, i) =>
          i === 1 ? { ...one, params: { rounds: -1 }, paramsFor: { mean: { rounds: 1 } } } : one,
        ),
      })),
    ).toBe('accepted');
  });
});
