import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tenTo } from '../../test/releases.js';
import { commonStep } from './common-step.js';

describe('a common step for several distributions', () => {
  it('divides the spacing, is hardly shorter than it may be, and leaves less over than most do', () => {
    fc.assert(
      fc.property(tenTo(-2, 1), tenTo(1, 4), tenTo(-1, 1), (spacing, parts, ratio) => {
        const longest = spacing / parts;
        const distance = spacing * ratio;
        const step = commonStep(spacing, longest, [{ distance, weight: 1 }]);
        const times = spacing / step;
        expect(Math.abs(times - Math.round(times))).toBeLessThanOrEqual(1e-9 * times);
        expect(step).toBeLessThanOrEqual(longest * (1 + 1e-9));
        expect(step).toBeGreaterThanOrEqual((longest / 1.5) * (1 - 2 / parts));
        const left = (by: number): number =>
          Math.max(0, distance / by - Math.floor(distance / by + 1e-9)) * by;
        expect(left(step)).toBeLessThanOrEqual(left(spacing / Math.ceil(parts * (1 - 1e-12))));
      }),
    );
  });

  it('is the common one, if there is one', () => {
    const step = commonStep(0.2, 0.011, [
      { distance: 0.15, weight: 1 },
      { distance: 0.35, weight: 2 },
    ]);
    expect(0.15 / step).toBeCloseTo(Math.round(0.15 / step), 9);
    expect(0.35 / step).toBeCloseTo(Math.round(0.35 / step), 9);
  });
});
