import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manyFourierSums } from './sums.js';

/** Weights of normal densities at the same nodes, or whatever comes. */
const weights = fc.oneof(
  fc
    .tuple(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 1, max: 20 }))
    .map(([many, apart]) =>
      Array.from({ length: many }, (_, i) =>
        Float64Array.from({ length: 80 }, (__, k) =>
          Math.exp(-(((k - 40) / (8 + (apart * i) / (20 * many))) ** 2) / 2),
        ),
      ),
    ),
  fc.array(
    fc
      .array(fc.integer({ min: -1000, max: 1000 }), { minLength: 80, maxLength: 80 })
      .map((list) => Float64Array.from(list, (weight) => weight / 1000)),
    { minLength: 1, maxLength: 6 },
  ),
);

describe('manyFourierSums', () => {
  it('are the sums, within the errors granted, of similar weights and of others', () => {
    fc.assert(
      fc.property(
        weights,
        fc.integer({ min: 1, max: 70 }),
        fc.uniqueArray(fc.integer({ min: -500, max: 500 }), { minLength: 80, maxLength: 80 }),
        (given, count, places) => {
          const nodes = Float64Array.from(places.toSorted((a, b) => a - b));
          const period = 1000;
          const { re, im, errors } = manyFourierSums(nodes, given, period, count);
          given.forEach((mine, i) => {
            const size = mine.reduce((sum, weight) => sum + Math.abs(weight), 0);
            expect(errors[i]).toBeLessThanOrEqual(size * (places.length + 32) * 2 ** -53);
            for (let j = 0; j < count; j += 1) {
              let [x, y] = [0, 0];
              mine.forEach((weight, k) => {
                const angle = (2 * Math.PI * ((((j * nodes[k]) % period) + period) % period)) / period;
                x += weight * Math.cos(angle);
                y += weight * Math.sin(angle);
              });
              expect(Math.hypot(re[i][j] - x, im[i][j] - y)).toBeLessThanOrEqual(errors[i] + size * 2e-15);
            }
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});
