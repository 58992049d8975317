import type { Engine } from './arena.js';
import { CHUNK } from './kernels.wasm.js';

/** A column with the entry of the point that changed: from `before` to `after`. */
export interface Change {
  readonly column: Float64Array;
  readonly before: number;
  readonly after: number;
}
/** Slopes computed by kernels; see {@link RowWork} for their targets. */
export type KernelSlope = 'logistic' | 'squared';

/** One coordinate of the rows `[from, to)`; arrays have one number per row. */
export interface Step {
  readonly slope: KernelSlope;
  /** Whether `grid` holds nothing but COARSE_ORIGIN; then a faster path gives the same bits. */
  readonly shared: boolean;
  /** Margins, each plus its origin in `grid`; for `logistic`, divided by ln 2. */
  readonly z: Float64Array;
  readonly grid: Float64Array;
  readonly change: Change;
  readonly x: Float64Array;
  readonly targets: Float64Array;
  readonly from: number;
  readonly to: number;
  readonly radius: number;
}

/**
 * Operations on rows, all at once or at most CHUNK at a time: `[from, from + count)` of arrays with one
 * number per row. Targets are labels for `squared`, and 1 or 0 in place of labels 1 and −1 for `logistic`.
 * Sums have a fixed order.
 */
export interface RowWork {
  /**
   * Norms of the chunk's rows over the added coordinates; the caller corrects them if {@link RowWork.roots}
   * is true.
   */
  readonly norms: Float64Array;
  /** Updates margins, on the grid of margin-grid.ts. */
  shift(z: Float64Array, change: Change, from: number, count: number): void;
  /**
   * {@link RowWork.shift}, then the sum over rows of slope · x, each clamped to ±radius, and 0 if it is not a
   * number; chunk by chunk.
   */
  step(given: Step): number;
  beginNorms(count: number): void;
  addSquares(x: Float64Array, from: number, count: number): void;
  /** Converts sums of squares to norms. True if one of them has underflow or overflow. */
  roots(count: number): boolean;
  /** Stores each row's slope, scaled so that slope · norm is within the radius; 0 if it is not a number. */
  slopes(
    slope: KernelSlope,
    z: Float64Array,
    grid: Float64Array,
    targets: Float64Array,
    from: number,
    count: number,
    inverseRadius: number,
  ): void;
  /** Sum over rows of the stored slope · x. */
  dot(x: Float64Array, from: number, count: number): number;
}

/** {@link RowWork} by kernels, on arrays in the engine's arena. */
export function engineRowWork({ kernels, norms, labels }: Engine): RowWork {
  const at = (array: Float64Array, row: number): number => array.byteOffset + 8 * row;
  return {
    norms,
    shift(z, { column, before, after }, from, count) {
      kernels.shiftMargins(at(z, from), at(column, from), before, after, count);
    },
    step({ slope, shared, z, grid, change: { column, before, after }, x, targets, from, to, radius }) {
      const kernelOf = () => {
        if (slope === 'squared') return kernels.stepSquared;
        if (!shared) return kernels.stepLogistic;
        return before === 0 ? kernels.stepLogisticSharedFromZero : kernels.stepLogisticShared;
      };
      const kernel = kernelOf();
      let [atZ, atGrid, atColumn, atX, atTargets] = [z, grid, column, x, targets].map((array) =>
        at(array, from),
      ) as [number, number, number, number, number];
      let sum = 0;
      for (let start = from; start < to; start += CHUNK) {
        sum += kernel(
          atZ,
          atGrid,
          atColumn,
          before,
          after,
          atX,
          atTargets,
          Math.min(CHUNK, to - start),
          radius,
        );
        atZ += 8 * CHUNK;
        atGrid += 8 * CHUNK;
        atColumn += 8 * CHUNK;
        atX += 8 * CHUNK;
        atTargets += 8 * CHUNK;
      }
      return sum;
    },
    beginNorms(count) {
      norms.fill(0, 0, count);
      labels.fill(0, 0, count);
    },
    addSquares(x, from, count) {
      kernels.addSquares(at(x, from), count);
    },
    roots: (count) => kernels.roots(count) !== 0,
    slopes(slope, z, grid, targets, from, count, inverseRadius) {
      if (slope === 'squared')
        kernels.slopesSquared(at(z, from), at(grid, from), at(targets, from), count, inverseRadius);
      else kernels.slopesLogistic(at(z, from), at(grid, from), at(targets, from), count, inverseRadius);
    },
    dot: (x, from, count) => kernels.dotColumn(at(x, from), count),
  };
}
