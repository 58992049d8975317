import { ask, InvalidParameter, Unsupported, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { gaussian, nextThreshold, noiseSplit, poisson } from '@lethe/mechanisms';
import * as z from 'zod';
import { clippedGaussian } from '../common/problem-facts.js';
import { silosOf } from '../common/silos.js';
import { noiseSchema } from '../standard/with-noise.js';

const own = {
  rounds: z.int().positive().describe('T: rounds, each on a sample of the slots.'),
  rate: z.number().positive().max(1).describe('q: probability with which a slot takes part in a round.'),
  epochs: z.int().positive().default(1).describe('E: passes of a slot over its own records in a round.'),
  batchSize: z
    .int()
    .positive()
    .default(2 ** 20)
    .describe('B: records of a local step of an owner; left out, all that an owner has.'),
  localStep: z.number().positive().describe('η_c: step size of a slot on its own records.'),
  serverStep: z.number().positive().default(1).describe('η_s: step along the noisy average of updates.'),
  clipNorm: z
    .number()
    .positive()
    .describe('S: ℓ2 norm to which each update is scaled down; the first one where it adapts.'),
  quantile: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'γ: share of updates that the clip norm is to leave whole, found privately; left out: it stays.',
    ),
  quantileRate: z.number().positive().default(0.2).describe('η_S: how fast the clip norm follows.'),
  countRatio: z
    .number()
    .gt(1)
    .default(10)
    .describe('Noise multiplier of the counts that the clip norm follows, over that of a whole round.'),
  fullRecords: z
    .number()
    .positive()
    .optional()
    .describe(
      'n̂: records from which an owner counts whole in averages; one of n fewer counts n/n̂. Left out: all ' +
        'count the same.',
    ),
  meanWeight: z
    .number()
    .positive()
    .max(1)
    .default(1)
    .describe(
      'W/N: what a slot counts on average, by which averages are divided. Public: what is known without a ' +
        'look at the data. Used with fullRecords.',
    ),
  average: z.enum(['last', 'all']).default('last').describe('The last point, or the average of all.'),
};

/**
 * DP-FedAvg: in each round a sample of slots takes local steps from the common point, their updates are
 * clipped and averaged with noise, and the point moves along the average. Slots are owners where the data
 * have owners: what is protected is then all that an owner has. In a federation each silo samples its own
 * slots.
 *
 * A slot's steps are a function of its own records, and the clip comes last, so that a round costs one
 * sampled Gaussian, whatever the steps are. Averages are over the expected number of slots, which is
 * public. With `quantile` the clip norm follows a quantile of the norms of updates: counts of those above
 * it get noise, and updates more, so that both cost what one release of the planned multiplier does.
 *
 * With `fullRecords` an owner of few records counts less, and averages are over the expected weight of the
 * sample, `q · meanWeight · N`. Weights are at most 1 and come after the clip: the cost stays.
 *
 * There is no bound on the excess risk.
 */
export const dpFedAvg = defineOptimizer({
  name: 'dp-fedavg',
  summary: 'Rounds of local steps of sampled slots, whose clipped updates are averaged with noise.',
  source: { id: 'mcmahan-2018', item: 'Algorithm 1' },
  params: z.strictObject({ ...own, noiseMultiplier: z.optional(noiseSchema) }),
  examples: [
    { rounds: 4, rate: 0.5, localStep: 0.1, clipNorm: 0.5 },
    {
      rounds: 3,
      rate: 0.5,
      fullRecords: 4,
      meanWeight: 0.75,
      epochs: 2,
      batchSize: 1,
      localStep: 0.1,
      clipNorm: 0.5,
      quantile: 0.5,
      average: 'all',
      noiseMultiplier: 2,
    },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'T Poisson-sampled Gaussians of the planned multiplier; with a quantile each is split in two',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['add-remove', 'zero-out', 'replace-one'],
  trustModels: ['central', 'federated'],
  privacyRestsOn: 'clip',
  facts: {},
  schedule: z.object({ ...own, noiseMultiplier: noiseSchema }),
  plan({ problem, params: { noiseMultiplier, ...plan }, noiseFor }) {
    const { slots } = silosOf(problem);
    assertSampled(plan.rate, slots);
    assertWeights(plan);
    const draft = { ...plan, utility: null };
    return {
      ...draft,
      noiseMultiplier:
        noiseMultiplier ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier })),
    };
  },
  *steps({ plan, problem, domain, start, allRecords, state, rounds }) {
    const { x, mean } = state({ x: domain.projectInto(start, start), mean: new Float64Array(start.length) });
    const now = state({ clipNorm: plan.clipNorm });
    const local = {
      domain: problem.domain,
      epochs: plan.epochs,
      batchSize: plan.batchSize,
      stepSize: plan.localStep,
    };
    const countMultiplier = plan.countRatio * plan.noiseMultiplier;
    const noiseMultiplier =
      plan.quantile === undefined
        ? plan.noiseMultiplier
        : noiseSplit({ noiseMultiplier: plan.noiseMultiplier, countMultiplier });
    for (const t of rounds(plan.rounds)) {
      const batch = yield* ask.draw({ sampler: poisson({ rate: plan.rate }), from: allRecords });
      const update = yield* ask.localUpdate({
        from: x,
        local,
        batch,
        mean: clippedGaussian(now.clipNorm),
        target: { noiseMultiplier },
        ...(plan.fullRecords === undefined ? {} : { fullRecords: plan.fullRecords }),
      });
      if (plan.quantile !== undefined) {
        const beyond = yield* ask.value({
          statistic: { of: 'update-norm-beyond', radius: now.clipNorm, local },
          at: x,
          batch,
          noise: { mechanism: gaussian({}), target: { noiseMultiplier: countMultiplier } },
        });
        now.clipNorm = nextThreshold({
          threshold: now.clipNorm,
          // The share is of the expected number of slots, which is public.
          fraction: 1 - beyond,
          quantile: plan.quantile,
          learningRate: plan.quantileRate,
        });
      }
      yield* ask.close(batch);
      for (let j = 0; j < x.length; j++) x[j] += (plan.serverStep / plan.meanWeight) * update[j];
      if (!domain.unconstrained) domain.projectInto(x, x);
      for (let j = 0; j < x.length; j++) mean[j] += (x[j] - mean[j]) / t;
    }
    return plan.average === 'all' ? mean : x;
  },
});

/** @throws {InvalidParameter} for an average weight where all slots count the same. */
function assertWeights({ fullRecords, meanWeight }: Weights): void {
  if (fullRecords !== undefined || meanWeight === 1) return;
  throw new InvalidParameter(
    `meanWeight is ${meanWeight}, and without fullRecords all slots count 1; give fullRecords too, or ` +
      'leave meanWeight out',
    { meanWeight },
  );
}
interface Weights {
  readonly fullRecords?: number | undefined;
  readonly meanWeight: number;
}

/** @throws {Unsupported} for a rate at which a silo expects less than one slot a round. */
function assertSampled(rate: number, slots: Problem['slots']): void {
  const fewest = Math.min(...slots);
  if (rate * fewest >= 1) return;
  throw new Unsupported(
    `at rate ${rate} a silo of ${fewest} slots expects fewer than one in a round; ` +
      `give a rate of ${1 / fewest} or more`,
    { rate, slots: fewest },
  );
}
