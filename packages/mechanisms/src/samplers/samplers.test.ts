import { InvalidParameter, seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frequencyMargin } from '../../test/support/distribution.js';
import { ascending } from './ascending.js';
import {
  fixedSize,
  fixedSizeWithReplacement,
  full,
  partition,
  partitionSizes,
  poisson,
  randomAllocation,
  shuffledEpochs,
} from './index.js';

const random = seededRandom('samplers');
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const badSlots = fc.constantFrom(-1, 0.5, Number.NaN, Infinity);

describe('full', () => {
  it('draws every position, in order', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 }), (slots) => {
        expect([...full.draw({}, slots, random)]).toEqual(range(slots));
      }),
    );
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
  const shapes = fc
    .integer({ min: 1, max: 20 })
    .chain((parts) => fc.tuple(fc.integer({ min: parts, max: 200 }), fc.constant(parts)));

  it('cuts one pass into disjoint parts of the public size, dropping only the remainder', () => {
    fc.assert(
      fc.property(shapes, ([slots, parts]) => {
        const sizes = partitionSizes(slots, parts);
        const drawn = range(parts).map((part) => [...partition.draw({ parts, part }, slots, random)]);
        expect(drawn.map((part) => part.length)).toEqual(sizes);
        expect(drawn.flat()).toEqual(range(slots - (slots % parts)));
        expect(range(parts).map((part) => partition.normaliser({ parts, part }, slots))).toEqual(sizes);
      }),
    );
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
    fc.assert(
      fc.property(fc.constantFrom(0, -1, 0.5, Number.NaN, Infinity), (bad) => {
        expect(() => partition({ parts: bad, part: 0 })).toThrow(InvalidParameter);
        expect(() => partitionSizes(9, bad)).toThrow(InvalidParameter);
        expect(() => partitionSizes(bad, 1)).toThrow(InvalidParameter);
      }),
    );
  });
});

describe('poisson', () => {
  it.each([0.05, 0.5, 0.9])(
    'draws positions independently at rate %d: every set has its probability',
    (rate) => {
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
        expect(Math.abs((counts.get(set.join()) ?? 0) / draws - probability)).toBeLessThan(
          frequencyMargin(draws, 1e-9 / 16),
        );
      }
    },
  );

  it('draws ascending positions within range, all of them at rate 1', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 500 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(),
        (slots, permille, seed) => {
          const drawn = [
            ...poisson.draw({ rate: permille / 1000 }, slots, seededRandom(`ascending ${seed}`)),
          ];
          expect(drawn).toEqual([...new Set(drawn)].toSorted((a, b) => a - b));
          expect(drawn.every((position) => position >= 0 && position < slots)).toBe(true);
          expect([...poisson.draw({ rate: 1 }, slots, random)]).toEqual(range(slots));
        },
      ),
    );
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
    fc.assert(
      fc.property(fc.constantFrom(0, -0.1, 1.1, Number.NaN, Infinity), (rate) => {
        expect(() => poisson({ rate })).toThrow(InvalidParameter);
      }),
    );
  });
});

describe('the parts of a partition', () => {
  it('have the batches of draws one by one, whichever is named', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 9, max: 60 }),
        fc.nat({ max: 8 }),
        (parts, slots, part) => {
          const drawn = range(parts).map((one) => partition.draw({ parts, part: one }, slots, random));
          expect(defined(partition.partition).draw({ parts, part: part % parts }, slots, random)).toEqual(
            drawn,
          );
        },
      ),
    );
    expect(partition({ parts: 3 }).params).toEqual({ parts: 3, part: 0 });
    expect(() => defined(partition.partition).draw({ parts: 4, part: 0 }, 3, random)).toThrow(
      InvalidParameter,
    );
  });
});

describe('fixed size', () => {
  it('amplifies by drawing without replacement, and asks for privacy under replace-one inside', () => {
    const sampler = { kind: 'core/fixed-size', n: 9, size: 4, replacement: false } as const;
    expect(fixedSize.amplification({ size: 4 }, 9)).toEqual({
      'replace-one': { sampler, inner: 'replace-one' },
      'zero-out': { sampler, inner: 'replace-one' },
    });
    expect([...fixedSize.draw({ size: 9 }, 9, random)]).toEqual(range(9));
  });

  it('refuses more than there are slots, before anything is drawn', () => {
    for (const sampler of [fixedSize, shuffledEpochs]) {
      for (const call of [
        () => sampler.amplification({ size: 10 }, 9),
        () => sampler.normaliser({ size: 10 }, 9),
        () => sampler.draw({ size: 10 }, 9, random),
      ])
        expect(call).toThrow(InvalidParameter);
    }
    fc.assert(
      fc.property(fc.constantFrom(0, -1, 0.5, Number.NaN, Infinity), (size) => {
        for (const sampler of [fixedSize, fixedSizeWithReplacement, shuffledEpochs])
          expect(() => sampler({ size })).toThrow(InvalidParameter);
        expect(() => randomAllocation({ steps: size })).toThrow(InvalidParameter);
      }),
    );
    expect(() => randomAllocation({ steps: 2 ** 20 + 1 })).toThrow(InvalidParameter);
  });
});

