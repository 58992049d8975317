import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, normOf } from './norms.js';

const norms = ['l1', 'l2', 'linf'] as const;

describe('norms', () => {
  it.each([
    [0, [7, 5, 4]],
    [1000, [7, 5, 4]],
    [-1030, [7, 5, 4]],
  ])('of (4, 0, −3) times 2^%i, exactly', (power, [one]) => {
    const by = 2 ** power;
    expect(normOf('l1', [4 * by, 0, -3 * by])).toBe(one * by);
    expect(normOf('l2', [4 * by, 0, -3 * by])).toBe(5 * by);
    expect(normOf('linf', [4 * by, 0, -3 * by])).toBe(4 * by);
  });
  it('scale with powers of two and are ordered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 8 }),
        fc.integer({ min: -900, max: 900 }),
        (grid, power) => {
          const scaled = grid.map((x) => x * 2 ** power);
          for (const norm of norms) expect(normOf(norm, scaled)).toBe(normOf(norm, grid) * 2 ** power);
          expect(normOf('linf', grid)).toBeLessThanOrEqual(normOf('l2', grid));
          expect(normOf('l2', grid)).toBeLessThanOrEqual(normOf('l1', grid));
        },
      ),
    );
  });
  it.each(norms)('%s is infinite for a non-finite entry', (norm) => {
    for (const bad of [NaN, Infinity, -Infinity]) expect(normOf(norm, [1, bad])).toBe(Infinity);
    expect(distance(norm, [NaN], [NaN])).toBe(Infinity);
    expect(distance(norm, [1], [1, 2])).toBe(Infinity);
    expect(distance(norm, [1, 5], [4, 1])).toBe({ l1: 7, l2: 5, linf: 4 }[norm]);
    expect(normOf(norm, [])).toBe(0);
  });
});
