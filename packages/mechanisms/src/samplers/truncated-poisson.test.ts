import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frequencyMargin } from '../../test/support/distribution.js';
import { truncatedPoisson } from './index.js';

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

describe('truncated Poisson', () => {
  it.each([
    { rate: 0.5, most: 2 },
    { rate: 0.9, most: 1 },
    { rate: 0.3, most: 3 },
  ])('draws every set as often as it should: $most at rate $rate', ({ rate, most }) => {
    const slots = 4;
    const draws = 40_000;
    const counts = new Map<string, number>();
    const source = seededRandom(`truncated ${rate}`);
    for (let i = 0; i < draws; i++) {
      const set = truncatedPoisson.draw({ rate, most }, slots, source).join();
      counts.set(set, (counts.get(set) ?? 0) + 1);
    }
    const size = (k: number): number => [1, 4, 6, 4, 1][k] * rate ** k * (1 - rate) ** (slots - k);
    for (let mask = 0; mask < 2 ** slots; mask++) {
      const set = range(slots).filter((j) => (mask >> j) & 1);
      const sizes = range(slots + 1).filter((k) => k === set.length || (k > most && set.length === most));
      const probability =
        set.length > most ? 0 : sizes.reduce((sum, k) => sum + size(k), 0) / [1, 4, 6, 4, 1][set.length];
      expect(Math.abs((counts.get(set.join()) ?? 0) / draws - probability)).toBeLessThan(
        frequencyMargin(draws, 1e-9 / 48),
      );
    }
  });

  it('draws ascending positions in range, at most the limit, and all of them without truncation', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 400 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        (slots, permille, most, seed) => {
          const drawn = [
            ...truncatedPoisson.draw(
              { rate: permille / 1000, most },
              slots,
              seededRandom(`ascending ${seed}`),
            ),
          ];
          expect(drawn).toEqual([...new Set(drawn)].toSorted((a, b) => a - b));
          expect(drawn.every((position) => position >= 0 && position < slots)).toBe(true);
          expect(drawn.length).toBeLessThanOrEqual(most);
          expect(truncatedPoisson.draw({ rate: 1, most }, slots, seededRandom(`all ${seed}`))).toHaveLength(
            Math.min(slots, most),
          );
        },
      ),
    );
  });

  it('divides by the mean of a binomial number that is cut', () => {
    const binomial = (n: number, k: number, q: number): number =>
      range(k).reduce((product, i) => (product * (n - i)) / (i + 1), 1) * q ** k * (1 - q) ** (n - k);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 99 }),
        (slots, most, percent) => {
          const mean = range(slots + 1).reduce(
            (sum, k) => sum + Math.min(k, most) * binomial(slots, k, percent / 100),
            0,
          );
          expect(
            Math.abs(truncatedPoisson.normaliser({ rate: percent / 100, most }, slots) - mean),
          ).toBeLessThanOrEqual(1e-10 * mean);
        },
      ),
    );
    expect(truncatedPoisson.normaliser({ rate: 1, most: 3 }, 9)).toBe(3);
    expect(truncatedPoisson.normaliser({ rate: 0.01, most: 2 ** 30 }, 1000)).toBe(10);
    expect(truncatedPoisson.normaliser({ rate: 0.5, most: 10 }, 2 ** 32)).toBe(10);
  });

  it('hides the size, and amplifies where the number of slots is public', () => {
    const sampler = { kind: 'core/truncated-poisson', n: 9, rate: 0.25, most: 4 } as const;
    expect(truncatedPoisson.size).toBe('hidden');
    expect(truncatedPoisson.amplification({ rate: 0.25, most: 4 }, 9)).toEqual({
      'replace-one': { sampler, inner: 'replace-one' },
      'zero-out': { sampler, inner: 'zero-out' },
    });
  });

  it('refuses rates outside (0, 1], maxima that are none, and slots that cannot be counted', () => {
    for (const rate of [0, -0.1, 1.1, Number.NaN, Infinity])
      expect(() => truncatedPoisson({ rate, most: 2 })).toThrow(InvalidParameter);
    for (const most of [0, -1, 0.5, Number.NaN, Infinity])
      expect(() => truncatedPoisson({ rate: 0.5, most })).toThrow(InvalidParameter);
    for (const slots of [-1, 0.5, Number.NaN, Infinity]) {
      expect(() => truncatedPoisson.draw({ rate: 0.5, most: 2 }, slots, seededRandom('bad'))).toThrow(
        InvalidParameter,
      );
      expect(() => truncatedPoisson.normaliser({ rate: 0.5, most: 2 }, slots)).toThrow(InvalidParameter);
    }
  });
});
