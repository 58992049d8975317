import { InvalidParameter } from '@lethe/core';
import {
  clipNormOf,
  errorOf,
  leastBound,
  wholeRounds,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  type ScheduleChoice,
} from './least-bound.js';
import { averagedExcessRisk } from './strongly-convex-risk.js';

/** What steps of one size and a plain average need to know of a convex risk. */
export interface ConvexSgdFacts extends OnePassFacts {
  /** `β ≥ 0`. */
  readonly smoothness: number;
  readonly startDistance: number;
  readonly diameter: number;
}

/** With the step size. */
export interface ConvexSgdSchedule extends OnePassSchedule {
  readonly stepSize: number;
}

/**
 * Step size and clip norm of Algorithm 7 on a risk that is convex and no more, for rounds that are given:
 * `min(1/β, D/√(2(T+1)Σ²))`, which minimises {@link averagedExcessRisk}. Not in the paper, which has
 * Algorithm 2 for such risks. `least-bound` chooses rounds and clip norm as well; the others take one round
 * where none are given.
 */
export function convexSgdSchedule(
  facts: ConvexSgdFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides,
): ConvexSgdSchedule {
  if (facts.slots < 2)
    throw new InvalidParameter(
      `there is ${facts.slots} slot, and the method needs at least 2: it takes at least two steps, each ` +
        'on records that no other step sees. Give more slots, or use noisy-clipped-ac-sa',
      { slots: facts.slots },
    );
  const usual = scheduleAt(facts, schedule, overrides);
  if (schedule !== 'least-bound') return usual;
  const least = scheduleAt(
    facts,
    schedule,
    leastBound(
      {
        ...facts,
        extra: 1,
        error: errorOf(facts, schedule),
        clipNormNear: (rounds) => usualClip(facts, rounds),
        boundAfter:
          (rounds) =>
          ({ variance, bias }) =>
            averagedExcessRisk({
              ...facts,
              stepSize: stepSizeOf(facts, rounds, variance),
              rounds,
              variance,
              bias,
            }),
      },
      overrides,
    ),
  );
  return least.excessRisk < usual.excessRisk ? least : usual;
}

const usualClip = (facts: OnePassFacts, rounds: number): number =>
  clipNormOf(facts, (facts.epsilon * facts.slots) / Math.sqrt(facts.dimension * rounds));

/** From the minimiser itself the shorter the better; without error and smoothness the longer. */
function stepSizeOf(
  { smoothness, startDistance, diameter, moment }: ConvexSgdFacts,
  rounds: number,
  variance: number,
): number {
  const balanced = startDistance / Math.sqrt(2 * (rounds + 1) * variance);
  const most = smoothness > 0 ? 1 / smoothness : Infinity;
  const finite = Math.min(balanced, most);
  if (startDistance === 0) return Math.min(most, (diameter / moment) * 2 ** -30);
  return finite < Infinity ? finite : (startDistance / moment) * 2 ** 30;
}

function scheduleAt(
  facts: ConvexSgdFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides,
): ConvexSgdSchedule {
  const { slots: n, startDistance, diameter } = facts;
  const rounds = wholeRounds(1, overrides.rounds, facts, 1);
  const batchSize = Math.floor(n / (rounds + 1));
  const clipNorm = overrides.clipNorm ?? usualClip(facts, rounds);
  const { noise, bias, variance } = errorOf(facts, schedule)(clipNorm, batchSize);
  const stepSize = stepSizeOf(facts, rounds, variance);
  return {
    rounds,
    batches: rounds + 1,
    batchSize,
    clipNorm,
    noise,
    bias,
    variance,
    stepSize,
    excessRisk: averagedExcessRisk({ stepSize, rounds, startDistance, diameter, variance, bias }),
    printedBound: null,
  };
}
