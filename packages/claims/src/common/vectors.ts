/** `x · y`. */
export const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, entry, j) => sum + entry * y[j], 0);
/** `x − y`. */
export const minus = (x: ArrayLike<number>, y: ArrayLike<number>): Float64Array =>
  Float64Array.from(x, (entry, j) => entry - y[j]);
/** `x + y`. */
export const plus = (x: ArrayLike<number>, y: ArrayLike<number>): Float64Array =>
  Float64Array.from(x, (entry, j) => entry + y[j]);
/** `‖x‖²`. */
export const squaredNorm = (x: ArrayLike<number>): number => dot(x, x);
/** `‖x‖`, without overflow. */
export const norm = (x: ArrayLike<number>): number => Math.hypot(...Array.from(x));
/** `‖x − y‖²`. */
export const apart = (x: ArrayLike<number>, y: ArrayLike<number>): number => squaredNorm(minus(x, y));
