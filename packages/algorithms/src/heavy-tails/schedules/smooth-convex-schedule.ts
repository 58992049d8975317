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
import { acSaExcessRisk } from '../ac-sa.js';

/** What Theorem 31 reads. */
export interface SmoothConvexFacts extends OnePassFacts {
  /** `β ≥ 0`, of the population risk. */
  readonly smoothness: number;
  readonly diameter: number;
  /** `R ≥ ‖w_0 − w*‖`, which `printed` does not read. @defaultValue `diameter` */
  readonly startDistance?: number | undefined;
}

/** Numbers of a run of Algorithm 2, and its bound. */
export interface SmoothConvexSchedule extends OnePassSchedule {
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
}

/**
 * Rounds, clip norm and step scale of Theorem 31, from the noise really used.
 *
 * `printed` follows the paper's text. `corrected` uses `r_2` in the second branch of the number of rounds,
 * without which the stated bound does not follow, and the clip's sharp bias bound, smaller by `(1 − 1/k)^k`
 * or more. The bound is for the whole numbers and the noise of the schedule, in all. `least-bound` minimises
 * it over the step scale, too.
 */
export function smoothConvexSchedule(
  facts: SmoothConvexFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides = {},
): SmoothConvexSchedule {
  const theorem = scheduleAt(facts, schedule === 'least-bound' ? 'corrected' : schedule, overrides);
  if (schedule !== 'least-bound') return theorem;
  const least = scheduleAt(
    facts,
    schedule,
    leastBound(
      {
        ...facts,
        extra: 0,
        error: errorOf(facts, schedule),
        clipNormNear: (rounds) => theoremClip(facts, rounds),
        boundAfter:
          (rounds) =>
          ({ variance, bias }) => {
            const error = Math.sqrt(variance + bias ** 2);
            return acSaExcessRisk({
              rounds,
              eta: etaOf(facts, rounds, error, schedule),
              error,
              bias,
              diameter: facts.diameter,
              startDistance: facts.startDistance,
            });
          },
      },
      overrides,
    ),
  );
  return least.excessRisk < theorem.excessRisk ? least : theorem;
}

const theoremClip = (facts: SmoothConvexFacts, rounds: number): number =>
  clipNormOf(facts, (facts.epsilon * facts.slots) / Math.sqrt(facts.dimension * rounds));

/**
 * A linear risk whose gradients are known is minimised at any scale; from the minimiser the shorter the
 * better.
 */
function etaOf(
  { smoothness, diameter: D, startDistance: R = D, moment }: SmoothConvexFacts,
  T: number,
  error: number,
  schedule: ScheduleChoice,
): number {
  const balanced = schedule === 'least-bound' ? Math.sqrt((2 / 3) * T * (T + 1) * (T + 2)) : T ** 1.5;
  if (R === 0) return Math.max(2 * smoothness, (moment / D) * 2 ** 30);
  return Math.max(2 * smoothness, (balanced * error) / R) || (moment / D) * 2 ** -30;
}

function scheduleAt(
  given: SmoothConvexFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides,
): SmoothConvexSchedule {
  const facts = schedule === 'printed' ? { ...given, startDistance: undefined } : given;
  const { slots: n, diameter: D, startDistance } = facts;
  const rounds = wholeRounds(roundsOf(facts, schedule), overrides.rounds, facts);
  const clipNorm = overrides.clipNorm ?? theoremClip(facts, rounds);
  const batchSize = Math.floor(n / rounds);
  const { noise, bias, variance } = errorOf(facts, schedule)(clipNorm, batchSize);
  const error = Math.sqrt(variance + bias ** 2);
  const eta = etaOf(facts, rounds, error, schedule);
  const path = { rounds, eta, error, bias, diameter: D, startDistance };
  return {
    rounds,
    batches: rounds,
    batchSize,
    clipNorm,
    eta,
    noise,
    bias,
    variance,
    excessRisk: acSaExcessRisk(path),
    printedBound: acSaExcessRisk({ ...path, startDistance: D }, 'printed'),
  };
}

/** `T` as a real number: the smaller of the two branches. Zero smoothness gives one round. */
function roundsOf(
  {
    slots: n,
    dimension: d,
    smoothness: beta,
    diameter: D,
    startDistance: R = D,
    order: k,
    moment,
    secondMoment,
    epsilon,
  }: SmoothConvexFacts,
  schedule: ScheduleChoice,
): number {
  const noisy =
    ((beta * R) / moment) ** (2 / (5 - 1 / k)) *
    ((epsilon * n) / Math.sqrt(d)) ** ((2 - 2 / k) / (5 - 1 / k));
  const statistical = Math.sqrt((beta * R) / (schedule === 'printed' ? moment : secondMoment)) * n ** 0.25;
  return Math.min(noisy, statistical);
}
