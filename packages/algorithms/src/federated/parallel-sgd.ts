import { ask, defineOptimizer, Unsupported, type Problem } from '@lethe/core';
import * as z from 'zod';
import { gaussianMean } from '../common/problem-facts.js';
import { effectiveSize, noiseFactor, silosOf, type Silos } from '../common/silos.js';
import { batchSizeOf } from '../common/stream-over-batches.js';
import { noiseSchema } from '../standard/with-noise.js';
import { knownConstants } from './known-constants.js';

const schedule = z.object({
  rounds: z.int().positive().describe('T: rounds of the one pass, each on ⌊n / T⌋ records of its own.'),
  stepSize: z.number().positive().describe('η: step along the noisy average of gradients.'),
  clipNorm: z.number().positive().describe('Norm beyond which the gradient of a record is cut.'),
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
 * It is what corrected momentum is compared with. What is not given follows from `lipschitz` and `smoothness`
 * of every record and the diameter of the domain.
 */
export const parallelSgd = defineOptimizer({
  name: 'parallel-sgd',
  summary: 'One pass of noisy gradient steps on averages over silos, each record in one message.',
  source: { id: 'reshef-levy-2024', item: 'Section 1, the comparison' },
  params,
  examples: [
    { rounds: 5, stepSize: 0.1, clipNorm: 1 },
    { rounds: 4, stepSize: 0.1, clipNorm: 1, step: 'lipschitz' },
    { rounds: 3, stepSize: 0.1, clipNorm: 1, noiseMultiplier: 2 },
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
  plan({ problem, domain, params: { step, ...given }, noiseFor }) {
    const silos = silosOf(problem);
    if (given.rounds !== undefined) sizesOf(given.rounds, silos);
    const most = given.rounds ?? Math.min(...silos.slots);
    if (most > mostRounds)
      throw new Unsupported(
        `a run of ${most} rounds has no plan that can be kept; give rounds of at most ${mostRounds}`,
        { rounds: most },
      );
    const noiseMultiplier =
      given.noiseMultiplier ??
      noiseFor((multiplier) => ({
        rounds: 1,
        stepSize: 1,
        clipNorm: 1,
        average: 'before',
        noiseMultiplier: multiplier,
      }));
    const constants = knownConstants(problem, domain);
    const { capabilities }: Problem = problem;
    const average = step === 'smooth' ? ('after' as const) : ('before' as const);
    if (typeof constants === 'string') {
      const { rounds, stepSize, clipNorm } = given;
      if (rounds === undefined || stepSize === undefined || clipNorm === undefined)
        throw new Unsupported(
          "the schedule of 'parallel-sgd' needs lipschitz and smoothness of every record and a bounded " +
            `domain, and ${constants}; declare it, or give rounds, stepSize and clipNorm`,
          { missing: constants },
        );
      return { rounds, stepSize, clipNorm, average, noiseMultiplier, utility: null, uncovered: constants };
    }
    const { lipschitz: G, smoothness: L, diameter: D } = constants;
    const clipNorm = given.clipNorm ?? G;
    const rounds = most;
    const sizes = sizesOf(rounds, silos);
    const sensitivity = (problem.adjacency === 'replace-one' ? 2 : 1) * clipNorm;
    const noise = problem.dimension * (noiseMultiplier * sensitivity * noiseFactor(silos, sizes)) ** 2;
    const squares = G ** 2 + noise;
    const deviation = Math.sqrt(G ** 2 / effectiveSize(silos, sizes) + noise);
    const best =
      step === 'smooth' ? 1 / (L + (deviation * Math.sqrt(rounds)) / D) : D / Math.sqrt(rounds * squares);
    const stepSize = given.stepSize ?? best;
    const bound =
      step === 'smooth'
        ? (L * D ** 2) / (2 * rounds) + (D * deviation) / Math.sqrt(rounds)
        : D ** 2 / (2 * stepSize * rounds) + (stepSize / 2) * squares;
    const uncovered = obstacle({
      isConvex: capabilities.convex === true,
      cuts: clipNorm < G,
      isOther: step === 'smooth' && given.stepSize !== undefined,
    });
    return {
      rounds,
      stepSize,
      clipNorm,
      average,
      noiseMultiplier,
      utility:
        uncovered === null
          ? {
              bound,
              source: 'Bubeck 2015, Theorem 6.3, and the usual bound; expected excess population risk',
            }
          : null,
      uncovered,
    };
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
    const mean = gaussianMean(plan.clipNorm);
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

const sizesOf = (rounds: number, { slots }: Silos): readonly number[] =>
  slots.map((one) => batchSizeOf(rounds, one));

/** Why there is no bound on the risk. */
function obstacle({
  isConvex,
  cuts,
  isOther,
}: {
  readonly isConvex: boolean;
  readonly cuts: boolean;
  readonly isOther: boolean;
}): string | null {
  if (!isConvex) return 'the loss is not convex';
  if (cuts) return 'the clip may cut gradients; leave out clipNorm';
  return isOther ? 'the bound for smooth losses is proved for its own step; leave out stepSize' : null;
}
