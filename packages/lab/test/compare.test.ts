import { seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { summaryOf } from '../src/cli/summary.js';
import type { Cell } from '../src/experiment/results.js';
import type { ExpectationSpec } from '../src/experiment/schema.js';
import { renderReport } from '../src/report/render.js';
import { compare, expectationOf, meanBeside } from '../src/run/compare.js';
import { spreadOf } from '../src/run/spread.js';
import { fakeEvaluation } from './fixtures.js';

const budget = { epsilon: 1, delta: 1e-6 };
const cellOf = (label: string, values: readonly number[], bound: number | null = null, n = 100): Cell =>
  ({
    label,
    optimizer: label,
    budget,
    n,
    runs: values.map((excessRisk, i) => ({ seed: i + 1, excessRisk })),
    excess: spreadOf(values),
    ledgerMatchesPlan: true,
    accounted: { lower: 1, upper: 1, certificate: 'exact', method: 'gdp', assumptions: [] },
    plan: {
      event: { kind: 'core/free', v: 1 },
      utility: bound === null ? null : { bound, source: 'Theorem 1' },
      gradients: 1,
    },
  }) as unknown as Cell;
const expecting = (numbers: Partial<ExpectationSpec>): ExpectationSpec => ({
  problem: 'p',
  tolerance: 0,
  plan: {},
  source: 'by hand',
  ...numbers,
});
const normals = (seed: number, n: number, mean: number, deviation: number): number[] =>
  [...seededRandom(seed).gaussianInto(new Float64Array(n))].map((z) => mean + deviation * z);

describe('a mean beside a number', () => {
  test('agrees where it should: mean, standard error and both ratios', () => {
    const beside = meanBeside([1, 2, 3], 4, 0);
    expect(beside).toMatchObject({ measured: 2, expected: 4, ratio: 0.5, agrees: true });
    expect(beside.standardError).toBeCloseTo(1 / Math.sqrt(3), 12);
    expect(beside.ratioError).toBeCloseTo(0.25 / Math.sqrt(3), 12);
  });

  test('scores normal runs as a standard normal variable, more cautiously when they are few', () => {
    // Symmetric runs: no skewness to correct. t = 6 with 7 degrees
    // of freedom, which is exceeded as often as a normal 3.459.
    const runs = [-3, -2, -1, -1, 1, 1, 2, 3].map(
      (z) => z / spreadOf([-3, -2, -1, -1, 1, 1, 2, 3]).standardError,
    );
    expect(
      meanBeside(
        runs.map((z) => 100 + z),
        94,
        0,
      ).score,
    ).toBeCloseTo(3.459, 1);
    expect(
      meanBeside(
        runs.map((z) => 100 + z),
        94,
        0,
      ).agrees,
    ).toBe(true);
    const many = normals(1, 10_000, 5, 1);
    for (const off of [-7, -2, 0, 2, 7]) {
      const at = spreadOf(many).mean - off * spreadOf(many).standardError;
      expect(Math.abs(defined(meanBeside(many, at, 0).score) - off)).toBeLessThan(0.05);
      expect(meanBeside(many, at, 0).agrees).toBe(Math.abs(off) <= 5);
    }
  });

  test('forgives skewed runs the side to which chance takes them, and not the other', () => {
    // Squares of normals: many small, few large. Twenty of them
    // are often far below their mean of 1, and never so far above.
    const scores = Array.from({ length: 4000 }, (_, seed) =>
      meanBeside(
        normals(seed, 20, 0, 1).map((z) => z * z),
        1,
        0,
      ),
    );
    const raw = scores.map(({ measured, standardError }) => (measured - 1) / standardError);
    expect(raw.filter((z) => Math.abs(z) > 5).length).toBeGreaterThan(20);
    expect(scores.filter(({ agrees }) => agrees === false).length).toBeLessThan(5);
    expect(scores.filter(({ score }) => Math.abs(defined(score)) > 2).length).toBeGreaterThan(80);
    expect(scores.filter(({ score }) => Math.abs(defined(score)) > 2).length).toBeLessThan(320);
  });

  test.each<[string, readonly number[], number, boolean | null, boolean]>([
    ['nine runs', normals(1, 9, 1, 0.01), 1, true, true],
    ['ten that hardly vary', normals(1, 10, 1, 0.01), 1, true, false],
    ['many with a large standard error', normals(2, 50, 1, 4), 1, true, true],
    ['few that are the same', [1, 1, 1], 1, true, false],
    ['few that differ by rounding', [1, 1 + 2e-15, 1 - 3e-15], 1, true, false],
    ['one', [1], 1, null, false],
  ])('agreement of %s', (_name, values, expected, agrees, isWide) => {
    expect(meanBeside(values, expected, 0)).toMatchObject({ agrees, isWide });
  });

  test('runs that differ by rounding alone have standard error 0, others not', () => {
    const same = Array.from({ length: 20 }, (_, i) => 0.1 + i * 1e-17);
    expect([
      spreadOf(same).standardError,
      spreadOf([0.3, 0.3, 0.3]).standardError,
      spreadOf([-0.1, -0.1, -0.1]).standardError,
      spreadOf([7]).standardError,
      spreadOf([0, 0]).standardError,
    ]).toEqual([0, 0, 0, 0, 0]);
    expect(spreadOf([1, 1 + 1e-10]).standardError).toBeGreaterThan(1e-11);
    expect(spreadOf([-1, 1]).standardError).toBeCloseTo(1, 12);
    expect(spreadOf([1, Infinity]).standardError).not.toBe(0);
    expect(meanBeside(same, 0.1, 0)).toMatchObject({
      standardError: 0,
      ratioError: 0,
      score: null,
      agrees: true,
    });
  });

  test('finds five in a hundred with enough runs', () => {
    const runs = normals(3, 400, 0, 1).map((z) => 1 + 0.1 * (z * z - 1));
    expect(meanBeside(runs, 1, 0).agrees).toBe(true);
    expect([meanBeside(runs, 1.05, 0).agrees, meanBeside(runs, 0.95, 0).agrees]).toEqual([false, false]);
    expect(meanBeside(runs, 1.05, 0.05).agrees).toBe(true);
  });

  test.each<[string, readonly number[], number, number, boolean | null]>([
    ['one run tells nothing', [3], 1, 0, null],
    ['runs that do not vary are compared as they are', [2, 2, 2], 2, 0, true],
    ['and disagree', [2, 2, 2], 2.1, 0, false],
    ['but for a tolerance', [2, 2, 2], 2.1, 0.11, true],
    ['what is not a number disagrees', [1, Number.NaN], 1, 0, false],
    ['nor what is infinite', [1, Infinity], 1, 0, false],
  ])('%s', (_name, values, expected, tolerance, agrees) => {
    expect(meanBeside(values, expected, tolerance)).toMatchObject({ score: null, agrees });
  });
});

describe('a problem beside what is expected', () => {
  const [a, b, c] = [
    cellOf('a', normals(1, 50, 8, 0.5), 10),
    cellOf('b', normals(2, 50, 2, 0.1), 4.001),
    cellOf('c', normals(3, 50, 1, 0.1)),
  ] as const;
  const numbers: Readonly<Record<string, ExpectationSpec>> = {
    a: expecting({ excessRisk: 8, bound: 10.02 }),
    b: expecting({ excessRisk: 2, bound: 4 }),
  };
  const comparison = defined(compare([a, b, c], ({ label }) => numbers[label]));

  test('every cell of which something is expected, and its bound', () => {
    expect(
      comparison.cells.map(({ label, excess, plan }) => [
        label,
        defined(excess).agrees,
        ...plan.flatMap(({ at, planned, agrees }) => [at, planned, agrees]),
      ]),
    ).toEqual([
      ['a', true, 'utility.bound', 10, false],
      ['b', true, 'utility.bound', 4.001, true],
    ]);
    expect(comparison.agrees).toBe(false);
    expect(compare([a, b, c], () => undefined)).toBeNull();
    expect(defined(compare([c], () => expecting({ bound: 4 }))).cells[0]).toMatchObject({
      excess: null,
      plan: [{ at: 'utility.bound', planned: null, ratio: null, agrees: false }],
    });
  });

  test('numbers of the plan, by their place in it', () => {
    const found = defined(
      compare([a], () =>
        expecting({
          plan: { gradients: 1, 'event.v': 1.01, 'event.v.toFixed': 1, nothing: 0, 'utility.bound': 9.995 },
        }),
      ),
    );
    expect(found.cells[0].plan.map(({ at, planned, agrees }) => [at, planned, agrees])).toEqual([
      ['gradients', 1, true],
      ['event.v', 1, false],
      ['event.v.toFixed', null, false],
      ['nothing', null, false],
      ['utility.bound', 10, true],
    ]);
    expect(found.agrees).toBe(false);
  });

  test('ratios of the first to each other', () => {
    const [ratio] = comparison.ratios;
    expect(comparison.ratios).toHaveLength(1);
    expect(ratio).toMatchObject({ of: 'a', to: 'b', expected: 4, agrees: true });
    expect(ratio.measured).toBeCloseTo(a.excess.mean / b.excess.mean, 12);
    expect(defined(ratio.standardError) / defined(ratio.measured)).toBeCloseTo(
      Math.hypot(a.excess.standardError / a.excess.mean, b.excess.standardError / b.excess.mean),
      12,
    );
    const wrong = defined(compare([a, b], ({ label }) => expecting({ excessRisk: label === 'a' ? 8 : 2.2 })));
    expect(wrong.ratios[0].agrees).toBe(false);
    expect(
      defined(compare([a, cellOf('b', [-1, -2])], () => expecting({ excessRisk: 1 }))).ratios[0],
    ).toMatchObject({ measured: null, agrees: false });
  });

  test('runs with the same randomness cancel in a ratio', () => {
    const shared = normals(5, 50, 0, 0.3);
    const pair = [
      cellOf(
        'a',
        shared.map((z) => 4 * (1 + z)),
      ),
      cellOf(
        'b',
        shared.map((z) => 1 + z),
      ),
    ];
    expect(
      defined(compare(pair, ({ label }) => expecting({ excessRisk: label === 'a' ? 4 : 1 }))).ratios[0]
        .agrees,
    ).toBe(true);
    expect(
      defined(compare(pair, ({ label }) => expecting({ excessRisk: label === 'a' ? 4.001 : 1 }))).ratios[0]
        .agrees,
    ).toBe(false);
  });

  test('settings are kept apart, and expectations found by problem, budget and size', () => {
    const larger = cellOf('b', [1, 2, 3], null, 200);
    expect(defined(compare([a, larger], () => expecting({ excessRisk: 2 }))).ratios).toEqual([]);
    const list = [
      expecting({ problem: 'other', excessRisk: 1 }),
      expecting({ epsilon: 2, excessRisk: 2 }),
      expecting({ n: 200, excessRisk: 3 }),
      expecting({ n: 100, epsilon: 1, excessRisk: 4 }),
    ];
    expect([
      expectationOf(list, 'p', a)?.excessRisk,
      expectationOf(list, 'p', larger)?.excessRisk,
      expectationOf(list, 'other', a)?.excessRisk,
      expectationOf(list, 'none', a),
    ]).toEqual([4, 3, 1, undefined]);
  });

  test('wide ratios are told from narrow ones', () => {
    const ratioOf = (n: number): boolean =>
      defined(
        compare([cellOf('a', normals(1, n, 8, 0.1)), cellOf('b', normals(2, n, 2, 0.1))], ({ label }) =>
          expecting({ excessRisk: label === 'a' ? 8 : 2 }),
        ),
      ).ratios[0].isWide;
    expect([ratioOf(9), ratioOf(10)]).toEqual([true, false]);
  });

  test('what agrees for want of runs is shown as such, to whoever reads the terminal or the report', () => {
    const shown = (n: number): readonly string[] => {
      const evaluation = fakeEvaluation({
        optimizers: ['a', 'b'],
        sizes: [100],
        budgets: [budget],
        problems: [{ name: 'p', title: 'P', start: 1 }],
      });
      const cells = [cellOf('a', normals(1, n, 8, 0.5)), cellOf('b', normals(2, n, 2, 0.1))];
      const result = {
        ...evaluation,
        problems: evaluation.problems.map((one) => ({
          ...one,
          comparison: defined(
            compare(cells, ({ label }) => expecting({ excessRisk: label === 'a' ? 8 : 2 })),
          ),
        })),
      };
      return [summaryOf(result), renderReport([result])];
    };
    for (const text of shown(5)) expect(text.match(/within, but wide(?!\.)/gu)).toHaveLength(3);
    for (const text of shown(50)) expect(text).not.toMatch(/within, but wide(?!\.)/u);
    expect(shown(5)[1]).toContain('3 of them would agree with much else too');
    expect(shown(50)[1]).not.toContain('of them would agree');
  });
});
