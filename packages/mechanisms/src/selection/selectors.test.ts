import { assumptionsOf, resolveEvent } from '@lethe/accountants';
import { InvalidParameter, seededRandom, type EventKind, type Selector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exponential, permuteAndFlip, pureChoice, reportNoisyMax } from './index.js';

const none = {} as never;
const kinds: readonly EventKind[] = [pureChoice];
/** Utilities with ties, small differences and huge gaps. */
const utility = fc.oneof(
  fc.constantFrom(0, 1, -1),
  fc.integer({ min: -400, max: 400 }).map((k) => k / 16),
  fc.tuple(fc.constantFrom(1, -1), fc.integer({ min: -30, max: 307 })).map(([sign, e]) => sign * 10 ** e),
);
const utilities = fc.array(utility, { minLength: 1, maxLength: 9 }).map((list) => Float64Array.from(list));
const epsilon = fc.integer({ min: -8, max: 6 }).map((k) => 2 ** k);
const regretOf = (plugin: Selector, values: Float64Array, at: number): number => {
  const best = Math.max(...values);
  return defined(plugin.probabilities(none, values, at)).reduce(
    (sum, p, i) => sum + p * (best - values[i]),
    0,
  );
};

describe('the exponential mechanism', () => {
  test('two candidates: a logistic function of the difference', () => {
    for (const gap of [0, 0.1, 1, 7, 40])
      expect(defined(exponential.probabilities(none, Float64Array.of(gap, 0), 2))[1]).toBeCloseTo(
        1 / (1 + Math.exp(gap)),
        14,
      );
  });

  test('what is infinitely small or large is weighed as it is', () => {
    expect(defined(exponential.probabilities(none, Float64Array.of(1e308, -1e308), 5e-324))[0]).toBeCloseTo(
      0.5,
      14,
    );
    expect([...defined(exponential.probabilities(none, Float64Array.of(-1e300, 0, 1e300), 1))]).toEqual([
      0, 0, 1,
    ]);
    const [a, b] = defined(exponential.probabilities(none, Float64Array.of(8e307, -8e307), 1e-308));
    expect(a / b).toBeCloseTo(Math.exp(0.8), 12);
    const equal = Float64Array.of(1e300, 1e300);
    const random = seededRandom('equal');
    expect(new Set(Array.from({ length: 60 }, () => exponential.choose(none, equal, 1, random)))).toEqual(
      new Set([0, 1]),
    );
  });

  test("the largest regret is Lambert's W of (k − 1)/e, and a little search finds nothing above it", () => {
    // W(1/e), W(9/e), W(999/e), from tables.
    expect(exponential.regretBound(none, 2, 2)).toBeCloseTo(0.2784645427610738, 12);
    expect(exponential.regretBound(none, 1, 1)).toBe(0);
    expect(exponential.regretBound(none, 1e6, 2)).toBeLessThan(Math.log(1e6));
    for (const candidates of [2, 5, 100]) {
      const bound = exponential.regretBound(none, candidates, 1);
      const most = Math.max(
        ...Array.from({ length: 4000 }, (_, i) =>
          regretOf(exponential, new Float64Array(candidates).fill(-i / 200, 1), 1),
        ),
      );
      expect(most).toBeLessThanOrEqual(bound);
      expect(most).toBeGreaterThan(bound * (1 - 1e-5));
    }
  });
});

describe('permute-and-flip', () => {
  /** McKenna and Sheldon's sum over the orders, where it can be written out. */
  const byOrders = (chances: readonly number[]): readonly number[] => {
    const after = (left: readonly number[]): number[] => {
      const out = chances.map(() => 0);
      for (const i of left) {
        out[i] += chances[i] / left.length;
        if (left.length > 1)
          after(left.filter((j) => j !== i)).forEach((p, j) => {
            out[j] += ((1 - chances[i]) / left.length) * p;
          });
      }
      return out;
    };
    return after(chances.map((_, i) => i));
  };

  test('probabilities are those of all orders', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 6 }), (gaps) => {
        const best = Math.min(...gaps);
        const values = Float64Array.from(gaps, (gap) => -gap / 16);
        const expected = byOrders(gaps.map((gap) => Math.exp(-(gap - best) / 16)));
        defined(permuteAndFlip.probabilities(none, values, 2)).forEach((p, i) => {
          expect(Math.abs(p - expected[i])).toBeLessThan(1e-13);
        });
      }),
      { numRuns: 60 },
    );
  });

  test('all of many equal candidates are as likely, and none but the best stands out', () => {
    for (const count of [2, 100, 3000])
      for (const p of defined(permuteAndFlip.probabilities(none, new Float64Array(count), 1)))
        expect(Math.abs(p * count - 1)).toBeLessThan(1e-11);
    const one = defined(permuteAndFlip.probabilities(none, new Float64Array(2000).fill(-6, 1), 1));
    const chance = Math.exp(-3);
    expect(one[0]).toBeCloseTo((1 - (1 - chance) ** 2000) / (2000 * chance), 13);
    expect(one.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
  });

  test('it is never worse than the exponential mechanism, and half as bad at best', () => {
    fc.assert(
      fc.property(utilities, epsilon, (values, at) => {
        expect(regretOf(permuteAndFlip, values, at)).toBeLessThanOrEqual(
          regretOf(exponential, values, at) * (1 + 1e-11) + 1e-12 / at,
        );
      }),
    );
    for (const k of [2, 3, 10, 1000, 1e6])
      expect(permuteAndFlip.regretBound(none, k, 1)).toBeLessThan(exponential.regretBound(none, k, 1));
    expect(permuteAndFlip.regretBound(none, 2, 2)).toBeCloseTo(1 / (2 * Math.E), 8);
  });

  test('its losses span more than ε, so that it is no exponential mechanism', () => {
    const [p, q] = [Float64Array.of(3, 2, 4), Float64Array.of(4, 3, 3)].map((values) =>
      defined(permuteAndFlip.probabilities(none, values, 1)),
    );
    const losses = p.map((x, i) => Math.log(x / q[i]));
    expect(Math.max(...losses) - Math.min(...losses)).toBeGreaterThan(1.05);
  });
});

