import { InvalidParameter, type Program } from '@lethe/core';
import { fractionWithin, type AdaptThresholdOptions } from './adaptive-threshold.js';

/** Options of {@link privateQuantile}. */
export interface PrivateQuantileOptions extends Pick<
  AdaptThresholdOptions,
  'at' | 'batch' | 'noise' | 'quantile'
> {
  /** Range of the search: 0 < lower < upper ≤ 1e280. */
  readonly lower: number;
  readonly upper: number;
  /** Number of noisy counts; each halves the range on a logarithmic scale. */
  readonly steps: number;
}

/** Norms that enclose the quantile. */
export interface QuantileBracket {
  readonly lower: number;
  readonly upper: number;
}

/**
 * A quantile of gradient norms by noisy binary search: `steps` releases of `noise`, one after another.
 *
 * The ends come within a ratio of `(upper / lower)^(2^−steps)`. Where every noise is at most τ in size, at
 * least `quantile − τ` of the records have norms up to the upper end, and fewer than `quantile + τ` up to the
 * lower end; each for an end that has moved, or where it holds at the start. The upper end is the usual
 * threshold. A wrong step is not corrected later, so τ bounds the noise of all steps. Under large noise,
 * repeated small updates (`adaptThreshold` with `rounds`) use the same budget better.
 *
 * @throws {InvalidParameter} for a number out of its range, before anything is asked.
 */
export function* privateQuantile(options: PrivateQuantileOptions): Program<QuantileBracket> {
  const { quantile, steps } = options;
  let { lower, upper } = options;
  if (!(lower > 0 && lower < upper && upper <= 1e280))
    throw new InvalidParameter(
      `the ends are ${lower} and ${upper}; they must be positive, ascending and at most 1e280`,
      { lower, upper },
    );
  if (!(quantile >= 0 && quantile <= 1))
    throw new InvalidParameter(`the quantile is ${quantile}; it must be from 0 to 1`, { quantile });
  if (!(Number.isSafeInteger(steps) && steps > 0))
    throw new InvalidParameter(`steps is ${steps}; it must be a positive whole number`, { steps });
  for (let step = 0; step < steps; step++) {
    const middle = Math.min(upper, Math.max(lower, Math.sqrt(lower) * Math.sqrt(upper)));
    if ((yield* fractionWithin(options, middle)) >= quantile) upper = middle;
    else lower = middle;
  }
  return { lower, upper };
}
