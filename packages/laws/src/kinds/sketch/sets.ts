import type { Drawn, RandomSource } from '@lethe/core';
import { enumerate, type Outcome } from '../../engines/exhaustive-random.js';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

type Sketch = Subject<'sketch'>;
/** A set and its probability. */
export type Listed = { readonly drawn: Drawn; readonly probability: number };

/** Dimensions with enumeration of all outcomes, if possible. */
export const smallDimensions = [1, 2, 3, 4, 5, 6];
/** All dimensions tested; those a sketch refuses are left out. */
export const allDimensions = [...smallDimensions, 7, 8, 12, 16, 17, 24, 33, 40, 100, 129, 1000];

/** More coordinates than 16 bits can index. */
export const manyCoordinates = 2 ** 17;

/** The supported dimensions. */
export const dimensionsTaken = (
  { plugin, params }: Sketch,
  dimensions: readonly number[] = allDimensions,
): readonly number[] =>
  dimensions.filter((dimension) => attempt(() => plugin.marginals(params, dimension)).declined === undefined);

export const drawFrom = ({ plugin, params }: Sketch, dimension: number, random: RandomSource): Drawn => {
  const { coordinates, ...rest } = plugin.draw(params, dimension, random);
  return { ...rest, coordinates: coordinates.slice() };
};

/** Every outcome of a draw with its probability; `null` without enumeration. */
export const allDraws = (subject: Sketch, dimension: number): readonly Outcome<Drawn>[] | null =>
  enumerate((random) => drawFrom(subject, dimension, random));

/** Name of a set: its block and coordinates. */
export const nameOf = ({ coordinates, block }: Drawn): string =>
  `${block === undefined ? '' : `block ${block} `}{${Array.from(coordinates).join(', ')}}`;

/** A violation unless the draw is a valid set. */
export function notASet(drawn: Drawn, dimension: number): Violation | undefined {
  const { coordinates, block } = drawn;
  if (!(coordinates instanceof Uint32Array))
    return {
      what: 'coordinates must be a Uint32Array',
      witness: Object.prototype.toString.call(coordinates),
    };
  if (block !== undefined && !(Number.isSafeInteger(block) && block >= 0))
    return { what: `the block is ${block}; it must be a non-negative integer` };
  const bad = coordinates.findIndex((j, i) => j >= dimension || (i > 0 && j <= coordinates[i - 1]));
  return bad < 0
    ? undefined
    : {
        what:
          `coordinate ${coordinates[bad]} is at index ${bad} after ${coordinates[bad - 1] ?? 'nothing'}; ` +
          `coordinates ascend and stay below ${dimension}`,
        witness: nameOf(drawn),
      };
}

/** `P(i, j ∈ S)` for all pairs, rows one after another; the diagonal holds the marginals. */
export function pairProbabilities(
  all: readonly { readonly drawn: Drawn; readonly probability: number }[],
  dimension: number,
): Float64Array {
  const pairs = new Float64Array(dimension * dimension);
  for (const { drawn, probability } of all)
    for (const i of drawn.coordinates)
      for (const j of drawn.coordinates) pairs[i * dimension + j] = pairs[i * dimension + j] + probability;
  return pairs;
}
