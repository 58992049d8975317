import { coordinateFact, type Fact } from '@lethe/core';
import { addUp, InvalidParameter, multiplyUp, sqrtUp, Unsupported } from '@lethe/numerics';

/** For {@link componentSmoothness}. */
export interface SmoothnessOptions {
  /**
   * Blocks within which steps are taken: then the inequality is needed along each of them only, and constants
   * are smaller. One block of all coordinates if left out; single coordinates give `coordinateSmoothness`
   * itself.
   */
  readonly blocks?: readonly ArrayLike<number>[];
}

/**
 * Smoothness constants `M_j` of coordinates with `∇²f ≼ Diag(M)`, from constants
 * `s_j` of the fact `coordinateSmoothness` of single coordinates: a positive semi-definite matrix with
 * diagonal `s` has entries of at most `(s_i s_j)^½`, so `M_j = s_j^½ Σ_k s_k^½` over the block of `j` will
 * do, rounded up. Needs no data; a matrix of rank one attains it. The diagonal `s` alone is not enough where
 * several coordinates move at once.
 *
 * @returns `[dimension]`.
 * @throws {Unsupported} when a coordinate has no such fact.
 * @throws {InvalidParameter} unless blocks are a partition of the coordinates.
 * @see Maranjyan, Sadiev and Richtárik 2024, Assumption 3.6.
 */
export function componentSmoothness(
  facts: Readonly<Record<string, Fact>>,
  dimension: number,
  { blocks }: SmoothnessOptions = {},
): Float64Array {
  const roots = Float64Array.from({ length: dimension }, (_, j) => {
    const smoothness = coordinateFact(facts, 'coordinateSmoothness', j)?.value;
    if (smoothness === undefined)
      throw new Unsupported(
        `the problem declares no fact 'coordinateSmoothness' of coordinate ${j}; declare bounds on ` +
          'each feature, from which it follows, or give smoothness constants',
        { coordinate: j },
      );
    return sqrtUp(smoothness);
  });
  const out = new Float64Array(dimension);
  const seen = new Uint32Array(dimension);
  for (const block of blocks ?? [Array.from({ length: dimension }, (_, j) => j)]) {
    let sum = 0;
    for (let k = 0; k < block.length; k++) {
      const root = roots[block[k]];
      if (root === undefined)
        throw new InvalidParameter(
          `a block holds coordinate ${block[k]}; blocks must be a partition of 0 to ${dimension - 1}`,
          { coordinate: block[k], dimension },
        );
      sum = addUp(sum, root);
    }
    for (let k = 0; k < block.length; k++) {
      out[block[k]] = multiplyUp(roots[block[k]], sum);
      seen[block[k]] += 1;
    }
  }
  const wrong = seen.findIndex((times) => times !== 1);
  if (wrong >= 0)
    throw new InvalidParameter(
      `the blocks hold coordinate ${wrong} ${seen[wrong]} times; ` +
        `they must be a partition of 0 to ${dimension - 1}`,
      { coordinate: wrong, dimension },
    );
  return out;
}
