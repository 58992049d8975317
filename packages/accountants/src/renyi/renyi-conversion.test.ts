import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renyiDelta, renyiEpsilon } from './renyi-conversion.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const curve =
  (rho: number) =>
  (alpha: number): number =>
    rho * alpha;
const everyOrder = Array.from({ length: 4000 }, (_, i) => 1 + 10 ** (-8 + i / 200));

describe('conversion from Rényi divergences', () => {
  it('is no worse at its order than at any of a fine grid', () => {
    fc.assert(
      fc.property(tenTo(-8, 4), tenTo(-50, -0.5), tenTo(-3, 3), (rho, delta, epsilon) => {
        const atEpsilon = (alpha: number): number =>
          rho * alpha + Math.log1p(-1 / alpha) - Math.log(delta * alpha) / (alpha - 1);
        const least = Math.max(0, Math.min(...everyOrder.map(atEpsilon)));
        expect(renyiEpsilon(curve(rho), delta).value).toBeLessThanOrEqual(least + 1e-6 * least + 1e-9);
        const atDelta = (alpha: number): number =>
          (alpha - 1) * (rho * alpha - epsilon) + (alpha - 1) * Math.log1p(-1 / alpha) - Math.log(alpha);
        const found = renyiDelta(curve(rho), epsilon).value;
        expect(found).toBeLessThanOrEqual(
          Math.exp(Math.min(...everyOrder.map(atDelta))) * (1 + 1e-6) + 1e-300,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('inverts itself', () => {
    fc.assert(
      fc.property(tenTo(-4, 3), tenTo(-30, -2), (rho, delta) => {
        const { value } = renyiEpsilon(curve(rho), delta);
        fc.pre(value > 1e-6);
        expect(Math.log(renyiDelta(curve(rho), value).value) / Math.log(delta)).toBeCloseTo(1, 8);
      }),
    );
  });

  it('skips unknown orders, wherever they begin', () => {
    for (const omega of [1 + 1e-6, 1.5, 3, 40, 1e9]) {
      const truncated = (alpha: number): number => (alpha >= omega ? Infinity : 0.1 * alpha);
      const { value, order } = renyiEpsilon(truncated, 1e-5);
      expect(order).toBeLessThan(omega);
      expect(value).toBeLessThan(Infinity);
    }
    expect(renyiEpsilon(() => Infinity, 1e-5).value).toBe(Infinity);
    expect(renyiDelta(() => Infinity, 1).value).toBe(1);
    expect(renyiEpsilon(curve(1), 0).value).toBe(Infinity);
  });
});
