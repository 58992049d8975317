import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bernoulliMoment,
  biasedSigns,
  hiddenWord,
  lengthOfHeavyTail,
  probabilityOfHeavyTail,
  rareRecords,
} from './records.js';

const chance = fc.integer({ min: -30, max: 0 }).map((e) => 2 ** e);

describe('probabilityOfHeavyTail', () => {
  it('is min{1, c√d/(n√ρ)}', () => {
    expect(probabilityOfHeavyTail({ n: 100, dimension: 400, rho: 0.25, coupling: 0.1 })).toBeCloseTo(
      0.04,
      12,
    );
    expect(probabilityOfHeavyTail({ n: 1, dimension: 400, rho: 0.25, coupling: 1 })).toBe(1);
  });
});

describe('lengthOfHeavyTail', () => {
  it('attains the moment bound of order k, and satisfies that of order 2', () => {
    fc.assert(
      fc.property(
        chance,
        fc.constantFrom(2, 2.5, 4, 50),
        fc.integer({ min: 1, max: 64 }),
        (probability, order, part) => {
          const free = lengthOfHeavyTail({ order, moment: 3, probability });
          const length = lengthOfHeavyTail({ order, moment: 3, secondMoment: (3 * part) / 64, probability });
          expect(probability * (free / 3) ** order).toBeCloseTo(1, 9);
          const [high, second] = [
            probability * (length / 3) ** order,
            probability * (length / ((3 * part) / 64)) ** 2,
          ];
          expect(Math.max(high, second)).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});

describe('bernoulliMoment', () => {
  it('is the sum over both signs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }).map((k) => k / 100),
        fc.constantFrom(1, 2, 2.5, 4, 11),
        (bias, order) => {
          const both = ((1 + bias) / 2) * (1 - bias) ** order + ((1 - bias) / 2) * (1 + bias) ** order;
          expect(bernoulliMoment({ bias, order })).toBeCloseTo(both, 10);
        },
      ),
    );
  });

  it('is at most 1 for orders from 2 to 3, and above for larger ones at small biases', () => {
    for (const bias of [1e-4, 0.01, 0.5, 1])
      for (const order of [2, 2.3, 3])
        expect(bernoulliMoment({ bias, order })).toBeLessThanOrEqual(1 + 1e-15);
    for (const order of [3.1, 4, 20]) expect(bernoulliMoment({ bias: 0.01, order })).toBeGreaterThan(1);
    expect(bernoulliMoment({ bias: 0.1, order: 4 })).toBeCloseTo(1 + 2 * 0.01 - 3 * 1e-4, 14);
  });
});

describe('records', () => {
  const word = hiddenWord(7, seededRandom(1));
  it('are deterministic for a random source, and independent of drawing the word', () => {
    const given = { n: 20, word, size: 2, bias: 0.3 };
    const random = seededRandom(4);
    const first = biasedSigns(given, random);
    hiddenWord(7, random);
    expect(biasedSigns(given, random)).toEqual(first);
    expect(biasedSigns(given, seededRandom(5))).not.toEqual(first);
  });

  it('are signs of one size, or the scaled word and null records', () => {
    for (const x of biasedSigns({ n: 50, word, size: 2, bias: 0.3 }, seededRandom(2)))
      expect(Math.abs(x)).toBe(2);
    const rare = rareRecords({ n: 200, word, size: 2, probability: 0.4 }, seededRandom(2));
    for (let i = 0; i < 200; i++) expect([0, 1]).toContain(rare[i * 7] / (2 * word[0]));
    rare.forEach((x, k) => expect(x === 0 ? rare[k - (k % 7)] : x).toBe(x === 0 ? 0 : 2 * word[k % 7]));
    expect(
      rareRecords({ n: 3, word, size: 2, probability: 1 }, seededRandom(2)).every((x) => Math.abs(x) === 2),
    ).toBe(true);
  });
});
