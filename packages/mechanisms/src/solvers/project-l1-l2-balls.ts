import { InvalidParameter, type Vector } from '@lethe/core';
import { l2Clip } from '../clips/l2-clip.js';
import { projectL1Ball } from './project-l1-ball.js';

/** Radii of two balls around the origin. */
export interface L1L2Balls {
  readonly l1Radius: number;
  readonly l2Radius: number;
}

/**
 * The Euclidean projection onto `‖x‖₁ ≤ l1Radius, ‖x‖₂ ≤ l2Radius`. O(d log d), exact up to rounding: where
 * one set's projection lies in the other, that; where both bind, the soft threshold of the point at which the
 * norms have the ratio of the radii, scaled to them. Between two entries of the sorted point that threshold
 * is the root of a quadratic equation.
 *
 * @param point - Finite; left as it is.
 * @throws {InvalidParameter} for an empty point, an entry that is
 * not finite, and radii that are not positive and finite.
 */
export function projectL1L2Balls(point: Vector, { l1Radius, l2Radius }: L1L2Balls): Vector {
  if (!(l2Radius > 0 && l2Radius < Infinity))
    throw new InvalidParameter(`l2Radius is ${l2Radius}; it must be positive and finite`, { l2Radius });
  const { point: inL1 } = projectL1Ball(point, l1Radius);
  if (same(inL1, clipped(inL1, l2Radius))) return inL1;
  const inL2 = clipped(point, l2Radius);
  if (norm1(inL2) <= l1Radius) return inL2;
  const ratio = l1Radius / l2Radius;
  const largest = point.reduce((size, x) => Math.max(size, Math.abs(x)), 0);
  // In units of the largest entry, so that squares are numbers.
  const below = thresholdBelowLargest(
    point.map((x) => Math.abs(x) / largest),
    ratio * ratio,
  );
  const amounts = point.map((x) => Math.sign(x) * Math.max(0, below - (1 - Math.abs(x) / largest)));
  const by = Math.min(
    l2Radius / Math.sqrt(amounts.reduce((sum, x) => sum + x * x, 0)),
    l1Radius / norm1(amounts),
  );
  return amounts.map((x) => x * by);
}

const norm1 = (vector: Vector): number => vector.reduce((sum, x) => sum + Math.abs(x), 0);
const same = (a: Vector, b: Vector): boolean => a.every((x, j) => x === b[j]);

function clipped(vector: Vector, radius: number): Vector {
  const out = vector.slice();
  l2Clip.clipInPlace({ radius }, out);
  return out;
}

/**
 * How far below the largest value, which is 1, the threshold is at which
 * `‖amounts above‖₁² = square · ‖amounts above‖₂²`. For the `k` largest values, sums and squares of what they
 * exceed the smallest of them by grow without cancellation from one `k` to the next.
 */
function thresholdBelowLargest(values: Vector, square: number): number {
  const sizes = values.toSorted().toReversed();
  let [sum, squares] = [0, 0];
  for (let k = 1; k <= sizes.length; k++) {
    const gap = sizes[k - 1] - (sizes[k] ?? 0);
    const nextSum = sum + k * gap;
    const nextSquares = squares + 2 * gap * sum + k * gap * gap;
    if (k > square && nextSum > 0 && nextSum * nextSum >= square * nextSquares) {
      // Equal values keep their ratio however far below them the threshold is.
      const further =
        sum === 0
          ? gap
          : (Math.sqrt(sum * sum + (k * Math.max(0, square * squares - sum * sum)) / (k - square)) - sum) / k;
      return 1 - sizes[k - 1] + Math.min(gap, further);
    }
    sum = nextSum;
    squares = nextSquares;
  }
  return 1;
}
