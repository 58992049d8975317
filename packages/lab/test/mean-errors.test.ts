import { defineMechanism, type Registry } from '@lethe/core';
import { rateTables } from '@lethe/lower-bounds';
import { laplace } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { summaryOf } from '../src/cli/summary.js';
import { checkExperiment } from './support/check-experiment.js';
import type { MeanErrorResult } from '../src/experiment/mean-error-results.js';
import { readExperiment } from '../src/experiment/read.js';
import { experimentSchema, type MeanErrorExperiment } from '../src/experiment/schema.js';
import { evaluateMeanErrors } from '../src/mean-errors/evaluate.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { quiet } from './support/run-evaluation.js';

const pure = {
  name: 'pure',
  title: 'Pure',
  bound: { name: 'sparse-mean-pure' },
  at: { n: 24, dimension: 64, sparsity: 2, epsilon: 1 },
  vary: 'n',
  values: [8, 24],
  methods: [{ mean: 'laplace-projection', label: 'projected' }],
};
const tables = { dimensions: [1e4, 1e6], sizes: [10, 1e6], sparsity: 20, epsilon: 1, delta: 1e-8 };
const parsed = (series: readonly object[], more: object = {}): MeanErrorExperiment =>
  experimentSchema.parse({
    lethe: 1,
    kind: 'mean-error',
    name: 'errors',
    title: 'Errors <of means>',
    repetitions: 40,
    series,
    ...more,
  }) as MeanErrorExperiment;
const measure = (experiment: MeanErrorExperiment, plugins: Registry = registry): Promise<MeanErrorResult> =>
  evaluateMeanErrors(experiment, quiet(plugins));

describe('errors of means', () => {
  test('of Algorithms 1 to 3 are between their bounds in a small version of the shipped experiment', async () => {
    const file = new URL('../experiments/ghazi-means.yaml', import.meta.url).pathname;
    const shipped = readExperiment(file) as MeanErrorExperiment;
    checkExperiment(shipped, file, registry);
    expect(shipped.about.length).toBeGreaterThan(200);
    const result = await measure({
      ...shipped,
      repetitions: 4,
      series: shipped.series.map((one) => ({ ...one, values: one.values.slice(0, 1) })),
    });
    const labels = new Set(result.cells.map(({ label }) => label));
    for (const algorithm of [1, 2, 3])
      expect([...labels].some((label) => label.includes(`Algorithm ${algorithm}`))).toBe(true);
    for (const { verdict, lower, upper, error } of result.cells) {
      expect(verdict).toBe('within');
      expect(lower).toBeGreaterThan(0);
      expect(lower).toBeLessThan(error.value);
      expect(defined(upper ?? undefined)).toBeGreaterThan(lower);
    }
    expect(new Set(shipped.series.map(({ vary }) => vary))).toEqual(
      new Set(['n', 'dimension', 'sparsity', 'epsilon']),
    );
  });

  test('are those of one release of the whole budget, or of four of a quarter', async () => {
    const { cells } = await measure(
      parsed([
        {
          ...pure,
          methods: [...pure.methods, { mean: 'laplace-projection', label: 'nested', biasReduced: true }],
        },
      ]),
    );
    const scales = (label: string): readonly number[] =>
      [
        ...JSON.stringify(defined(cells.find((cell) => cell.label === label)).event).matchAll(
          /"scale":([\d.]+)/gu,
        ),
      ].map(([, scale]) => Number(scale));
    expect(scales('projected')).toEqual([1]);
    expect(scales('nested').length).toBeGreaterThan(0);
    for (const scale of scales('nested')) expect(scale).toBe(4);
  });

  test('of a mean without noise contradict the lower bound, and of one with too much the upper one', async () => {
    const noisier = (factor: number): Registry => [
      ...registry.filter(({ name }) => name !== 'laplace'),
      defineMechanism({
        ...laplace,
        addNoise: (params, value, scale, random) => laplace.addNoise(params, value, factor * scale, random),
      }),
    ];
    const clipped = {
      mean: 'clipped',
      params: { clip: { name: 'l1', params: { radius: Math.SQRT2 } }, mechanism: { name: 'laplace' } },
    };
    const both = parsed([{ ...pure, methods: [...pure.methods, clipped] }]);
    for (const factor of [1e-4, 10]) {
      const result = await measure(both, noisier(factor));
      expect(result.cells.map(({ verdict }) => verdict)).toContain('outside');
      expect(summaryOf(result)).toContain('OUTSIDE');
      expect(renderReport([result])).toContain('contradict a bound');
    }
    expect((await measure(both, noisier(1))).cells.map(({ verdict }) => verdict)).not.toContain('outside');
  });

  test('stand in a report with a figure for each series, and the tables with their corners', async () => {
    const result = await measure(parsed([pure], { tables }));
    expect(result.rates).toHaveLength(2 * rateTables({ ...tables, dimension: 1e4 }).length);
    for (const { name, dimension, corners, points } of result.rates) {
      const row = defined(rateTables({ ...tables, dimension }).find((one) => one.name === name));
      expect(points.map(({ upper }) => upper)).toEqual(tables.sizes.map((n) => row.upper(n)));
      if (corners.length > 0)
        expect(corners.map(({ n }) => n)).toEqual([row.corners.useful, row.corners.dense]);
    }
    expect(result.rates.some(({ corners }) => corners.length === 2)).toBe(true);
    const { document } = parseHTML(renderReport([result]));
    expect(document.querySelectorAll('figure')).toHaveLength(2);
    expect(document.querySelector('h2')?.textContent).toBe('Errors <of means>');
    expect(
      [...document.querySelectorAll('td.words')].some(({ textContent }) => textContent === 'within'),
    ).toBe(true);
    expect(document.body.textContent).toContain('nearly free of d');
  });
});

describe('an experiment on errors of means is refused', () => {
  const refusal =
    (series: object, more: object = {}) =>
    (): void =>
      checkExperiment(parsed([{ ...pure, ...series }], more), 'file.yaml', registry);

  test.each<readonly [string, object, RegExp]>([
    ['with a bound on a risk', { bound: { name: 'convex' } }, /draws no records whose mean/u],
    [
      'with a bound whose constants are hidden',
      { bound: { name: 'sparse-mean-pure', params: { constants: 'hidden' } } },
      /no proved constants/u,
    ],
    [
      'with means under (ε, δ) beside a bound for ε alone',
      { at: { ...pure.at, delta: 1e-6 } },
      /says nothing of means at/u,
    ],
    ['with a mean of the shuffle model', { methods: [{ mean: 'shuffled' }] }, /shuffle model/u],
    [
      'with a mean that lacks parameters',
      { methods: [{ mean: 'clipped' }] },
      /does not take these parameters/u,
    ],
  ])('%s', (_what, change, message) => {
    expect(refusal(change)).toThrow(message);
  });

  test('with tables outside of their conditions', () => {
    expect(refusal({}, { tables: { ...tables, sparsity: 5000 } })).toThrow(/s < d\/2/u);
  });

  test('with labels or values that no series can have', () => {
    expect(() => parsed([{ ...pure, methods: [...pure.methods, ...pure.methods] }])).toThrow(
      /distinct labels/u,
    );
    expect(() => parsed([{ ...pure, values: [0.5] }])).toThrow(/int/u);
    expect(() => parsed([pure, pure])).toThrow(/distinct names/u);
  });
});
