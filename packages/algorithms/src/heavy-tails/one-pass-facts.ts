import { clippedVariance, clippingBias, type MeanErrorAt, type ScheduleName } from './means/private-mean.js';

/** What the schedules of one pass over disjoint batches read of records, moments and the oracle. Moments are roots, `r_k = (E‖∇f‖^k)^(1/k)`. */
export interface OnePassFacts {
  readonly slots: number; readonly dimension: number;
  /** `k ≥ 2`, or `Infinity` for bounded gradients; `r_k`; and `r_2 ≤ r_k`. */
  readonly order: number; readonly moment: number; readonly secondMoment: number;
  /**
   * The paper's `ε`, with which each round's noise is `σ = 2·clipNorm/(batchSize·ε)`. For Gaussian noise on clipped means it is `1/noiseMultiplier` under
   * replace-one, twice that under zero-out.
   */
  readonly epsilon: number;
  /** Error of the mean really used; left out, of Algorithm 1 with noise by `epsilon`. */
  readonly error?: MeanErrorAt | undefined;
  /** No more batches than this, where the schedule decides. @defaultValue `slots` */
  readonly mostBatches?: number | undefined;
}

/**
 * `least-bound`, the default of optimizers, is ours, not the paper's: rounds and clip norm for which what is proved is least, in place of formulas that balance constants which the
 * proof does not have.
 */
export type ScheduleChoice = ScheduleName | 'least-bound';

/** The formulas that a schedule is evaluated with. */
export const formulasOf = (schedule: ScheduleChoice): ScheduleName => (schedule === 'printed' ? 'printed' : 'corrected');

/** Numbers that a schedule takes as given instead of choosing them. */
export interface OnePassOverrides { readonly rounds?: number | undefined; readonly clipNorm?: number | undefined }

/** What every schedule of one pass says. */
export interface OnePassSchedule {
  /** `T` of the theorem. */
  readonly rounds: number;
  /** Disjoint batches asked for, `T` or `T + 1`. */
  readonly batches: number;
  readonly batchSize: number; readonly clipNorm: number;
  /** Standard deviation `σ` of one coordinate's noise. */
  readonly noise: number;
  /** `B ≥ ‖E g_t − ∇F‖`. */
  readonly bias: number;
  /** `Σ² ≥ E‖g_t − E g_t‖²`. */
  readonly variance: number;
  /** Bound on the expected excess risk, for these very numbers. */
  readonly excessRisk: number;
  /** What the paper prints at these numbers; `null` where it prints nothing. */
  readonly printedBound: number | null;
}

/** The error at a clip norm and a batch size. */
export function errorOf({ dimension, order, moment, secondMoment, epsilon, error }: OnePassFacts, choice: ScheduleChoice): MeanErrorAt {
  const schedule = formulasOf(choice);
  return error ?? ((clipNorm, batchSize) => {
    const noise = (2 * clipNorm) / (batchSize * epsilon), setting = { clipNorm, order, moment, secondMoment, schedule };
    return { noise, bias: clippingBias(setting), variance: dimension * noise ** 2 + clippedVariance(setting) / batchSize };
  });
}

/** A number of rounds as a whole one, from 1 to what there are records for; `extra` batches more than rounds. */
export function wholeRounds(real: number, given: number | undefined, { slots, mostBatches = slots }: OnePassFacts, extra = 0): number {
  const most = Math.floor(given === undefined ? Math.min(slots, mostBatches) : slots) - extra;
  return Math.max(1, Math.min(Math.ceil(given ?? real), most));
}

/** `r_k·base^(1/k)`, the form of every clip norm here. */
export const clipNormOf = ({ moment, order }: OnePassFacts, base: number): number => moment * base ** (1 / order);
