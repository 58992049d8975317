import { InvalidParameter, Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classicalGaussian, gaussian, gaussianDeltaUp } from './index.js';

/** ε below 1 and δ below 1 over many orders of magnitude. */
const target = fc.record({
  epsilon: fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: -9, max: 0 }))
    .map(([k, e]) => (k / 1000) * 10 ** e),
  delta: fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: -200, max: 0 }))
    .map(([k, e]) => (k / 1000) * 10 ** e),
});

describe('the classical calibration', () => {
  test('is √(2 ln(1.25/δ))/ε, rounded up', () => {
    const multiplier = classicalGaussian.multiplierFor({}, { epsilon: 0.5, delta: 1e-5 });
    expect(multiplier).toBeGreaterThanOrEqual(Math.sqrt(2 * Math.log(1.25e5)) / 0.5);
    expect(multiplier).toBeCloseTo(9.6896105, 6);
  });

  test('meets every target it is given, and the analytic one is smaller', () => {
    fc.assert(
      fc.property(target, ({ epsilon, delta }) => {
        const multiplier = classicalGaussian.multiplierFor({}, { epsilon, delta });
        expect(gaussianDeltaUp(epsilon, multiplier)).toBeLessThanOrEqual(delta);
        expect(gaussian.multiplierFor({}, { epsilon, delta })).toBeLessThanOrEqual(multiplier);
      }),
    );
  });

  test('is refused where it is not proved: it fails in earnest at ε = 10', () => {
    for (const epsilon of [1, 1.5, 10, 1e300])
      expect(() => classicalGaussian.multiplierFor({}, { epsilon, delta: 1e-6 })).toThrow(Unsupported);
    expect(gaussianDeltaUp(10, Math.sqrt(2 * Math.log(1.25e6)) / 10)).toBeGreaterThan(1e-6);
    expect(() => classicalGaussian.multiplierFor({}, { epsilon: 0.5, delta: 0 })).toThrow(Unsupported);
  });

  test('targets that are none are refused, and ρ is that of the noise', () => {
    for (const [epsilon, delta] of [
      [0, 0.1],
      [-1, 0.1],
      [NaN, 0.1],
      [Infinity, 0.1],
      [0.5, -1],
      [0.5, 1],
      [0.5, NaN],
    ] as const)
      expect(() => classicalGaussian.multiplierFor({}, { epsilon, delta })).toThrow(InvalidParameter);
    expect(classicalGaussian.multiplierFor({}, { rho: 0.5 })).toBe(gaussian.multiplierFor({}, { rho: 0.5 }));
  });
});
