import { InvalidParameter, type Vector } from '@lethe/core';

/** The convex hull of all vectors of at most `sparsity` entries and an ℓ2 norm of at most `radius`. */
export interface SparseHull {
  readonly radius: number;
  readonly sparsity: number;
}

/**
 * The least radius of a hull of sparse vectors that holds a vector: with sizes `u₁ ≥ u₂ ≥ …`, the root of
 * `Σ_{i ≤ q} uᵢ² + (Σ_{i > q} uᵢ)²/(s − q)` for the one q < s with `u_q > Σ_{i > q} uᵢ/(s − q) ≥ u_{q+1}`. It
 * is the ℓ1 norm for s = 1, and the ℓ2 norm for s of the dimension or more. O(d log d).
 *
 * @throws {InvalidParameter} for an empty vector, an entry that is not finite, and a sparsity that is no
 * positive whole number.
 * @see Argyriou, Foygel & Srebro 2012, Proposition 2.1.
 */
export function sparseHullNorm(vector: Vector, sparsity: number): number {
  const { sizes, unit } = sorted(vector, sparsity);
  return unit * normOfSizes(sizes, Math.min(sparsity, sizes.length));
}

/**
 * The Euclidean projection onto a hull of sparse vectors. Sizes a of the point become `a·w/(w + t)` from
 * `t + w` on, `a − t` between t and there, and 0 below t. That is `aθ/(θ + λ)` for λ = t/w and the weights
 * `θ = min(1, max(0, (a − t)/w))`, which sum to the sparsity; t follows from w, and w from the radius, both
 * by bisection on sums over sorted sizes. O(d log d). Sizes count by how far they are below the largest, for
 * points far away: errors are rounding errors of the largest size.
 *
 * @param point - Finite; left as it is.
 * @throws {InvalidParameter} as {@link sparseHullNorm}, and for a radius that is not positive and finite.
 */
export function projectSparseHull(point: Vector, { radius, sparsity }: SparseHull): Vector {
  if (!(radius > 0 && radius < Infinity))
    throw new InvalidParameter(`radius is ${radius}; it must be positive and finite`, { radius });
  const { sizes, unit } = sorted(point, sparsity);
  const count = Math.min(sparsity, sizes.length);
  if (normOfSizes(sizes, count) <= radius / unit) return point.slice();
  if (sizes[count] === undefined || sizes[count] === 0) {
    const length = Math.sqrt(sizes.reduce((sum, size) => sum + size * size, 0));
    return point.map((x) => (x / unit / length) * radius);
  }
  const belows = Float64Array.from(point, (x) => (unit - Math.abs(x)) / unit);
  const amounts = amountsFor(belows.toSorted(), count, radius / unit);
  const answer = point.map((x, j) => Math.sign(x) * amounts(belows[j]));
  const by = radius / sparseHullNorm(answer, sparsity);
  return answer.map((x) => x * by);
}

/** Sizes in units of the largest, in descending order. */
function sorted(vector: Vector, sparsity: number): { readonly sizes: Float64Array; readonly unit: number } {
  if (!(Number.isSafeInteger(sparsity) && sparsity >= 1))
    throw new InvalidParameter(`sparsity is ${sparsity}; it must be a positive whole number`, { sparsity });
  if (vector.length === 0 || !vector.every(Number.isFinite))
    throw new InvalidParameter(
      'a vector is empty or has an entry that is not finite; give one finite entry or more',
      { length: vector.length },
    );
  const unit = vector.reduce((size, x) => Math.max(size, Math.abs(x)), 0) || 1;
  return {
    sizes: Float64Array.from(vector, (x) => Math.abs(x) / unit)
      .toSorted()
      .toReversed(),
    unit,
  };
}

/** The running time depends on the number of sizes only: they can be a record's. */
function normOfSizes(sizes: Float64Array, count: number): number {
  const squares = new Float64Array(count);
  for (let i = 1; i < count; i++) squares[i] = squares[i - 1] + sizes[i - 1] * sizes[i - 1];
  let rest = 0;
  for (let i = count; i < sizes.length; i++) rest += sizes[i];
  let found = -1;
  // Sizes join the sum from the smallest of the first `count` on.
  for (let top = count - 1; top >= 0; top--) {
    rest += sizes[top];
    const mean = rest / (count - top);
    if (found < 0 && (top === 0 || sizes[top - 1] > mean)) found = rest * mean + squares[top];
  }
  return Math.sqrt(found);
}

/**
 * What the projection makes of a size, by how far that is below the largest, which is 1.
 *
 * @param belows - Of all sizes, ascending.
 */
function amountsFor(belows: Float64Array, count: number, radius: number): (below: number) => number {
  const sums = new Float64Array(belows.length + 1);
  const squares = new Float64Array(belows.length + 1);
  belows.forEach((below, i) => {
    sums[i + 1] = sums[i] + below;
    squares[i + 1] = squares[i] + (1 - below) ** 2;
  });
  /** Sizes of weight 1 and of positive weight, and the sum of `a − t` over those between. */
  const at = (width: number, depth: number) => {
    const top = countBelow(belows, depth - width);
    const positive = Math.max(top, countBelow(belows, depth));
    return { top, between: (positive - top) * depth - (sums[positive] - sums[top]) };
  };
  /** The least depth of t below the largest size at which weights sum to `count`. */
  const depthFor = (width: number): number =>
    bisected(0, 1, (depth) => {
      const { top, between } = at(width, depth);
      return top * width + between >= count * width;
    });
  const width = bisected(0, belows.length, (w) => {
    const depth = depthFor(w);
    const { top, between } = at(w, depth);
    return squares[top] * (w / (w + 1 - depth)) ** 2 + w * between >= radius * radius;
  });
  const depth = depthFor(width);
  return (below) =>
    below <= depth - width ? (1 - below) * (width / (width + 1 - depth)) : Math.max(0, depth - below);
}

/** The least number in a range at which a condition holds that holds from there on. */
function bisected(low: number, high: number, holds: (x: number) => boolean): number {
  for (let turn = 0; turn < 200; turn++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return high;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** How many of ascending numbers are at most `most`. */
function countBelow(ascending: Float64Array, most: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
