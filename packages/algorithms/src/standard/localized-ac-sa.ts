import { ask, referenceTo, type Ref } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { fixedSize } from '@lethe/mechanisms';
import * as z from 'zod';
import { assertMeanFits } from '../common/given-mean.js';
import { halves } from '../common/halves.js';
import { clipNormSchema, meanOfSteps, plannedQuantileSchema } from '../common/private-clip.js';
import { centralSlots, clippedGaussian, lipschitzOf, requiredLipschitz } from '../common/problem-facts.js';
import { atMostOne } from '../common/require.js';
import { acSa } from '../heavy-tails/ac-sa.js';
import { knownDistanceOf } from '../heavy-tails/facts.js';
import { factOfEveryRecord } from '../sparse-gradients/record-facts.js';
import { quantileBefore } from './quantile-before.js';
import { plannedParts } from './step-parts.js';
import { noiseSchema, withNoise } from './with-noise.js';

const phase = z.object({
  records: z.int().positive(),
  lambda: z.number().positive().describe('λ of the regulariser around the point before.'),
  sampler: plannedParts.sampler,
  eta: z
    .number()
    .positive()
    .describe('Scale of accelerated steps, twice the smoothness of the regularised loss.'),
  stages: z.int().positive(),
  rounds: z.int().positive().describe('Of each stage.'),
});
const schedule = z.object({
  phases: z.array(phase).min(1),
  mean: plannedParts.mean,
  quantile: z.nullable(plannedQuantileSchema),
  noiseMultiplier: noiseSchema,
});
const params = z
  .strictObject({
    stepSize: z
      .number()
      .positive()
      .optional()
      .describe('η: phase i has λ = 2·4^i/(η n_i). Left out: (D/L)·min(4/√n, ε/√(d ln(1/δ))).'),
    sampler: z
      .optional(referenceTo('sampler'))
      .describe(
        'Draws the batch of each round from the records of its phase, such as { name: poisson, params: ' +
          '{ rate: 0.1 } }. Left out: ⌈n_i/√R_i⌉ of the n_i records of a phase of R_i rounds.',
      ),
    mean: z.optional(plannedParts.mean),
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'Short for a clipped mean with Gaussian noise: norm to which gradients are scaled down; or a ' +
          'quantile of the norms at the start, found privately. Left out, without mean: the Lipschitz ' +
          'constant of every record.',
      ),
    noiseMultiplier: z.optional(noiseSchema),
  })
  .superRefine(atMostOne('clipNorm', 'mean'));

/**
 * Localised accelerated stochastic gradient descent: phase `i` has half of the records that are left, and
 * minimises their average loss plus `(λ_i/2)‖w − w_{i−1}‖²` by accelerated steps on secret batches of
 * `n_i/√R_i` of its `n_i` records, for `R_i` rounds. Every batch has a noisy mean of clipped gradients; the
 * regulariser is added outside the curator.
 *
 * Accelerated steps start again after each stage of `⌈√(8η_i/λ_i)⌉` rounds, in which the squared distance to
 * the minimiser is halved but for noise. Privacy rests on the clip alone: all points are told. Phases have
 * disjoint records, so that the run costs as much as its dearest phase. There are `Θ(n^(1/4))` rounds and
 * `Θ(n^(9/8))` gradients up to logarithms.
 *
 * `sampler` is any sampler that takes the records of the smallest phase and states its amplification in the
 * run's adjacency. `mean` is any central mean whose privacy rests on clipping. `clipNorm: { by:
 * 'private-quantile', share }` finds the clip norm at the start by noisy counts over all records, which take
 * that share of the budget. Facts: `lipschitz` unless
 * `stepSize` and one of `clipNorm` and `mean` are given, `smoothness` of every record, `startDistance` or a
 * bounded domain unless `stepSize` is given.
 */
