import {
  composedEvent,
  filteredEvent,
  gaussianEvent,
  sampledEvent,
  type CoreEvent,
  type PrivacyEvent,
} from '@lethe/core';

/** Highest order of the moments by which splits are compared. */
const mostOrder = 48;
/** The δ at which they are compared; the event holds at every one. */
const comparedAt = 1e-6;
/** Covers the rounding of inner products, of their differences and of square roots. */
const [margin, root] = [1 + 2 ** -40, 1 + 2 ** -50];

/** A bound on a stream over bins, by two independent parts: one Gaussian, and one of `bins` batches. */
export interface SplitBins {
  readonly bins: number;
  /** Norm of the part that all bins have in common. */
  readonly common: number;
  /** Norm of the part that a bin has alone. */
  readonly own: number;
}

/**
 * Bounds on `P = (1/b) Σ_j N(m_j, σ² I)` against `Q = N(0, σ² I)`, in both directions, for inner products
 * `⟨m_j, m_l⟩` that are at least 0. The bins `j ≡ r` modulo a stride are kept and `r` is revealed, which is
 * no less by convexity. Of those left let `c²` be the largest product of two, and `v` the largest square.
 *
 * `P/Q = (1/k) Σ_j exp(X_j − E X_j²/2)` with `X` Gaussian under `Q` and `E X_j X_l = ⟨m_j, m_l⟩/σ²`. By
 * Kahane's inequality the mean of a convex function of such a sum does not fall when covariances grow. Both
 * profiles are such means, of `(x − e^ε)₊` and of `(1 − e^ε x)₊`. With all covariances at `c²/σ²`, and
 * variances at `v/σ²`, the ratio is that of a Gaussian release at norm `c` beside a random allocation to `k`
 * batches at norm `√(v − c²)`.
 *
 * Where a record is replaced, by the opposite at worst, the ratio is that of two such sums, and the
 * inequality holds as well: products within each of them grow, and those between them fall.
 *
 * @see Kahane 1985, Sur le chaos multiplicatif, for the inequality.
 * @param products - `⟨m_j, m_l⟩`.
 */
export function splitsOfBins(products: readonly Float64Array[]): readonly SplitBins[] {
  const all = products.length;
  const square = products.reduce((most, row, j) => Math.max(most, row[j]), 0) * margin ** 2;
  const found: SplitBins[] = [];
  for (let stride = 1; stride < all; stride = Math.max(stride + 1, Math.floor(stride * 1.2))) {
    const bins = Math.floor(all / stride);
    if (bins < 2) break;
    const common = Math.max(0, largestApart(products, stride)) * margin;
    found.push({
      bins,
      common: Math.sqrt(common) * root,
      own: Math.sqrt(Math.max(0, square - common)) * root,
    });
  }
  return [...found, { bins: 1, common: 0, own: Math.sqrt(square) * root }];
}

/** The largest inner product of two bins a multiple of `stride` apart. */
function largestApart(products: readonly Float64Array[], stride: number): number {
  let most = 0;
  products.forEach((row, j) => {
    for (let l = j + stride; l < row.length; l += stride) most = Math.max(most, row[l]);
  });
  return most;
}

/** The cost of a split, as an upper bound alone. */
export function splitEvent({ bins, common, own }: SplitBins, sigma: number): PrivacyEvent {
  const gaussian = (norm: number): CoreEvent =>
    gaussianEvent(sigma, { 'replace-one': 2 * norm, 'add-remove': norm, 'zero-out': norm });
  const batches =
    bins === 1 ? gaussian(own) : sampledEvent({ kind: 'core/random-allocation', steps: bins }, gaussian(own));
  const parts = [...(common > 0 ? [gaussian(common)] : []), ...(own > 0 ? [batches] : [])];
  return filteredEvent(parts.length === 1 ? parts[0] : composedEvent(parts));
}

/**
 * About ε of a split, by the Rényi divergences of a removed record at whole orders: a score by which to
 * choose, and no bound.
 */
export function scoreOfSplit({ bins, common, own }: SplitBins, sigma: number): number {
  const [shared, alone] = [(common / sigma) ** 2, (own / sigma) ** 2];
  const moments = logMoments(bins, alone);
  let least = Infinity;
  for (let order = 2; order <= mostOrder; order++)
    least = Math.min(least, scoreAt(order, ((order * (order - 1)) / 2) * shared + moments[order]));
  return least;
}

/** About ε of a divergence, given as the logarithm of a moment. */
export const scoreAt = (order: number, logMoment: number): number =>
  (logMoment - Math.log(comparedAt)) / (order - 1);

/** `log E[(mean of so many e^{X − E X²/2})^α]` for independent Gaussian `X` of a variance, by order `α`. */
function logMoments(count: number, variance: number): Float64Array {
  const factorials = new Float64Array(mostOrder + 1);
  for (let k = 2; k <= mostOrder; k++) factorials[k] = factorials[k - 1] + Math.log(k);
  const one = factorials.map((log, k) => ((k * (k - 1)) / 2) * variance - log);
  let power: Float64Array = one;
  for (const bit of count.toString(2).slice(1)) {
    power = product(power, power);
    if (bit === '1') power = product(power, one);
  }
  return power.map((log, k) => log + factorials[k] - k * Math.log(count));
}

/** Logarithms of the coefficients of a product of power series. */
function product(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((_log, k) => {
    let peak = -Infinity;
    for (let j = 0; j <= k; j++) peak = Math.max(peak, a[j] + b[k - j]);
    let sum = 0;
    for (let j = 0; j <= k; j++) sum += Math.exp(a[j] + b[k - j] - peak);
    return peak + Math.log(sum);
  });
}
