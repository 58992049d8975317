import { InvalidParameter, seededRandom, type RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelsFor, truncatedGeometric } from './truncated-geometric.js';

const tops = fc.integer({ min: 0, max: 50 });

describe('truncatedGeometric', () => {
  it('has the published constants, and halves from level to level', () => {
    [1, 2 / 3, 4 / 7, 8 / 15, 16 / 31].forEach((constant, most) =>
      expect(truncatedGeometric(most).probability(0)).toBe(constant),
    );
    fc.assert(
      fc.property(tops, (most) => {
        const { probability, cumulative, inverseProbability } = truncatedGeometric(most);
        const all = Array.from({ length: most + 1 }, (_, k) => probability(k));
        expect(all[0]).toBeGreaterThan(0.5);
        all.slice(1).forEach((p, k) => expect(p).toBe(all[k] / 2));
        expect(all.reduceRight((sum, p) => sum + p, 0)).toBeCloseTo(1, 14);
        all.forEach((p, k) => {
          expect(inverseProbability(k) * p).toBeCloseTo(1, 14);
          expect(cumulative(k)).toBeCloseTo(
            all.slice(0, k + 1).reduce((sum, q) => sum + q, 0),
            14,
          );
        });
        expect([
          probability(-1),
          probability(most + 1),
          probability(0.5),
          cumulative(-1),
          cumulative(most),
          cumulative(most + 9),
        ]).toEqual([0, 0, 0, 0, 1, 1]);
      }),
    );
  });

  it('draws every level in as many cases as its probability says, out of all', () => {
    for (const most of [0, 1, 2, 5, 10]) {
      const law = truncatedGeometric(most);
      const counts = new Map<number, number>();
      let cases = 0;
      let at = 0;
      const random: RandomSource = {
        ...seededRandom('unused'),
        integer: (below) => {
          cases = below;
          return at;
        },
      };
      do {
        const level = law.draw(random);
        counts.set(level, (counts.get(level) ?? 0) + 1);
      } while (++at < cases);
      expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: most + 1 }, (_, k) => k),
      );
      for (const [level, count] of counts) expect(count / cases).toBe(law.probability(level));
    }
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const level = truncatedGeometric(50).draw(seededRandom(`level ${seed}`));
        expect(Number.isSafeInteger(level) && level >= 0 && level <= 50).toBe(true);
      }),
    );
  });

  it('has the moments that its probabilities give', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), (most) => {
        const { probability, batch, charge } = truncatedGeometric(most);
        const expectation = (of: (b: number) => number): number =>
          Array.from({ length: most + 1 }, (_, k) => probability(k) * of(2 ** (k + 1))).reduce(
            (sum, x) => sum + x,
            0,
          );
        expect(batch.mean / expectation((b) => b)).toBeCloseTo(1, 13);
        expect(batch.meanSquare / expectation((b) => b * b)).toBeCloseTo(1, 13);
        expect(charge.mean / expectation((b) => 3 * b + 1)).toBeCloseTo(1, 13);
        expect(charge.meanSquare / expectation((b) => (3 * b + 1) ** 2)).toBeCloseTo(1, 13);
      }),
    );
  });

  it('is made for batches that have more than half of the slots at the highest level', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 2, max: 2 ** 51 })),
        (slots) => {
          const largest = 2 ** (levelsFor(slots).most + 1);
          expect(largest).toBeLessThanOrEqual(slots);
          expect(2 * largest).toBeGreaterThan(slots);
        },
      ),
    );
    expect([2, 3, 4, 7, 8].map((slots) => levelsFor(slots).most)).toEqual([0, 0, 1, 1, 2]);
  });

  it('refuses what is no level', () => {
    for (const bad of [-1, 0.5, 51, Number.NaN, Infinity])
      expect(() => truncatedGeometric(bad)).toThrow(InvalidParameter);
    expect([
      truncatedGeometric(3).probability(Number.NaN),
      truncatedGeometric(3).cumulative(Number.NaN),
    ]).toEqual([0, 0]);
    for (const bad of [-1, 0.5, 4, Number.NaN])
      expect(() => truncatedGeometric(3).inverseProbability(bad)).toThrow(InvalidParameter);
    for (const bad of [0, 1, -2, 2.5, 2 ** 52, Number.NaN, Infinity])
      expect(() => levelsFor(bad)).toThrow(InvalidParameter);
  });
});
