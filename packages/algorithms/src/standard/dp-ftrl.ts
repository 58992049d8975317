import { ask, referenceTo, resolvePlugin, type PrefixSum } from '@lethe/core';
import { defineOptimizer, sampledStream, streamSampler } from '@lethe/curator';
import { honakerFull, l2Clip } from '@lethe/mechanisms';
import * as z from 'zod';
import { clipNormSchema, plannedQuantileSchema, quantileClip } from '../common/private-clip.js';
import { clipInL2 } from '../common/stream-clip.js';
import { streamOverBatches } from '../common/stream-over-batches.js';
import { batchesOf, verifiedDraft } from './ftrl-batches.js';
import { ftrlUtility } from './ftrl-utility.js';
import { exactlyOne } from '../common/require.js';
import { quantileBefore } from './quantile-before.js';
import { noiseSchema, withNoise } from './with-noise.js';

const verifiedSchema = z.object({
  epsilon: z.number().nonnegative(),
  delta: z.number().gt(0).lt(1),
  samples: z.int().positive(),
});
const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('Rounds of a pass, each on a batch of its own of ⌊n / rounds⌋ records.'),
  batchSize: z.number().positive(),
  epochs: z.int().positive().default(1).describe('Passes over the batches, in one order.'),
  clip: referenceTo('clip').check(
    z.describe('What bounds each gradient, in ℓ2, such as { name: l2, params: { radius: 1 } }.'),
  ),
  quantile: z
    ._default(z.nullable(plannedQuantileSchema), null)
    .describe('How the radius of an ℓ2 clip is found; null where the clip is the one above.'),
  prefixSum: z
    ._default(referenceTo('prefixSum'), honakerFull({}))
    .describe('Correlated noise of the running sums of gradients, such as { name: binary-tree }.'),
  stepSize: z.number().positive().describe('Learning rate: one over the weight of the regulariser.'),
  momentum: z.number().min(0).lt(1).default(0).describe('Weight of the sums before; 0: none.'),
  noiseMultiplier: noiseSchema,
  average: z
    .enum(['last', 'polyak'])
    .default('last')
    .describe('What is returned: the last iterate, or the mean of those at which gradients were taken.'),
  sampling: z
    .object({
      sampler: referenceTo('sampler'),
      participation: z.object({ times: z.int().positive(), gap: z.int().positive() }),
      verified: verifiedSchema.optional(),
    })
    .optional(),
});
const params = schedule
  .omit({ batchSize: true, sampling: true, quantile: true })
  .partial({ clip: true, noiseMultiplier: true })
  .extend({
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'Short for an ℓ2 clip: norm to which each gradient is scaled down; or a quantile of the norms at ' +
          'the start, found privately.',
      ),
    sampling: z
      .optional(referenceTo('sampler'))
      .describe(
        'Draws the batch of each round in secret, such as { name: cyclic-poisson, params: { groups: 8, ' +
          'rate: 0.1 } }, in place of disjoint batches; rounds are then those of the run.',
      ),
    verified: z
      .union([z.literal(true), z.strictObject({ samples: z.int().positive() })])
      .optional()
      .describe(
        'Whether the curator verifies the budget by sampling losses of the sampled stream, with so many ' +
          'samples, or as many as it takes; left out, the stream costs what its sampler says.',
      ),
  })
  .strict()
  .superRefine(exactlyOne('clipNorm', 'clip'))
  .superRefine(samplingAlone);

/** What sampled batches do not go with. */
function samplingAlone(
  { sampling, verified, epochs, clipNorm }: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): void {
  if (sampling !== undefined && epochs !== 1)
    context.addIssue({
      code: 'custom',
      path: ['epochs'],
      message: 'give the rounds of the whole run; a sampled stream has no epochs',
    });
  if (verified !== undefined && sampling === undefined)
    context.addIssue({
      code: 'custom',
      path: ['verified'],
      message: 'give sampling too: only a sampled stream is verified by sampling',
    });
  if (verified !== undefined && typeof clipNorm === 'object')
    context.addIssue({
      code: 'custom',
      path: ['clipNorm'],
      message: 'give a number: a verified stream takes the whole budget, and leaves none for a quantile',
    });
}

