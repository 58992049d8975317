import { InvalidParameter, Unsupported, addUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import type { Fact } from './fact.js';
import { coordinateFact } from './coordinate-facts.js';

type Facts = Readonly<Record<string, Fact>>;

const usable = (fact: Fact | undefined, scope?: Fact['scope']): number | undefined =>
  fact === undefined || (scope !== undefined && fact.scope !== scope) ? undefined : fact.value;

/**
 * A Lipschitz constant `L_U` of every record's loss along the coordinates `U`: the least of `lipschitz` and
 * `(Σ_{j ∈ U} L_j²)^½` with `L_j` the facts `coordinateLipschitz`, rounded up. Only facts that hold for
 * every record count; `undefined` where none tells. The larger `U`, the larger the constant.
 *
 * For linear models with bounded columns it is the least there is.
 *
 * @param coordinates - `U`; all of them if left out: then the fact `lipschitz`, or what follows from a
 * constant for each of `dimension` coordinates.
 * @see Maranjyan, Sadiev and Richtárik 2024, Assumption 3.7.
 */
export function blockLipschitz(
  facts: Facts,
  dimension: number,
  coordinates?: ArrayLike<number>,
): number | undefined {
  const whole = usable(facts['lipschitz'], 'every-record');
  let sum = 0;
  for (let k = 0; k < (coordinates?.length ?? dimension); k++) {
    const constant = usable(
      coordinateFact(facts, 'coordinateLipschitz', coordinates?.[k] ?? k),
      'every-record',
    );
    if (constant === undefined) return whole;
    sum = addUp(sum, multiplyUp(constant, constant));
  }
  const root = sqrtUp(sum);
  return whole === undefined ? root : Math.min(whole, root);
}

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
  facts: Facts,
  dimension: number,
  { blocks }: SmoothnessOptions = {},
): Float64Array {
  const roots = Float64Array.from({ length: dimension }, (_, j) => {
    const smoothness = usable(coordinateFact(facts, 'coordinateSmoothness', j));
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
