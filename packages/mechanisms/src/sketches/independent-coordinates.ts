import { defineSketch, InvalidParameter, type RandomSource } from '@lethe/core';
import { poissonSample } from '@lethe/numerics';
import * as z from 'zod';
import { bernoulli } from './bernoulli.js';
import { assertCoordinates, assertDimension, mostSubsets } from './prepared.js';

type Probabilities = number | readonly number[];
/** Least probability: products and inverses of two of them are doubles. */
const leastProbability = 1e-150;
const probability = z.number().min(leastProbability).max(1);

function checked(probabilities: Probabilities, dimension: number): Probabilities {
  assertDimension(dimension);
  if (typeof probabilities !== 'number' && probabilities.length !== dimension) {
    throw new InvalidParameter(
      `${probabilities.length} probabilities were given for ${dimension} coordinates; ` +
        'give one for each, or one number for all',
      { given: probabilities.length, needed: dimension },
    );
  }
  return probabilities;
}

const at = (probabilities: Probabilities, j: number): number =>
  typeof probabilities === 'number' ? probabilities : probabilities[j];

function byOwnRandomness(probabilities: readonly number[], random: RandomSource): Uint32Array {
  const drawn: number[] = [];
  for (let j = 0; j < probabilities.length; j++) if (bernoulli(probabilities[j], random)) drawn.push(j);
  return Uint32Array.from(drawn);
}

/**
 * Every coordinate independently. The set may be empty: a step that changes nothing and costs as much as any
 * other. Separate probabilities are drawn exactly, in O(dimension); one common probability in
 * O(coordinates drawn), by geometric gaps, within 2⁻⁴⁹ of it.
 *
 * @param params - `probabilities`: one for each coordinate, or one number for all; from 1e-150 to 1.
 */
export const independentCoordinates = defineSketch({
  name: 'independent-coordinates',
  summary: 'Each coordinate independently.',
  source: { id: 'generic', item: 'independent sampling' },
  params: z.strictObject({ probabilities: z.union([probability, z.array(probability).min(1)]) }),
  claims: [
    { property: 'marginals', statement: 'as given' },
    { property: 'unbiased', statement: 'after scaling by the inverse marginals' },
    { property: 'pair-probability', statement: 'the product of the marginals for two coordinates' },
    {
      property: 'enumerate',
      statement: 'every set that can be drawn, the empty one included, up to 12 coordinates',
    },
    { property: 'coordinates', statement: 'ascending; possibly none' },
    { property: 'coins', statement: 'all that a draw depends on besides parameters and dimension' },
  ],
  examples: [{ probabilities: 0.3 }, { probabilities: [0.5, 1, 0.02, 0.9, 0.25, 0.4] }],
  draw({ probabilities }, dimension, random) {
    checked(probabilities, dimension);
    return {
      coordinates:
        typeof probabilities === 'number'
          ? poissonSample(random, dimension, probabilities)
          : byOwnRandomness(probabilities, random),
    };
  },
  marginals({ probabilities }, dimension) {
    checked(probabilities, dimension);
    return typeof probabilities === 'number'
      ? new Float64Array(dimension).fill(probabilities)
      : Float64Array.from(probabilities);
  },
  pairProbability({ probabilities }, dimension, i, j) {
    checked(probabilities, dimension);
    assertCoordinates(dimension, i, j);
    return i === j ? at(probabilities, i) : at(probabilities, i) * at(probabilities, j);
  },
  enumerate({ probabilities }, dimension) {
    checked(probabilities, dimension);
    if (2 ** dimension > mostSubsets) return null;
    return Array.from({ length: 2 ** dimension }, (_, mask) => {
      const coordinates = Uint32Array.from({ length: dimension }, (_entry, j) => j).filter(
        (j) => (mask >> j) & 1,
      );
      let chance = 1;
      for (let j = 0; j < dimension; j++)
        chance *= (mask >> j) & 1 ? at(probabilities, j) : 1 - at(probabilities, j);
      return { drawn: { coordinates }, probability: chance };
    }).filter(({ probability: chance }) => chance > 0);
  },
});
