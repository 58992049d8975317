import { InvalidParameter } from '@lethe/core';
import {
  clipNormOf,
  errorOf,
  formulasOf,
  leastBound,
  wholeRounds,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  type ScheduleChoice,
  type ScheduleName,
} from './least-bound.js';
import { stochasticStepSizes, type WeightedSteps } from './stochastic-step-sizes.js';
import { recursionBound, recursionCoefficients, stronglyConvexExcessRisk } from './strongly-convex-risk.js';

/** What Theorem 34 reads. */
export interface SmoothStronglyConvexFacts extends OnePassFacts {
  /** `β`, and `μ`, of the population risk; `0 < μ ≤ β`. */
  readonly smoothness: number;
  readonly convexity: number;
  /** `D ≥ ‖w_0 − w*‖`. */
  readonly diameter: number;
}

/** Steps of a schedule: the paper's analysis has half the convexity in its recursion. */
export const stepsOf = (
  {
    smoothness,
    convexity,
    rounds,
  }: { readonly smoothness: number; readonly convexity: number; readonly rounds: number },
  schedule: ScheduleChoice,
): WeightedSteps =>
  stochasticStepSizes({ smoothness, convexity: schedule === 'printed' ? convexity / 2 : convexity, rounds });

/**
 * Rounds and clip norm of Theorem 34, from the noise really used: `C = r_k (ε²n²/(dT))^(1/(2k))`,
 * `T = ⌈cκ ln((μβD²/r_k²)(n + (ε²n²/d)^((k−1)/k)))⌉` with `c = 4` as printed. There are `T + 1` batches, for
 * which the paper has records for `T`.
 *
 * `corrected` has `c = 2`: with the recursion repaired the start is forgotten twice as fast. Its step sizes
 * are those of `a = μ`, the printed ones of `a = μ/2`. The bound is for the whole numbers, the steps and the
 * noise of the schedule, in all (`recursionBound`).
 *
 * @throws {InvalidParameter} unless `0 < μ ≤ β` and there are two records at least.
 */
export function smoothStronglyConvexSchedule(
  facts: SmoothStronglyConvexFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides = {},
): OnePassSchedule {
  const { slots: n, smoothness: beta, convexity: mu, diameter } = facts;
  if (!(mu > 0 && mu <= beta))
    throw new InvalidParameter(
      `the strong convexity is ${mu}; it must be positive and at most the smoothness, ${beta}`,
      { convexity: mu, smoothness: beta },
    );
  if (n < 2)
    throw new InvalidParameter(
      `there is ${n} slot, and the method needs at least 2: it takes at least two steps, each on records ` +
        'that no other step sees. Give more slots, or use noisy-clipped-ac-sa',
      { slots: n },
    );
  const theorem = scheduleAt(facts, formulasOf(schedule), overrides);
  if (schedule !== 'least-bound') return theorem;
  const least = scheduleAt(
    facts,
    'corrected',
    leastBound(
      {
        ...facts,
        extra: 1,
        turns: [Math.floor(beta / mu)],
        error: errorOf(facts, schedule),
        clipNormNear: (rounds) => theoremClip(facts, rounds),
        boundAfter(rounds) {
          const { start, error, squares } = recursionCoefficients({
            smoothness: beta,
            convexity: mu,
            rounds,
          });
          const begin = start * diameter ** 2;
          return ({ variance, bias }) => begin + (error * 2 * bias ** 2) / mu + squares * 2 * variance;
        },
      },
      overrides,
    ),
  );
  return least.excessRisk < theorem.excessRisk ? least : theorem;
}

const theoremClip = (facts: OnePassFacts, rounds: number): number =>
  clipNormOf(facts, (facts.epsilon * facts.slots) / Math.sqrt(facts.dimension * rounds));

function scheduleAt(
  facts: SmoothStronglyConvexFacts,
  schedule: ScheduleName,
  overrides: OnePassOverrides,
): OnePassSchedule {
  const {
    slots: n,
    dimension: d,
    smoothness: beta,
    convexity: mu,
    diameter: D,
    order: k,
    moment,
    epsilon,
  } = facts;
  const gained = ((mu * beta * D ** 2) / moment ** 2) * (n + ((epsilon * n) ** 2 / d) ** (1 - 1 / k));
  const rounds = wholeRounds(
    (schedule === 'printed' ? 4 : 2) * (beta / mu) * Math.log(gained),
    overrides.rounds,
    facts,
    1,
  );
  const clipNorm = overrides.clipNorm ?? theoremClip(facts, rounds);
  const batchSize = Math.floor(n / (rounds + 1));
  const { noise, bias, variance } = errorOf(facts, schedule)(clipNorm, batchSize);
  const run = { smoothness: beta, convexity: mu, diameter: D, rounds, variance, bias };
  return {
    rounds,
    batches: rounds + 1,
    batchSize,
    clipNorm,
    noise,
    bias,
    variance,
    excessRisk: recursionBound(run, stepsOf(run, schedule)),
    printedBound: stronglyConvexExcessRisk(run, 'printed'),
  };
}
