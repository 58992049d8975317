import { certifiedClip, literalClip } from './certified-clip.js';
import { likelyNorm, type NoiseOfSums } from '../common/noise-of-sums.js';
import { closingClip } from './realizable-closure.js';
import {
  errorSums,
  expectedRisk,
  expectedRiskBySums,
  likelySamplingError,
  riskAfter,
  type ErrorSums,
  type LikelyErrors,
  type ZScale,
} from './risk-bounds.js';
import { stepWeight } from './weights.js';

/** What the schedules of the accelerated method read. */
export interface ScheduleFacts {
  /** `n` */
  readonly slots: number;
  readonly dimension: number;
  /** `L`, of every record. */
  readonly lipschitz: number;
  /** `M`, of every record. */
  readonly smoothness: number;
  /** `D` */
  readonly diameter: number;
  readonly startDistance: number;
  /** `ε` and `δ` of the budget, which the printed schedules read. */
  readonly epsilon: number;
  readonly delta: number;
  /** The noise of a stream of that many rounds, for clip norm 1 and batches of one record. */
  noiseAt(rounds: number): NoiseOfSums;
}

/**
 * Where the minimiser of the population risk over the whole space is: anywhere, or in the domain
 * (`realizable`).
 */
export type RiskSetting = 'any' | 'realizable';
/**
 * `printed` follows the paper, `corrected` what is proved of it; `least-bound` has the least proved bound
 * among `16√n` rounds and fewer, and `few-rounds` among those whose cost is small: `16√n` up to `10⁵`
 * records, the paper's `√n` from `10⁶` on, and in between a factor that falls from 16 to 1 as a power of `n`.
 * These two are not the paper's.
 */
export type ScheduleChoice = 'few-rounds' | 'least-bound' | 'corrected' | 'printed';

/** Most rounds over `√n`. */
const mostRounds = 16;

/** Numbers that are given in place of those of a schedule. */
export interface ScheduleOverrides {
  readonly rounds?: number | undefined;
  readonly beta?: number | undefined;
  readonly clipNorm?: number | undefined;
  readonly zScale?: ZScale | undefined;
}

/** Numbers of a run. */
export interface Schedule {
  readonly rounds: number;
  readonly batchSize: number;
  readonly beta: number;
  readonly zScale: ZScale;
  readonly clipNorm: number;
}

/** Probability with which noise or batches may be larger than a bound takes them to be: `1/n`. */
export const failureOf = ({ slots }: Pick<ScheduleFacts, 'slots'>): number => 1 / slots;

/** `c_DP = 4√2 log₂^{3/2}(n) √(ln(2n/δ)) ln(2.5/δ)` of Equation 19. */
export const privacyConstant = (slots: number, delta: number): number =>
  4 * Math.SQRT2 * Math.log2(slots) ** 1.5 * Math.sqrt(Math.log((2 * slots) / delta)) * Math.log(2.5 / delta);

/** Bound on `‖b_t‖` over the clip norm, with probability `1 − failure`. */
export const noisePerClip = (
  facts: Pick<ScheduleFacts, 'slots' | 'dimension' | 'noiseAt'>,
  { rounds, batchSize, beta }: Pick<Schedule, 'rounds' | 'batchSize' | 'beta'>,
): number => sumNoisePerClip(facts, rounds) / (batchSize * beta);

/**
 * Bound on the noise of running sums over the clip norm, for batches of one record, with probability `1 −
 * failure`.
 */
const sumNoisePerClip = (
  facts: Pick<ScheduleFacts, 'slots' | 'dimension' | 'noiseAt'>,
  rounds: number,
): number => facts.noiseAt(rounds).worst * likelyNorm(facts.dimension, rounds, failureOf(facts));

/**
 * The clip norm that cuts nothing with probability `1 − 1/n`, in any setting and for any loss that keeps its
 * facts; `null` where `β` is too small for it.
 */
export const certifiedClipAt = (
  facts: ScheduleFacts,
  at: Pick<Schedule, 'rounds' | 'batchSize' | 'beta'>,
): number | null => certifiedClip({ ...facts, ...at }, noisePerClip(facts, at));

