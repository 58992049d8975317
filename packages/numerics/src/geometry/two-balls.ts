import type { L2Ball } from './l2-ball.js';
import { norm2, normalised, scaledDifference, shrinkInto } from './vectors.js';

function dot(x: Float64Array, y: Float64Array): number {
  return x.reduce((total, value, index) => total + value * y[index], 0);
}

/** `x − (x·u) u` for a unit vector `u`; applied twice for orthogonality to working precision. */
function orthogonalTo(u: Float64Array, x: Float64Array): Float64Array {
  let rest = x;
  for (let pass = 0; pass < 2; pass++) {
    const along = dot(rest, u);
    rest = rest.map((value, index) => value - along * u[index]);
  }
  return rest;
}

/**
 * The point nearest to `point` on the sphere in which the boundaries of two balls meet: the projection onto
 * their intersection when the projection onto neither ball lies in the other.
 *
 * The result moves towards the middle of the lens until both balls contain it. Its absolute error is a few
 * units in the last place of the radii, unless the balls barely touch: then the sphere's radius has an error
 * of order `2^-26 · radius`.
 *
 * @returns whether `out` was written; `false` when rounding
 * leaves no such sphere (dimension 1, balls that barely touch).
 */
export function projectOntoMeetingSphere(
  out: Float64Array,
  point: Float64Array,
  first: L2Ball,
  second: L2Ball,
): boolean {
  const { delta, scale } = scaledDifference(second.centre, first.centre);
  const scaledDistance = norm2(delta);
  if (scaledDistance === 0) return false;
  const axisDirection = normalised(delta);
  const axisNorm = norm2(axisDirection);
  const axis = axisDirection.map((value) => value / axisNorm);
  const distance = scaledDistance / scale;
  const offset =
    distance / 2 +
    (first.radius - second.radius) * ((first.radius / distance + second.radius / distance) / 2);
  // radius − offset and radius + offset, each as a product without cancellation (Heron's formula).
  const beyond = distance - first.radius;
  const short = (second.radius - beyond) * ((second.radius + beyond) / distance / 2);
  const long =
    (distance + first.radius - second.radius) * ((distance + first.radius + second.radius) / distance / 2);
  const height = Math.sqrt(short) * Math.sqrt(long);
  const { delta: fromFirst } = scaledDifference(point, first.centre);
  const side = fromFirst.some((value) => value !== 0) ? orthogonalTo(axis, normalised(fromFirst)) : fromFirst;
  const sideNorm = norm2(side);
  if (!(height > 0 && height < Infinity && sideNorm > 2 ** -40)) return false;
  const middle =
    Math.max(distance - second.radius, -first.radius) / 2 +
    Math.min(first.radius, distance + second.radius) / 2;
  const inside = first.centre.map((value, index) => value + middle * axis[index]);
  const accepts = (candidate: Float64Array): boolean =>
    first.contains(candidate) && second.contains(candidate);
  if (!accepts(inside)) return false;
  const towards = axis.map((value, index) => (offset - middle) * value + (height / sideNorm) * side[index]);
  shrinkInto(out, inside, towards, 1, accepts);
  return true;
}