describe('report noisy max', () => {
  const [laplace, gumbel, exponentially] = (['laplace', 'gumbel', 'exponential'] as const).map((noise) => ({
    noise,
  }));

  test('Gumbel noise is the exponential mechanism and exponential noise permute-and-flip', () => {
    fc.assert(
      fc.property(utilities, epsilon, (values, at) => {
        expect(reportNoisyMax.probabilities(gumbel, values, at)).toEqual(
          exponential.probabilities(none, values, at),
        );
        expect(reportNoisyMax.probabilities(exponentially, values, at)).toEqual(
          permuteAndFlip.probabilities(none, values, at),
        );
        expect(reportNoisyMax.probabilities(laplace, values, at)).toBeNull();
      }),
    );
    expect(reportNoisyMax.event(gumbel, 1, { 'replace-one': 1 })).toEqual(
      exponential.event(none, 1, { 'replace-one': 1 }),
    );
  });

  test('Laplace noise on two equal, or far apart, candidates', () => {
    const random = seededRandom('noisy');
    const count = (values: Float64Array): number =>
      Array.from({ length: 2000 }, () => reportNoisyMax.choose(laplace, values, 1, random)).filter(
        (i) => i === 0,
      ).length;
    expect(Math.abs(count(new Float64Array(2)) - 1000)).toBeLessThan(300);
    // P(L₁ − L₂ > −g) = 1 − (1 + g/2) e^(−g)/2 with g = 1 in the unit 2/ε: 0.7241.
    expect(Math.abs(count(Float64Array.of(2, 0)) - 1448)).toBeLessThan(280);
    expect(count(Float64Array.of(1e9, 0))).toBe(2000);
  });

  test('its regret is at most twice the harmonic number', () => {
    expect(reportNoisyMax.regretBound(laplace, 2, 2)).toBeCloseTo(0.5 + 3 / 8, 8);
    expect(reportNoisyMax.regretBound(laplace, 1, 1)).toBe(0);
    // The sum for so many is ln(10⁶) + γ − ln 2, to within 10⁻⁶.
    const sum = Math.log(1e6) + 0.57721566 - Math.LN2;
    const many = reportNoisyMax.regretBound(laplace, 1e6, 2);
    expect(many).toBeGreaterThan(sum);
    expect(many).toBeLessThan(sum + 1e-3);
  });
});

describe('all of them', () => {
  const every: readonly (readonly [string, Selector, unknown])[] = [
    ['exponential', exponential, {}],
    ['permute-and-flip', permuteAndFlip, {}],
    ...(['laplace', 'exponential', 'gumbel'] as const).map(
      (noise) => [`noisy max, ${noise}`, reportNoisyMax, { noise }] as const,
    ),
  ];

  test.each(every)('%s assumes real arithmetic, and says so in certificates', (_name, plugin, params) => {
    const event = plugin.event(params, 1, { 'replace-one': 1, 'zero-out': 0.5 });
    expect(assumptionsOf(event, kinds)).toEqual(['real-arithmetic']);
    expect(resolveEvent(event, 'pure', { adjacency: 'zero-out', kinds })).toBe(0.5);
    expect(() => resolveEvent(event, 'pure', { adjacency: 'add-remove', kinds })).toThrow(/add-remove/);
  });

  test.each(every)('%s refuses a number of candidates or an ε that is none', (_name, plugin, params) => {
    for (const candidates of [0, -1, 1.5, NaN, Infinity])
      expect(() => plugin.regretBound(params, candidates, 1)).toThrow(InvalidParameter);
    for (const at of [0, -1, NaN, Infinity])
      expect(() => plugin.regretBound(params, 3, at)).toThrow(InvalidParameter);
  });

  test.each(every)('%s always answers with a position', (_name, plugin, params) => {
    fc.assert(
      fc.property(
        utilities,
        fc.oneof(epsilon, fc.constantFrom(5e-324, 1e-300, 1e300)),
        fc.integer(),
        (values, at, seed) => {
          const chosen = plugin.choose(params, values, at, seededRandom(`${seed}`));
          expect(Number.isInteger(chosen) && chosen >= 0 && chosen < values.length).toBe(true);
        },
      ),
    );
  });
});

test.each(['laplace', 'exponential', 'gumbel'] as const)('%s noise of each candidate is its own', (noise) => {
  const [equal, random, draws] = [new Float64Array(129), seededRandom('many'), 1000];
  let later = 0;
  for (let k = 0; k < draws; k++) later += Number(reportNoisyMax.choose({ noise }, equal, 1, random) >= 64);
  // Five standard deviations.
  expect(Math.abs(later / draws - 65 / 129)).toBeLessThan(5 * Math.sqrt(0.25 / draws));
});
