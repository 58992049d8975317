import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heaviestPatternUp } from './heaviest-pattern.js';
import { patternsOf } from '../../test/factors.js';

const wholeWeights = fc
  .array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 11 })
  .map((values) => Float64Array.from(values));

describe('heaviestPatternUp', () => {
  it('is the largest sum over all patterns, exactly where sums are', () => {
    fc.assert(
      fc.property(
        wholeWeights,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 6 }),
        (weights, times, gap) => {
          const sums = patternsOf(weights.length, { times, gap }).map((pattern) =>
            pattern.reduce((sum, t) => sum + weights[t], 0),
          );
          expect(heaviestPatternUp(weights, { times, gap })).toBe(Math.max(...sums));
        },
      ),
    );
  });

  it('chooses more than 64 participations as it would fewer', () => {
    // 70 weights of 3, then 2, then 1, in an order that does not decrease: with gap 1 the heaviest are taken.
    const weights = Float64Array.from({ length: 210 }, (_, t) => (t % 3) + 1);
    const found = heaviestPatternUp(weights, { times: 100, gap: 1 });
    expect(found).toBeGreaterThanOrEqual(70 * 3 + 30 * 2);
    expect(found).toBeLessThanOrEqual((70 * 3 + 30 * 2) * (1 + 1e-12));
    // With gap 3 there is room for 70, all of them the heaviest.
    expect(heaviestPatternUp(weights, { times: 70, gap: 3 })).toBe(210);
  });

  it('agrees with itself one by one, at and beyond 64', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 200, maxLength: 260 }),
        fc.integer({ min: 60, max: 80 }),
        fc.integer({ min: 1, max: 3 }),
        (values, times, gap) => {
          const weights = Float64Array.from(values);
          // Concave and increasing in the number of participations.
          const [fewer, these, more] = [times - 1, times, times + 1].map((count) =>
            heaviestPatternUp(weights, { times: count, gap }),
          );
          expect(these).toBeGreaterThanOrEqual(fewer * (1 - 1e-12));
          expect(these - fewer).toBeGreaterThanOrEqual(more - these - 1e-9 * more);
          expect(these - fewer).toBeLessThanOrEqual(9 + 1e-9 * these);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('rounds up', () => {
    expect(heaviestPatternUp(Float64Array.of(1, 2 ** -60), { times: 2, gap: 1 })).toBe(1 + 2 ** -52);
  });

  it('refuses participations that are not counts', () => {
    for (const bad of [0, -1, 1.5, NaN])
      expect(() => heaviestPatternUp(Float64Array.of(1), { times: bad, gap: 1 })).toThrow(InvalidParameter);
  });
});
