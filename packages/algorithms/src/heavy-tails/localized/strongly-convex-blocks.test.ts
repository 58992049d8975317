import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { averagedMoment } from '../moments/averaged-moment.js';
import { floorToPowerOfTwo, stronglyConvexBlocks } from './strongly-convex-blocks.js';

test('blocks double, fit, and the last holds a quarter where its size is whole', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 40 }).chain((l) => fc.integer({ min: 2 ** l, max: 2 ** l + 2 ** (l - 1) })),
      (n) => {
        const blocks = stronglyConvexBlocks(n);
        const levels = Math.log2(n);
        expect(blocks).toHaveLength(Math.ceil(Math.log2(levels)));
        expect(blocks.reduce((sum, size) => sum + size, 0)).toBeLessThan(n);
        blocks.forEach((size, j) => {
          const exact = (2 ** (j - 1) * n) / levels;
          expect(Math.log2(size) % 1).toBe(0);
          expect(size).toBeGreaterThanOrEqual(2);
          expect(size <= exact && exact < 2 * size).toBe(true);
          if (j > 0) expect(size).toBe(2 * blocks[j - 1]);
        });
      },
    ),
  );
  expect(stronglyConvexBlocks(65536)).toEqual([2048, 4096, 8192, 16384]);
  expect(stronglyConvexBlocks(16)).toEqual([2, 4]);
  for (const bad of [15, 0, -1, 16.5, Infinity, Number.NaN])
    expect(() => stronglyConvexBlocks(bad)).toThrow(InvalidParameter);
});

test('floorToPowerOfTwo', () => {
  for (let l = 0; l <= 52; l++)
    for (const [value, power] of [
      [2 ** l, 2 ** l],
      [2 ** l * (1 + 2 ** -52), 2 ** l],
      [2 ** (l + 1) * (1 - 2 ** -53), 2 ** l],
    ] as const)
      expect(floorToPowerOfTwo(value)).toBe(power);
});

test('averagedMoment weighs halves, and halving the records doubles what is left', () => {
  expect(averagedMoment([4, 2])).toBeCloseTo(3, 15);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 20 }), (unsorted) => {
      const moments = unsorted.toSorted((a, b) => a - b);
      const largest = moments[moments.length - 1];
      const whole = averagedMoment(moments) ** 2;
      expect(whole).toBeLessThanOrEqual((1 - 2 ** -moments.length) * largest ** 2 * (1 + 1e-12));
      expect(averagedMoment(moments.slice(1)) ** 2).toBeCloseTo(2 * (whole - moments[0] ** 2 / 2), 6);
    }),
  );
  for (const bad of [[-1], [1, Number.NaN], [Infinity]])
    expect(() => averagedMoment(bad)).toThrow(InvalidParameter);
});