/**
 * Differentially private follow-the-regularised-leader: passes over disjoint batches in stored order, with
 * correlated noise on the running sums of their gradients. Round `t` takes the mean gradient of batch `t` at
 * `w`, adds it to the noisy sum `s`, and sets `v ← momentum · v + s`, `w ← P(w₀ − stepSize · v)`. Without a
 * domain that is gradient descent with heavy-ball momentum on noisy gradients. These batches
 * are public, and no amplification is claimed.
 *
 * `prefixSum` is any plugin of the registry. The default is the full form of the estimator by which the paper
 * refines its tree. `clip` is any clip in ℓ2. Noise is Gaussian, which is what covers gradients that depend
 * on earlier answers.
 *
 * With `sampling`, each round takes a secret batch of all records instead: `cyclic-poisson` with a banded
 * prefix sum, or `truncated-cyclic-poisson`, `random-allocation` (balls in bins), `minimum-separation` or
 * `repeated-poisson`. The noise is then amplified, by what the sampler proves of the whole stream, or by what
 * the curator verifies.
 *
 * `clipNorm: { by: 'private-quantile', share }` finds the norm at the start by noisy counts over all records,
 * which take that share of the budget; the stream takes the rest.
 *
 * A record takes part once an epoch, `rounds` steps apart, and the noise covers all its parts. `{ name:
 * restarting }` begins the noise of another prefix sum again every so many steps. Records beyond `rounds · ⌊n
 * / rounds⌋` are not used by disjoint batches.
 *
 * `plan.utility` bounds the expected excess population risk of the mean of the iterates, for independent
 * records, a convex loss, one epoch, a clip that cuts no gradient, and no momentum. Facts: `lipschitz` of
 * every record; `startDistance` where the domain is unbounded, or larger. `plan.uncovered` says why there is
 * none.
 */
export const dpFtrl = defineOptimizer({
  name: 'dp-ftrl',
  summary: 'Follow-the-regularised-leader on noisy running sums of gradients, over public or secret batches.',
  source: { id: 'kairouz-2021', item: 'Algorithm 1, with momentum' },
  params,
  examples: [
    { rounds: 4, clipNorm: 1, stepSize: 0.1, momentum: 0.9 },
    { rounds: 6, clipNorm: 0.5, stepSize: 0.2, prefixSum: { name: 'binary-tree' }, noiseMultiplier: 2 },
    { rounds: 5, clipNorm: 6, stepSize: 0.3, average: 'polyak' },
    {
      rounds: 3,
      epochs: 2,
      clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 },
      stepSize: 0.1,
      prefixSum: { name: 'binary-tree' },
    },
    {
      rounds: 6,
      clipNorm: 1,
      stepSize: 0.1,
      prefixSum: { name: 'banded-toeplitz', params: { bandwidth: 2 } },
      sampling: { name: 'cyclic-poisson', params: { groups: 2, rate: 0.5 } },
    },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'one Gaussian of the planned multiplier, for the whole stream; with sampling, what its sampler ' +
        'says, or the budget that is verified; and one release for each count of a quantile',
    },
    {
      property: 'gradients',
      statement:
        'epochs · rounds · ⌊n / rounds⌋; with sampling, n in each round at most; and n for each count',
    },
    {
      property: 'utility',
      statement:
        'E F(w) − F* ≤ D²/(2ηT) + ηL²/2 + (ηL/T) Σ_{t<T} E‖N_t‖, w the mean of the iterates, no momentum',
      source: { id: 'kairouz-2021', item: 'Theorem 5.1' },
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule,
  fits({ sampling, prefixSum, rounds }, registry) {
    if (sampling === undefined) return;
    const { params: drawn, stream } = streamSampler(registry, sampling);
    const noise = resolvePlugin<PrefixSum>(registry, prefixSum);
    stream.fits?.(drawn, sampledStream(noise, { steps: rounds, dimension: 1 }, 1));
  },
  plan({ problem, domain, registry, budget, params: { noiseMultiplier: given, ...all }, noiseFor }) {
    const { clipNorm, sampling, verified, ...written } = all;
    const { quantile } = quantileBefore(clipNorm, { problem, budget });
    const clip = written.clip ?? l2Clip({ radius: typeof clipNorm === 'number' ? clipNorm : 1 });
    clipInL2(registry, clip);
    const batches = batchesOf({ rounds: written.rounds, sampling, verified }, { problem, registry, budget });
    const { draft, noiseMultiplier } = verifiedDraft({ ...written, clip, quantile, ...batches }, given, {
      problem,
      registry,
    });
    const plan = withNoise(draft, noiseMultiplier, noiseFor);
    return { ...plan, ...ftrlUtility(plan, { problem, domain, registry }) };
  },
  *steps({ plan, problem, domain, start, allRecords, state, rounds, parts }) {
    const { stepSize, momentum, quantile } = plan;
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const clip =
      quantile === null
        ? plan.clip
        : l2Clip({ radius: yield* quantileClip(quantile, { at: origin, batch: allRecords }) });
    const { batches, stream } = yield* streamOverBatches({
      ...plan,
      clip,
      allRecords,
      dimension: problem.dimension,
    });
    const zeros = (): Float64Array => new Float64Array(start.length);
    const { w, s, v, mean } = state({ w: origin.slice(), s: zeros(), v: zeros(), mean: zeros() });
    for (const epoch of rounds(plan.epochs))
      for (const [round, batch] of parts(batches)) {
        const t = (epoch - 1) * plan.rounds + round;
        const increment = yield* ask.push({ stream, at: w, batch });
        for (let j = 0; j < w.length; j++) {
          mean[j] += (w[j] - mean[j]) / t;
          s[j] += increment[j];
          v[j] = momentum * v[j] + s[j];
          w[j] = origin[j] - stepSize * v[j];
        }
        domain.projectInto(w, w);
      }
    return plan.average === 'polyak' ? mean : w;
  },
});
