/**
 * A law of loss moved to points of a grid, twice: once so that it dominates the law, once so that the law dominates it.
 *
 * Masses are those under `P`; under `Q` a point has `e^−loss` of them.
 */
export interface GridDistribution {
  /** Points are at the losses `base + step · node`. */
  readonly base: number;
  readonly step: number;
  /** Integers, ascending. */
  readonly nodes: Float64Array;
  /** The dominating law. */
  readonly upper: Float64Array;
  readonly infiniteUpper: number;
  /** The dominated law. */
  readonly lower: Float64Array;
  readonly infiniteLower: number;
  /**
   * What arithmetic may have cost: the profile of the law at ε is at most `1 + scale` times that of `upper` at `ε − shift`, and at
   * least `1 − scale` times that of `lower` at `ε + shift`; in a product, scales multiply and shifts add.
   */
  readonly shift: number;
  readonly scale: number;
}

/** Blocks of a grid: the block about `nodes[i]` reaches `widths[i] / 2` steps to either side, where the next begins. */
export interface Tiling {
  readonly base: number;
  readonly step: number;
  /** Integers, ascending. */
  readonly nodes: Float64Array;
  /** Odd integers. */
  readonly widths: Float64Array;
  /** Atoms are put on nodes that they miss by this much, relative to `1 + |loss|`. */
  readonly tolerance: number;
}

/** Blocks of one width that cover an interval, with 0 among the points. */
export function evenTiling(step: number, least: number, most: number): Tiling {
  const first = Math.floor(least / step);
  const length = Math.max(1, Math.ceil(most / step) - first + 1);
  return { base: 0, step, nodes: Float64Array.from({ length }, (_, i) => first + i), widths: new Float64Array(length).fill(1), tolerance: 2 ** -40 };
}