/** The errors that a run of mirror scale 1/2 has with probability `1 − 2/n`. */
export const likelyErrorsAt = (
  facts: ScheduleFacts,
  at: Pick<Schedule, 'rounds' | 'batchSize' | 'beta' | 'clipNorm'>,
): LikelyErrors => ({
  sampling: likelySamplingError(at, failureOf(facts)),
  noise: noisePerClip(facts, at) * at.clipNorm,
});

/**
 * The clip norm that cuts nothing with probability `1 − 2/n`, for a realizable problem and mirror scale 1/2;
 * `null` where the induction does not close.
 */
export function closingClipAt(
  facts: ScheduleFacts,
  at: Pick<Schedule, 'rounds' | 'batchSize' | 'beta'>,
): number | null {
  if (!(at.beta >= 2 * facts.smoothness)) return null;
  return closingClip(
    { ...facts, ...at },
    (clipNorm) => likelyErrorsAt(facts, { ...at, clipNorm }),
    facts.lipschitz * 2 ** 20,
  );
}

/** A bound on the expected excess risk, with what it rests on. */
export interface ScheduleRisk {
  readonly bound: number;
  /** Bound that a run exceeds with probability `failure` at most; {@link likelyRisk} where that applies. */
  readonly likely: { readonly bound: number; readonly failure: number };
}

/**
 * Bounds on the excess population risk of a run, for independent records; `null` where the clip may cut
 * differences, or `β` is too small for the smoothness. In a run that exceeds its bounds the risk is at most
 * `LD` above the least.
 */
export function riskOf(facts: ScheduleFacts, setting: RiskSetting, at: Schedule): ScheduleRisk | null {
  const likely = likelyBound(facts, at);
  if (!(likely < Infinity)) return null;
  const bound = boundOf(facts, setting, at);
  return bound < Infinity
    ? { bound, likely: { bound: likely, failure: Math.min(1, 2 * failureOf(facts)) } }
    : null;
}

/** What a search knows. */
interface Known {
  /** Larger bounds are of no use. @defaultValue infinity */
  readonly atMost?: number;
  /** Those of the rounds: a bound from them, up to rounding, will do. */
  readonly sums?: ErrorSums;
}

/** The bound on the expected excess risk, or infinity; where it is above `atMost`, any number above that. */
function boundOf(
  facts: ScheduleFacts,
  setting: RiskSetting,
  at: Schedule,
  { atMost = Infinity, sums }: Known = {},
): number {
  const most = facts.lipschitz * facts.diameter;
  const failure = failureOf(facts);
  const certified = certifiedClipAt(facts, at);
  if (certified !== null && at.clipNorm >= certified) {
    const { deviations } = facts.noiseAt(at.rounds);
    const noise = { deviations, scale: at.clipNorm / at.batchSize, dimension: facts.dimension };
    if (sums !== undefined) {
      const nearly = expectedRiskBySums({ ...facts, ...at }, sums);
      if (at.zScale !== 1 || nearly > atMost * (1 + 2 ** -30)) return nearly + failure * most;
    }
    return expectedRisk({ ...facts, ...at }, noise, atMost) + failure * most;
  }
  if (setting === 'any' || at.zScale !== 0.5) return Infinity;
  const closing = closingClipAt(facts, at);
  if (closing === null || at.clipNorm < closing) return Infinity;
  return likelyBound(facts, at, atMost) + 2 * failure * most;
}

/** The bound on the excess risk that holds with probability `1 − 2/n`; infinity above `atMost`. */
function likelyBound(facts: ScheduleFacts, at: Schedule, atMost = Infinity): number {
  const { sampling, noise } = likelyErrorsAt(facts, at);
  return riskAfter(
    { ...facts, ...at },
    (t) => sampling / Math.sqrt(t + 1) + (at.beta * noise) / stepWeight(t),
    { atMost },
  );
}

/**
 * Rounds, step, mirror scale and clip norm of a run.
 *
 * `printed` is Theorem 14, or Equation 19 for realizable problems, with the diameter for the paper's `R`; its
 * noise is calibrated, not printed. `corrected` has `β = 2T·max(M, L/D)` and the certified clip, or for
 * realizable problems Equation 19 with mirror scale 1/2. `few-rounds` and `least-bound` search rounds, steps
 * and both mirror scales.
 *
 * @param literal - Whether the clip norm is the printed one.
 * @returns `null` where no clip norm is certified at the numbers that are given.
 */
