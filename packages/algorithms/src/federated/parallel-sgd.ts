import { ask, referenceTo, Unsupported, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { errorOfMean, givenMean, leavesWhole, meanAt, type GivenMean } from '../common/given-mean.js';
import { effectiveSize, silosOf, type Silos, weightAt } from '../common/silos.js';
import { sizesOf, wholeRounds } from '../common/whole-rounds.js';
import { givenLengthSchema } from '../common/private-clip.js';
import { noiseSchema, withNoise } from '../standard/with-noise.js';
import { knownConstants } from './known-constants.js';

const schedule = z.object({
  rounds: z.int().positive().describe('T: rounds of the one pass, each on ⌊n / T⌋ records of its own.'),
  stepSize: z.number().positive().describe('η: step along the noisy average of gradients.'),
  mean: referenceTo('mean').check(z.describe('Private mean of the gradients of a round, on each silo.')),
  average: z
    .enum(['before', 'after'])
    .describe(
      'Which iterates the result is the average of: those before the steps, w_1 … w_T, or those after them.',
    ),
  noiseMultiplier: noiseSchema,
});
const params = schedule
  .omit({ average: true })
  .partial()
  .extend({
    mean: z
      .optional(referenceTo('mean'))
      .describe(
        'Private mean for gradients of unit size, such as clipped with a clip of radius 1 and a mechanism. ' +
          'Left out: clipped with Gaussian noise.',
      ),
    clipNorm: z
      .optional(
        givenLengthSchema(
          'each silo would find a quantile of its own, and clip to another norm than the others; ' +
            'give a number',
        ),
      )
      .describe('Size of gradients that the mean is scaled to. Left out: the Lipschitz constant.'),
    step: z
      .enum(['smooth', 'lipschitz'])
      .default('smooth')
      .describe(
        'The step that is not given: 1/(L + 1/γ) with γ = D/(σ√T), ' +
          'or D/√(T(G² + dV)), which does not gain from silos.',
      ),
  })
  .strict();

/**
 * Noisy gradient descent in one pass, on one machine or in a federation: every round averages clipped
 * gradients of new records of all silos at `w`, with noise on each silo's mean, or one noise where the server
 * is trusted, and `w ← P(w − ηg)`. The result is an average of iterates. A record is in one message, so that
 * the run costs one Gaussian of sensitivity `2G/b`, without the factor `√T` that prefix sums pay.
 *
 * It is what corrected momentum is compared with. `mean` is any central mean whose privacy rests on clipping.
 * What is not given follows from `lipschitz` and `smoothness` of every record and the diameter of the domain.
 */
export const parallelSgd = defineOptimizer({
  name: 'parallel-sgd',
  summary: 'One pass of noisy gradient steps on averages over silos, each record in one message.',
  source: { id: 'reshef-levy-2024', item: 'Section 1, the comparison' },
  params,
  examples: [
    { rounds: 5, stepSize: 0.1, clipNorm: 1 },
    { rounds: 4, stepSize: 0.1, clipNorm: 1, step: 'lipschitz' },
    {
      rounds: 3,
      stepSize: 0.1,
      mean: { name: 'lattice-mean', params: { radius: 1, spacing: 2 ** -10 } },
      clipNorm: 1,
      noiseMultiplier: 2,
    },
  ],
  claims: [
    { property: 'event', statement: 'one Gaussian of the planned multiplier, for all rounds together' },
    { property: 'gradients', statement: 'T⌊n/T⌋, over all silos: one for each record' },
    {
      property: 'utility',
      statement: 'E f − f* ≤ LD²/(2T) + Dσ/√T with σ² = G²Σp_i²/b_i + dV, or D²/(2ηT) + (η/2)(G² + dV)',
      source: { id: 'bubeck-2015', item: 'Theorem 6.3' },
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: {},
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central', 'federated'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  schedule,
  plan({ problem, domain, registry, params: { step, ...given }, noiseFor }) {
    const silos = silosOf(problem);
    if (given.rounds !== undefined) sizesOf(given.rounds, silos);
    const rounds = given.rounds ?? wholeRounds(Math.min(...silos.slots), silos);
    if (rounds > mostRounds)
      throw new Unsupported(
        `a run of ${rounds} rounds has no plan that can be kept; give rounds of at most ${mostRounds}`,
        { rounds },
      );
    const needs = { optimizer: 'parallel-sgd', trust: 'central', privacyRestsOn: 'clip' } as const;
    const unit = givenMean(given.mean, registry, needs, given.clipNorm);
    const constants = knownConstants(problem, domain);
    const known = typeof constants === 'string' ? null : constants;
    if (
      known === null &&
      (given.rounds === undefined ||
        given.stepSize === undefined ||
        (given.clipNorm === undefined && unit.hasUnits))
    )
      throw new Unsupported(
        "the schedule of 'parallel-sgd' needs lipschitz and smoothness of every record and a bounded " +
          `domain, and ${String(constants)}; declare it, or give rounds, stepSize and clipNorm`,
        { missing: constants },
      );
    const clipNorm = given.clipNorm ?? known?.lipschitz ?? 1;
    const mean = meanAt(registry, unit.ref, clipNorm);
    const average = step === 'smooth' ? ('after' as const) : ('before' as const);
    const draft = withNoise({ rounds, stepSize: 1, mean, average }, given.noiseMultiplier, noiseFor);
    if (known === null)
      return { ...draft, stepSize: defined(given.stepSize), utility: null, uncovered: String(constants) };
    const { lipschitz: G, smoothness: L, diameter: D } = known;
    const sizes = sizesOf(rounds, silos);
    const noise = noiseOfAverage(unit, { ...draft, clipNorm, longest: G }, { problem, silos, sizes });
    if (noise === null && given.stepSize === undefined)
      throw new Unsupported(
        `the mean '${mean.name}' states no bound on its error over ${Math.min(...sizes)} records; give ` +
          'stepSize, or another mean',
        { mean: mean.name },
      );
    const squares = G ** 2 + (noise ?? Infinity);
    const deviation = Math.sqrt(G ** 2 / effectiveSize(silos, sizes) + (noise ?? Infinity));
    const best =
      step === 'smooth' ? 1 / (L + (deviation * Math.sqrt(rounds)) / D) : D / Math.sqrt(rounds * squares);
    const stepSize = given.stepSize ?? best;
    const bound =
      step === 'smooth'
        ? (L * D ** 2) / (2 * rounds) + (D * deviation) / Math.sqrt(rounds)
        : D ** 2 / (2 * stepSize * rounds) + (stepSize / 2) * squares;
    const { capabilities }: Problem = problem;
    const uncovered = obstacle({
      isConvex: capabilities.convex === true,
      isWhole: noise !== null && leavesWhole(unit, problem, G)(clipNorm),
      isOther: step === 'smooth' && given.stepSize !== undefined,
    });
    const utility = {
      bound,
      source: 'Bubeck 2015, Theorem 6.3, and the usual bound; expected excess population risk',
    };
    return { ...draft, stepSize, utility: uncovered === null ? utility : null, uncovered };
  },
  *steps({ plan, domain, start, allRecords, state, parts }) {
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'count', count: plan.rounds },
    });
    const { w, sum } = state({
      w: domain.projectInto(new Float64Array(start.length), start),
      sum: new Float64Array(start.length),
    });
    const { mean } = plan;
    const target = { noiseMultiplier: plan.noiseMultiplier };
    const add = (): void => {
      for (let j = 0; j < w.length; j++) sum[j] += w[j];
    };
    for (const [, batch] of parts(batches)) {
      if (plan.average === 'before') add();
      const gradient = yield* ask.mean({ at: w, batch, mean, target });
      for (let j = 0; j < w.length; j++) w[j] -= plan.stepSize * gradient[j];
      domain.projectInto(w, w);
      if (plan.average === 'after') add();
    }
    const result = sum.map((one) => one / plan.rounds);
    // Rounding may put an average of points of the domain beside it.
    return domain.projectInto(result, result);
  },
});

