import {
  ask,
  referenceTo,
  type Batch,
  type Problem,
  type Program,
  type Registry,
  type Vector,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { fixedSize } from '@lethe/mechanisms';
import * as z from 'zod';
import { gaussianMean, requiredLipschitz } from '../common/problem-facts.js';
import { assertMeanFits, meanAt } from '../common/given-mean.js';
import { plannedQuantileSchema, quantileClip, quantileSchema } from '../common/private-clip.js';
import { atMostOne } from '../common/require.js';
import { quantileBefore } from './quantile-before.js';
import { plannedParts } from './step-parts.js';
import { noiseSchema, withNoise } from './with-noise.js';

const clipNorms = z.strictObject({ gradient: z.number().positive(), difference: z.number().positive() });
const clipSchema = clipNorms.or(
  z.strictObject({
    ...quantileSchema.shape,
    difference: z
      .number()
      .positive()
      .default(1)
      .describe('Norm to which differences are scaled down, over that of gradients.'),
  }),
);
const means = z.strictObject({ gradient: referenceTo('mean'), difference: referenceTo('mean') });
const schedule = z.object({
  epochs: z.int().positive(),
  innerSteps: z.int().positive().describe('Steps of an epoch, from one full gradient.'),
  sampler: plannedParts.sampler,
  mean: means.describe(
    'Private means: of gradients at the snapshot, over all records, ' +
      'and of differences of gradients, over a batch.',
  ),
  quantile: z.nullable(plannedQuantileSchema),
  stepSize: z.number().positive(),
  noiseMultiplier: noiseSchema,
  snapshotRatio: z
    .number()
    .positive()
    .default(1)
    .describe('Noise multiplier of full gradients over that of steps.'),
});
const params = schedule
  .omit({ quantile: true })
  .partial({ sampler: true, mean: true, noiseMultiplier: true })
  .extend({
    batchSize: z
      .int()
      .positive()
      .optional()
      .describe(
        'Short for a sampler of fixed size: records whose gradients ' +
          'a step compares at two points. One, if both are left out.',
      ),
    clip: clipSchema
      .nullish()
      .describe(
        'Short for clipped means with Gaussian noise: ℓ2 norms to which gradients at the snapshot, and ' +
          'differences of gradients, are scaled down; or a quantile of the norms at the start, found ' +
          'privately. Without it or mean, both rely on a Lipschitz constant of every record.',
      ),
  })
  .strict()
  .superRefine(atMostOne('batchSize', 'sampler'))
  .superRefine(atMostOne('clip', 'mean'));

/**
 * Stochastic variance-reduced gradient descent with noise. Each epoch asks for a full gradient at its
 * snapshot; each of its steps corrects that by the difference of gradients at iterate and snapshot on a small
 * secret batch, and takes a proximal step. The average of an epoch's iterates is the next snapshot.
 *
 * Epochs, correction, constant step, proximal map and averaging are theirs. The releases are not: they add
 * noise to the corrected gradient as a whole and account for it by moments. Here the full gradient is
 * released once an epoch and differences by themselves, each difference bounded once (by `difference`, or
 * twice the Lipschitz constant); each is a private mean, the second amplified by its draw, and accounted for
 * exactly. So their bound on the risk does not apply, and none is given.
 *
 * `sampler` and the two of `mean` are any plugins of the registry: a sampler that states its amplification in
 * the run's adjacency, and central means whose privacy rests on clipping or on constants of every record.
 * `batchSize` is short for batches of fixed size, `clip` for clipped means with Gaussian noise; a private
 * quantile as `clip` finds the norm at the start by noisy counts, which take their share of the budget.
 *
 * Facts: `lipschitz` (every record) unless clipped. On domains other than the whole space a projection
 * follows the proximal map.
 */
export const dpSvrg = defineOptimizer({
  name: 'dp-svrg',
  summary: 'Variance-reduced stochastic gradient descent with noise on full gradients and on differences.',
  source: { id: 'wang-ye-xu-2017', item: 'Algorithm 1' },
  params,
  examples: [
    { epochs: 2, innerSteps: 3, stepSize: 0.1 },
    {
      epochs: 1,
      innerSteps: 4,
      stepSize: 0.2,
      batchSize: 2,
      clip: { gradient: 1, difference: 0.5 },
      snapshotRatio: 0.5,
      noiseMultiplier: 2,
    },
    {
      epochs: 1,
      innerSteps: 2,
      stepSize: 0.1,
      clip: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2, difference: 0.5 },
    },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'epochs × mean of all records, epochs · innerSteps ' +
        '× sampled mean of differences, and one release for each count of a quantile; equal to the ledger’s',
    },
    {
      property: 'gradients',
      statement: 'epochs · (n + 2 · innerSteps · size of a batch); n for a size that is hidden',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  regularisers: 'any',
  schedule,
  plan({ problem, registry, budget, params: asked, noiseFor }) {
    const { batchSize = 1, clip, noiseMultiplier: given, ...written } = asked;
    const { quantile } = quantileBefore(clip != null && 'by' in clip ? clip : undefined, { problem, budget });
    const sampler = written.sampler ?? fixedSize({ size: batchSize });
    const mean = written.mean ?? meansOf(clip ?? null, problem);
    const needs = {
      optimizer: 'dp-svrg',
      trust: 'central',
      mayClip: true,
      privacyRestsOn: 'every-record constants',
    } as const;
    for (const ref of [mean.gradient, mean.difference]) assertMeanFits(registry, ref, needs);
    const uncovered = 'the bound of the paper is for noise on corrected gradients as a whole';
    return withNoise({ ...written, sampler, mean, quantile, utility: null, uncovered }, given, noiseFor);
  },
  *steps({ plan, registry, domain, regulariser, start, allRecords, state, rounds }) {
    const { epochs, innerSteps, stepSize, sampler, noiseMultiplier, snapshotRatio } = plan;
    const { x } = state({ x: domain.projectInto(start, start) });
    const mean = yield* meansFound(plan, registry, { at: x, batch: allRecords });
    const whole = { mean: mean.gradient, target: { noiseMultiplier: noiseMultiplier * snapshotRatio } };
    const difference = { mean: mean.difference, target: { noiseMultiplier } };
    function* epoch(): Program<void> {
      const snapshot = x.slice();
      const { sum } = state({ sum: new Float64Array(x.length) });
      const full = yield* ask.mean({ at: snapshot, batch: allRecords, ...whole });
      for (const _ of rounds(innerSteps)) {
        const correction = yield* ask.mean({
          terms: [
            { weight: 1, at: x },
            { weight: -1, at: snapshot },
          ],
          batch: allRecords,
          sampler,
          ...difference,
        });
        for (let j = 0; j < x.length; j++) x[j] -= stepSize * (full[j] + correction[j]);
        regulariser?.proxInto(x, x, stepSize);
        domain.projectInto(x, x);
        for (let j = 0; j < x.length; j++) sum[j] += x[j];
      }
      for (let j = 0; j < x.length; j++) x[j] = sum[j] / innerSteps;
      // The average may leave the domain by a rounding.
      domain.projectInto(x, x);
    }
    for (const _ of rounds(epochs)) yield* epoch();
    return x;
  },
});

/**
 * The means by their short form.
 *
 * @throws {Unsupported} where nothing is clipped and no Lipschitz constant of every record is declared.
 */
function meansOf(clip: z.output<typeof clipSchema> | null, problem: Problem): z.output<typeof means> {
  if (clip === null) requiredLipschitz(problem, 'clip');
  // What is found by a quantile scales means of gradients of unit size.
  const norms = clip !== null && 'by' in clip ? { ...clip, gradient: 1 } : clip;
  return {
    gradient: gaussianMean(norms?.gradient ?? null),
    difference: gaussianMean(norms?.difference ?? null),
  };
}

/** The means of a plan, in units of the clip norm where it is found by a quantile. */
function* meansFound(
  { mean, quantile }: Pick<z.output<typeof schedule>, 'mean' | 'quantile'>,
  registry: Registry,
  where: { readonly at: Vector; readonly batch: Batch },
): Program<z.output<typeof means>> {
  if (quantile === null) return mean;
  const clipNorm = yield* quantileClip(quantile, where);
  return {
    gradient: meanAt(registry, mean.gradient, clipNorm),
    difference: meanAt(registry, mean.difference, clipNorm),
  };
}
