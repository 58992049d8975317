import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectors } from '../../test/support/arbitraries.js';
import { norm } from '../../test/support/discrete-distribution.js';
import { automaticClip } from './automatic-clip.js';
import { l2Clip } from './l2-clip.js';

const clip = (vector: Float64Array, radius: number, stability: number): Float64Array => {
  const out = vector.slice();
  automaticClip.clipInPlace({ radius, stability }, out);
  return out;
};
const biasBound = (radius: number, stability: number, order: number, root: number): number =>
  automaticClip.biasBound({ radius, stability }, { order, value: root ** order });
const displacement = (radius: number, stability: number, s: number): number =>
  (s * Math.abs(s + stability - radius)) / (s + stability);

/**
 * Least concave function above points on the graph of h(u^(1/k)), read at `root^k`: the upper hull, by hand.
 */
function envelope(radius: number, stability: number, order: number, root: number): number {
  const norms = [0, root, ...Array.from({ length: 801 }, (_, i) => radius * 2 ** (-14 + i / 40))].toSorted(
    (a, b) => a - b,
  );
  const points = norms.map((s) => [(s / root) ** order, displacement(radius, stability, s)] as const);
  let best = 0;
  const left = points.filter(([u]) => u <= 1);
  const right = points.filter(([u]) => u >= 1);
  for (const [u, h] of left)
    for (const [v, g] of right) best = Math.max(best, v === u ? h : h + ((1 - u) / (v - u)) * (g - h));
  return best;
}

describe('automaticClip', () => {
  it('multiplies by radius / (norm + stability), and stays inside the ball', () => {
    expect(clip(Float64Array.of(3, 4), 4, 3)).toEqual(Float64Array.of(1.5, 2));
    fc.assert(
      fc.property(vectors(), positive(), positive(), (z, radius, stability) => {
        const clipped = clip(z, radius, stability);
        const factor = radius / (norm(z) + stability);
        for (let j = 0; j < z.length; j++)
          expect(Math.abs(clipped[j] - factor * z[j])).toBeLessThanOrEqual(1e-14 * factor * norm(z));
        expect(norm(clipped)).toBeLessThanOrEqual(radius * (1 + 1e-14));
        expect(defined(automaticClip.factor)({ radius, stability }, norm(z)) / factor).toBeCloseTo(1, 12);
      }),
    );
  });

  it('keeps zero, and neither overflows nor vanishes', () => {
    expect(clip(new Float64Array(2), 1, 1e-100)).toEqual(new Float64Array(2));
    for (const entry of clip(Float64Array.of(Number.MAX_VALUE, Number.MAX_VALUE), 2, 1))
      expect(entry).toBeCloseTo(Math.SQRT2, 13);
    expect(clip(Float64Array.of(1e300, 0), 1e-280, 1)[0] / 1e-280).toBeCloseTo(1, 12);
    expect(clip(Float64Array.of(1e-300, 0), 1, 1e-10)[0] / 1e-290).toBeCloseTo(1, 9);
  });

  it('has the ℓ2 clip’s bias at large moments only: at small ones it is that of growing', () => {
    for (const order of [2, 3, 8]) {
      expect(
        biasBound(1, 0.01, order, 1e4) / l2Clip.biasBound({ radius: 1 }, { order, value: 1e4 ** order }),
      ).toBeCloseTo(1, 3);
      expect(biasBound(1, 0.01, order, 1e-4)).toBeCloseTo(1e-4 * (1 / 0.0101 - 1), 9);
    }
  });

  it('has the least bias bound there is: the concave hull of the displacement', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.001, 0.1, 0.5, 0.9, 1, 3),
        fc.constantFrom(2, 2.5, 4, 8),
        fc.integer({ min: -16, max: 16 }),
        (stability, order, k) => {
          const root = 2 ** (k / 4);
          const bound = biasBound(1, stability, order, root);
          const hull = envelope(1, stability, order, root);
          expect(bound).toBeGreaterThanOrEqual(hull * (1 - 1e-9));
          expect(hull / bound).toBeGreaterThan(0.998);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is a finite number for every ratio of radius and stability, and grows with the moment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1e-200, 1, 1e140),
        fc.integer({ min: -149, max: 149 }),
        fc.constantFrom(2, 3, 50, 1e4),
        fc.constantFrom(0, 1e-300, 1e-9, 1, 1e9, 1e300),
        (radius, k, order, value) => {
          const stability = radius * 10 ** k;
          fc.pre(stability > 1e-300 && stability < 1e300);
          const bound = automaticClip.biasBound({ radius, stability }, { order, value });
          expect(bound).toBeGreaterThanOrEqual(0);
          expect(bound).toBeLessThan(Infinity);
          expect(
            automaticClip.biasBound({ radius, stability }, { order, value: value * 1.5 }),
          ).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
        },
      ),
    );
  });

  it('refuses a radius or a stability that is not positive, and ratios that doubles do not hold', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => automaticClip({ radius: bad, stability: 1 })).toThrow(InvalidParameter);
        expect(() => automaticClip({ radius: 1, stability: bad })).toThrow(InvalidParameter);
      }),
    );
    expect(() => automaticClip({ radius: 1e200, stability: 1e-200 })).toThrow(InvalidParameter);
    expect(() => automaticClip.biasBound({ radius: 1, stability: 1 }, { order: 1, value: 1 })).toThrow(
      InvalidParameter,
    );
  });
});
