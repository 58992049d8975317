import { InvalidParameter, Unsupported, type ShuffleContext } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeTree } from '../../test/support/outcome-tree.js';
import { randomisedResponse } from './randomised-response.js';

const contextOf = (dimension: number, epsilon: number, users = 1): ShuffleContext => ({
  dimension,
  users,
  honestUsers: users,
  target: { epsilon, delta: 0 },
});
const lie = (context: ShuffleContext): number =>
  (randomisedResponse.event({}, context) as unknown as { readonly p: number }).p;
const answers = (record: readonly number[], context: ShuffleContext): readonly number[] => {
  const { probabilities } = outcomeTree(
    (random) => randomisedResponse.randomise({}, context, Float64Array.from(record), random)[0],
    1e-12,
  );
  return record.map((_, j) => probabilities.get(j) ?? 0);
};

describe('randomisedResponse', () => {
  it('is Warner’s at two categories: the truth with 3/4 at ε = ln 3', () => {
    expect(lie(contextOf(2, Math.log(3)))).toBeCloseTo(0.5, 14);
    expect(answers([0, 1], contextOf(2, Math.log(3)))[1]).toBeCloseTo(0.75, 10);
  });

  it('tells the truth e^ε times as often as any one lie, and never more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 1000 }),
        fc.integer({ min: 1, max: 300 }),
        (categories, tenths) => {
          const p = lie(contextOf(categories, tenths / 10));
          const ratio = (1 - p + p / categories) / (p / categories);
          expect(ratio / Math.exp(tenths / 10)).toBeCloseTo(1, 8);
          expect(p).toBeGreaterThanOrEqual(
            (categories / (categories + Math.expm1(tenths / 10))) * (1 - 1e-15),
          );
        },
      ),
    );
    for (const record of [
      [1, 0, 0, 0],
      [0, 0, 1, 0],
    ]) {
      const context = contextOf(4, 1.5);
      const p = lie(context);
      const told = answers(record, context);
      told.forEach((probability, j) => expect(probability).toBeCloseTo((1 - p) * record[j] + p / 4, 9));
    }
  });

  it('draws a category of shares, and any of none', () => {
    const context = contextOf(3, 2);
    const p = lie(context);
    const expected = [
      [
        [0.25, 0.5, 0.25],
        [0.25, 0.5, 0.25],
      ],
      [
        [0, 0, 0],
        [1 / 3, 1 / 3, 1 / 3],
      ],
      [
        [0.5, -7, 0],
        [2 / 3, 1 / 6, 1 / 6],
      ],
      [
        [2, 0, 6],
        [0.25, 0, 0.75],
      ],
      [
        [Infinity, 0, 0],
        [1 / 3, 1 / 3, 1 / 3],
      ],
    ] as const;
    for (const [record, shares] of expected)
      answers(record, context).forEach((probability, j) =>
        expect(probability).toBeCloseTo((1 - p) * shares[j] + p / 3, 6),
      );
  });

  it('takes ρ for ε²/2', () => {
    expect(lie({ ...contextOf(3, 1), target: { rho: 0.5 } })).toBeCloseTo(lie(contextOf(3, 1)), 14);
  });

  it('refuses one category, targets without ε, and messages that nobody sends', () => {
    expect(() => lie(contextOf(1, 1))).toThrow(Unsupported);
    for (const target of [{ noiseMultiplier: 1 }, { unprotected: true as const }])
      expect(() => lie({ ...contextOf(2, 1), target })).toThrow(Unsupported);
    for (const epsilon of [0, -1, Number.NaN, Infinity])
      expect(() => lie(contextOf(2, epsilon))).toThrow(InvalidParameter);
    expect(() => randomisedResponse.analyse({}, contextOf(2, 1), Uint32Array.of(2))).toThrow(
      InvalidParameter,
    );
    expect(() => randomisedResponse.analyse({}, contextOf(2, 1), Uint32Array.of(0, 1))).toThrow(
      InvalidParameter,
    );
  });
});
