import type { Adjacency, PrivacyBasis, Source, Target } from '@lethe/core';
import { l2Clip } from '@lethe/mechanisms';
import type { z } from 'zod';
import type { MeanRelease } from '../../common/problem-facts.js';

/** `corrected` is what is proved; `printed` follows the paper's text, to compare with. */
export type ScheduleName = 'corrected' | 'printed';

/** A batch whose mean gradient is wanted: what decides the privacy of its release. */
export interface MeanBatch {
  readonly adjacency: Adjacency;
  readonly dimension: number;
  /** Records in the batch; public. */
  readonly batchSize: number;
  /** Of them, users that certainly follow the protocol; for shuffled means. */
  readonly honestUsers: number;
  /** A noise multiplier for central means, ε and δ for shuffled ones. */
  readonly target: Target;
}

/** The same with what decides its error. */
export interface MeanSetting extends MeanBatch {
  /**
   * `C`: norm to which gradients are clipped, or each entry for medians;
   * where nothing is clipped, the Lipschitz constant of every record.
   */
  readonly clipNorm: number;
  /** `k ≥ 2`, `Infinity` for gradients that are bounded. */
  readonly order: number;
  /** `r_k ≥ (E‖∇f‖^k)^(1/k)`, and `r_2`. */
  readonly moment: number;
  readonly secondMoment: number;
  readonly schedule: ScheduleName;
}

/** Error of a private mean `g`, for independent records of one law. */
export interface MeanError {
  /** `σ`: standard deviation of one coordinate's noise; for shuffled sums an upper bound. */
  readonly noise: number;
  /** `B ≥ ‖E g − ∇F‖`. */
  readonly bias: number;
  /** `Σ² ≥ E‖g − E g‖²`. */
  readonly variance: number;
}

/** Error at a clip norm and a batch size. */
export type MeanErrorAt = (clipNorm: number, batchSize: number) => MeanError;

/** A private mean of gradients, as plain data, that methods of one pass can be run with. */
export interface PrivateMean<Params extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly source: Source;
  /** Its parameters besides the clip norm, which the method chooses. */
  readonly params: Params;
  readonly trust: 'central' | 'shuffle';
  readonly adjacencies: readonly Adjacency[];
  readonly privacyRestsOn: Extract<PrivacyBasis, 'clip' | 'every-record constants'>;
  /** Why {@link PrivateMean.error} is an estimate only; left out where it is proved. */
  readonly unproved?: string;
  /** Records that a batch must have at least. Left out: one. */
  leastBatch?(params: z.output<Params>): number;
  /** How to ask for it. */
  release(params: z.output<Params>, setting: Pick<MeanSetting, 'clipNorm' | 'target'>): MeanRelease;
  /** Bounds on its error. */
  error(params: z.output<Params>, setting: MeanSetting): MeanError;
}

/** A private mean at parameters. */
export interface ChosenMean {
  readonly mean: PrivateMean;
  readonly params: unknown;
}

/**
 * Bound on the bias of a clip at `C`: `r_k (r_k/C)^(k−1)/(k−1)` as printed, or the sharp one, smaller by
 * `(1 − 1/k)^k` or more; nothing where no gradient is longer than `C`.
 *
 * @see Lowy & Razaviyayn, Lemma 6.
 */
export function clippingBias({
  clipNorm,
  order,
  moment,
  schedule,
}: Pick<MeanSetting, 'clipNorm' | 'order' | 'moment' | 'schedule'>): number {
  if (order === Infinity) return Math.max(0, moment - clipNorm);
  if (schedule === 'printed') return (moment * (moment / clipNorm) ** (order - 1)) / (order - 1);
  return moment * l2Clip.biasBound({ radius: clipNorm / moment }, { order, value: 1 });
}

/** Bound on `E‖clip(z) − E clip(z)‖²`: `r_2²`, or `C²` where that is smaller, of which the paper makes no use. */
export const clippedVariance = ({
  clipNorm,
  secondMoment,
  schedule,
}: Pick<MeanSetting, 'clipNorm' | 'secondMoment' | 'schedule'>): number =>
  (schedule === 'printed' ? secondMoment : Math.min(secondMoment, clipNorm)) ** 2;

/**
 * The `ε` with which `σ = 2·clipNorm/(batchSize·ε)`, as the paper writes noise; `ε²/2` is the
 * concentrated-privacy cost of Algorithm 1.
 */
export const paperEpsilon = (
  { noise }: Pick<MeanError, 'noise'>,
  clipNorm: number,
  batchSize: number,
): number => (2 * clipNorm) / (batchSize * noise);
