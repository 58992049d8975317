import { IncompatiblePlugins, InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import { norm } from '../../test/support/discrete-distribution.js';
import { blockClip } from './block-clip.js';
import { l2Clip } from './l2-clip.js';

type Params = Parameters<typeof blockClip>[0];
const clip = (params: Params, vector: Float64Array): Float64Array => {
  const out = vector.slice();
  blockClip.clipInPlace(blockClip.params.parse(params), out);
  return out;
};
const layouts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), positive(-3, 3)), { minLength: 1, maxLength: 5 })
  .map((blocks) => ({ sizes: blocks.map(([size]) => size), radii: blocks.map(([, radius]) => radius) }));
const totalOf = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b);

describe('blockClip', () => {
  it('is the ℓ2 clip of each block', () => {
    fc.assert(
      fc.property(
        layouts.chain((layout) => fc.tuple(fc.constant(layout), vectorOf(totalOf(layout.sizes), -3, 3))),
        ([{ sizes, radii }, z]) => {
          const clipped = clip({ sizes, radii }, z);
          let from = 0;
          sizes.forEach((size, b) => {
            const block = z.slice(from, from + size);
            l2Clip.clipInPlace({ radius: radii[b] }, block);
            expect(clipped.slice(from, from + size)).toEqual(block);
            from += size;
          });
        },
      ),
    );
  });

  it('finds the entries of a listed block wherever they are', () => {
    fc.assert(
      fc.property(
        layouts.chain((layout) => {
          const total = totalOf(layout.sizes);
          return fc.tuple(
            fc.constant(layout),
            vectorOf(total, -3, 3),
            fc.shuffledSubarray(
              Array.from({ length: total }, (_, j) => j),
              { minLength: total },
            ),
          );
        }),
        ([{ sizes, radii }, z, order]) => {
          let from = 0;
          const coordinates = sizes.map((size) => order.slice(from, (from += size)));
          const consecutive = clip(
            { sizes, radii },
            Float64Array.from(order, (at) => z[at]),
          );
          const listed = clip({ coordinates, radii }, z);
          order.forEach((at, j) => {
            expect(listed[at]).toBe(consecutive[j]);
          });
        },
      ),
    );
  });

  it('declares the radius of the whole, √Σ radii², which long vectors have', () => {
    expect(blockClip.radius(blockClip.params.parse({ radii: [3, 4], sizes: [1, 1] }))).toBe(5);
    fc.assert(
      fc.property(layouts, ({ sizes, radii }) => {
        const radius = blockClip.radius({ sizes, radii });
        expect(Math.abs(radius - norm(radii))).toBeLessThanOrEqual(1e-14 * radius);
        expect(
          norm(clip({ sizes, radii }, new Float64Array(totalOf(sizes)).fill(1e6))),
        ).toBeGreaterThanOrEqual(radius * (1 - 1e-12));
      }),
    );
    expect(blockClip.radius({ radii: [1e-200, 1e-200], sizes: [1, 1] })).toBeCloseTo(
      Math.SQRT2 * 1e-200,
      210,
    );
    expect(blockClip.radius({ radii: [3e279, 4e279], sizes: [1, 1] }) / 5e279).toBeCloseTo(1, 14);
  });

  it('refuses vectors of another length, whatever is in them', () => {
    for (const z of [new Float64Array(3), new Float64Array(5), Float64Array.of(NaN), new Float64Array(0)]) {
      expect(() => clip({ radii: [1, 2], sizes: [1, 3] }, z)).toThrow(IncompatiblePlugins);
    }
  });

  it('refuses radii that are none, and blocks that leave an entry out or hold one twice', () => {
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => blockClip({ radii: [1, radius], sizes: [1, 1] })).toThrow(InvalidParameter);
      }),
    );
    const bad: readonly object[] = [
      { radii: [1] },
      { radii: [], sizes: [] },
      { radii: [1], sizes: [1], coordinates: [[0]] },
      { radii: [1, 1], sizes: [1] },
      { radii: [1], sizes: [0] },
      { radii: [1], sizes: [1.5] },
      { radii: [1], sizes: [NaN] },
      { radii: [1], coordinates: [[1]] },
      { radii: [1, 1], coordinates: [[0, 1], [1]] },
      { radii: [1, 1], coordinates: [[0], [0]] },
      { radii: [1], coordinates: [[0, 2]] },
      { radii: [1], coordinates: [[-1, 0]] },
      { radii: [1, 1], coordinates: [[0], []] },
      { radii: [1e281], sizes: [1] },
    ];
    for (const params of bad) expect(() => blockClip(params as Params)).toThrow(InvalidParameter);
  });
});
