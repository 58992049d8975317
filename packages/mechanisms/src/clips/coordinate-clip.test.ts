import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectors } from '../../test/support/arbitraries.js';
import { expectation, discreteDistributions } from '../../test/support/discrete-distribution.js';
import { coordinateClip } from './coordinate-clip.js';

const clip = (vector: Float64Array, radius: number): Float64Array => {
  const out = vector.slice();
  coordinateClip.clipInPlace({ radius }, out);
  return out;
};

describe('coordinateClip', () => {
  it('holds every entry to its interval, exactly, and leaves those inside alone', () => {
    expect(clip(Float64Array.of(-3, 0.5, -0, 2, 1e300), 2)).toEqual(Float64Array.of(-2, 0.5, -0, 2, 2));
    fc.assert(
      fc.property(vectors(), positive(), (z, radius) => {
        expect(clip(z, radius)).toEqual(z.map((x) => Math.max(-radius, Math.min(radius, x))));
      }),
    );
  });

  it('makes a vector zero for a non-finite entry, also after earlier entries were clipped', () => {
    for (const bad of [NaN, Infinity, -Infinity])
      expect(clip(Float64Array.of(9, 1, bad), 1)).toEqual(new Float64Array(3));
  });

  it('contracts centred moments of every order, of every coordinate', () => {
    const about = (weights: readonly number[], values: readonly number[], k: number): number => {
      const mean = values.reduce((sum, x, i) => sum + weights[i] * x, 0);
      return values.reduce((sum, x, i) => sum + weights[i] * Math.abs(x - mean) ** k, 0);
    };
    fc.assert(
      fc.property(
        discreteDistributions(1),
        positive(-2, 2),
        fc.constantFrom(1, 1.5, 2, 3, 8),
        (distribution, radius, k) => {
          const values = distribution.points.map(([x]) => x);
          const images = distribution.points.map((point) => clip(point, radius)[0]);
          expect(about(distribution.weights, images, k)).toBeLessThanOrEqual(
            about(distribution.weights, values, k) * (1 + 1e-9) + 1e-12 * radius ** k,
          );
        },
      ),
    );
  });

  it('has a bias of at most E|x − mean|^k · (2/τ)^(k−1) / 4 for τ ≥ 2|mean| (published constant: 10)', () => {
    let largest = 0;
    fc.assert(
      fc.property(
        discreteDistributions(1),
        fc.constantFrom(1, 2, 10),
        fc.constantFrom(2, 3, 4),
        (distribution, by, k) => {
          const mean = expectation(distribution, ([x]) => x);
          const radius = by * Math.max(2 * Math.abs(mean), 1e-3);
          const bias = Math.abs(expectation(distribution, (point) => clip(point, radius)[0] - point[0]));
          const spread = expectation(distribution, ([x]) => Math.abs(x - mean) ** k);
          const bound = (spread * (2 / radius) ** (k - 1)) / 4;
          expect(bias).toBeLessThanOrEqual(
            bound * (1 + 1e-9) + 1e-12 * expectation(distribution, ([x]) => Math.abs(x)),
          );
          largest = Math.max(largest, bound === 0 ? 0 : bias / bound);
        },
      ),
    );
    expect(largest).toBeGreaterThan(0.1);
  });

  it('needs the 4 of its variance bound: corners with one negative entry', () => {
    for (const n of [2, 10, 500]) {
      // Entries of the mean are 1 − 2/n; the negative one is 2 − 2/n away from it.
      expect(
        (2 - 2 / n) ** 2 / coordinateClip.varianceBound({ radius: 1 }, { order: 2, value: 1 }),
      ).toBeCloseTo((1 - 1 / n) ** 2, 12);
    }
  });

  it('refuses a radius that is not positive and finite', () => {
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => coordinateClip({ radius })).toThrow(InvalidParameter);
      }),
    );
    expect([coordinateClip.norm, coordinateClip.factor, coordinateClip.isProjection]).toEqual([
      'linf',
      null,
      false,
    ]);
  });
});
