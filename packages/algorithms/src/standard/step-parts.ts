import {
  InvalidParameter,
  meanShape,
  referenceTo,
  resolvePlugin,
  type MeanShape,
  type Problem,
  type Ref,
  type Registry,
  type Sampler,
} from '@lethe/core';
import { poisson } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import * as z from 'zod/mini';
import { assertMeanFits } from '../common/given-mean.js';
import { clipNormSchema } from '../common/private-clip.js';
import { exactlyOne } from '../common/require.js';
import { centralSlots } from '../common/problem-facts.js';
import { arithmetic, meanOfClipped } from './clipped-mean-release.js';

/** The parts of a step by reference, as a plan holds them. */
export const plannedParts = {
  sampler: referenceTo('sampler').check(
    z.describe('How the batch of a step is drawn, such as { name: poisson, params: { rate: 0.1 } }.'),
  ),
  mean: referenceTo('mean').check(
    z.describe('Private mean of the gradients, such as clipped with a clip and a mechanism.'),
  ),
};

/** The same parts as parameters: each by reference or in a short form. */
export const writtenParts = {
  sampler: z.optional(plannedParts.sampler),
  rate: z
    .optional(z.number().check(z.positive(), z.maximum(1)))
    .check(z.describe('Short for a Poisson sampler: probability with which a record takes part in a step.')),
  batchSize: z
    .optional(z.number().check(z.positive()))
    .check(z.describe('Short for a Poisson sampler of rate batchSize / n: expected size of a batch.')),
  mean: z.optional(plannedParts.mean),
  clipNorm: z
    .optional(z.number().check(z.positive()))
    .check(
      z.describe(
        'Short for a clipped mean with Gaussian noise: ℓ2 norm to which each gradient is scaled down.',
      ),
    ),
  arithmetic,
};
const written = z.object({ ...writtenParts, clipNorm: z.optional(clipNormSchema) });
type WrittenParts = z.output<typeof written>;

/** For `superRefine`: of each of the {@link writtenParts} one form is given. */
export function oneFormEach(given: WrittenParts, context: z.core.$RefinementCtx): void {
  exactlyOne('rate', 'batchSize', 'sampler')(given, context);
  exactlyOne('clipNorm', 'mean')(given, context);
  if (given.arithmetic !== 'floating' && given.mean !== undefined)
    context.addIssue({
      code: 'custom',
      message: 'arithmetic goes with clipNorm; with a mean, give one in whole numbers, such as lattice-mean',
      path: ['arithmetic'],
    });
  if (given.arithmetic !== 'floating' && typeof given.clipNorm === 'object')
    context.addIssue({
      code: 'custom',
      message: 'noise of counts is not in whole numbers: with arithmetic exact, clipNorm is a number',
      path: ['arithmetic'],
    });
}

/** A problem, and the registry in which its parts are found by name. */
interface Posed {
  readonly problem: Problem;
  readonly registry: Registry;
}

/**
 * Parameters with both parts by reference, in place of their short forms, for a method with a central curator
 * whose privacy rests on clipping.
 *
 * @param optimizer - Name of the method.
 * @throws {InvalidParameter} for an expected batch larger than the data.
 * @throws {IncompatiblePlugins} for a mean that does not fit the method: see {@link assertMeanFits}.
 */
export function byReference<P extends WrittenParts>(
  optimizer: string,
  { rate, batchSize, sampler, clipNorm, arithmetic: numbers, mean, ...rest }: P,
  { problem, registry }: Posed,
) {
  const parts = {
    sampler: sampler ?? poisson({ rate: rate ?? rateOf(defined(batchSize), centralSlots(problem)) }),
    // What is found by a quantile scales the mean of gradients of unit size.
    mean: mean ?? meanOfClipped(typeof clipNorm === 'number' ? clipNorm : 1, numbers),
  };
  assertMeanFits(registry, parts.mean, { optimizer, trust: 'central', privacyRestsOn: 'clip' });
  return { ...rest, ...parts };
}

/** The rate of an expected batch size. @throws {InvalidParameter} for a batch larger than the data. */
function rateOf(batchSize: number, slots: number): number {
  if (batchSize <= slots) return batchSize / slots;
  throw new InvalidParameter(
    `batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`,
    { batchSize, slots },
  );
}

/**
 * The public divisor of means over a batch. @throws as the sampler does for data that it cannot draw from.
 */
export function normaliserOf(sampler: Ref<'sampler'>, { problem, registry }: Posed): number {
  const { plugin, params } = resolvePlugin<Sampler>(registry, sampler);
  return plugin.normaliser(params, centralSlots(problem));
}

/** What is public of a mean of gradients over a batch that a step draws. */
export const stepShape = (sampler: Ref<'sampler'>, posed: Posed): MeanShape =>
  meanShape({
    dimension: posed.problem.dimension,
    slots: normaliserOf(sampler, posed),
    size: resolvePlugin<Sampler>(posed.registry, sampler).plugin.size,
    facts: posed.problem.facts,
    registry: posed.registry,
  });
