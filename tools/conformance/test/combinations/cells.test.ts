import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowsOf, uncovered } from './cells.js';

const axesArbitrary = fc
  .array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 6 })
  .map((sizes) =>
    Object.fromEntries(sizes.map((size, i) => [`axis${i}`, Array.from({ length: size }, (_, k) => `v${k}`)])),
  );

test('a covering array covers all value tuples of two or three axes, deterministically', () => {
  fc.assert(
    fc.property(axesArbitrary, fc.integer({ min: 2, max: 3 }), (axes, strength) => {
      const rows = rowsOf(axes, { maxCells: 0, strength });
      expect(uncovered(axes, rows, Math.min(strength, Object.keys(axes).length))).toBe(0);
      expect(rowsOf(axes, { maxCells: 0, strength })).toEqual(rows);
    }),
    { numRuns: 40 },
  );
});

test('small products are run in full, and a missing combination is detected', () => {
  const axes = { a: ['1', '2'], b: ['x', 'y', 'z'] };
  const rows = rowsOf(axes);
  expect(rows).toHaveLength(6);
  expect(uncovered(axes, rows.slice(1), 2)).toBe(1);
});
