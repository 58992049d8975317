import { ask, InvalidParameter, type Program, type Batch, type Noise, type Vector } from '@lethe/core';

/** One geometric step towards a quantile of norms. */
export interface ThresholdStep {
  /** Positive, in the unit of the norms. */
  readonly threshold: number;
  /** Noisy share of records whose norm is at most the threshold; noise may move it outside [0, 1]. */
  readonly fraction: number;
  /** Target share of records within the threshold, from 0 to 1. */
  readonly quantile: number;
  /** Positive: the threshold changes by at most this factor of e at shares in [0, 1]. @defaultValue 0.2 */
  readonly learningRate?: number;
}

/** Range to which thresholds are clamped; curators can compute with all of it. */
const [least, most] = [1e-280, 1e280];

/**
 * @throws {InvalidParameter} unless a threshold is positive, a
 * quantile in [0, 1] and a learning rate positive, all finite.
 */
function assertStep({ threshold, quantile, learningRate = 0.2 }: Omit<ThresholdStep, 'fraction'>): void {
  if (!(threshold > 0 && threshold < Infinity))
    throw new InvalidParameter(`the threshold is ${threshold}; it must be positive and finite`, {
      threshold,
    });
  if (!(quantile >= 0 && quantile <= 1))
    throw new InvalidParameter(`the quantile is ${quantile}; it must be from 0 to 1`, { quantile });
  if (!(learningRate > 0 && learningRate < Infinity))
    throw new InvalidParameter(`the learning rate is ${learningRate}; it must be positive and finite`, {
      learningRate,
    });
}

/**
 * The next threshold, `threshold · exp(−learningRate · (fraction − quantile))`: it shrinks when the share of
 * records within it is above the quantile. Clamped to [1e-280,
 * 1e280]. (Andrew, Thakkar, McMahan and Ramaswamy 2021.)
 *
 * @throws {InvalidParameter} for a number out of its range, and a fraction that is not finite.
 */
export function nextThreshold(step: ThresholdStep): number {
  assertStep(step);
  const { threshold, fraction, quantile, learningRate = 0.2 } = step;
  if (!Number.isFinite(fraction))
    throw new InvalidParameter(`the fraction is ${fraction}; it must be finite`, { fraction });
  return Math.min(most, Math.max(least, threshold * Math.exp(-learningRate * (fraction - quantile))));
}

/** Options of {@link adaptThreshold}: point, batch, and noise of each count. */
export interface AdaptThresholdOptions extends Omit<ThresholdStep, 'fraction'> {
  readonly at: Vector;
  readonly batch: Batch;
  /** Noise of one count, whose sensitivity is one record divided by the batch's normaliser. */
  readonly noise: Noise;
  /** Number of counts, and updates, at the same point. @defaultValue 1 */
  readonly rounds?: number;
}

/** The updated threshold. */
export interface AdaptedThreshold {
  readonly threshold: number;
  /** Last noisy share: of records within the previous threshold. */
  readonly fraction: number;
}

/**
 * Moves a clipping threshold towards a quantile of the gradient norms of a batch, from noisy counts only: one
 * `value` query per round, each with its own charge. Used before the mean of each step of DP-SGD on the
 * same batch, with the multipliers of {@link noiseSplit}; or with `rounds` as a private quantile by repeated
 * updates.
 *
 * A record that is missing or null counts as within the threshold: its gradient is zero.
 *
 * @throws {InvalidParameter} for a number out of its range, before anything is asked.
 */
export function* adaptThreshold({
  at,
  batch,
  noise,
  rounds = 1,
  ...step
}: AdaptThresholdOptions): Program<AdaptedThreshold> {
  assertStep(step);
  if (!(Number.isSafeInteger(rounds) && rounds > 0))
    throw new InvalidParameter(`rounds is ${rounds}; it must be a positive whole number`, { rounds });
  let { threshold } = step;
  let fraction = NaN;
  for (let round = 0; round < rounds; round++) {
    fraction = yield* fractionWithin({ at, batch, noise }, threshold);
    threshold = nextThreshold({ ...step, threshold, fraction });
  }
  return { threshold, fraction };
}

/** A noisy share of a batch's gradients with norms of at most `radius`. Costs one release of `noise`. */
export function* fractionWithin(
  { at, batch, noise }: Pick<AdaptThresholdOptions, 'at' | 'batch' | 'noise'>,
  radius: number,
): Program<number> {
  return 1 - (yield* ask.value({ statistic: { of: 'gradient-norm-beyond', radius }, at, batch, noise }));
}