describe('fixed size with replacement', () => {
  it('draws more than there are slots, and counts repeats', () => {
    const drawn = fixedSizeWithReplacement.draw({ size: 50 }, 4, random);
    expect(drawn).toHaveLength(50);
    expect(new Set(drawn).size).toBe(4);
    expect(fixedSizeWithReplacement.normaliser({ size: 50 }, 4)).toBe(50);
    expect(fixedSizeWithReplacement.amplification({ size: 50 }, 4)['zero-out']).toEqual({
      sampler: { kind: 'core/fixed-size', n: 4, size: 50, replacement: true },
      inner: 'replace-one',
    });
    for (const call of [
      () => fixedSizeWithReplacement.draw({ size: 1 }, 0, random),
      () => fixedSizeWithReplacement.amplification({ size: 1 }, 0),
    ])
      expect(call).toThrow(InvalidParameter);
  });

  it('has as many different slots as drawing from a box does', () => {
    // n (1 − (1 − 1/n)^size) = 63.21… of 100; the number of empty boxes moves by at most 1 with each draw.
    const slots = 100;
    const draws = 2000;
    let different = 0;
    for (let i = 0; i < draws; i++)
      different += new Set(fixedSizeWithReplacement.draw({ size: slots }, slots, random)).size;
    expect(Math.abs(different / draws - slots * (1 - (1 - 1 / slots) ** slots))).toBeLessThan(
      slots * frequencyMargin(draws * slots),
    );
  });
});

describe('shuffled epochs', () => {
  it('have all whole batches, without the remainder', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 12, max: 100 }),
        fc.nat(),
        (size, slots, seed) => {
          const batches = defined(shuffledEpochs.partition).draw(
            { size },
            slots,
            seededRandom(`epoch ${seed}`),
          );
          expect(batches.map(({ length }) => length)).toEqual(
            defined(shuffledEpochs.partition).normalisers({ size }, slots),
          );
          expect(new Set(batches.flatMap((batch) => [...batch])).size).toBe(slots - (slots % size));
        },
      ),
    );
    expect(defined(shuffledEpochs.partition).normalisers({ size: 4 }, 11)).toEqual([4, 4]);
    expect(() => defined(shuffledEpochs.partition).draw({ size: 12 }, 11, random)).toThrow(InvalidParameter);
    expect(defined(shuffledEpochs.partition).amplification({ size: 4 }, 11)).toEqual({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    });
  });
});

describe('random allocation', () => {
  it('has every slot in one batch, one batch a step, even for more steps than slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat({ max: 200 }), fc.nat(), (steps, slots, seed) => {
        const batches = defined(randomAllocation.partition).draw(
          { steps },
          slots,
          seededRandom(`allocation ${seed}`),
        );
        expect(batches).toHaveLength(steps);
        expect(batches.flatMap((batch) => [...batch]).toSorted((a, b) => a - b)).toEqual(range(slots));
      }),
    );
    expect(defined(randomAllocation.partition).normalisers({ steps: 3 }, 10)).toEqual([
      10 / 3,
      10 / 3,
      10 / 3,
    ]);
    expect([...randomAllocation.draw({ steps: 1 }, 5, random)]).toEqual(range(5));
  });

  it('declares no smaller rate for one batch than it has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 20 }), (steps) => {
        const { sampler } = defined(randomAllocation.amplification({ steps }, 10)['add-remove']);
        const { rate } = sampler as { readonly rate: number };
        // rate · steps >= 1 in whole numbers.
        expect(BigInt(rate * 2 ** 73) * BigInt(steps)).toBeGreaterThanOrEqual(2n ** 73n);
        expect(rate).toBeLessThanOrEqual((1 + 2 ** -51) / steps);
      }),
    );
  });
});

describe('ascending', () => {
  it('sorts few and many alike', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 99 })),
        fc.integer({ min: 100, max: 2000 }),
        (positions, end) => {
          const given = Uint32Array.from(positions);
          expect([...ascending(given, end)]).toEqual(positions.toSorted((a, b) => a - b));
          expect([...given]).toEqual(positions);
        },
      ),
    );
  });
});

describe('slots', () => {
  it('must be a count to draw from, positive to divide by', () => {
    fc.assert(
      fc.property(badSlots, (slots) => {
        expect(() => full.draw({}, slots, random)).toThrow(InvalidParameter);
        expect(() => partition.draw({ parts: 1, part: 0 }, slots, random)).toThrow(InvalidParameter);
        expect(() => poisson.draw({ rate: 0.5 }, slots, random)).toThrow(InvalidParameter);
        for (const sampler of [fixedSize, fixedSizeWithReplacement, shuffledEpochs])
          expect(() => sampler.draw({ size: 1 }, slots, random)).toThrow(InvalidParameter);
        expect(() => randomAllocation.draw({ steps: 2 }, slots, random)).toThrow(InvalidParameter);
        for (const attempt of [
          () => defined(randomAllocation.partition).draw({ steps: 2 }, slots, random),
          () => defined(shuffledEpochs.partition).draw({ size: 1 }, slots, random),
        ])
          expect(attempt).toThrow(InvalidParameter);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(0, -1, Number.NaN, Infinity), (slots) => {
        expect(() => full.normaliser({}, slots)).toThrow(InvalidParameter);
        expect(() => poisson.normaliser({ rate: 0.5 }, slots)).toThrow(InvalidParameter);
        for (const call of [
          () => randomAllocation.normaliser({ steps: 2 }, slots),
          () => defined(randomAllocation.partition).normalisers({ steps: 2 }, slots),
        ])
          expect(call).toThrow(InvalidParameter);
      }),
    );
  });
});
