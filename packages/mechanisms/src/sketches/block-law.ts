import type { Drawn, RandomSource } from '@lethe/core';
import { drawPart, partProbability, type PartLaw } from './choice.js';
import { assertCoordinates, mostListed } from './prepared.js';

/** A partition of coordinates with the law by which one of its parts is drawn. */
export interface BlockLaw {
  readonly law: PartLaw;
  readonly dimension: number;
  readonly blockOf: (coordinate: number) => number;
  /** Coordinates of a block, ascending; the caller's own. */
  readonly members: (block: number) => Uint32Array;
}

export function drawBlock({ law, members }: BlockLaw, random: RandomSource): Drawn {
  const block = drawPart(law, random);
  return { coordinates: members(block), block };
}

export const blockMarginals = ({ law, dimension, blockOf }: BlockLaw): Float64Array => {
  const all = new Float64Array(dimension);
  for (let j = 0; j < dimension; j++) all[j] = partProbability(law, blockOf(j));
  return all;
};

/** Coordinates are drawn with their block or not at all. */
export function blockPair({ law, dimension, blockOf }: BlockLaw, i: number, j: number): number {
  assertCoordinates(dimension, i, j);
  return blockOf(i) === blockOf(j) ? partProbability(law, blockOf(i)) : 0;
}

export const listBlocks = ({ law, members }: BlockLaw): readonly { readonly drawn: Drawn; readonly probability: number }[] | null =>
  (law.count > mostListed ? null : Array.from({ length: law.count }, (_, block) => ({ drawn: { coordinates: members(block), block }, probability: partProbability(law, block) })));