export function scheduleOf(
  facts: ScheduleFacts,
  {
    setting,
    choice,
    literal,
    given,
  }: {
    readonly setting: RiskSetting;
    readonly choice: ScheduleChoice;
    readonly literal: boolean;
    readonly given: ScheduleOverrides;
  },
): Schedule | null {
  const complete = completeIn(facts, { setting, literal, given });
  if (choice === 'few-rounds' || choice === 'least-bound')
    return leastBound(facts, { setting, given, complete, isBrief: choice === 'few-rounds' });
  const printed = setting === 'any' ? theorem14(facts, given.rounds) : equation19(facts, given.rounds);
  const isPrinted = choice === 'printed';
  const zScale = given.zScale ?? (isPrinted || setting === 'any' ? 1 : 0.5);
  const { rounds, literalNorm } = printed;
  const beta =
    given.beta ?? (isPrinted || setting === 'realizable' ? printed.beta : correctedStep(facts, rounds));
  const at = { rounds, batchSize: Math.floor(facts.slots / rounds), beta, zScale };
  if (isPrinted || literal) return { ...at, clipNorm: given.clipNorm ?? literalNorm };
  return complete(at)[0] ?? null;
}

/** `2T·max(M, L/D)`, or where noise leaves no clip norm then, what leaves one: `2M(T + β‖b‖/K)`. */
function correctedStep(facts: ScheduleFacts, rounds: number): number {
  const { slots, smoothness: M, lipschitz, diameter } = facts;
  const beta = 2 * rounds * Math.max(M, lipschitz / diameter);
  const noise = sumNoisePerClip(facts, rounds) / Math.floor(slots / rounds);
  return M * (rounds + noise) < beta ? beta : 2 * M * (rounds + noise);
}

type Complete = (at: Omit<Schedule, 'clipNorm'>) => readonly Schedule[];

/** Adds each clip norm that is given or certified to a schedule, the least one first. */
function completeIn(
  facts: ScheduleFacts,
  {
    setting,
    literal,
    given,
  }: { readonly setting: RiskSetting; readonly literal: boolean; readonly given: ScheduleOverrides },
): Complete {
  const clipNormsAt = (at: Omit<Schedule, 'clipNorm'>): readonly number[] => {
    if (given.clipNorm !== undefined) return [given.clipNorm];
    if (literal)
      return [
        setting === 'any' ? literalClip(facts) : privacyConstant(facts.slots, facts.delta) * facts.lipschitz,
      ];
    const certified = certifiedClipAt(facts, at);
    const closing = setting === 'realizable' && at.zScale === 0.5 ? closingClipAt(facts, at) : null;
    return [certified, closing].filter((norm) => norm !== null).toSorted((a, b) => a - b);
  };
  return (at) => clipNormsAt(at).map((clipNorm) => ({ ...at, clipNorm }));
}

interface PrintedSchedule {
  readonly rounds: number;
  readonly beta: number;
  readonly literalNorm: number;
}

/** Theorem 14: `B = √n`, `β = (16 c_M + 8) L n^{3/2}/(D B²)`. */
function theorem14(facts: ScheduleFacts, given: number | undefined): PrintedSchedule {
  const { slots: n, diameter: D, smoothness: M, lipschitz: L } = facts;
  const rounds = given ?? Math.floor(n / Math.floor(Math.sqrt(n)));
  const batchSize = Math.floor(n / rounds);
  return {
    rounds,
    beta: ((16 * M * D + 8 * L) * n ** 1.5) / (D * batchSize ** 2),
    literalNorm: literalClip(facts),
  };
}

