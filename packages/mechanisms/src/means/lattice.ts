import { assertOptions, InvalidParameter, type Vector } from '@lethe/core';
import { sqrtUp } from '@lethe/numerics';
import { l1Clip } from '../clips/l1-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { fractionOf } from '../noise/dyadic.js';

/** A ball on a grid: points whose entries are multiples of `spacing`, of norm at most `radius`. */
export interface LatticeBall {
  readonly norm: 'l1' | 'l2';
  /** Positive, in the unit of the vectors. */
  readonly radius: number;
  /** Of the grid, in the same unit; from `radius · 2⁻²⁶` to `radius`. */
  readonly spacing: number;
}

const most = 2n ** 26n;
const nearEnds = 2 ** -20;

/** Whether there are at least 1 and at most 2²⁶ steps of the grid in a radius, exactly. */
export function isLattice(radius: number, spacing: number): boolean {
  const steps = radius / spacing;
  // A quotient of doubles is off by one rounding: whole numbers decide only near the ends.
  if (steps > 1 + nearEnds && steps < Number(most) * (1 - nearEnds)) return true;
  const long = fractionOf(radius);
  const short = fractionOf(spacing);
  const up = long.numerator * short.denominator;
  const down = long.denominator * short.numerator;
  return up >= down && up <= most * down;
}

/**
 * Largest `Σ|k_j|` (ℓ1) or `Σk_j²` (ℓ2) of the whole numbers k of points in the ball, exactly:
 * `floor(radius/spacing)` or `floor(radius²/spacing²)`. At most 2⁵².
 *
 * @throws {InvalidParameter} for what is no such ball.
 */
export function latticeLimit({ norm, radius, spacing }: LatticeBall): number {
  if (!(radius > 0 && radius < Infinity && spacing > 0 && spacing < Infinity && isLattice(radius, spacing))) {
    throw new InvalidParameter(
      `a grid of spacing ${spacing} was given for the radius ${radius}; both must be positive, ` +
        'and the radius from 1 to 2^26 times the spacing',
      { radius, spacing },
    );
  }
  const steps = radius / spacing;
  // Whole numbers of steps of a power of two, and their squares, are exact.
  if (Number.isInteger(steps) && isPowerOfTwo(spacing)) return norm === 'l1' ? steps : steps * steps;
  // Three roundings move a double by less than this: whole numbers decide only near a whole number.
  const size = norm === 'l1' ? steps : steps * steps;
  const limit = Math.floor(size * (1 - 2 ** -50));
  if (limit === Math.floor(size * (1 + 2 ** -50))) return limit;
  const long = fractionOf(radius);
  const short = fractionOf(spacing);
  const up = long.numerator * short.denominator;
  const down = long.denominator * short.numerator;
  return Number(norm === 'l1' ? up / down : (up * up) / (down * down));
}

const isPowerOfTwo = (x: number): boolean => 2 ** Math.round(Math.log2(x)) === x;

/**
 * The norm of whole-numbered points in the ball, rounded up:
 * what one of them may add to a sum, in units of the grid.
 */
export const latticeSensitivity = (ball: LatticeBall): number =>
  ball.norm === 'l1' ? latticeLimit(ball) : sqrtUp(latticeLimit(ball));

/**
 * Doubles from here to 2⁵³ are whole: adding it rounds what is below
 * 2⁵¹ to the nearest whole number. No branch depends on the entry.
 */
const whole = 1.5 * 2 ** 52;

/**
 * Rounds every entry to the nearest whole number; the size `Σ|k_j|` or `Σk_j²` of the point. It is exact up
 * to 2⁵³, and once above it stays there: a sum of doubles does not fall when something is added that is not
 * negative.
 */
function toNearest(out: Vector, vector: Vector, { norm, spacing }: LatticeBall): number {
  let size = 0;
  for (let j = 0; j < out.length; j++) {
    const point = vector[j] / spacing + whole - whole;
    out[j] = point;
    size += norm === 'l1' ? Math.abs(point) : point * point;
  }
  return size;
}

/**
 * The same after every entry was moved towards zero by part of a step,
 * not beyond it: with half a step, all are rounded towards zero.
 */
function towardsZero(out: Vector, vector: Vector, { norm, spacing }: LatticeBall, part: number): number {
  let size = 0;
  for (let j = 0; j < out.length; j++) {
    const steps = vector[j] / spacing;
    const point = steps - Math.max(-part, Math.min(part, steps)) + whole - whole;
    out[j] = point;
    size += norm === 'l1' ? Math.abs(point) : point * point;
  }
  return size;
}

/** Parts of a step by which entries are moved towards zero where the nearest point is outside. */
const parts = [0.125, 0.25, 0.375, 0.5];

/**
 * Clips a vector to the ball and rounds it to the grid; writes the whole numbers of steps and returns `out`.
 * They are within {@link latticeLimit} whatever the vector is: that is checked in whole numbers, not inferred
 * from real arithmetic. A vector with an entry that is not finite becomes zero.
 *
 * Each entry goes to the nearest step; where that leads out of the ball, entries are first moved towards
 * zero, by up to half a step, until it does not. So rounding costs no sensitivity, and moves a clipped vector
 * by at most `spacing · (√length + 1)` in ℓ2, and `spacing · (length + 1)` in ℓ1: about half as much for
 * vectors within the ball.
 *
 * @param out - As many entries as the vector.
 * @throws {InvalidParameter} for what is no ball or no length.
 */
export function roundToLatticeInto(out: Vector, vector: Vector, ball: LatticeBall): Vector {
  assertOptions(ball, 'roundToLatticeInto');
  if (out.length !== vector.length)
    throw new InvalidParameter(
      `a vector of length ${vector.length} was to be rounded into one of length ${out.length}`,
      { length: vector.length, room: out.length },
    );
  roundWithin(out, Float64Array.from(vector), ball, latticeLimit(ball));
  return out;
}

/** The same with the limit worked out already; overwrites `vector`. */
export function roundWithin(out: Vector, vector: Vector, ball: LatticeBall, limit: number): void {
  const { norm, radius } = ball;
  if (norm === 'l1') l1Clip.clipInPlace({ radius }, vector);
  else l2Clip.clipInPlace({ radius }, vector);
  if (toNearest(out, vector, ball) <= limit) return;
  for (const part of parts) if (towardsZero(out, vector, ball, part) <= limit) return;
  // Clipping in doubles left it outside by a rounding error.
  for (let excess = 2 ** -30; ; excess *= 2) {
    for (let j = 0; j < vector.length; j++) vector[j] *= 1 - excess;
    if (towardsZero(out, vector, ball, 0.5) <= limit) return;
  }
}
