/**
 * A privacy-loss distribution discretised on a grid, twice: a dominating one and a dominated one.
 *
 * Masses are under `P`; under `Q` a point has `e^−loss` times its mass.
 */
export interface GridDistribution {
  /** Points have the losses `base + step · node`. */
  readonly base: number;
  readonly step: number;
  /** Integers, ascending. */
  readonly nodes: Float64Array;
  /** Masses of the dominating distribution. */
  readonly upper: Float64Array;
  readonly infiniteUpper: number;
  /** Masses of the dominated distribution. */
  readonly lower: Float64Array;
  readonly infiniteLower: number;
  /**
   * Bounds of rounding errors: the profile at ε is at most `1 + scale` times that of `upper` at `ε − shift`,
   * and at least `1 − scale` times that of `lower` at `ε + shift`. In a product, scales multiply and shifts
   * add.
   */
  readonly shift: number;
  readonly scale: number;
}

/** The masses that the members of an ensemble mix: each has a share of `second`, and the rest of `first`. */
export interface Ends {
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly members: readonly { readonly count: number; readonly share: number }[];
}

/** An ensemble on a grid. The common bounds of errors hold for every member; the other masses are unused. */
export interface SpreadGridDistribution extends GridDistribution {
  readonly spread: { readonly upper: readonly Ends[]; readonly lower: readonly Ends[] };
}

/**
 * Blocks of a grid: the block of `nodes[i]` extends `widths[i] / 2` steps to either side, up to the next
 * block.
 */
export interface Tiling {
  readonly base: number;
  readonly step: number;
  /** Integers, ascending. */
  readonly nodes: Float64Array;
  /** Odd integers. */
  readonly widths: Float64Array;
  /** Atoms within this distance of a node, relative to `1 + |loss|`, count as on the node. */
  readonly tolerance: number;
}

/** Blocks of equal width that cover an interval, with a point at 0. */
export function evenTiling(step: number, least: number, most: number): Tiling {
  const first = Math.floor(least / step);
  const length = Math.max(1, Math.ceil(most / step) - first + 1);
  return {
    base: 0,
    step,
    nodes: Float64Array.from({ length }, (_, i) => first + i),
    widths: new Float64Array(length).fill(1),
    tolerance: 2 ** -40,
  };
}
