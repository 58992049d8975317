import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frequencyMargin } from '../../test/support/distribution.js';
import { full } from './full.js';
import { partition, partitionSizes } from './partition.js';
import { poisson } from './poisson.js';

const random = seededRandom('samplers');
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const badSlots = fc.constantFrom(-1, 0.5, Number.NaN, Infinity);

describe('full', () => {
  it('draws every position, in order', () => {
    fc.assert(fc.property(fc.nat({ max: 300 }), (slots) => {
      expect([...full.draw({}, slots, random)]).toEqual(range(slots));
    }));
    expect(full.normaliser({}, 7)).toBe(7);
  });

  it('claims no amplification and has a public size', () => {
    expect(full.size).toBe('exact');
    expect(full.amplification({}, 9)).toEqual({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'add-remove': { sampler: null, inner: 'add-remove' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    });
  });
});

describe('partition', () => {
  const shapes = fc.integer({ min: 1, max: 20 }).chain((parts) => fc.tuple(fc.integer({ min: parts, max: 200 }), fc.constant(parts)));

  it('cuts one pass into disjoint parts of the public size, dropping only the remainder', () => {
    fc.assert(fc.property(shapes, ([slots, parts]) => {
      const sizes = partitionSizes(slots, parts);
      const drawn = range(parts).map((part) => [...partition.draw({ parts, part }, slots, random)]);
      expect(drawn.map((part) => part.length)).toEqual(sizes);
      expect(drawn.flat()).toEqual(range(slots - (slots % parts)));
      expect(range(parts).map((part) => partition.normaliser({ parts, part }, slots))).toEqual(sizes);
    }));
  });

  it('claims no amplification, and nothing under add-remove', () => {
    expect(partition.size).toBe('exact');
    expect(partition.amplification({ parts: 2, part: 0 }, 9)).toEqual({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    });
  });

  it('refuses parts that do not exist', () => {
    expect(() => partition({ parts: 3, part: 3 })).toThrow(/part must be below parts/u);
    expect(() => partitionSizes(3, 4)).toThrow(InvalidParameter);
    expect(() => partition.draw({ parts: 4, part: 0 }, 3, random)).toThrow(InvalidParameter);
    fc.assert(fc.property(fc.constantFrom(0, -1, 0.5, Number.NaN, Infinity), (bad) => {
      expect(() => partition({ parts: bad, part: 0 })).toThrow(InvalidParameter);
      expect(() => partitionSizes(9, bad)).toThrow(InvalidParameter);
      expect(() => partitionSizes(bad, 1)).toThrow(InvalidParameter);
    }));
  });
});

describe('poisson', () => {
  it.each([0.05, 0.5, 0.9])('draws positions independently at rate %d: every set has its probability', (rate) => {
    const slots = 4;
    const draws = 40_000;
    const counts = new Map<string, number>();
    const source = seededRandom(`poisson ${rate}`);
    for (let i = 0; i < draws; i++) {
      const set = [...poisson.draw({ rate }, slots, source)].join();
      counts.set(set, (counts.get(set) ?? 0) + 1);
    }
    for (let mask = 0; mask < 2 ** slots; mask++) {
      const set = range(slots).filter((j) => (mask >> j) & 1);
      const probability = rate ** set.length * (1 - rate) ** (slots - set.length);
      expect(Math.abs((counts.get(set.join()) ?? 0) / draws - probability)).toBeLessThan(frequencyMargin(draws, 1e-9 / 16));
    }
  });

  it('draws ascending positions within range, all of them at rate 1', () => {
    fc.assert(fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 1000 }), fc.nat(), (slots, permille, seed) => {
      const drawn = [...poisson.draw({ rate: permille / 1000 }, slots, seededRandom(`ascending ${seed}`))];
      expect(drawn).toEqual([...new Set(drawn)].toSorted((a, b) => a - b));
      expect(drawn.every((position) => position >= 0 && position < slots)).toBe(true);
      expect([...poisson.draw({ rate: 1 }, slots, random)]).toEqual(range(slots));
    }));
  });

  it('hides the size, divides by the expected one, and amplifies each adjacency by itself', () => {
    const sampler = { kind: 'core/poisson', rate: 0.25 } as const;
    expect(poisson.size).toBe('hidden');
    expect(poisson.normaliser({ rate: 0.25 }, 10)).toBe(2.5);
    expect(poisson.amplification({ rate: 0.25 }, 10)).toEqual({
      'replace-one': { sampler, inner: 'replace-one' },
      'add-remove': { sampler, inner: 'add-remove' },
      'zero-out': { sampler, inner: 'zero-out' },
    });
  });

  it('refuses rates outside (0, 1]', () => {
    fc.assert(fc.property(fc.constantFrom(0, -0.1, 1.1, Number.NaN, Infinity), (rate) => {
      expect(() => poisson({ rate })).toThrow(InvalidParameter);
    }));
  });
});

describe('slots', () => {
  it('must be a count to draw from, positive to divide by', () => {
    fc.assert(fc.property(badSlots, (slots) => {
      expect(() => full.draw({}, slots, random)).toThrow(InvalidParameter);
      expect(() => partition.draw({ parts: 1, part: 0 }, slots, random)).toThrow(InvalidParameter);
      expect(() => poisson.draw({ rate: 0.5 }, slots, random)).toThrow(InvalidParameter);
    }));
    fc.assert(fc.property(fc.constantFrom(0, -1, Number.NaN, Infinity), (slots) => {
      expect(() => full.normaliser({}, slots)).toThrow(InvalidParameter);
      expect(() => poisson.normaliser({ rate: 0.5 }, slots)).toThrow(InvalidParameter);
    }));
  });
});
