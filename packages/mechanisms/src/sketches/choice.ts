import { InvalidParameter, type RandomSource } from '@lethe/core';
import { neumaierSum } from '@lethe/numerics';
import * as z from 'zod';
import { drawWhole, wholeWeights, type WholeWeights } from './whole-weights.js';

/** Tolerance for the sum of probabilities, for rounding in their computation. */
export const sumTolerance = 1e-12;

export const addUpToOne = (probabilities: readonly number[]): boolean =>
  Math.abs(neumaierSum(probabilities) - 1) <= sumTolerance;

const positive = z.number().positive();

/**
 * Choice of one of several parts: uniform; by given probabilities; or `importance`, in proportion to the
 * largest smoothness constant of its coordinates, which
 * minimises the largest ratio of smoothness to probability.
 */
export const choiceSchema = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('uniform') }),
  z.strictObject({
    by: z.literal('probabilities'),
    probabilities: z
      .array(positive.max(1))
      .min(1)
      .refine(addUpToOne, { message: `probabilities must add up to 1 (within ${sumTolerance})` }),
  }),
  z.strictObject({ by: z.literal('importance'), smoothness: z.array(positive).min(1) }),
]);
/** Parsed form of {@link choiceSchema}. */
export type Choice = z.output<typeof choiceSchema>;

/** The distribution of a part: uniform on `count` where there are no `whole` weights. */
export interface PartDistribution {
  readonly count: number;
  readonly whole: WholeWeights | null;
}

/**
 * The distribution of one of `count` parts of `dimension` coordinates
 * is chosen; `partOf` names the part of a coordinate.
 *
 * @throws {InvalidParameter} when there are not as many
 * probabilities as parts, or smoothness constants as coordinates.
 */
export function partDistribution(
  choice: Choice,
  count: number,
  dimension: number,
  partOf: (coordinate: number) => number,
): PartDistribution {
  if (choice.by === 'uniform') return { count, whole: null };
  if (choice.by === 'probabilities') {
    const { probabilities } = choice;
    if (probabilities.length !== count)
      throw new InvalidParameter(
        `${probabilities.length} probabilities were given for ${count} parts; give one for each`,
        { given: probabilities.length, needed: count },
      );
    return { count, whole: wholeWeights(probabilities) };
  }
  const { smoothness } = choice;
  if (smoothness.length !== dimension)
    throw new InvalidParameter(
      `${smoothness.length} smoothness constants were given for ${dimension} coordinates; give one for each`,
      { given: smoothness.length, needed: dimension },
    );
  const largest = Array.from({ length: count }, () => 0);
  smoothness.forEach((constant, j) => {
    largest[partOf(j)] = Math.max(largest[partOf(j)], constant);
  });
  return { count, whole: wholeWeights(largest) };
}

export const drawPart = ({ count, whole }: PartDistribution, random: RandomSource): number =>
  whole === null ? random.integer(count) : drawWhole(whole, random);
export const partProbability = ({ count, whole }: PartDistribution, part: number): number =>
  whole === null ? 1 / count : whole.weights[part] / whole.total;
