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
