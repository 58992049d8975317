/** A run of μ²-SGD, as its bound sees it. */
export interface Mu2Run {
  /** `T`. */
  readonly rounds: number;
  /** `b`: records a round; with silos `1/Σ p_i²/b_i`. */
  readonly batchSize: number;
  /** `η`. */
  readonly stepSize: number;
  readonly dimension: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
  /** `L`. */
  readonly smoothness: number;
  /** `G*`: bound on the gradient of the risk at its minimiser; 0 where that is inside the domain. */
  readonly slopeAtMinimiser: number;
  /** `σ̃`: bound on `E‖s_t − E s_t‖²`, as a root, for one record. */
  readonly increments: number;
  /** Standard deviations of one entry of the noise of the sums `q_1 … q_T`. */
  readonly deviations: ArrayLike<number>;
  /** Whether the noise of every sum is independent of all earlier ones. */
  readonly independent: boolean;
}

/**
 * Bound on the expected excess risk of `x_T`, for independent records and losses that are convex and
 * `L`-smooth on a neighbourhood of the domain of width `D`:
 * `(4/T²)[D²/(2η) + N + Dσ̃ T^{3/2}/√b + T D G*]`. The noise costs `N = (η/2) d Σ_t V_t` where that of every
 * sum is independent, since then it is independent of `w_t` too, and `N = D√d Σ_t √V_t` otherwise.
 *
 * Proof: `α_{1:t}(f(x_t) − f*) ≤ Σ τ⟨∇f(x_τ), w_τ − x*⟩`, which is split into the step (`D²/(2η)` less the
 * squares of the moves), the slope at the minimiser (by parts, `tG*D`), the rest of the slope, whose square
 * is at most `4Lα_{1:τ}(f(x_τ) − f*)`, the errors of the sums, which are martingales, and the noise;
 * `η ≤ 1/(4LT)` absorbs the squares.
 *
 * @returns `null` where `η > 1/(4LT)`, for which nothing is proved.
 */
export function mu2Risk(run: Mu2Run): number | null {
  const { rounds: T, stepSize, diameter: D, smoothness: L, dimension: d, deviations } = run;
  if (stepSize * 4 * L * T > 1 + 1e-12) return null;
  let [variances, sizes] = [0, 0];
  for (let t = 0; t < T; t++) {
    variances += deviations[t] ** 2;
    sizes += deviations[t];
  }
  const noise = run.independent ? (stepSize / 2) * d * variances : D * Math.sqrt(d) * sizes;
  const errors = (D * run.increments * T ** 1.5) / Math.sqrt(run.batchSize);
  return (4 * (D ** 2 / (2 * stepSize) + noise + errors + T * D * run.slopeAtMinimiser)) / T ** 2;
}

/**
 * The step with the least bound: `min{D/√(d Σ_t V_t), 1/(4LT)}` for independent noise of the sums, which is
 * `D/√(TdV)` for noise of one variance; `1/(4LT)` for correlated noise of smooth losses.
 */
export function mu2StepSize({
  rounds: T,
  dimension: d,
  diameter: D,
  smoothness: L,
  increments,
  deviations,
  independent,
}: Omit<Mu2Run, 'stepSize' | 'batchSize' | 'slopeAtMinimiser'>): number {
  let variances = 0;
  for (let t = 0; t < T; t++) variances += deviations[t] ** 2;
  const largest = L > 0 ? 1 / (4 * L * T) : Infinity;
  if (!independent && L > 0) return largest;
  const best = Math.min(D / Math.sqrt(d * variances), largest);
  // Linear losses without noise have a bound at every step; here its first term is its third.
  return best < Infinity ? best : D / (2 * increments * T ** 1.5);
}
