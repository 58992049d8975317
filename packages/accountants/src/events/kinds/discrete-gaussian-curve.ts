import { Unsupported, addUp, divideUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import type { GaussianCurve } from '@lethe/core';

/** Least deviation of the noise, in steps of the grid. */
const leastDeviation = 1024;

/**
 * Gaussian noise on the whole numbers is Gaussian differential privacy with `μ (1 + 256/σ²)`, σ in steps, `μ` = ℓ2 sensitivity over σ, in
 * every dimension: what is known of real-valued Gaussian noise then holds for it, samples and compositions included.
 *
 * One entry that moves by one step is enough: steps add up in `μ`, and entries in `μ²` (Dong, Roth and Su 2022, Theorem 2.14 and
 * Corollary 3.3). With `h(m)` for which `P(X ≥ m) = Q(h(m))`, the upper tail of N(0, 1), the trade-off of `X` and `X + 1` has its corners at
 * whole thresholds, so that it lies above that of `w` where `h(m + 1) − h(m) ≤ w`. By symmetry take `0 ≤ m ≤ 40σ`; let `t = (m − ½)/σ`.
 *
 * 1. A cell of N(0, σ²) around `j` has at least `e^(−1/8σ²)` and at most `cosh(j/2σ²)` times `P(X = j)`, but for `e^(−19σ²)`. So
 *    `P(X = m) ≤ e^(1/8σ²) (Q(t) − Q(t + 1/σ))`; and by Jensen `Q(h) ≥ Q(t) e^(−κ)`, `κ = (t² + 3)/8σ²`.
 * 2. Hazard rates of N(0, 1) rise and are at least `max(t, ¾)`: `h ≤ t + κ/max(t, ¾)`, so `∫ φ` over `[h, h + 1/σ]` is at least `e^(−1.05κ)`
 *    of that over `[t, t + 1/σ]`. Another `256/σ³` of length, where `φ` has fallen by 4 % at most, adds `245/σ²` of it.
 * 3. `1.05κ + 1/8σ² ≤ 211/σ²` for `t ≤ 40`: `∫ φ` over `[h, h + (1 + 256/σ²)/σ]` is at least `P(X = m)`, and `h(m + 1)` lies within.
 *
 * Thresholds beyond 40σ have tails below `10^−347`: no δ that is a double can tell, for 10²⁰ entries and releases together. The truth
 * is nearer: `1/24` in place of 256 where it was computed.
 *
 * @param mu - Sensitivity over σ, rounded up.
 * @param deviation - σ in steps of the grid, rounded down; 0 when the grid is not known.
 * @throws {Unsupported} below 1024 steps.
 */
export function discreteGaussianCurve(mu: number, deviation: number): GaussianCurve {
  if (!(deviation >= leastDeviation)) {
    throw new Unsupported(`Gaussian noise of ${deviation} steps of its grid is not known to be Gaussian privacy; it is from ${leastDeviation} steps on, where the event states its grid`, { deviation, least: leastDeviation });
  }
  return { lower: 0, mu: multiplyUp(mu, addUp(1, divideUp(256, multiplyDown(deviation, deviation)))), exact: false };
}