/** Equation 19: `T = c_DP n^{1/4}`, `β = c_DP² L max(1, √d/(ε√n))/D`, with `T` at most `n`. */
function equation19(facts: ScheduleFacts, given: number | undefined): PrintedSchedule {
  const { slots: n, dimension: d, diameter: D, lipschitz: L, epsilon, delta } = facts;
  const constant = privacyConstant(n, delta);
  const rounds = given ?? Math.max(1, Math.min(n, Math.ceil(constant * n ** 0.25)));
  return {
    rounds,
    beta: (constant ** 2 * L * Math.max(1, Math.sqrt(d) / (epsilon * Math.sqrt(n)))) / D,
    literalNorm: constant * L,
  };
}

const zScales = [0.5, 1] as const satisfies readonly ZScale[];
/** Ratio between the steps that are tried first, and of the last. */
const [coarse, fine] = [2, 1.02];

/** The schedule with the least bound on the expected risk, among rounds in ratios of √2. */
function leastBound(
  facts: ScheduleFacts,
  {
    setting,
    given,
    complete,
    isBrief,
  }: {
    readonly setting: RiskSetting;
    readonly given: ScheduleOverrides;
    readonly complete: Complete;
    readonly isBrief: boolean;
  },
): Schedule | null {
  const { slots: n } = facts;
  let best: { readonly schedule: Schedule; readonly bound: number } | null = null;
  const boundAt = (at: Omit<Schedule, 'clipNorm'>, known: Known): number => {
    // The least clip norm need not have the least bound: the two that are certified have bounds of two kinds.
    let least = Infinity;
    for (const schedule of complete(at)) {
      const bound = boundOf(facts, setting, schedule, known);
      if (bound < (best?.bound ?? Infinity)) best = { schedule, bound };
      least = Math.min(least, bound);
    }
    return least;
  };
  const searched = isBrief ? fewRounds(n) : roundsUpTo(n);
  for (const rounds of given.rounds === undefined ? searched : [given.rounds]) {
    const batchSize = Math.floor(n / rounds);
    const { deviations } = facts.noiseAt(rounds);
    const sums = errorSums({ rounds, batchSize }, { deviations, dimension: facts.dimension });
    for (const zScale of given.zScale === undefined ? zScales : [given.zScale])
      searchStep(facts, given.beta, rounds, (beta, atMost) =>
        boundAt({ rounds, batchSize, beta, zScale }, { atMost, sums }),
      );
  }
  return (best as { readonly schedule: Schedule } | null)?.schedule ?? null;
}

/**
 * Tries steps, in coarse ratios upwards, then in finer ones around the best.
 *
 * @param boundAt - May give any number above its second argument for bounds above it.
 */
function searchStep(
  facts: ScheduleFacts,
  given: number | undefined,
  rounds: number,
  boundAt: (beta: number, atMost: number) => number,
): void {
  if (given !== undefined) {
    boundAt(given, Infinity);
    return;
  }
  const { smoothness, lipschitz, diameter, slots } = facts;
  const from = Math.max(smoothness, (lipschitz / diameter) * 2 ** -10);
  const noise = sumNoisePerClip(facts, rounds) / Math.floor(slots / rounds);
  const to = 2 ** 10 * (rounds + noise) * Math.max(smoothness, lipschitz / diameter);
  let [center, least] = [from, Infinity];
  for (let beta = from; beta <= to; beta *= coarse) {
    const bound = boundAt(beta, least);
    if (bound < least) [center, least] = [beta, bound];
  }
  for (let ratio = Math.sqrt(coarse); ratio > fine; ratio = Math.sqrt(ratio))
    for (const beta of [center / ratio, center * ratio]) {
      const bound = boundAt(beta, least);
      if (bound < least) [center, least] = [beta, bound];
    }
}

/** As many as take a fifth of a second beside their gradients up to `10⁵` records, and fewer for more. */
const fewRounds = (slots: number): readonly number[] =>
  roundsUpTo(slots, mostRounds ** Math.min(1, Math.max(0, 6 - Math.log10(slots))));

/** Numbers of rounds in ratios of about √2, up to a factor times `√n`, and to `n`. */
export function roundsUpTo(slots: number, factor = mostRounds): readonly number[] {
  const most = Math.min(slots, Math.ceil(factor * Math.sqrt(slots)));
  const found = new Set<number>();
  for (let rounds = 1; rounds < most; rounds *= Math.SQRT2) found.add(Math.round(rounds));
  return [...found.add(most)];
}
