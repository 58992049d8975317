import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import { experimentSchema } from '../src/experiment/schema.js';
import { renderReport } from '../src/report/render.js';
import { release } from './support/lab-folder.js';
import { runEvaluation } from './support/run-evaluation.js';

const generate = {
  rows: 60,
  columns: 3,
  features: { law: 'log-normal', sigma: 0.5, centred: false, scale: 2 },
  weights: [0.3, -0.2, 0.5],
  response: { kind: 'linear', noise: { law: 'student-t', degreesOfFreedom: 3, scale: 0.1 } },
};
const problem = {
  name: 'line',
  title: 'Line',
  risk: 'population',
  data: { generate },
  loss: { name: 'squared' },
  domain: { name: 'l2-ball', params: { radius: 1 } },
  facts: {
    'gradientMoment.2': { value: 9, why: 'a test' },
    populationSmoothness: { value: 20, why: 'a test' },
  },
};
const content = {
  problems: [problem],
  optimizers: [{ name: 'noisy-clipped-ac-sa' }],
  budgets: [{ epsilon: 1 }],
  sizes: [40, 90],
  seeds: { count: 3 },
};
const change = (more: object, data: object = {}) => ({
  ...content,
  problems: [{ ...problem, data: { generate: { ...generate, ...data } }, ...more }],
});

describe('risk of the law itself', async () => {
  const result = await runEvaluation(content);
  const [found] = result.problems;

  test('knows the optimum exactly: the weights, and half the variance of the noise', () => {
    expect(defined(found.optimum).point).toEqual([0.3, -0.2, 0.5]);
    expect(defined(found.optimum).risk).toBeCloseTo((0.1 ** 2 * 3) / 2, 12);
    expect(found.population).toBeNull();
  });

  test('is ½(w − w*)ᵀE[x xᵀ](w − w*), products of means included', () => {
    const e = Math.exp(0.25);
    const mean = 2 * Math.sqrt(e);
    const second = 4 * e ** 2;
    expect(found.startExcess).toBeCloseTo(
      ((second - mean ** 2) * (0.09 + 0.04 + 0.25) + mean ** 2 * (0.3 - 0.2 + 0.5) ** 2) / 2,
      12,
    );
  });

  test('is near the risk on very many records', async () => {
    // 200 000 records of kurtosis about 30: a standard error of 1.2 %; the margin is more than six of them.
    const {
      problems: [many],
    } = await runEvaluation({ ...change({ risk: 'records' }, { rows: 200_000 }), seeds: { count: 1 } });
    expect(Math.abs(many.startExcess / found.startExcess - 1)).toBeLessThan(0.08);
  });

  test('takes as many records as are asked for, anew for every seed: a method without noise differs', async () => {
    expect([...new Set(found.cells.map(({ n }) => n))]).toEqual([40, 90]);
    const bare = await runEvaluation({
      ...change({ record: { featureBounds: 30 } }),
      optimizers: [{ name: 'skgd', params: { steps: 3 }, unprotected: true }],
    });
    for (const { runs } of bare.problems[0].cells)
      expect(new Set(runs.map(({ excessRisk }) => excessRisk)).size).toBe(3);
  });

  test('is of all rows where no sizes are given', async () => {
    const { sizes: _sizes, ...rest } = content;
    expect(
      (await runEvaluation({ ...rest, seeds: { count: 1 } })).problems[0].cells.map(({ n }) => n),
    ).toEqual([60]);
  });

  test('is named on the terminal and in the report', () => {
    expect(summaryOf(result)).toContain(
      'every seed draws records of its own; optimum risk 0.01500 of their law',
    );
    expect(renderReport([result])).toContain('every seed anew; risks are those of the law');
  });
});

describe('refused, with what to do', () => {
  test.each<[string, object, RegExp]>([
    [
      'another loss',
      change({ loss: { name: 'logistic' } }, { response: { kind: 'logistic' } }),
      /problem 'line': with the loss 'logistic' the population risk has no closed form.*risk: records/u,
    ],
    [
      'a regulariser',
      change({ regulariser: { name: 'l1', params: { strength: 1 } } }),
      /with the regulariser 'l1'/u,
    ],
    [
      'features without a variance',
      change({}, { features: { law: 'student-t', degreesOfFreedom: 2 } }),
      /features or noise without a variance/u,
    ],
    [
      'noise with a mean',
      change({}, { response: { kind: 'linear', noise: { law: 'log-normal', sigma: 1, centred: false } } }),
      /whose mean is not 0/u,
    ],
    [
      'a minimiser outside the domain',
      change({ domain: { name: 'l2-ball', params: { radius: 0.5 } } }),
      /outside the domain.*enlarge the domain/u,
    ],
  ])('%s', async (_name, wrong, message) => {
    await expect(runEvaluation(wrong)).rejects.toThrow(message);
  });

  test('a table', () => {
    const data = {
      file: 'a.csv',
      design: { features: [{ column: 'a', encoding: 'scale', lower: 0, upper: 1 }], label: { column: 'y' } },
    };
    expect(
      z.prettifyError(
        defined(
          experimentSchema.safeParse({
            lethe: 1,
            kind: 'evaluation',
            name: 'a',
            title: 'A',
            ...content,
            problems: [{ ...problem, data }],
          }).error,
        ),
      ),
    ).toMatch(/of the law behind a table nobody knows the risk[^]*problems\[0\]\.risk/u);
  });
  test('in a release', () => {
    expect(
      z.prettifyError(
        defined(
          experimentSchema.safeParse({ ...release, problem: { ...release.problem, risk: 'population' } })
            .error,
        ),
      ),
    ).toMatch(/a release measures no risk[^]*problem\.risk/u);
  });
});
