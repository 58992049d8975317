import { InvalidParameter } from '@lethe/core';
import { normalQuantile } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gaussianCurveEpsilon } from '../divergence/index.js';
import { approximateFalsified } from './hypotheses.js';
import { epsilonOfOneRun } from './one-run.js';
import { thresholds } from './thresholds.js';

const quantiles = (count: number, shift: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => normalQuantile((i + 0.5) / count) + shift);

describe('thresholds', () => {
  const scores = fc
    .array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 })
    .map((list) => Float64Array.from(list));

  test('is a concave chain from none to all, and no threshold lies above it', () => {
    fc.assert(
      fc.property(scores, scores, (included, excluded) => {
        const corners = thresholds(included, excluded);
        expect(corners[0]).toEqual({ hits: 0, misses: 0 });
        expect(corners.at(-1)).toEqual({ hits: included.length, misses: excluded.length });
        for (let score = 0; score <= 13; score++) {
          const hits = included.filter((x) => x >= score).length;
          const misses = excluded.filter((x) => x >= score).length;
          for (let i = 1; i < corners.length; i++) {
            const [a, b] = [corners[i - 1], corners[i]];
            expect((hits - a.hits) * (b.misses - a.misses)).toBeLessThanOrEqual(
              (b.hits - a.hits) * (misses - a.misses),
            );
          }
        }
      }),
    );
  });
});

describe('one run', () => {
  // Values of another implementation for the same scores.
  test.each([
    [2, 'approximate', 2.311945],
    [4, 'approximate', 4.395568],
    [1, 'gaussian', 2.164749],
    [4, 'gaussian', 9.133752],
  ] as const)('shift %d, claim %s: at least %d', (shift, claim, expected) => {
    const found = epsilonOfOneRun({
      included: quantiles(10_000, shift),
      excluded: quantiles(10_000, 0),
      delta: 1e-6,
      claim,
    });
    expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-5 * expected);
    expect(found).toBeLessThan(gaussianCurveEpsilon(shift, 1e-6).upper);
  });

  test('nothing is refuted where scores tell nothing', () => {
    expect(epsilonOfOneRun({ included: quantiles(1000, 0), excluded: quantiles(1000, 0), delta: 1e-6 })).toBe(
      0,
    );
    expect(
      epsilonOfOneRun({
        included: new Float64Array(50),
        excluded: new Float64Array(50),
        delta: 1e-6,
        claim: 'gaussian',
      }),
    ).toBe(0);
  });

  test('randomised response at ε is guessed right as often as allowed, and nothing more is refuted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 }), (guesses, quarter) => {
        const epsilon = quarter / 4;
        const right = 1 / (1 + Math.exp(-epsilon));
        const significance = 0.05;
        let wrongly = 0;
        for (let correct = 0; correct <= guesses; correct++) {
          if (
            !approximateFalsified({ canaries: guesses, guesses, correct }, epsilon, {
              delta: 0,
              significance,
            })
          )
            continue;
          let ways = 1;
          for (let i = 0; i < correct; i++) ways *= (guesses - i) / (i + 1);
          wrongly += ways * right ** correct * (1 - right) ** (guesses - correct);
        }
        expect(wrongly).toBeLessThanOrEqual(significance * (1 + 1e-9));
      }),
    );
  });

  test('more canaries, a larger δ and a smaller significance move the bound the right way', () => {
    const at = (rest: object): number =>
      epsilonOfOneRun({ included: quantiles(500, 3), excluded: quantiles(500, 0), delta: 1e-6, ...rest });
    expect(
      epsilonOfOneRun({ included: quantiles(5000, 3), excluded: quantiles(5000, 0), delta: 1e-6 }),
    ).toBeGreaterThan(at({}));
    expect(at({ delta: 1e-3 })).toBeLessThanOrEqual(at({}));
    expect(at({ significance: 1e-3 })).toBeLessThan(at({}));
  });

  test('refuses what is no run', () => {
    const scores = quantiles(10, 0);
    for (const bad of [
      { included: new Float64Array(0) },
      { excluded: Float64Array.of(1, NaN) },
      { delta: 0 },
      { delta: NaN },
      { significance: 1 },
    ]) {
      expect(() => epsilonOfOneRun({ included: scores, excluded: scores, delta: 1e-6, ...bad })).toThrow(
        InvalidParameter,
      );
    }
  });
});
