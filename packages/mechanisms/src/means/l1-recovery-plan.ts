import { InvalidParameter, type Ref } from '@lethe/core';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { clippedMean } from './clipped-mean.js';
import { gaussianL1Recovery, mostEntries, mostMeasurements } from './gaussian-l1-recovery.js';
import { projectionMechanism } from './projection-mechanism.js';
import { measurementsWithin } from './restricted-isometry.js';

/** Public numbers of one release of a mean of sparse records. */
export interface L1RecoverySetting {
  readonly slots: number;
  readonly dimension: number;
  readonly sparsity: number;
  /** Target of the release; ε at most 1. */
  readonly epsilon: number;
  readonly delta: number;
  /** Constant in front of the number of measurements, which the paper leaves open. @defaultValue 1 */
  readonly constant?: number;
}

/** The decision for such numbers. */
export interface L1RecoveryPlan {
  /** `constant · n ε √(s ln(d/s) / ln(1/δ))`, as it is and as whole number of rows. */
  readonly exact: number;
  readonly measurements: number;
  /**
   * K in the analysis: means are approximated by `sparsity · K` entries. Infinite for `sparsity = dimension`.
   */
  readonly spread: number;
  /**
   * `gaussian` when the dimension is too small for recovery to gain
   * anything: `d < m ln²m`, `d ≤ m`, or records are not sparse, `s > d/2`.
   */
  readonly branch: 'recovery' | 'gaussian';
}

/**
 * The number of measurements, and whether recovery gains anything.
 *
 * @throws {InvalidParameter} unless slots, dimension and sparsity are positive and whole with
 * `sparsity ≤ dimension`, `0 < ε ≤ 1`, `0 < δ < 1`, and the constant is positive and finite.
 * @see Ghazi and others, Algorithm 2.
 */
export function l1RecoveryPlan({
  slots,
  dimension,
  sparsity,
  epsilon,
  delta,
  constant = 1,
}: L1RecoverySetting): L1RecoveryPlan {
  for (const [name, value] of Object.entries({ slots, dimension, sparsity })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} is ${value}; it must be a positive whole number`, {
        [name]: value,
      });
  }
  if (sparsity > dimension)
    throw new InvalidParameter(
      `a sparsity of ${sparsity} was given for dimension ${dimension}; it must be at most that`,
      { sparsity, dimension },
    );
  if (!(epsilon > 0 && epsilon <= 1))
    throw new InvalidParameter(
      `a target of epsilon = ${epsilon} was given; it must be above 0 and at most 1`,
      { epsilon },
    );
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`a target of delta = ${delta} was given; it must be between 0 and 1`, {
      delta,
    });
  if (!(constant > 0 && constant < Infinity))
    throw new InvalidParameter(`the constant is ${constant}; it must be positive and finite`, { constant });
  const logarithm = Math.log(dimension / sparsity);
  const exact = constant * slots * epsilon * Math.sqrt((sparsity * logarithm) / Math.log(1 / delta));
  const measurements = Math.max(1, Math.ceil(exact));
  const isDense =
    sparsity > dimension / 2 || dimension <= measurements || dimension < exact * Math.log(exact) ** 2;
  return {
    exact,
    measurements,
    spread: logarithm === 0 ? Infinity : exact / (sparsity * logarithm),
    branch: isDense ? 'gaussian' : 'recovery',
  };
}

/**
 * The mean for a release by public numbers alone: `gaussian-l1-recovery`, certified with half of δ for its
 * failure (give the release a target of (ε, δ/2)); `clipped` where recovery gains nothing; and `projection`
 * where the published preconditions `6·e^(−rate·m) ≤ δ` and `K ≥ 2` do not hold, as for the small batches of
 * a bias-reduced estimator, or the matrix does not fit: it needs none, and loses a logarithm.
 *
 * @param setting - With `radius`, the ℓ2 bound of a record; `rate`, the constant in the exponent, which the
 * paper leaves open (1/8 unless given); and `mode`: `literal` for the printed noise, where it is proved (else
 * `projection`), in place of `certified`.
 * @returns the reference, and the δ that is left for its noise.
 * @throws {InvalidParameter} as {@link l1RecoveryPlan}.
 */
export function l1RecoveryOrProjection(
  setting: L1RecoverySetting & {
    readonly radius: number;
    readonly rate?: number;
    readonly mode?: 'certified' | 'literal';
  },
): { readonly mean: Ref<'mean'>; readonly delta: number } {
  const { radius, dimension, sparsity, delta, rate = 1 / 8, mode = 'certified' } = setting;
  const failure = delta / 2;
  const { branch, measurements, exact, spread } = l1RecoveryPlan(setting);
  if (!(rate > 0 && rate < Infinity))
    throw new InvalidParameter(`the rate is ${rate}; it must be positive and finite`, { rate });
  if (branch === 'gaussian')
    return { mean: clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) }), delta };
  const isProved =
    mode === 'certified' || measurements >= measurementsWithin({ norm: 1.5, dimension, sparsity }, failure);
  const fits = measurements <= mostMeasurements && measurements * dimension <= mostEntries;
  const isServed = fits && isProved && 6 * Math.exp(-rate * exact) <= delta && spread >= 2;
  if (!isServed) return { mean: projectionMechanism({ radius, sparsity }), delta };
  return {
    mean: gaussianL1Recovery({ mode, radius, sparsity, measurements, failure }),
    delta: failure,
  };
}
