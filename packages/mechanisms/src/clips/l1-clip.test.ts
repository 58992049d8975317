import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectors } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { domainClip } from './domain-clip.js';
import { l1Clip } from './l1-clip.js';
import { l2Clip } from './l2-clip.js';
import { scaledSum } from './scaled-norm.js';

const clip = (vector: Float64Array, radius: number): Float64Array => {
  const out = vector.slice();
  l1Clip.clipInPlace({ radius }, out);
  return out;
};
const norm1 = (vector: Float64Array): number => vector.reduce((sum, x) => sum + Math.abs(x), 0);

describe('l1Clip', () => {
  it('scales: what is outside ends on the sphere, on its ray', () => {
    expect(clip(Float64Array.of(3, -4), 3.5)).toEqual(Float64Array.of(1.5, -2));
    expect(clip(Float64Array.of(3, -4), 7)).toEqual(Float64Array.of(3, -4));
    fc.assert(
      fc.property(vectors(), fc.integer({ min: 1, max: 99 }), (z, percent) => {
        const radius = (norm1(z) * percent) / 100;
        fc.pre(radius > 0);
        const clipped = clip(z, radius);
        expect(scaledSum(clipped).root).toBeLessThanOrEqual(radius);
        for (let j = 0; j < z.length; j++)
          expect(Math.abs(clipped[j] - (z[j] * percent) / 100)).toBeLessThanOrEqual(1e-13 * radius);
      }),
    );
  });

  it('moves a vector as far in ℓ1 as the Euclidean projection does, and farther in ℓ2', () => {
    let farther = 0;
    fc.assert(
      fc.property(vectors(-2, 2), positive(-2, 2), (z, radius) => {
        const projected = z.slice();
        const excess = Math.max(0, norm1(z) - radius);
        const rounding = 1e-12 * norm1(z);
        domainClip.clipInPlace(
          domainClip.params.parse({ domain: { name: 'l1-ball', params: { radius } }, dimension: z.length }),
          projected,
        );
        const scaled = clip(z, radius);
        for (const moved of [scaled, projected])
          expect(Math.abs(norm1(minus(z, moved)) - excess)).toBeLessThanOrEqual(rounding);
        expect(norm(minus(z, scaled))).toBeGreaterThanOrEqual(norm(minus(z, projected)) - rounding);
        farther += Number(norm(minus(z, scaled)) > norm(minus(z, projected)) + 1e-3 * excess);
      }),
    );
    expect(farther).toBeGreaterThan(10);
  });

  it('may bring vectors further apart, which is why it does not claim that it does not', () => {
    const n = 64;
    const radius = 1;
    const y = new Float64Array(n);
    const z = new Float64Array(n).fill(1 / n / n);
    [y[0], z[0]] = [1, 1];
    // ‖z‖₁ = 1 + (n − 1)/n²: scaling takes back from the first entry what the others add.
    expect(norm1(minus(clip(z, radius), clip(y, radius)))).toBeGreaterThan(1.9 * norm1(minus(z, y)));
  });

  it('neither overflows nor underflows', () => {
    expect(
      [
        ...clip(Float64Array.of(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE), 1),
      ].map(Math.abs),
    ).toEqual([0.25, 0.25, 0.25, 0.25]);
    clip(Float64Array.of(1e-310, -3e-310), 2e-310).forEach((entry, j) => {
      expect(Math.abs(entry) / [5e-311, 1.5e-310][j]).toBeCloseTo(1, 9);
    });
    expect(norm1(clip(Float64Array.of(1, 1, 1), Number.MIN_VALUE))).toBeLessThanOrEqual(Number.MIN_VALUE);
  });

  it('has the bias bound of the ℓ2 clip and four times its variance bound, needed on n axes', () => {
    fc.assert(
      fc.property(positive(-3, 3), positive(-3, 3), fc.constantFrom(2, 3, 8), (radius, value, order) => {
        expect(l1Clip.biasBound({ radius }, { order, value })).toBe(
          l2Clip.biasBound({ radius }, { order, value }),
        );
        expect(l1Clip.varianceBound({ radius }, { order, value })).toBe(
          4 * l2Clip.varianceBound({ radius }, { order, value }),
        );
      }),
    );
    // E‖e_i − 1/n‖₁² = (1 − 1/n + (n − 1)/n)² for e_i uniform.
    for (const n of [2, 10, 1000])
      expect(
        (2 * (1 - 1 / n)) ** 2 / l1Clip.varianceBound({ radius: 1 }, { order: 2, value: 1 }),
      ).toBeCloseTo((1 - 1 / n) ** 2, 12);
  });

  it('is a function of the ℓ1 norm, and refuses a radius that is not positive and finite', () => {
    expect([l1Clip.norm, l1Clip.isProjection, defined(l1Clip.factor)({ radius: 1 }, 4)]).toEqual([
      'l1',
      false,
      0.25,
    ]);
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => l1Clip({ radius })).toThrow(InvalidParameter);
      }),
    );
  });
});