export const localizedAcSa = defineOptimizer({
  name: 'localized-ac-sa',
  summary:
    'Accelerated steps on noisy means of secret batches, regularised in phases around the point before.',
  source: { id: 'gao-lowy-zhou-wright-2024', item: 'localised accelerated mini-batch descent, one silo' },
  params,
  examples: [
    {},
    {
      stepSize: 0.5,
      clipNorm: 1,
      sampler: { name: 'poisson', params: { rate: 0.3 } },
      noiseMultiplier: 2,
    },
    { stepSize: 0.5, clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 } },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'phases in parallel, each R_i sampled means with Gaussian noise, and one release for each count of ' +
        'a quantile; equal to the ledger’s',
    },
    { property: 'gradients', statement: 'Σ_i R_i K_i, K_i = ⌈n_i/√R_i⌉ unless a sampler is given' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule,
  plan({ problem, registry, domain, budget, params: { stepSize, clipNorm, sampler, ...written }, noiseFor }) {
    const slots = centralSlots(problem);
    const smoothness = factOfEveryRecord(problem, 'smoothness');
    const { quantile } = quantileBefore(clipNorm, { problem, budget });
    const known = typeof clipNorm === 'number' ? clipNorm : null;
    // What is found by a quantile scales the mean of gradients of unit size.
    const norm = (): number => (quantile === null ? requiredLipschitz(problem, 'clipNorm') : 1);
    const mean = written.mean ?? clippedGaussian(known ?? norm());
    assertMeanFits(registry, mean, {
      optimizer: 'localized-ac-sa',
      trust: 'central',
      privacyRestsOn: 'clip',
    });
    const defaultStep = (): number => {
      const noise =
        Math.sqrt(problem.dimension * Math.log(1 / Math.max(budget.delta, Number.MIN_VALUE))) /
        budget.epsilon;
      const lipschitz = lipschitzOf(problem) ?? known ?? requiredLipschitz(problem, 'stepSize');
      const reach = knownDistanceOf(problem, domain) / lipschitz;
      return reach * Math.min(4 / Math.sqrt(slots), 1 / noise);
    };
    const draft = {
      phases: phasesOf(slots, smoothness, { stepSize: stepSize ?? defaultStep(), sampler }),
      mean,
      quantile,
    };
    return {
      ...withNoise(draft, written.noiseMultiplier, noiseFor),
      utility: null,
      uncovered: 'the excess risk is known up to constants only',
    };
  },
  *steps({ plan, registry, domain, start, allRecords, ...loops }) {
    const { phases, noiseMultiplier } = plan;
    let w = domain.projectInto(new Float64Array(start.length), start);
    const mean = yield* meanOfSteps(plan, registry, { at: w, batch: allRecords });
    const release = { mean, target: { noiseMultiplier } };
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: phases.map(({ records }) => records) },
    });
    for (const [i, { lambda, sampler, eta, stages, rounds }] of phases.entries()) {
      const centre = w;
      for (let stage = 0; stage < stages; stage++)
        w = yield* acSa({
          rounds,
          eta,
          domain,
          start: w,
          loops,
          *oracle(at) {
            const gradient = yield* ask.mean({ at, batch: batches[i], sampler, ...release });
            for (let j = 0; j < at.length; j++) gradient[j] += lambda * (at[j] - centre[j]);
            return gradient;
          },
        });
    }
    return w;
  },
});

type Phase = z.output<typeof phase>;

/**
 * Phase `i = 1, 2, …` has `λ_i = 2·4^i/(η n_i)`, and stages until the squared distance is divided by `n_i`.
 */
const phasesOf = (
  slots: number,
  smoothness: number,
  { stepSize, sampler }: { readonly stepSize: number; readonly sampler: Ref<'sampler'> | undefined },
): readonly Phase[] =>
  halves(slots).map((records, i) => {
    const lambda = (2 * 4 ** (i + 1)) / (stepSize * records);
    const eta = 2 * (smoothness + lambda);
    const stages = Math.max(1, Math.ceil(Math.log2(records)));
    const rounds = Math.ceil(Math.sqrt((8 * eta) / lambda));
    const size = Math.ceil(records / Math.sqrt(stages * rounds));
    return { records, lambda, sampler: sampler ?? fixedSize({ size }), eta, stages, rounds };
  });
