import type { Loss } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { multiScale, vectorOf } from './arbitraries.js';

/** What every convex loss of a linear model without parameters must satisfy, at margins of ordinary size. */
export function itIsAConvexLinearLoss(loss: Loss, label: fc.Arbitrary<number>): void {
  const { value, slope } = defined(loss.linear);
  const margin = multiScale(-6, 1);

  it('has the slope of its value', () => {
    fc.assert(
      fc.property(margin, label, (m, y) => {
        const at = (h: number): number => (value({}, m + h, y) - value({}, m - h, y)) / (2 * h);
        const richardson = (4 * at(2 ** -8) - at(2 ** -7)) / 3;
        const scale = 1 + Math.abs(value({}, m, y));
        expect(Math.abs(richardson - slope({}, m, y))).toBeLessThan(1e-9 * scale);
      }),
    );
  });

  it('has a gradient along any direction that is the derivative of its value', () => {
    fc.assert(
      fc.property(
        vectorOf(3, multiScale(-2, 0)),
        vectorOf(3, multiScale(-2, 0)),
        vectorOf(3, multiScale(-2, 0)),
        label,
        (w, direction, features, y) => {
          const record = { features, label: y };
          const gradient = new Float64Array(3);
          loss.gradientInto({}, gradient, w, record);
          const at = (h: number): number => {
            const moved = (sign: number): number =>
              loss.value(
                {},
                w.map((entry, j) => entry + sign * h * direction[j]),
                record,
              );
            return (moved(1) - moved(-1)) / (2 * h);
          };
          const expected = gradient.reduce((sum, entry, j) => sum + entry * direction[j], 0);
          const size = 1 + Math.hypot(...direction) * Math.hypot(...features);
          expect(Math.abs((4 * at(2 ** -9) - at(2 ** -8)) / 3 - expected)).toBeLessThan(
            1e-8 * size ** 3 * (1 + Math.abs(loss.value({}, w, record))),
          );
        },
      ),
    );
  });

  it('is convex: slopes never fall, values lie above tangents', () => {
    fc.assert(
      fc.property(multiScale(-3, 3), multiScale(-3, 3), label, (a, b, y) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(slope({}, low, y)).toBeLessThanOrEqual(slope({}, high, y));
        const tangent = value({}, a, y) + slope({}, a, y) * (b - a);
        const scale =
          Math.abs(value({}, a, y)) + Math.abs(slope({}, a, y) * (b - a)) + Math.abs(value({}, b, y));
        // Subnormal values have few digits.
        expect(value({}, b, y)).toBeGreaterThanOrEqual(tangent - 1e-14 * scale - 1e-300);
      }),
    );
  });

  it('gives a zero gradient for a zero row', () => {
    fc.assert(
      fc.property(vectorOf(3, multiScale(-3, 3)), label, (w, y) => {
        const gradient = new Float64Array(3).fill(7);
        loss.gradientInto({}, gradient, w, { features: new Float64Array(3), label: y });
        expect(Math.max(...gradient.map(Math.abs))).toBe(0);
      }),
    );
  });
}
