import fc from 'fast-check';
import { InvalidParameter } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { describe, expect, it, test } from 'vitest';
import {
  lemmaD8Holds,
  renyiConversion,
  renyiSlope,
  theoremGaussianMu,
  theoremNoiseMultiplier,
  theoremNoiseScale,
  theoremUnitNoise,
} from './schedule.js';

const budgets = fc.record({
  epsilon: fc.integer({ min: 1, max: 1000 }).map((k) => k / 1000),
  delta: fc
    .tuple(fc.integer({ min: 1, max: 33 }), fc.integer({ min: 2, max: 12 }))
    .map(([k, e]) => k * 10 ** -e),
});
const counts = fc.integer({ min: 1, max: 1_000_000 });

describe('the noise of theorem 4.1', () => {
  it('has the golden values', () => {
    expect(
      theoremNoiseScale({ lipschitz: 1, steps: 100, records: 1000, epsilon: 1, delta: 1e-6 }),
    ).toBeCloseTo(0.12875796157736083, 15);
    expect(
      theoremNoiseScale({ lipschitz: 0.5, steps: 30, records: 200, epsilon: 0.5, delta: 1e-5 }) ** 2,
    ).toBeCloseTo(0.10361632918473206, 14);
  });

  test.each([
    [1, 0.33, 0.548327, 0.15033128, 0.966828, 3.7157],
    [1, 1e-3, 0.21967, 0.02412747, 0.840624, 17.9205],
    [1, 1e-5, 0.170156, 0.01447648, 0.830973, 29.2008],
    [1, 1e-6, 0.15533, 0.01206374, 0.82856, 34.841],
    [0.5, 1e-5, 0.085078, 0.00361912, 0.411867, 57.4016],
    [0.1, 1e-6, 0.015533, 0.00012064, 0.08177, 339.4095],
  ])(
    'at ε = %f, δ = %f has the tabulated μ, ρ, ε and order',
    (epsilon, delta, mu, slope, converted, order) => {
      expect(theoremGaussianMu({ epsilon, delta })).toBeCloseTo(mu, 6);
      const rho = renyiSlope({
        steps: 70,
        noiseMultiplier: theoremNoiseMultiplier({ steps: 70, epsilon, delta }),
      });
      expect(rho).toBeCloseTo(slope, 8);
      expect(renyiConversion({ slope: rho, delta }).epsilon).toBeCloseTo(converted, 6);
      expect(renyiConversion({ slope: rho, delta }).order).toBeCloseTo(order, 4);
    },
  );

  it('is noise over the sensitivity 2 L / n, whatever counts and constants', () => {
    fc.assert(
      fc.property(
        budgets,
        counts,
        counts,
        fc.integer({ min: -8, max: 8 }),
        (budget, steps, records, size) => {
          const lipschitz = 3 * 10 ** size;
          const multiplier = theoremNoiseMultiplier({ ...budget, steps });
          expect(
            theoremNoiseScale({ ...budget, lipschitz, records, steps }) /
              (multiplier * ((2 * lipschitz) / records)),
          ).toBeCloseTo(1, 12);
          expect(Math.sqrt(steps) / multiplier).toBeCloseTo(theoremGaussianMu(budget), 12);
          expect(
            theoremNoiseScale({ ...budget, lipschitz, records, steps }) ** 2 /
              (theoremUnitNoise({ ...budget, records }) * steps * lipschitz ** 2),
          ).toBeCloseTo(1, 12);
        },
      ),
    );
  });

  it('is enough by its own conversion, and more than the exact law needs', () => {
    fc.assert(
      fc.property(budgets, (budget) => {
        const slope = renyiSlope({
          steps: 1,
          noiseMultiplier: theoremNoiseMultiplier({ steps: 1, ...budget }),
        });
        expect(renyiConversion({ slope, delta: budget.delta }).epsilon).toBeLessThanOrEqual(budget.epsilon);
        expect(lemmaD8Holds(budget)).toBe(true);
        expect(gaussian.multiplierFor({}, budget)).toBeLessThan(
          theoremNoiseMultiplier({ steps: 1, ...budget }),
        );
      }),
      { numRuns: 50 },
    );
    expect(
      theoremNoiseMultiplier({ steps: 1, epsilon: 1, delta: 1e-6 }) /
        gaussian.multiplierFor({}, { epsilon: 1, delta: 1e-6 }),
    ).toBeCloseTo(1.5, 1);
  });
});

test('the lemma holds as far as its conversion does', () => {
  expect(lemmaD8Holds({ epsilon: 1.2, delta: 0.333 })).toBe(true);
  expect(lemmaD8Holds({ epsilon: 1.22, delta: 0.3333 })).toBe(false);
});

test('the conversion is the least over all orders', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -8, max: 3 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 400 }),
      (size, digits, percent) => {
        const slope = 3 * 10 ** size;
        const delta = 10 ** -digits;
        const { epsilon, order } = renyiConversion({ slope, delta });
        const at = (alpha: number): number => alpha * slope + Math.log(1 / delta) / (alpha - 1);
        expect(Math.abs(at(order) / epsilon - 1)).toBeLessThan(1e-9);
        expect(at(1 + (order - 1) * (percent / 100))).toBeGreaterThanOrEqual(epsilon * (1 - 1e-9));
      },
    ),
  );
});

test('budgets outside the theorem and counts that are none are refused', () => {
  const good = { epsilon: 1, delta: 1e-6 };
  const all = { ...good, lipschitz: 1, records: 10, steps: 5 };
  for (const bad of [
    { epsilon: 1.01 },
    { epsilon: 0 },
    { epsilon: Number.NaN },
    { delta: 0 },
    { delta: 1 / 3 },
    { delta: Number.NaN },
    { steps: 0 },
    { steps: 1.5 },
    { records: 0 },
    { lipschitz: 0 },
    { lipschitz: Infinity },
    { lipschitz: Number.NaN },
  ]) {
    expect(() => theoremNoiseScale({ ...all, ...bad })).toThrow(InvalidParameter);
  }
  expect(() => theoremNoiseMultiplier({ ...good, steps: 0 })).toThrow(InvalidParameter);
  expect(() => theoremGaussianMu({ epsilon: 2, delta: 0.1 })).toThrow(/exactly/);
  expect(() => theoremUnitNoise({ ...good, records: -1 })).toThrow(InvalidParameter);
  expect(() => renyiConversion({ slope: 0, delta: 0.1 })).toThrow(InvalidParameter);
  expect(() => renyiConversion({ slope: 1, delta: 1 })).toThrow(InvalidParameter);
  expect(() => renyiSlope({ steps: 1, noiseMultiplier: Number.NaN })).toThrow(InvalidParameter);
  expect(() => lemmaD8Holds({ epsilon: 1, delta: 0 })).toThrow(InvalidParameter);
  expect(() => lemmaD8Holds({ epsilon: -1, delta: 0.1 })).toThrow(InvalidParameter);
});
