import { type Batch, MissingFact, type Program, type Ref, type Registry, type Vector } from '@lethe/core';
import { gaussian, privateQuantile } from '@lethe/mechanisms';
import * as z from 'zod/mini';
import { meanAt } from './given-mean.js';

const positive = z.number().check(z.positive());
/** The range of a search, from the largest norm down. */
const range = 2 ** 10;

/** A clip norm that is found privately, as parameters say it. */
export const quantileSchema = z.strictObject({
  by: z.literal('private-quantile'),
  share: z
    .number()
    .check(z.gt(0), z.lt(1), z.describe('Part of the privacy cost, as μ² of Gaussian noise, that it takes.')),
  quantile: z
    .optional(z.number().check(z.gt(0), z.lt(1)))
    .check(
      z.describe(
        'Share of the gradients at the start that stay whole. Left out: all but the size of the noise on a ' +
          'clip of 1, where a longer clip adds as much noise as it takes off E(‖z‖ − C)₊.',
      ),
    ),
  counts: z
    ._default(z.int().check(z.positive(), z.maximum(50)), 6)
    .check(z.describe('Noisy counts; each halves the range of the logarithm.')),
  largest: z
    .optional(positive)
    .check(
      z.describe(
        'Upper end of the search. Left out: the Lipschitz constant of every record, or 16 times the least ' +
          'moment where that is less.',
      ),
    ),
});
/** Parsed form of {@link quantileSchema}. */
export type AskedQuantile = z.output<typeof quantileSchema>;

/** A clip norm: a number, or one that is found privately. */
export const clipNormSchema = z.union([positive, quantileSchema]);

/** A length that has to be given as a number: a quantile is refused for a reason. */
export const givenLengthSchema = (reason: string): z.ZodMiniNumber<number> =>
  z
    .number({
      error: ({ input }) =>
        typeof input === 'object' && input !== null && 'by' in input ? reason : undefined,
    })
    .check(z.positive());

/**
 * A clip norm of weighted differences of gradients: a number. A quantile of norms at the start is refused,
 * since it says nothing of differences in later rounds, from whose norm steps are planned.
 */
export const differenceNormSchema = givenLengthSchema(
  'a quantile of gradient norms at the start says nothing of weighted differences of gradients in ' +
    'later rounds, for which steps are planned; give a number',
);

/** How a plan finds its clip norm. */
export const plannedQuantileSchema = z.looseObject({
  quantile: positive,
  counts: z.int().check(z.positive()),
  largest: positive,
  noiseMultiplier: positive,
});
/** Parsed form of {@link plannedQuantileSchema}. */
export type PlannedQuantile = z.output<typeof plannedQuantileSchema>;

/**
 * Upper end of a search for a clip norm.
 *
 * @param known - `longest`: Lipschitz constant of every record; `moment`: root of a moment of gradient norms;
 * infinite where nothing is known.
 * @throws {Unsupported} where neither is known, and none is given.
 */
export function largestOf(
  { largest }: Pick<AskedQuantile, 'largest'>,
  { longest, moment }: { readonly longest: number; readonly moment: number },
): number {
  const most = largest ?? Math.min(longest, 16 * moment);
  if (most < Infinity) return most;
  throw new MissingFact(
    "nothing tells how long gradients may be: declare the fact 'lipschitz' of every record or a " +
      "'gradientMoment.2', or give a number for clipNorm or its largest",
    ['lipschitz', 'gradientMoment.2'],
  );
}

/**
 * @param whole - Multiplier of Gaussian noise of one release that costs as much as the whole run; the counts
 * take their share of its μ².
 * @param spread - Size of the noise of one mean on a clip of 1, for the quantile where none is asked for.
 */
export const plannedQuantile = (
  { quantile, share, counts }: AskedQuantile,
  { largest, whole, spread }: { readonly largest: number; readonly whole: number; readonly spread: number },
): PlannedQuantile => ({
  quantile: quantile ?? Math.max(1 / 2, 1 - spread),
  counts,
  largest,
  noiseMultiplier: whole * Math.sqrt(counts / share),
});

/**
 * The quantile of gradient norms at a point, by noisy counts over a batch: the upper end of what is left of
 * the range.
 */
export function* quantileClip(
  { quantile, counts, largest, noiseMultiplier }: PlannedQuantile,
  where: { readonly at: Vector; readonly batch: Batch },
): Program<number> {
  const { upper } = yield* privateQuantile({
    ...where,
    noise: { mechanism: gaussian({}), target: { noiseMultiplier } },
    quantile,
    lower: largest / range,
    upper: largest,
    steps: counts,
  });
  return upper;
}

/**
 * The mean of a run's steps: that of the plan or, where its clip norm is a quantile, that of the plan for
 * gradients of unit size in units of what is found.
 */
export function* meanOfSteps(
  { mean, quantile }: { readonly mean: Ref<'mean'>; readonly quantile: PlannedQuantile | null },
  registry: Registry,
  where: { readonly at: Vector; readonly batch: Batch },
): Program<Ref<'mean'>> {
  return quantile === null ? mean : meanAt(registry, mean, yield* quantileClip(quantile, where));
}
