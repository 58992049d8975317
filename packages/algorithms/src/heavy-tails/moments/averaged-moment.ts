import { requireNonNegative } from '../../common/require.js';

/**
 * `R̃_{k,n} = √(Σ_i 2⁻ⁱ r̃²_{k,n_i})` with `n_i = 2⁻ⁱn`: the moment that the localized method pays, at most
 * `r̃_k` since empirical moments shrink with their number.
 *
 * @param moments - `r̃_{k,n_i}` for `i = 1, 2, …, log₂ n`, as roots.
 * @throws {InvalidParameter} unless each is finite and at least 0.
 * @see Lowy and Razaviyayn, Appendix G.1, Lemma 35.
 */
export function averagedMoment(moments: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < moments.length; i++) {
    requireNonNegative({ [`moments[${i}]`]: moments[i] });
    sum += 2 ** -(i + 1) * moments[i] ** 2;
  }
  return Math.sqrt(sum);
}
