import { multiplyUp } from '../rounding/index.js';
import type { Domain } from './domain.js';
import { projectionOf } from './projection.js';
import {
  allFinite,
  norm2,
  normalised,
  requireDimension,
  requireFinite,
  requireLength,
  requirePositive,
  scaledDifference,
  shrinkInto,
} from './vectors.js';

/** A ball of `radius > 0`; its centre is the origin of `dimension` coordinates unless given. */
export interface L2BallParameters {
  readonly radius: number;
  readonly dimension?: number;
  readonly centre?: Float64Array;
}

/** A {@link Domain} that is a Euclidean ball. */
export interface L2Ball extends Domain {
  readonly name: 'l2-ball';
  readonly radius: number;
}

/** The ball's centre as a copy, checked against `dimension` where both are given. */
export function ballCentre({
  dimension,
  centre,
}: {
  readonly dimension?: number;
  readonly centre?: Float64Array;
}): Float64Array {
  const length = dimension ?? centre?.length ?? 0;
  requireDimension(length);
  if (centre === undefined) return new Float64Array(length);
  requireFinite('centre', centre, length);
  return centre.slice();
}

/** `‖point − centre‖₂` at any scale. */
export function distance2(point: Float64Array, centre: Float64Array): number {
  const { delta, scale } = differenceOf(point, centre);
  return norm2(delta) / scale;
}

/** `point − centre`, scaled down where it could overflow. */
function differenceOf(
  point: Float64Array,
  centre: Float64Array,
): { readonly delta: Float64Array; readonly scale: number } {
  const delta = new Float64Array(point.length);
  let isUsual = true;
  for (let index = 0; index < point.length; index++) {
    const entry = point[index] - centre[index];
    delta[index] = entry;
    isUsual &&= entry < usual && entry > -usual;
  }
  return isUsual ? { delta, scale: 1 } : scaledDifference(point, centre);
}

/** Differences below it did not overflow, and their multiples by a factor of that size do not. */
const usual = 1e100;

/** Whether a plain sum of squares, which a millionth more than covers, shows a point inside: one pass. */
function isWellWithin(point: Float64Array, centre: Float64Array, radius: number): boolean {
  let sum = 0;
  for (let index = 0; index < point.length; index++) sum += (point[index] - centre[index]) ** 2;
  const most = radius * radius * (1 - 2 ** -20);
  // Where squares may overflow, the sum shows nothing. Where they may vanish, entries are below 1e-139:
  // within any ball that is not as small itself.
  return (sum >= 1e-280 || radius >= 1e-100) && sum <= most && most < Infinity;
}

/**
 * `point − centre` up to a power of two, which brings its entries to a usual size: it is exact, so that a
 * multiple of given length is the same without it.
 */
function directionOf(point: Float64Array, centre: Float64Array): Float64Array {
  const { delta, scale } = differenceOf(point, centre);
  const length = norm2(delta);
  return scale === 1 && length > 1 / usual && length < usual ? delta : normalised(delta);
}

/**
 * The ball `‖x − centre‖₂ ≤ radius`. A projected point lies in it up to the rounding of its norm (2^-51
 * relative) and of its coordinates (half a unit in the last place each), at every scale.
 *
 * @throws {InvalidParameter} unless the radius is positive and finite, and the centre finite.
 */
export function l2Ball(parameters: L2BallParameters): L2Ball {
  const { radius } = parameters;
  const centre = ballCentre(parameters);
  const dimension = centre.length;
  requirePositive('radius', radius);
  const contains = (point: Float64Array, tolerance = 0): boolean => {
    requireLength('point', point, dimension);
    return (
      (tolerance >= 0 && isWellWithin(point, centre, radius)) ||
      (allFinite(point) && distance2(point, centre) <= radius + tolerance)
    );
  };
  return {
    name: 'l2-ball',
    radius,
    dimension,
    diameter: multiplyUp(2, radius),
    centre: centre.slice(),
    reach: radius,
    contains,
    projectInto: projectionOf(dimension, contains, (out, point) => {
      const direction = directionOf(point, centre);
      return shrinkInto(out, centre, direction, radius / norm2(direction), contains);
    }),
    nearestInMaxNormInto: projectionOf(dimension, contains, (out, point) => {
      const { delta, scale } = differenceOf(point, centre);
      const amounts = amountsOfNorm(delta.map(Math.abs), radius * scale);
      const kept = amounts.map((amount, index) => (Math.sign(delta[index]) * amount) / scale);
      return shrinkInto(out, centre, kept, 1, contains);
    }),
  };
}

/**
 * The amounts `max(0, values[i] − θ)` of ℓ2 norm `total > 0`. Values are relative to the largest, as those of
 * a simplex are; the error of each amount is a few units in the last place of `total`, times the root of how
 * many are positive. O(d log d).
 */
function amountsOfNorm(values: Float64Array, total: number): Float64Array {
  let largest = -Infinity;
  for (const value of values) largest = Math.max(largest, value);
  // Gaps to the largest in units of the norm, ascending: all amounts are at most 1.
  const gaps = values.map((value) => (largest - value) / total);
  const sorted = gaps.filter((gap) => gap < 1).toSorted();
  let mean = 0;
  let spread = 0;
  let height = 1;
  for (let index = 0; index < sorted.length; index++) {
    const gap = sorted[index];
    if (gap >= height) break;
    // Σ(height − gap)² = 1 over the first gaps: count·(height − mean)² + spread = 1.
    const count = index + 1;
    const off = gap - mean;
    mean += off / count;
    spread += off * (gap - mean);
    height = mean + Math.sqrt(Math.max(0, 1 - spread) / count);
  }
  return gaps.map((gap) => Math.max(0, height - gap) * total);
}
