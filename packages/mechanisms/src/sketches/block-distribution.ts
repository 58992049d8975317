import type { Drawn, RandomSource } from '@lethe/core';
import { drawPart, partProbability, type PartDistribution } from './choice.js';
import { assertCoordinates, mostListed } from './prepared.js';

/** A partition of coordinates, and the distribution of the drawn part. */
export interface BlockDistribution {
  readonly distribution: PartDistribution;
  readonly dimension: number;
  readonly blockOf: (coordinate: number) => number;
  /** Coordinates of a block, ascending; the caller's own. */
  readonly members: (block: number) => Uint32Array;
}

export function drawBlock({ distribution, members }: BlockDistribution, random: RandomSource): Drawn {
  const block = drawPart(distribution, random);
  return { coordinates: members(block), block };
}

export const blockMarginals = ({ distribution, dimension, blockOf }: BlockDistribution): Float64Array => {
  const all = new Float64Array(dimension);
  for (let j = 0; j < dimension; j++) all[j] = partProbability(distribution, blockOf(j));
  return all;
};

/** All coordinates of a block are drawn together. */
export function blockPair(
  { distribution, dimension, blockOf }: BlockDistribution,
  i: number,
  j: number,
): number {
  assertCoordinates(dimension, i, j);
  return blockOf(i) === blockOf(j) ? partProbability(distribution, blockOf(i)) : 0;
}

export const listBlocks = ({
  distribution,
  members,
}: BlockDistribution): readonly { readonly drawn: Drawn; readonly probability: number }[] | null =>
  distribution.count > mostListed
    ? null
    : Array.from({ length: distribution.count }, (_, block) => ({
        drawn: { coordinates: members(block), block },
        probability: partProbability(distribution, block),
      }));
