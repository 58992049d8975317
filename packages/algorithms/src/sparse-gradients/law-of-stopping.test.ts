import { InvalidParameter, seededRandom } from '@lethe/core';
import { levelsFor } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import {
  chargeOf,
  drawnLevels,
  lawOfStopping,
  likelyCalls,
  stoppingBounds,
  stoppingLimits,
} from './law-of-stopping.js';
import { likelyLevels } from './level-counts.js';

const expectation = (law: Float64Array): number => law.reduce((sum, p, t) => sum + t * p, 0);

describe('lawOfStopping', () => {
  it.each([
    [2, 1e-3, 14.984394, 1, [1]],
    [4, 1e-2, 82.064958, 1, [1 / 3, 2 / 3]],
    [8, 1e-2, 328.259832, 1, [0.14285714, 0.20408163, 0.18658892, 0.35985006, 0.10662224]],
    [
      16,
      1e-3,
      959.001235,
      1,
      [0.06666667, 0.08, 0.11377778, 0.12768395, 0.1237228, 0.21773415, 0.15074179, 0.08694183],
    ],
  ] as const)('has the listed entries at n = %d, δ = %d', (slots, delta, squares, epsilon, listed) => {
    const setting = { slots, epsilon, delta };
    expect(stoppingLimits(setting).squares).toBeCloseTo(squares, 5);
    const law = lawOfStopping(setting);
    listed.forEach((p, t) => expect(law[t]).toBeCloseTo(p, 8));
    expect(law.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
  });

  it.each([
    [4, 1e-2, 1, 0.6666666667],
    [8, 1e-2, 1, 2.0832986256],
    [16, 1e-3, 1, 4.0525525191],
    [32, 5e-4, 1, 7.5235482355],
    [64, 1e-4, 0.5, 13.1785891973],
    [64, 1e-50, 1, 4.27993684],
    [64, 1e-80, 1, 3.01896996],
    [64, 1e-30, 1, 5.67271107],
    [128, 1e-40, 1, 10.71460783],
  ])('has the listed expectation at n = %d, δ = %d, ε = %d', (slots, delta, epsilon, mean) => {
    expect(expectation(lawOfStopping({ slots, epsilon, delta }))).toBeCloseTo(mean, 8);
  });

  it('ends at 9 for n = 16, and is refused where there are too many sums', () => {
    expect(lawOfStopping({ slots: 16, epsilon: 1, delta: 1e-3 })).toHaveLength(10);
    expect(() => lawOfStopping({ slots: 129, epsilon: 1, delta: 1e-3 })).toThrow(InvalidParameter);
    for (const bad of [{ slots: 1 }, { epsilon: 0 }, { delta: 0 }, { delta: 1 }, { delta: Number.NaN }])
      expect(() => stoppingLimits({ slots: 8, epsilon: 1, delta: 1e-3, ...bad })).toThrow(InvalidParameter);
  });

  it('is the law of the levels that are drawn, all but the last of which fit', () => {
    const setting = { slots: 8, epsilon: 1, delta: 1e-2 };
    const { sum, squares } = stoppingLimits(setting);
    const counts = new Float64Array(5);
    const random = seededRandom('levels');
    for (let i = 0; i < 4000; i++) {
      const charges = drawnLevels(setting, random).map(chargeOf);
      const fits = (count: number): boolean =>
        charges.slice(0, count).reduce((total, y) => total + y, 0) <= sum &&
        charges.slice(0, count).reduce((total, y) => total + y ** 2, 0) <= squares;
      expect([fits(charges.length - 1), fits(charges.length)]).toEqual([true, false]);
      counts[charges.length - 1]++;
    }
    // Five standard deviations and more, of 4000 seeded draws.
    lawOfStopping(setting).forEach((p, t) => expect(Math.abs(counts[t] / 4000 - p)).toBeLessThan(0.04));
  });
});

describe('stoppingBounds', () => {
  it.each([
    [2, 1e-3],
    [5, 1e-2],
    [16, 1e-9],
    [64, 1e-4],
    [100, 1e-50],
  ])('hold for the exact law at n = %d, δ = %d', (slots, delta) => {
    const setting = { slots, epsilon: 1, delta };
    const law = lawOfStopping(setting);
    const { rate, safeCap, expectedCalls, most } = stoppingBounds(setting);
    expect(expectation(law) + 1).toBeGreaterThanOrEqual(expectedCalls.atLeast);
    expect(expectation(law) + 1).toBeLessThanOrEqual(expectedCalls.atMost * (1 + 1e-12));
    expect(law.length - 1).toBeLessThanOrEqual(most);
    let below = 0;
    law.forEach((p, t) => {
      expect(below).toBeLessThanOrEqual(t * rate);
      below += p;
    });
    expect(likelyCalls(setting, 0.25)).toBeGreaterThanOrEqual(safeCap);
  });

  it('gives the quantile of the law, and Markov’s where there is no law', () => {
    expect(likelyCalls({ slots: 8, epsilon: 1, delta: 1e-2 }, 0.25)).toBe(1);
    expect(likelyCalls({ slots: 8, epsilon: 1, delta: 1e-2 }, 0.35)).toBe(2);
    const setting = { slots: 1e5, epsilon: 1, delta: 1e-6 };
    expect(likelyCalls(setting, 0.25)).toBe(stoppingBounds(setting).safeCap);
  });
});

describe('likelyLevels', () => {
  const counts = (levels: readonly number[], most: number): readonly number[] =>
    Array.from({ length: most + 1 }, (_, level) => levels.filter((one) => one === level).length);

  it.each([
    [4, 3, 0.25],
    [8, 5, 0.25],
    [16, 6, 0.4],
    [16, 9, 0.02],
  ])(
    'keep what is drawn within their counts at n = %d, τ = %d, early = %d, listed',
    (slots, calls, early) => {
      const { most, probability } = levelsFor(slots);
      const most1 = counts(likelyLevels({ slots, calls, early }), most);
      let within = 0;
      const list = (left: number, mass: number, used: readonly number[]): void => {
        if (left === 0) within += used.every((count, level) => count <= most1[level]) ? mass : 0;
        else
          for (let level = 0; level <= most; level++)
            list(
              left - 1,
              mass * probability(level),
              used.map((count, k) => count + (k === level ? 1 : 0)),
            );
      };
      list(
        calls,
        1,
        Array.from({ length: most + 1 }, () => 0),
      );
      expect(within).toBeGreaterThanOrEqual(1 - early - 1e-12);
      // No level is counted more often than it can be drawn.
      expect(Math.max(...most1)).toBeLessThanOrEqual(calls);
    },
  );

  it('count no more than is likely', () => {
    const levels = counts(likelyLevels({ slots: 1 << 16, calls: 4000, early: 0.25 }), 15);
    // 2000 ± 32, and a full batch with probability 0.06.
    expect(levels[0]).toBeLessThan(2100);
    expect(levels[15]).toBe(0);
    for (const bad of [{ calls: 0 }, { early: 0 }, { early: 1 }, { slots: 1 }])
      expect(() => likelyLevels({ slots: 8, calls: 3, early: 0.25, ...bad })).toThrow(InvalidParameter);
  });
});
