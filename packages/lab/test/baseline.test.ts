import { accountants, calibrator } from '@lethe/accountants';
import {
  ask,
  clippedMeanEvent,
  eventKindsOf,
  repeatedEvent,
  unprotectedEvent,
  type Registry,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { certifiedMean, gaussian } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import type { EvaluationResult } from '../src/experiment/results.js';
import { experimentSchema, type Evaluation } from '../src/experiment/schema.js';
import { registry as shipped } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { evaluate } from '../src/run/evaluate.js';

const steps = 3;
/**
 * Full gradients of a public quadratic and a private linear part, each coordinate divided by its strength:
 * every step ends at the minimiser plus noise.
 */
const jumps = defineOptimizer({
  name: 'jumps',
  summary: 'For this test.',
  source: { id: 'test', item: 'none' },
  claims: [],
  examples: [{}],
  params: z.strictObject({ noiseMultiplier: z.number().nonnegative().default(4) }),
  needs: { convex: true },
  adjacencies: ['replace-one'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  regularisers: 'ridge',
  plan: ({ problem, params: { noiseMultiplier } }) => ({
    noiseMultiplier,
    utility: { bound: 7, source: 'none' },
    gradients: steps * problem.slots[0],
    shown: { ...problem.facts },
    event: repeatedEvent(
      noiseMultiplier === 0 ? unprotectedEvent : clippedMeanEvent(noiseMultiplier, problem.adjacency),
      steps,
    ),
  }),
  *steps({ plan: { noiseMultiplier }, regulariser, start, allRecords }) {
    const { strength, centre } = defined(defined(regulariser).ridge);
    const theta = start.slice();
    const target = noiseMultiplier === 0 ? ({ unprotected: true } as const) : { noiseMultiplier };
    for (let k = 0; k < steps; k++) {
      const answer = yield* ask.mean({
        at: theta,
        batch: allRecords,
        mean: certifiedMean({ mechanism: gaussian({}) }),
        target,
      });
      for (let j = 0; j < theta.length; j++)
        theta[j] -= (answer[j] + strength[j] * (theta[j] - centre[j])) / strength[j];
    }
    return theta;
  },
});
const registry: Registry = [...shipped, jumps];

const n = 10;
const bounds = [3, 4];
const strength = [2, 50];
const centre = [1, -0.5];
const sigma = (4 * 2 * 5) / n;
const excessRisk = (sigma ** 2 / 2) * (1 / 2 + 1 / 50);
const experiment = {
  lethe: 1,
  kind: 'evaluation',
  name: 'jumps',
  title: 'Jumps',
  budgets: [{ epsilon: 1, delta: 1e-6 }],
  seeds: { count: 60 },
  problems: [
    {
      name: 'signs',
      title: 'Signs',
      loss: { name: 'linear' },
      domain: { name: 'whole-space' },
      regulariser: { name: 'l2-squared', params: { strength, centre } },
      record: { featureBounds: bounds },
      data: { generate: { rows: n, columns: 2, features: { law: 'balanced-signs', scale: bounds } } },
      facts: { startDistance: { value: [1, 0.5], why: 'the centre is public' } },
    },
  ],
  optimizers: [
    {
      name: 'jumps',
      expected: [
        { problem: 'signs', excessRisk, bound: 7.0001, plan: { noiseMultiplier: 4 }, source: 'by hand' },
      ],
    },
    {
      name: 'jumps',
      label: 'half',
      params: { noiseMultiplier: 2 },
      expected: [{ problem: 'signs', excessRisk: excessRisk / 4, source: 'by hand' }],
    },
    { name: 'jumps', label: 'silent', params: { noiseMultiplier: 0 }, unprotected: true },
  ],
};
type Change = (content: typeof experiment) => object;
const parsed = (change: Change = (same) => same): Evaluation =>
  experimentSchema.parse(change(structuredClone(experiment))) as Evaluation;
const run = (change?: Change): Promise<EvaluationResult> =>
  evaluate(parsed(change), {
    registry,
    calibrate: calibrator(accountants, eventKindsOf(registry)),
    folder: '.',
    command: 'none',
    signal: new AbortController().signal,
    progress: {
      phase() {
        /* silent */
      },
      warn() {
        /* silent */
      },
      start() {
        /* silent */
      },
      step() {
        /* silent */
      },
      pause: () => undefined,
      end() {
        /* silent */
      },
    },
  });

describe('an evaluation with a public quadratic', () => {
  test('measures the risk of the sum, beside what was computed beforehand, and says that both agree', async () => {
    const result = await run();
    const [problem] = result.problems;
    expect(defined(problem.optimum).risk).toBeCloseTo(0, 12);
    expect(defined(problem.optimum).point).toEqual([expect.closeTo(1, 9), expect.closeTo(-0.5, 9)]);
    expect(problem.startExcess).toBeCloseTo((2 + 50 / 4) / 2, 9);
    expect(problem.comparison).toMatchObject({
      agrees: true,
      cells: [
        {
          label: 'jumps',
          excess: { agrees: true },
          plan: [
            { at: 'utility.bound', planned: 7, agrees: true },
            { at: 'noiseMultiplier', planned: 4, agrees: true },
          ],
        },
        { label: 'half', plan: [] },
      ],
      ratios: [{ of: 'jumps', to: 'half', expected: 4, agrees: true }],
    });
    expect(defined(defined(problem.comparison).cells[0].excess).ratioError).toBeLessThan(0.2);
    expect(problem.cells.every(({ ledgerMatchesPlan }) => ledgerMatchesPlan)).toBe(true);
    expect(summaryOf(result)).toMatch(
      /nothing disagrees[^]*mean of jumps +10 +1 [^\n]* within\n[^]*jumps \/ half [^\n]* 4\.000 [^\n]* within\n +bound of jumps [^\n]* within\n/u,
    );
  });

  test('tells plans of bounds by column, and of facts by coordinate', async () => {
    const { facts } = (await run((content) => ({ ...content, seeds: { count: 1 } }))).problems[0];
    expect([...defined(facts['coordinateLipschitz'].each), facts['lipschitz']?.value]).toEqual([
      expect.closeTo(3, 12),
      expect.closeTo(4, 12),
      expect.closeTo(5, 10),
    ]);
    expect([facts['startDistance.0'], facts['startDistance.1']?.value]).toEqual([
      { value: 1, scope: 'population', provenance: 'declared', why: 'the centre is public' },
      0.5,
    ]);
  });

  test('is the same by rows and by columns, but for rounding', async () => {
    const few: Change = (content) => ({ ...content, seeds: { count: 2 } });
    const [rows, columns] = [
      await run(few),
      await run((content) => ({
        ...few(content),
        problems: [{ ...content.problems[0], data: { ...content.problems[0].data, layout: 'columns' } }],
      })),
    ];
    const numbers = ({ problems }: EvaluationResult): readonly number[] =>
      problems[0].cells
        .filter(({ unprotected }) => unprotected === true)
        .flatMap(({ runs }) => runs.map(({ excessRisk: found }) => found));
    expect(numbers(columns)).toHaveLength(2);
    numbers(columns).forEach((value, i) => expect(value).toBeCloseTo(numbers(rows)[i], 12));
  });

  test('finds a number that is wrong, in the results, on the terminal and in the report', async () => {
    const result = await run((content) => ({
      ...content,
      optimizers: [
        {
          ...content.optimizers[0],
          expected: [{ problem: 'signs', excessRisk: 9 * excessRisk, bound: 8, source: 'a guess' }],
        },
        content.optimizers[1],
      ],
    }));
    expect(result.problems[0].comparison).toMatchObject({
      agrees: false,
      cells: [{ excess: { agrees: false }, plan: [{ agrees: false }] }, { excess: { agrees: true } }],
      ratios: [{ agrees: false }],
    });
    expect(summaryOf(result)).toContain('SOMETHING DISAGREES');
    const text = (
      parseHTML(renderReport([result])).document as unknown as {
        querySelector(selector: string): { textContent: string };
      }
    ).querySelector('main').textContent;
    expect(text).toContain(
      '3 of 4 comparisons with numbers computed beforehand disagree: the mean of jumps on Signs; ' +
        'the bound of jumps on Signs; the ratio of jumps to half on Signs.',
    );
    expect(text).toContain('jumps: a guess; half: by hand');
    expect(text.match(/outside(?! when)/gu)).toHaveLength(3);
  });
});

describe('a baseline without noise', () => {
  test('runs, has no privacy, and says so everywhere', async () => {
    const result = await run((content) => ({ ...content, seeds: { count: 2 } }));
    const silent = defined(result.problems[0].cells.find(({ label }) => label === 'silent'));
    expect(silent).toMatchObject({
      unprotected: true,
      ledgerMatchesPlan: true,
      accounted: { upper: Infinity },
    });
    expect(silent.profile).toBeUndefined();
    expect(silent.excess.maximum).toBeLessThan(1e-12);
    expect(result.problems[0].cells[0]).not.toHaveProperty('unprotected');
    expect(summaryOf(result)).toMatch(/silent +10 +1 +no privacy/u);
    const page = renderReport([result]);
    expect(page).toContain('silent (no privacy)');
    expect(page).toMatch(
      /<em>half<\/em> closes <strong>[^]*Without any privacy, <em>silent<\/em> closes 100\u00a0%/u,
    );
    expect(page).not.toMatch(/NaN|undefined/u);
  });

  test('is refused unless the experiment says that it may', async () => {
    await expect(
      run((content) => ({
        ...content,
        optimizers: content.optimizers.map((optimizer) => ({ ...optimizer, unprotected: false })),
      })),
    ).rejects.toThrow(/'silent' releases without noise.*unprotected: true/u);
  });
});

describe('refused, by name', () => {
  test.each<[string, Change, RegExp]>([
    [
      'bounds for other columns',
      (content) => ({ ...content, problems: [{ ...content.problems[0], record: { featureBounds: [1] } }] }),
      /record\.featureBounds has 1 numbers, the records have 2 columns/u,
    ],
    [
      'a fact of other coordinates',
      (content) => ({
        ...content,
        problems: [{ ...content.problems[0], facts: { startDistance: { value: [1, 2, 3], why: 'x' } } }],
      }),
      /'startDistance' lists 3 numbers, the problem has dimension 2/u,
    ],
    [
      'a regulariser of another dimension',
      (content) => ({
        ...content,
        problems: [
          { ...content.problems[0], regulariser: { name: 'l2-squared', params: { strength: [1] } } },
        ],
      }),
      /strength/u,
    ],
    [
      'an optimizer that takes no regulariser',
      (content) => ({
        ...content,
        optimizers: [{ name: 'dp-sgd', params: { steps: 1, rate: 0.5, clipNorm: 1, stepSize: 1 } }],
      }),
      /'dp-sgd' ignores the regulariser 'l2-squared'/u,
    ],
  ])('%s', async (_name, change, message) => {
    await expect(run(change)).rejects.toThrow(message);
  });

  test.each<[string, object, RegExp]>([
    [
      'a problem that is not there',
      { problem: 'other', excessRisk: 1, source: 'x' },
      /there is no problem 'other'/u,
    ],
    [
      'a budget that is not there',
      { problem: 'signs', epsilon: 2, excessRisk: 1, source: 'x' },
      /no budget of epsilon 2/u,
    ],
    ['nothing', { problem: 'signs', source: 'x' }, /give excessRisk, bound or plan/u],
    ['no source', { problem: 'signs', excessRisk: 1 }, /source/u],
    [
      'two of the same setting',
      { problem: 'signs', epsilon: 1, excessRisk: 1, source: 'x' },
      /speaks of the same setting as expected\.0/u,
    ],
  ])('an expectation of %s', (_name, expected, message) => {
    const content = structuredClone(experiment);
    const { error } = experimentSchema.safeParse({
      ...content,
      optimizers: [
        { ...content.optimizers[0], expected: [...defined(content.optimizers[0].expected), expected] },
      ],
    });
    expect(z.prettifyError(defined(error))).toMatch(message);
  });
});
