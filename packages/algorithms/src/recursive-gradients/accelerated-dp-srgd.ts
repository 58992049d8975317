import { ask, InvalidParameter, referenceTo, Unsupported, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { honakerFull } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { differenceNormSchema } from '../common/private-clip.js';
import { centralSlots } from '../common/problem-facts.js';
import { batchSizeOf, streamOverBatches } from '../common/stream-over-batches.js';
import { noiseOfSums, type NoiseOfSums } from '../common/noise-of-sums.js';
import { clipOrRule, oneClip, streamClip } from '../common/stream-clip.js';
import { knownFacts, type KnownFacts } from './known-facts.js';
import { riskOf, scheduleOf, type Schedule, type ScheduleOverrides } from './schedules.js';
import { coupling, stepWeight } from './weights.js';

const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('T: rounds of the one pass, each on a batch of its own of ⌊n / T⌋ records.'),
  batchSize: z.int().positive(),
  beta: z.number().positive().describe('β: inverse of the step size of y; at least the smoothness.'),
  zScale: z
    .union([z.literal(1), z.literal(0.5), z.literal(0.25)])
    .describe('Scale of the step of z: 1 is printed, 1/2 is proved for every β above the smoothness.'),
  clipNorm: differenceNormSchema.check(
    z.describe('K: norm to which the weighted difference of two gradients of a record is scaled down.'),
  ),
  clip: referenceTo('clip').check(z.describe('Bounds that difference in ℓ2.')),
  prefixSum: z
    ._default(referenceTo('prefixSum'), honakerFull({}))
    .describe('Correlated noise of the running sums, such as { name: binary-tree }.'),
  noiseMultiplier: z
    .number()
    .positive()
    .describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
});
const params = schedule
  .omit({ batchSize: true, clip: true })
  .partial({ rounds: true, beta: true, zScale: true, clipNorm: true, noiseMultiplier: true })
  .extend({
    setting: z
      .enum(['any', 'realizable'])
      .default('any')
      .describe('Where the minimiser of the risk over the whole space is: anywhere, or in the domain.'),
    schedule: z
      .enum(['few-rounds', 'least-bound', 'corrected', 'printed'])
      .default('few-rounds')
      .describe(
        'What is not given: the numbers with the least proved bound in few rounds, 16√n or fewer up to ' +
          '10⁵ records and √n or fewer from 10⁶ on; or in 16√n or fewer, which may take several times ' +
          'as long; or Theorem 14, or Equation 19 where the risk is realizable, as corrected or as printed.',
      ),
    clip: clipOrRule(['certified', 'literal'])
      .default('certified')
      .describe(
        'The least clip norm that is proved to cut nothing, or the printed one; or any clip in ℓ2, such as ' +
          '{ name: l2, params: { radius: 1 } }.',
      ),
  })
  .strict()
  .superRefine(oneClip);

/**
 * Accelerated gradient descent on stochastic recursive gradients, in one pass over disjoint batches in stored
 * order. Round `t` adds `(t + 1) ∇f(x_t) − t ∇f(x_{t−1})` of its batch, clipped once, to a private running
 * sum `S`; then `z ← P(z − (s/β) S)`, `y ← P(x − S/(β(t + 1)))`, and `x` between `y` and `z`. Both read the
 * one sum.
 *
 * Privacy rests on the clip alone: losses may be of any kind. Nothing is sampled or shuffled, and no
 * amplification is claimed. `prefixSum` and `clip` are any plugins of the registry, the clip in ℓ2. A
 * record takes part once; those beyond `rounds · ⌊n / rounds⌋` are not used.
 *
 * What is not given follows from `lipschitz` and `smoothness` of every record and the diameter of the domain;
 * without them `rounds`, `beta` and `clipNorm` have to be given. `plan.utility` bounds the expected excess
 * population risk, for independent records, a convex loss and a clip that is proved to cut nothing. It is
 * ours, and about a tenth of the paper's `E(T)`, which a run exceeds with a small probability.
 * `plan.likelyRisk` is `E(T)` with its terms summed exactly, and the function `likelyRisk` its closed form.
 * `plan.uncovered` says why there is no bound.
 */
