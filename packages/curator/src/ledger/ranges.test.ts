import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRanges } from './ranges.js';

const range = fc
  .tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const part = fc.nat({ max: 8 }).map((k) => ({ from: 3 * k, to: 3 * k + 3 }));

test('finds the same items as a linear search, for disjoint and overlapping ranges', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(part, range), { maxLength: 12 }),
      fc.array(part, { maxLength: 12 }),
      range,
      (mixed, apart, { from, to }) => {
        for (const items of [mixed, apart]) {
          const ranges = createRanges<{ readonly from: number; readonly to: number }>();
          for (const item of items) ranges.add(item);
          const plain = items.filter((item) => item.from < to && from < item.to);
          expect(new Set(ranges.overlapping(from, to))).toEqual(new Set(plain));
          expect(ranges.overlapping(from, to)).toHaveLength(plain.length);
        }
      },
    ),
    { numRuns: 500 },
  );
});
