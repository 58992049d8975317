import type { Vector } from '@lethe/core';

/** `δ ln((1 + δ)/(1 − δ))`: Kullback–Leibler divergence of one toss between coins with biases δ and −δ. */
export const coinDivergence = (bias: number): number => bias * (Math.log1p(bias) - Math.log1p(-bias));

/** `½ ln(1/(1 − δ²))`: Kullback–Leibler divergence of a fair coin from a coin of bias δ. */
export const pairDivergence = (bias: number): number => -Math.log1p(-bias * bias) / 2;

/** The word nearest to a point, in Euclidean distance. */
export function nearestWord(words: readonly Vector[], point: Vector): Vector {
  const distance = (word: Vector): number => word.reduce((sum, entry, j) => sum + (entry - point[j]) ** 2, 0);
  return words.reduce((best, word) => (distance(word) < distance(best) ? word : best));
}

/**
 * Bound on `‖w − w_ν‖²/2` by Fano's inequality over a code, for signs of bias `δ`, per unit of `‖μ_ν‖`: the
 * error probability is at least `1 − (n·KL + ln 2)/ln|V|`, and an error costs an eighth of the squared
 * separation of words.
 */
export function fanoHeight({
  n,
  dimension,
  bias,
  separation,
  logWords,
}: {
  readonly n: number;
  readonly dimension: number;
  readonly bias: number;
  readonly separation: number;
  readonly logWords: number;
}): number {
  return (separation / 8) * (1 - (n * dimension * coinDivergence(bias) + Math.LN2) / logWords);
}

/** `E|x_j − E x_j|^k` of the rare records `x = p^(−1/k) ν`, null except with probability `p`. */
export const spikeCoordinateMoment = ({
  probability: p,
  order: k,
}: {
  readonly probability: number;
  readonly order: number;
}): number => (1 - p) ** k + (1 - p) * p ** (k - 1);

/** Radius of the domain in the private strongly convex instance: √d. */
export const meanRadius = ({
  dimension,
}: {
  readonly dimension: number;
  readonly probability: number;
  readonly order: number;
}): number => Math.sqrt(dimension);
/** As printed: the ball of radius `√d p^(−1/k)`, which grows with `n`. */
export const printedMeanRadius = ({
  dimension,
  probability,
  order,
}: {
  readonly dimension: number;
  readonly probability: number;
  readonly order: number;
}): number => Math.sqrt(dimension) * probability ** (-1 / order);

/**
 * One step of the earlier descent: `w − g/(λ + L)`, for λ-strongly convex and L-smooth risks. Inside of the
 * domain.
 */
export const restatedStep = ({
  point,
  gradient,
  convexity,
  smoothness,
}: {
  readonly point: Vector;
  readonly gradient: Vector;
  readonly convexity: number;
  readonly smoothness: number;
}): Vector => point.map((x, j) => x - gradient[j] / (convexity + smoothness));

/** The contraction factor of the iteration of Eq. 7, as printed in Eq. 8. */
export const printedContraction = (convexity: number, smoothness: number): number =>
  1 - (2 * convexity * smoothness) / (convexity + smoothness) ** 2;

/**
 * Mean of `Y^q` where `Y ≤ cut`, for the Pareto tail `P(Y > y) = y^(−shape)`, `y ≥ 1`: unbounded in `cut` for
 * `q ≥ shape`.
 */
export const paretoMoment = ({
  shape,
  order,
  cut,
}: {
  readonly shape: number;
  readonly order: number;
  readonly cut: number;
}): number =>
  order === shape
    ? shape * Math.log(cut)
    : (shape * Math.expm1((order - shape) * Math.log(cut))) / (order - shape);

/** Factor of a sum in the repair by Young's inequality; the sum diverges if it is at least 1. */
export const youngFactor = (convexity: number, smoothness: number): number =>
  2 * printedContraction(convexity, smoothness);

/** Part 3 of the strongly convex bound: the statistical term, of `γ_2^½`. */
export const coordinateTerm = ({
  secondMoment,
  dimension,
  n,
  convexity,
}: {
  readonly secondMoment: number;
  readonly dimension: number;
  readonly n: number;
  readonly convexity: number;
  readonly order: number;
}): number => (secondMoment ** 2 * dimension) / (convexity * n);
/** As printed, with `γ_2^(2/k)`. */
export const printedCoordinateTerm = ({
  secondMoment,
  dimension,
  n,
  convexity,
  order,
}: {
  readonly secondMoment: number;
  readonly dimension: number;
  readonly n: number;
  readonly convexity: number;
  readonly order: number;
}): number => (secondMoment ** (4 / order) * dimension) / (convexity * n);
