/** Public numbers of a mean: `‖z‖₂ ≤ radius`, at most `sparsity` entries that are not 0, n records. */
export interface Released {
  readonly radius: number;
  readonly sparsity: number;
  readonly dimension: number;
  readonly n: number;
  readonly epsilon: number;
  readonly delta: number;
}

/** `s^{1/p − 1/q}`: by how much the p-norm of s entries exceeds their q-norm at most. */
export const sparseNormRatio = (sparsity: number, p: number, q: number): number =>
  sparsity ** (1 / p - 1 / q);

/** Scale of the Laplace noise of Algorithm 1. */
export const printedLaplaceScale = ({ radius, sparsity, n, epsilon }: Released): number =>
  (2 * radius * Math.sqrt(sparsity)) / (n * epsilon);

/** Variance of the Gaussian noise of Algorithm 1. */
export const printedGaussianVariance = ({ radius, n, epsilon, delta }: Released): number =>
  (8 * radius ** 2 * Math.log(1.25 / delta)) / (n * epsilon) ** 2;

/** Variance of the Gaussian noise of Algorithm 2 on its measurements. */
export const printedRecoveryVariance = ({ radius, n, epsilon, delta }: Released): number =>
  (18 * radius ** 2 * Math.log(2.5 / delta)) / (n * epsilon) ** 2;

/** Noise multiplier of Fact 2.3(b). */
export const textbookMultiplier = (epsilon: number, delta: number): number =>
  Math.sqrt(2 * Math.log(1.25 / delta)) / epsilon;

/** The square that Lemma 3.1 bounds the error by, for noise of this largest entry. */
export const lemmaBound = (radius: number, sparsity: number, largest: number): number =>
  2 * radius * Math.sqrt(sparsity) * largest;

/** What entries of Laplace noise of scale 1 exceed with probability β at most, and their ℓ2 norm. */
export const laplaceQuantiles = (dimension: number, beta: number): Quantiles => ({
  largest: Math.log(dimension / beta),
  length: Math.sqrt(dimension) * Math.log(dimension / beta),
});

/** The same of Gaussian noise of variance 1. */
export const gaussianQuantiles = (dimension: number, beta: number): Quantiles => ({
  largest: Math.sqrt(2 * Math.log((2 * dimension) / beta)),
  length: Math.sqrt(dimension) + Math.sqrt(2 * Math.log(1 / beta)),
});

/** Bounds on noise in the largest entry, and in ℓ2. */
export interface Quantiles {
  readonly largest: number;
  readonly length: number;
}

/** Bounds on `E‖ξ‖∞` for noise of scale 1, and for Gaussian noise of variance 1. */
export const laplaceLargest = (dimension: number): number => 1 + Math.log(dimension);
export const gaussianLargest = (dimension: number): number => Math.sqrt(2 * Math.log(2 * dimension));

/** Theorem 3.2 with its constants. */
export const pureError = (
  { radius: L, sparsity: s, dimension: d, n, epsilon }: Released,
  beta: number,
): number => {
  const rate = Math.log(d / beta) / (n * epsilon);
  return Math.min(2 * L * Math.sqrt(s * d) * rate, 2 * L * Math.sqrt(s * rate));
};

/** Theorem 3.3 with its constants. */
export const approximateError = (
  { radius: L, sparsity: s, dimension: d, n, epsilon, delta }: Released,
  beta: number,
): number => {
  const log = Math.log(1.25 / delta);
  const scale = 2 * Math.SQRT2 * L;
  return Math.min(
    (scale * Math.sqrt(log) * (Math.sqrt(d) + Math.sqrt(2 * Math.log(1 / beta)))) / (n * epsilon),
    (scale * (s * log * Math.log((2 * d) / beta)) ** 0.25) / Math.sqrt(n * epsilon),
  );
};

/** `E‖(v₁ + … + v_K)/K − z̄‖²` of K independent draws of points with weights and the mean z̄. */
export const averagedDraws = (
  points: readonly (readonly number[])[],
  weights: readonly number[],
  draws: number,
): number => {
  const square = (x: readonly number[]): number => x.reduce((sum, entry) => sum + entry ** 2, 0);
  const mean = points[0].map((_, j) => points.reduce((sum, point, i) => sum + weights[i] * point[j], 0));
  return (points.reduce((sum, point, i) => sum + weights[i] * square(point), 0) - square(mean)) / draws;
};

/** `ε_{[0:t]}` of Theorem A.4. */
export const filteredEpsilon = (epsilons: readonly number[], concentration: number): number => {
  const squares = epsilons.reduce((sum, epsilon) => sum + epsilon ** 2, 0);
  return Math.sqrt(2 * Math.log(1 / concentration) * squares) + squares / 2;
};

/** Where Algorithm 2 adds noise to the mean itself. */
export const printedGaussianBranch = (dimension: number, measurements: number): boolean =>
  dimension < measurements * Math.log(measurements) ** 2;
