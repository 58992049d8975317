/* Formulas of the paper about moments, and their consequences. Names say root or power. */

/** Theorem 45: `(1 + 2^(2k+1))^(1/k)`, by which the limit of `R̃²_(2k,n)` may exceed `r²_(2k)`. */
export const limitConstant = (k: number): number => (1 + 2 ** (2 * k + 1)) ** (1 / k);

/**
 * Relative increase of the moment of order `2k` by the cells of a grid: `2^(2k)(αβ/r)^(2k)` for points `α`
 * apart and `share = αβ/r`.
 */
export const gridTerm = (k: number, share: number): number => (2 * share) ** (2 * k);

/** `αβ/r` of the grid: the proof needs 1 and prints 2. */
export const gridShare = Object.freeze({ corrected: (): number => 1, printed: (): number => 2 });

/**
 * Definition 44: the smallest `s` with `P(|Y| ≥ t) ≤ 2e^(−t/s)` for all `t`, for a distribution on finitely
 * many numbers.
 */
export function subexponentialScale({
  values,
  probabilities,
}: {
  readonly values: readonly number[];
  readonly probabilities: readonly number[];
}): number {
  const tail = (t: number): number =>
    values.reduce((sum, value, i) => sum + (Math.abs(value) >= t ? probabilities[i] : 0), 0);
  return Math.max(...values.map((value) => Math.abs(value) / Math.log(2 / tail(Math.abs(value)))));
}

/** `(E|N|^a)` of a standard normal `N`, for whole `a`. */
const absoluteMoment = (a: number): number =>
  Array.from({ length: Math.floor(a / 2) }, (_, i) => a - 1 - 2 * i).reduce(
    (product, factor) => product * factor,
    1,
  ) * (a % 2 === 0 ? 1 : Math.sqrt(2 / Math.PI));

/**
 * Example 1: `(E(x² + |xy|)^k)^(1/k)` for standard normal numbers, independent or one number, and whole `k`.
 */
export function exampleMoment({
  order: k,
  equal,
}: {
  readonly order: number;
  readonly equal: boolean;
}): number {
  if (equal) return 2 * absoluteMoment(2 * k) ** (1 / k);
  let [sum, choose] = [0, 1];
  for (let j = 0; j <= k; j++) {
    sum += choose * absoluteMoment(2 * k - j) * absoluteMoment(j);
    choose = (choose * (k - j)) / (j + 1);
  }
  return sum ** (1 / k);
}

/** Example 1: largest gradient for numbers of size up to `a`. */
export const exampleLipschitz = (a: number): number => 2 * a ** 2;

/** Eq. 5: `2^(k−1)(‖u − v‖^k + ‖v‖^k)`. */
export const powerSplit = ({
  order: k,
  apart,
  other,
}: {
  readonly order: number;
  readonly apart: number;
  readonly other: number;
}): number => 2 ** (k - 1) * (apart ** k + other ** k);

/** Lemma 21 with the sharp constant: `r_k ≤ 2√d γ_k^(1/k)` where the mean is at most `√d γ_k^(1/k)`. */
export const normMoment = ({
  dimension,
  root,
}: {
  readonly dimension: number;
  readonly order: number;
  readonly root: number;
}): number => 2 * Math.sqrt(dimension) * root;

/** Probability that a Lipschitz constant exceeds a multiple of its `r̃_k`. */
export const tailBound = ({ order, times }: { readonly order: number; readonly times: number }): number =>
  times ** -order;

/** Distance of a regularised minimiser from the regulariser's centre: `L/λ`; the paper has twice that. */
export const minimiserDistance = ({
  lipschitz,
  strength,
}: {
  readonly lipschitz: number;
  readonly strength: number;
}): number => lipschitz / strength;
