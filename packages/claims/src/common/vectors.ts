import { norm2 } from '@lethe/numerics';

/** `x · y`. */
export function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * y[j];
  return sum;
}
/** `x − y`. */
export function minus(x: ArrayLike<number>, y: ArrayLike<number>): Float64Array {
  const difference = new Float64Array(x.length);
  for (let j = 0; j < x.length; j++) difference[j] = x[j] - y[j];
  return difference;
}
/** `x + y`. */
export function plus(x: ArrayLike<number>, y: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(x.length);
  for (let j = 0; j < x.length; j++) sum[j] = x[j] + y[j];
  return sum;
}
/** `‖x‖²`. */
export const squaredNorm = (x: ArrayLike<number>): number => dot(x, x);
/** `‖x‖`, without overflow. */
export const norm = norm2;
/** `‖x − y‖²`. */
export const apart = (x: ArrayLike<number>, y: ArrayLike<number>): number => squaredNorm(minus(x, y));
