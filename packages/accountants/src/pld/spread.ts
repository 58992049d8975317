/**
 * How the members of an ensemble differ from their mean: a member has the mean's weights plus `d` times
 * `difference`, for its own `d`.
 */
export interface Spread {
  /** Adds up to 0. */
  readonly difference: Float64Array;
  /** The sum of the sizes of `difference`. */
  readonly size: number;
  /** Weights that every member has at least. */
  readonly floor: Float64Array;
  /** `Σ d^k` over the members, for `k` from 0. */
  readonly powers: readonly number[];
  /** The largest `|d|`, and the mean of `|d|`. */
  readonly most: number;
  readonly usual: number;
}
