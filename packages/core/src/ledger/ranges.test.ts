import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRanges } from './ranges.js';

const stretch = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const part = fc.nat({ max: 8 }).map((k) => ({ from: 3 * k, to: 3 * k + 3 }));

test('finds what a plain search finds, whether stretches are apart or not', () => {
  fc.assert(fc.property(fc.array(fc.oneof(part, stretch), { maxLength: 12 }), fc.array(part, { maxLength: 12 }), stretch, (mixed, apart, { from, to }) => {
    for (const items of [mixed, apart]) {
      const stretches = createRanges<{ readonly from: number; readonly to: number }>();
      for (const item of items) stretches.add(item);
      const plain = items.filter((item) => item.from < to && from < item.to);
      expect(new Set(stretches.overlapping(from, to))).toEqual(new Set(plain));
      expect(stretches.overlapping(from, to)).toHaveLength(plain.length);
    }
  }), { numRuns: 500 });
});
