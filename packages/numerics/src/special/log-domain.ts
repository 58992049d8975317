import { InvalidParameter } from '../errors.js';
import {
  addDown,
  addUp,
  expDown,
  expm1Down,
  expm1Up,
  expUp,
  log1pDown,
  log1pUp,
  logDown,
  logUp,
  subtractDown,
  subtractUp,
  sumDown,
  sumUp,
} from '../rounding/index.js';
import type { Bounds } from '../search/bounds.js';
import { neumaierSum } from '../search/neumaier-sum.js';
import { requireNumber } from '../search/require-number.js';

function largest(values: readonly number[] | Float64Array): number {
  let maximum = -Infinity;
  for (const value of values) maximum = Math.max(maximum, requireNumber('a term', value));
  return maximum;
}

/**
 * `log Σ e^(x_i)` without overflow; an empty sum gives `-Infinity`. Error below a few units in the last place
 * of the larger of 1 and the largest term.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function logSumExp(values: readonly number[] | Float64Array): number {
  const maximum = largest(values);
  if (!Number.isFinite(maximum)) return maximum;
  // The largest term is 1 and omitted from the sum, so log1p keeps small contributions of the others.
  const rest = new Float64Array(values.length);
  let skipped = false;
  for (let i = 0; i < values.length; i++)
    if (values[i] !== maximum || skipped) rest[i] = Math.exp(values[i] - maximum);
    else skipped = true;
  return maximum + Math.log1p(neumaierSum(rest));
}

/**
 * Rigorous bounds of `log Σ e^(x_i)`, about four ulps wide, from IEEE arithmetic alone.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function logSumExpBounds(values: readonly number[] | Float64Array): Bounds {
  const maximum = largest(values);
  if (!Number.isFinite(maximum)) return { lower: maximum, upper: maximum };
  const terms = Array.from(values);
  terms.splice(terms.indexOf(maximum), 1);
  const lower = sumDown(terms.map((x) => expDown(subtractDown(x, maximum))));
  const upper = sumUp(terms.map((x) => expUp(subtractUp(x, maximum))));
  return { lower: addDown(maximum, log1pDown(lower)), upper: addUp(maximum, log1pUp(upper)) };
}

/** `log(e^a + e^b)` without overflow. @throws {InvalidParameter} on NaN. */
export function logAddExp(a: number, b: number): number {
  const larger = Math.max(requireNumber('a', a), requireNumber('b', b));
  if (!Number.isFinite(larger)) return larger;
  return larger + Math.log1p(Math.exp(Math.min(a, b) - larger));
}

function requireNegative(x: number): void {
  if (!(x <= 0))
    throw new InvalidParameter(`log1mExp needs x ≤ 0, got ${x}: 1 − e^x is negative above`, { x });
}

/**
 * `log(1 − e^x)` for `x ≤ 0`, relative error of a few units in the last place; 0 gives `-Infinity`.
 *
 * @throws {InvalidParameter} unless `x ≤ 0`.
 */
export function log1mExp(x: number): number {
  requireNegative(x);
  return x > -Math.LN2 ? Math.log(-Math.expm1(x)) : Math.log1p(-Math.exp(x));
}

/** Rigorous bounds of {@link log1mExp}, a few steps wide. @throws {InvalidParameter} unless `x ≤ 0`. */
export function log1mExpBounds(x: number): Bounds {
  requireNegative(x);
  if (x > -Math.LN2) return { lower: logDown(-expm1Up(x)), upper: logUp(-expm1Down(x)) };
  return { lower: log1pDown(-expUp(x)), upper: log1pUp(-expDown(x)) };
}

function requireOrder(a: number, b: number): void {
  if (!(a >= b))
    throw new InvalidParameter(
      `logSubExp needs a ≥ b, got a = ${a}, b = ${b}: e^a − e^b is negative otherwise`,
      { a, b },
    );
}

/**
 * `log(e^a − e^b)` for `a ≥ b`; equal arguments give `-Infinity`, as does `a = b = -Infinity`.
 *
 * @throws {InvalidParameter} unless `a ≥ b`, and if both are `+Infinity`.
 */
export function logSubExp(a: number, b: number): number {
  requireOrder(a, b);
  if (b === -Infinity) return a;
  if (b === Infinity)
    throw new InvalidParameter('logSubExp has no value at (Infinity, Infinity): give finite arguments', {
      a,
      b,
    });
  return a === Infinity ? a : a + log1mExp(b - a);
}

/** Rigorous bounds of {@link logSubExp}. @throws {InvalidParameter} as {@link logSubExp}. */
export function logSubExpBounds(a: number, b: number): Bounds {
  const value = logSubExp(a, b);
  if (!Number.isFinite(value) || b === -Infinity) return { lower: value, upper: value };
  return {
    lower: addDown(a, log1mExpBounds(Math.min(0, subtractUp(b, a))).lower),
    upper: addUp(a, log1mExpBounds(subtractDown(b, a)).upper),
  };
}