/** Rounds of the longest plan: each has a batch on record. */
const mostRounds = 2 ** 20;

/**
 * `E‖N‖²` of the noise `N` of an average over silos, each of which takes the mean of its records; `null` for
 * a mean that states no bounds.
 */
function noiseOfAverage(
  unit: GivenMean,
  { noiseMultiplier, clipNorm, longest }: { noiseMultiplier: number; clipNorm: number; longest: number },
  { problem, silos, sizes }: { problem: Problem; silos: Silos; sizes: readonly number[] },
): number | null {
  const batches = { problem, target: { noiseMultiplier }, honestIn: (size: number) => size };
  const moments = { order: Infinity, moment: longest, secondMoment: longest, longest };
  const errorAt = errorOfMean(unit, batches, moments);
  const parts = sizes.map((size, i) => {
    const error = errorAt(clipNorm, size);
    return error === null ? NaN : weightAt(silos, sizes, i) * error.noise;
  });
  if (parts.some(Number.isNaN)) return null;
  const { noise } = silos;
  const deviation = noise.by === 'server' ? noise.factor * Math.max(...parts) : Math.hypot(...parts);
  return problem.dimension * deviation ** 2;
}

/** Why there is no bound on the risk. */
function obstacle({
  isConvex,
  isWhole,
  isOther,
}: {
  readonly isConvex: boolean;
  readonly isWhole: boolean;
  readonly isOther: boolean;
}): string | null {
  if (!isConvex) return 'the loss is not convex';
  if (!isWhole)
    return 'the mean may change gradients; leave out clipNorm, or take a mean that scales them into a ball';
  return isOther ? 'the bound for smooth losses is proved for its own step; leave out stepSize' : null;
}
