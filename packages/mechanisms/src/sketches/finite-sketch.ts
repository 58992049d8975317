import { defineSketch, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { addUpToOne, sumTolerance } from './choice.js';
import { assertCoordinates, mostListed, prepared } from './prepared.js';
import { drawWhole, wholeWeights, type WholeWeights } from './whole-weights.js';

const set = z.strictObject({
  coordinates: z
    .array(
      z
        .int()
        .nonnegative()
        .max(2 ** 32 - 2),
    )
    .min(1)
    .refine((all) => new Set(all).size === all.length, { message: 'a set holds each coordinate once' }),
  probability: z.number().positive().max(1),
});
const nameOf = ({ coordinates }: z.output<typeof set>): string =>
  coordinates.toSorted((a, b) => a - b).join();

/**
 * An arbitrary distribution of sets of coordinates, listed with probabilities. A draw takes O(log sets + size
 * of the set) and has exactly the distribution of the listed probabilities as doubles (see
 * {@link singleCoordinate}).
 *
 * @param params - `sets`: sets of coordinates, none empty, none twice, every coordinate below the dimension
 * in one of them; probabilities that add up to 1 within 1e-12.
 */
export const finiteSketch = defineSketch({
  name: 'finite',
  summary: 'One of listed sets of coordinates.',
  source: { id: 'maranjyan-2024', item: 'Definition 3.2' },
  params: z.strictObject({
    sets: z
      .array(set)
      .min(1)
      .max(mostListed)
      .refine((sets) => addUpToOne(sets.map(({ probability }) => probability)), {
        message: `probabilities of the sets must add up to 1 (within ${sumTolerance})`,
      })
      .refine((sets) => new Set(sets.map(nameOf)).size === sets.length, {
        message: 'a set is listed once; add the probabilities of equal sets',
      }),
  }),
  claims: [
    { property: 'marginals', statement: 'the summed probability of the sets that hold the coordinate' },
    { property: 'unbiased', statement: 'after scaling by the inverse marginals' },
    { property: 'second-moment', statement: 'each set is drawn with its probability' },
    { property: 'pair-probability', statement: 'the summed probability of the sets that hold both' },
    { property: 'enumerate', statement: 'the sets as given' },
    { property: 'coordinates', statement: 'those of one of the sets' },
    { property: 'coins', statement: 'all that a draw depends on besides sets and dimension' },
  ],
  examples: [
    {
      sets: [
        { coordinates: [0, 1], probability: 0.25 },
        { coordinates: [2], probability: 0.5 },
        { coordinates: [3, 1, 2], probability: 0.125 },
        { coordinates: [0, 1, 2, 3], probability: 0.125 },
      ],
    },
    {
      sets: [
        { coordinates: [4, 0, 2], probability: 0.7 },
        { coordinates: [1, 2, 3, 5], probability: 0.2 },
        { coordinates: [2], probability: 0.1 },
      ],
    },
  ],
  draw(params, dimension, random) {
    const { whole, sets } = distributionOf(params, dimension);
    return { coordinates: sets[drawWhole(whole, random)].slice() };
  },
  marginals(params, dimension) {
    const { whole, holders } = distributionOf(params, dimension);
    return Float64Array.from(holders, (of) => shareOf(whole, of));
  },
  pairProbability(params, dimension, i, j) {
    const { whole, holders } = distributionOf(params, dimension);
    assertCoordinates(dimension, i, j);
    return shareOf(whole, holders[i], i === j ? undefined : holders[j]);
  },
  enumerate(params, dimension) {
    const { whole, sets } = distributionOf(params, dimension);
    return sets.map((coordinates, k) => ({
      drawn: { coordinates: coordinates.slice() },
      probability: whole.weights[k] / whole.total,
    }));
  },
});

interface DiscreteDistribution {
  readonly whole: WholeWeights;
  readonly sets: readonly Uint32Array[];
  /** The sets that hold each coordinate, ascending. */
  readonly holders: readonly (readonly number[])[];
}

const distributionOf = prepared(
  ({ sets }: { readonly sets: readonly z.output<typeof set>[] }, dimension): DiscreteDistribution => {
    const holders: number[][] = Array.from({ length: dimension }, () => []);
    for (const [k, { coordinates }] of sets.entries()) {
      for (const j of coordinates) {
        if (j >= dimension)
          throw new InvalidParameter(
            `set ${k} holds coordinate ${j} and there are ${dimension}; ` +
              `coordinates are 0 to ${dimension - 1}`,
            { set: k, coordinate: j, dimension },
          );
        holders[j].push(k);
      }
    }
    const never = holders.findIndex((of) => of.length === 0);
    if (never >= 0)
      throw new InvalidParameter(
        `coordinate ${never} of ${dimension} is in no set; one that is never drawn cannot be scaled`,
        { coordinate: never, dimension },
      );
    return {
      whole: wholeWeights(sets.map(({ probability }) => probability)),
      sets: sets.map(({ coordinates }) => Uint32Array.from(coordinates).toSorted()),
      holders,
    };
  },
);

/** Probability of the sets in one list, or in two at once; whole weights add up exactly. */
function shareOf(
  { weights, total }: WholeWeights,
  some: readonly number[],
  others?: readonly number[],
): number {
  let sum = 0;
  let at = 0;
  for (const k of some) {
    if (others !== undefined) {
      while (at < others.length && others[at] < k) at++;
      if (others[at] !== k) continue;
    }
    sum += weights[k];
  }
  return sum / total;
}
