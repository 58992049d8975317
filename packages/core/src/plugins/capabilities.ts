/**
 * Whether a property of a loss holds everywhere, nowhere, or (`'bounded'`) for bounded records, labels and
 * iterates, with the constant in `facts`. Absent if it is not declared.
 */
export type Holds = boolean | 'bounded';

/** Declared properties of a loss. */
export interface Capabilities {
  readonly convex?: boolean;
  readonly lipschitz?: Holds;
  readonly smooth?: Holds;
  readonly coordinateLipschitz?: Holds;
  readonly coordinateSmooth?: Holds;
  /** It has a `linear` form. */
  readonly linear?: boolean;
  /** The gradient of a record of zeros is zero. */
  readonly nullRecord?: boolean;
  /** No value is below 0. */
  readonly nonNegative?: boolean;
  /** The gradient is affine in the iterate: one Hessian is that of every point. */
  readonly quadratic?: boolean;
}
/** A key of {@link Capabilities}. */
export type Capability = keyof Capabilities;
