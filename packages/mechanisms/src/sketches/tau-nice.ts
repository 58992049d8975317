import { defineSketch, InvalidParameter } from '@lethe/core';
import { sampleWithoutReplacement } from '@lethe/numerics';
import * as z from 'zod';
import { ascending } from '../samplers/ascending.js';
import { assertCoordinates, assertDimension, mostSubsets } from './prepared.js';
import { chooseUpTo, subsetsOfSize } from './subsets.js';

function inside(tau: number, dimension: number): number {
  assertDimension(dimension);
  if (tau > dimension)
    throw new InvalidParameter(
      `${tau} of ${dimension} coordinates were asked for; ask for at most ${dimension}`,
      { tau, dimension },
    );
  return tau;
}

/**
 * `tau` coordinates, every choice equally likely, by the first `tau` swaps of a shuffle with uniform whole
 * numbers: the distribution is exact. A draw takes O(tau log tau), or O(dimension) where an eighth of the
 * coordinates or more are drawn.
 *
 * @param params - `tau`: coordinates drawn, at most the dimension.
 */
export const tauNice = defineSketch({
  name: 'tau-nice',
  summary: 'A uniform subset of tau coordinates.',
  source: { id: 'maranjyan-2024', item: 'Section 3.4, nice sampling' },
  params: z.strictObject({ tau: z.int().positive() }),
  claims: [
    { property: 'marginals', statement: 'tau/dimension' },
    { property: 'unbiased', statement: 'after scaling by dimension/tau' },
    { property: 'second-moment', statement: 'every subset of tau coordinates is equally likely' },
    {
      property: 'pair-probability',
      statement: 'tau (tau − 1) / (dimension (dimension − 1)) for two coordinates',
    },
    { property: 'enumerate', statement: 'every subset of tau coordinates, up to 4096 of them' },
    { property: 'coordinates', statement: 'tau, ascending' },
    { property: 'coins', statement: 'all that a draw depends on besides tau and dimension' },
  ],
  examples: [{ tau: 2 }, { tau: 1 }, { tau: 5 }],
  draw: ({ tau }, dimension, random) => ({
    coordinates: ascending(sampleWithoutReplacement(random, dimension, inside(tau, dimension)), dimension),
  }),
  marginals({ tau }, dimension) {
    inside(tau, dimension);
    return new Float64Array(dimension).fill(tau / dimension);
  },
  pairProbability({ tau }, dimension, i, j) {
    inside(tau, dimension);
    assertCoordinates(dimension, i, j);
    return i === j ? tau / dimension : (tau / dimension) * ((tau - 1) / (dimension - 1));
  },
  enumerate({ tau }, dimension) {
    const count = chooseUpTo(dimension, inside(tau, dimension), mostSubsets);
    return count === Infinity
      ? null
      : Array.from(subsetsOfSize(dimension, tau), (coordinates) => ({
          drawn: { coordinates },
          probability: 1 / count,
        }));
  },
});
