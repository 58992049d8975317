import type { Bounds } from '@lethe/numerics';

/** Direction of a pair: which neighbour is the numerator of the privacy loss. */
export type Direction = 'remove' | 'add' | 'symmetric';

/**
 * The law of the privacy loss `log(dP/dQ)` of two distributions `P` and `Q`, under both of them.
 *
 * The profile is enough for one release and for an upper bound of
 * many; `massesInto` makes many releases certain from both sides.
 */
export interface PrivacyLossDistribution {
  /** Bounds on `δ(ε) = sup_S P(S) − e^ε Q(S)`, for every real ε, negative ones too. */
  hockeyStick(epsilon: number): Bounds;
  /**
   * Probability under `P` of outputs with probability 0 under `Q`, where the loss is infinite; rounded up.
   */
  readonly infinite: number;
  /** Interval that holds every finite loss. */
  readonly support: { readonly least: number; readonly most: number };
  /**
   * Writes the probabilities that the loss is in `[edges[i], edges[i + 1])`, under `P` into `p[i]` and under
   * `Q` into `q[i]`: both are those of a set of outcomes whose losses are within `2^-44 · (1 + |loss|)` of
   * the cell, and each is right within a factor `1 ± grain`. Edges ascend; the first may be `-Infinity`, and
   * the last `Infinity`, which takes in all finite losses.
   */
  massesInto?(p: Float64Array, q: Float64Array, edges: Float64Array): void;
  /** Relative error of every mass. @defaultValue 2^-44 */
  readonly grain?: number;
}

/** A distribution repeated `count` times, independently. */
export interface PairFactor {
  readonly distribution: PrivacyLossDistribution;
  readonly count: number;
}

/**
 * Two distributions whose hockey-stick divergence bounds that of the event in one direction, as the product
 * of simpler pairs: what each release in a composition contributes.
 */
export interface DominatingPair {
  /** `symmetric` holds for both directions. */
  readonly direction: Direction;
  readonly factors: readonly PairFactor[];
  /** Whether some neighbours attain it in this direction, so that its cost is also a lower bound. */
  readonly attained: boolean;
  /**
   * For a pair that is not attained: a product that some neighbours attain in this direction, so that its
   * cost is a lower bound.
   */
  readonly witness?: readonly PairFactor[];
}

/** A pair with a single distribution. @param attained - Whether some neighbours attain it. */
export const dominatingPair = (
  direction: Direction,
  distribution: PrivacyLossDistribution,
  attained = false,
): DominatingPair => ({ direction, factors: [{ distribution, count: 1 }], attained });
