import { addUp, nextUp } from '../rounding/index.js';
import { norm2 } from './vectors.js';

/**
 * A closed convex set in `R^dimension` with a projection.
 *
 * Points are vectors of length `dimension`. A projected point always satisfies `contains` with the default
 * tolerance, and projection returns such a point unchanged, so projection is idempotent bit for bit.
 */
export interface Domain {
  readonly name: string;
  readonly dimension: number;
  /** Largest ℓ2 distance between two points, or an upper bound of it; rounded up, `Infinity` if unbounded. */
  readonly diameter: number;
  /** A point of the set. */
  readonly centre: Float64Array;
  /**
   * Largest ℓ2 distance of a point of the set from `centre`, or an upper bound of it; rounded up. Left out:
   * `diameter`.
   */
  readonly reach?: number;
  /**
   * Whether every inequality (and equation) that defines the set holds within `tolerance`, in the units of
   * the coordinates. Never true for a point with NaN or infinite coordinates. By default 0, and a few
   * roundings for sets with an equation.
   *
   * @throws {InvalidParameter} on a point of another length.
   */
  contains(point: Float64Array, tolerance?: number): boolean;
  /**
   * Writes the point of the set that is nearest to `point` to `out`
   * and returns `out`; the two may be the same array.
   *
   * @throws {InvalidParameter} on other lengths and on NaN or infinite coordinates; `out` is then untouched.
   */
  projectInto(out: Float64Array, point: Float64Array): Float64Array;
  /**
   * Writes a point of the set whose largest distance from `point` over the coordinates is least, and returns
   * `out`; the two may be the same array. A point of the set is its own. Absent where no closed form is
   * known.
   *
   * @throws {InvalidParameter} as {@link Domain.projectInto}.
   */
  nearestInMaxNormInto?(out: Float64Array, point: Float64Array): Float64Array;
  /** Set for all of `R^dimension`, where projection is the identity. */
  readonly unconstrained?: true;
  /**
   * Projection of one finite coordinate, for a product of intervals. Absent if coordinates depend on each
   * other.
   */
  readonly coordinate?: (index: number, value: number) => number;
}

/** An upper bound on the ℓ2 norm of every point of a set, rounded up; `Infinity` if it is unbounded. */
export const largestNorm = ({ centre, reach, diameter }: Domain): number =>
  nextUp(addUp(norm2(centre), Math.min(reach ?? diameter, diameter)));