export const acceleratedDpSrgd = defineOptimizer({
  name: 'accelerated-dp-srgd',
  summary: 'One-pass accelerated gradient descent on private running sums of gradient differences.',
  source: { id: 'choquette-choo-2024', item: 'Algorithm 1' },
  params,
  examples: [
    { rounds: 4, beta: 60, clipNorm: 20 },
    { rounds: 5, beta: 3, zScale: 1, clipNorm: 2, prefixSum: { name: 'binary-tree' } },
    { rounds: 3, beta: 80, zScale: 1, clipNorm: 20, noiseMultiplier: 2 },
  ],
  claims: [
    { property: 'event', statement: 'one Gaussian of the planned multiplier, for the whole stream' },
    {
      property: 'gradients',
      statement: '2T⌊n/T⌋ − ⌊n/T⌋: two for each record, one in the first batch',
      source: { id: 'choquette-choo-2024', item: 'Section 1' },
    },
    {
      property: 'single-pass',
      statement:
        'batches are fixed before the first gradient; each is read once, at the point of its step and ' +
        'that of the one before',
      source: { id: 'choquette-choo-2024', item: 'Section 1' },
    },
    {
      property: 'utility',
      statement:
        'E F(y) − F* ≤ [Σ_t η_{0:t} v_t/(2C_t) + η_t D√v_t + βD²/(2s)]/η_{0:T−1} + LD/n, v_t = ' +
        'K²/(B(t+1)) + d·Var(N_t)/η_t²',
      source: { id: 'choquette-choo-2024', item: 'Theorem 3, corrected, in expectation' },
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
  plan({ problem, domain, registry, budget, params: written, noiseFor }) {
    const { setting, schedule: choice, clip: asked, prefixSum, noiseMultiplier: given, ...rest } = written;
    const clip = streamClip(registry, typeof asked === 'string' ? undefined : asked);
    const numbers = { ...rest, clipNorm: clip.radius ?? rest.clipNorm };
    const slots = centralSlots(problem);
    if (numbers.rounds !== undefined) batchSizeOf(numbers.rounds, slots);
    const noiseMultiplier =
      given ??
      noiseFor((multiplier) => ({
        rounds: 1,
        batchSize: 1,
        beta: 1,
        zScale: 1,
        clipNorm: 1,
        clip: clip.at(1),
        prefixSum,
        noiseMultiplier: multiplier,
      }));
    const known = new Map<number, NoiseOfSums>();
    const noiseAt = (rounds: number): NoiseOfSums => {
      const { dimension, adjacency } = problem;
      const noise =
        known.get(rounds) ??
        noiseOfSums({ registry, prefixSum, dimension, adjacency, noiseMultiplier }, rounds);
      known.set(rounds, noise);
      return noise;
    };
    const facts = knownFacts(problem, domain);
    const whole = typeof facts === 'string' ? null : { ...facts, ...budget, slots, noiseAt };
    const found =
      givenWhole(numbers, slots) ??
      (whole && scheduleOf(whole, { setting, choice, literal: asked === 'literal', given: numbers }));
    if (found === null) throw unplanned(typeof facts === 'string' ? facts : null, numbers);
    const risk = whole && riskOf(whole, setting, found);
    const uncovered = obstacle({ problem, facts, hasRisk: risk !== null }) ?? clip.uncovered;
    return {
      ...found,
      clip: clip.at(found.clipNorm),
      prefixSum,
      noiseMultiplier,
      setting,
      utility:
        uncovered === null
          ? {
              bound: defined(risk).bound,
              source: 'Choquette-Choo et al. 2024, Theorem 3, corrected; expected excess population risk',
            }
          : null,
      likelyRisk: uncovered === null ? defined(risk).likely : null,
      uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords, state, parts }) {
    const { beta, zScale: s } = plan;
    const { batches, stream } = yield* streamOverBatches({
      ...plan,
      allRecords,
      dimension: problem.dimension,
    });
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const { x, xBefore, y, mirror, S } = state({
      x: origin.slice(),
      xBefore: origin.slice(),
      y: origin.slice(),
      mirror: origin.slice(),
      S: new Float64Array(start.length),
    });
    for (const [round, batch] of parts(batches, (number) => (number === 1 ? 'first' : 'later'))) {
      const t = round - 1;
      const eta = stepWeight(t);
      const difference = yield* ask.push({
        stream,
        batch,
        terms:
          t === 0
            ? [{ weight: eta, at: x }]
            : [
                { weight: eta, at: x },
                { weight: -stepWeight(t - 1), at: xBefore },
              ],
      });
      for (let j = 0; j < x.length; j++) {
        S[j] += difference[j];
        mirror[j] -= (s / beta) * S[j];
        y[j] = x[j] - S[j] / (beta * eta);
      }
      domain.projectInto(mirror, mirror);
      domain.projectInto(y, y);
      const tau = coupling(t + 1);
      for (let j = 0; j < x.length; j++) {
        xBefore[j] = x[j];
        x[j] = (1 - tau) * y[j] + tau * mirror[j];
      }
    }
    return y;
  },
});

/** The schedule where all its numbers are given; the scale of the mirror step is 1/2 unless given. */
function givenWhole(
  { rounds, beta, clipNorm, zScale = 0.5 }: ScheduleOverrides,
  slots: number,
): Schedule | null {
  if (rounds === undefined || beta === undefined || clipNorm === undefined) return null;
  return { rounds, batchSize: batchSizeOf(rounds, slots), beta, zScale, clipNorm };
}

/** Why there is no bound on the risk. */
function obstacle({
  problem,
  facts,
  hasRisk,
}: {
  readonly problem: Problem;
  readonly facts: KnownFacts | string;
  readonly hasRisk: boolean;
}): string | null {
  if (problem.capabilities.convex !== true) return `the loss '${problem.loss.name}' is not convex`;
  if (typeof facts === 'string') return facts;
  return hasRisk
    ? null
    : 'the clip may cut differences, or beta is too small for the smoothness; leave out clipNorm and beta';
}

function unplanned(missing: string | null, given: ScheduleOverrides): Error {
  const unsaid = (['rounds', 'beta', 'clipNorm'] as const).filter((name) => given[name] === undefined);
  if (missing !== null)
    return new Unsupported(
      `the schedule of 'accelerated-dp-srgd' needs lipschitz and smoothness of every record and a bounded ` +
        `domain, and ${missing}; declare it, or give ${unsaid.join(', ')}`,
      { missing: unsaid },
    );
  const { rounds, beta, clipNorm } = given;
  const at = Object.entries({ rounds, beta, clipNorm }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return new InvalidParameter(
    `no schedule with ${at.join(', ') || 'these facts'} is proved to cut nothing; ` +
      (clipNorm === undefined
        ? 'give a larger beta, or rounds, beta and clipNorm'
        : `leave out clipNorm, or give ${unsaid.join(' and ')} too`),
    { rounds, beta, clipNorm },
  );
}
