import { Unsupported, type RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeTree } from '../../test/support/outcome-tree.js';
import { drawFrom, inversionTable } from './inversion.js';
import {
  geometricWeights,
  halfGaussianWeights,
  mirrored,
  poissonWeights,
  type WeightsAt,
} from './whole-weights.js';

const ratio = (numerator: number, denominator: number) => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});

/** Laws with their weights in doubles, and a set that holds all but a negligible part of them. */
const laws: readonly (readonly [string, WeightsAt, (k: number) => number, readonly [number, number]])[] = [
  ['geometric', geometricWeights(ratio(2, 3)), (k) => Math.exp((-2 * k) / 3), [0, 80]],
  ['Laplace', mirrored(geometricWeights(ratio(1, 2))), (k) => Math.exp(-Math.abs(k) / 2), [-120, 120]],
  ['half Gaussian', halfGaussianWeights(ratio(1, 18)), (k) => Math.exp((-k * k) / 18), [0, 40]],
  ['Gaussian', mirrored(halfGaussianWeights(ratio(3, 2))), (k) => Math.exp(-1.5 * k * k), [-12, 12]],
  [
    'Poisson',
    poissonWeights(ratio(7, 2)),
    (k) => Array.from({ length: k }, (_, i) => 3.5 / (i + 1)).reduce((product, x) => product * x, 1),
    [0, 60],
  ],
  [
    'rare Poisson',
    poissonWeights(ratio(1, 100)),
    (k) => Array.from({ length: k }, (_, i) => 0.01 / (i + 1)).reduce((product, x) => product * x, 1),
    [0, 12],
  ],
];

/** The same weights, computed once for each number of bits: enumerations ask for them again and again. */
function remembered(weightsAt: WeightsAt): WeightsAt {
  const known = new Map<number, ReturnType<WeightsAt>>();
  return (bits) => known.get(bits) ?? defined(known.set(bits, weightsAt(bits)).get(bits));
}

function probabilitiesOf(
  weight: (k: number) => number,
  [from, to]: readonly [number, number],
): ReadonlyMap<number, number> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const total = numbers.reduce((sum, k) => sum + weight(k), 0);
  return new Map(numbers.map((k) => [k, weight(k) / total]));
}

describe.each(laws)('a table of the %s law', (_name, weightsAt, weight, range) => {
  const truth = probabilitiesOf(weight, range);

  it.each([2, 5])(
    'gives every number its probability, all outcomes enumerated, with words of %d bits',
    (wordBits) => {
      const table = inversionTable(remembered(weightsAt), wordBits);
      const { probabilities, open } = outcomeTree((random) => drawFrom(table, random), 2 ** -12);
      expect(open).toBeLessThan(0.1);
      for (const [k, found] of probabilities) {
        expect(found).toBeLessThanOrEqual(defined(truth.get(k)) + 1e-12);
        expect(found + open).toBeGreaterThanOrEqual(defined(truth.get(k)) - 1e-12);
      }
    },
  );

  it('has the distribution function for its thresholds, to the last bit but one', () => {
    const { first, starts, ends } = inversionTable(weightsAt);
    let below = 0;
    for (let j = 0; j + 1 < ends.length; j++) {
      below += truth.get(first + j) ?? 0;
      expect(Math.abs(ends[j] / 2 ** 53 - below)).toBeLessThanOrEqual(1e-14);
      if (j + 2 < ends.length) {
        expect(starts[j + 1]).toBeGreaterThanOrEqual(ends[j]);
        expect(starts[j + 1] - ends[j]).toBeLessThanOrEqual(2);
      }
    }
  });

  it('decides by the next word after an undecided one, as a table of longer words does', () => {
    const short = inversionTable(remembered(weightsAt), 8);
    const long = inversionTable(weightsAt, 48);
    const source = (...words: readonly number[]): RandomSource => {
      let at = 0;
      return { integer: () => words[at++] } as unknown as RandomSource;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 2 }), (place) => {
        const words = Array.from({ length: 6 }, (_, i) => Math.floor(place / 2 ** (40 - 8 * i)) % 256);
        let expected: number;
        try {
          expected = drawFrom(long, source(place));
        } catch {
          return;
        }
        expect(drawFrom(short, source(...words))).toBe(expected);
      }),
    );
  });
});

describe('drawFrom', () => {
  it('gives up on a source that never decides', () => {
    const stuck = { bits53: () => 0 } as unknown as RandomSource;
    expect(() => drawFrom(inversionTable(geometricWeights(ratio(1, 2))), stuck)).toThrow(Unsupported);
  });
});
