import type { Slope } from './clipped-slope.js';
import type { Matrix, Rows } from './matrix.js';

/** One call of `clippedGradient`. */
export interface ClippedGradient {
  readonly X: Matrix;
  /** `[rows of X]`. */
  readonly labels: Float64Array;
  /** `[rows of X]`: `‖x_i‖₂` (see `rowNorms`), over `coordinates` where they are given. */
  readonly norms: Float64Array;
  /** `[columns]`. */
  readonly w: Float64Array;
  readonly rows: Rows;
  /** ℓ2 bound of one row's gradient: positive, or Infinity for none. */
  readonly radius: number;
  readonly slope: Slope;
  /** Columns of the result; all columns by default. */
  readonly coordinates?: Uint32Array | undefined;
  /** `[columns]`, or `[coordinates.length]`. */
  readonly out: Float64Array;
}

/** A point at which a gradient is taken, with its weight in a sum of gradients. */
export interface WeightedPoint {
  readonly weight: number;
  /** `[columns]`. */
  readonly at: Float64Array;
}

/** One call of `clippedTerms`. */
export interface ClippedTerms extends Omit<ClippedGradient, 'w' | 'coordinates'> {
  /** One or more. */
  readonly terms: readonly WeightedPoint[];
}
