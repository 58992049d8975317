import { Unsupported, addUp, divideUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import type { GaussianCurve } from '@lethe/core';

/** Smallest standard deviation of the noise, in grid steps. */
const leastDeviation = 1024;

/**
 * Discrete Gaussian noise satisfies Gaussian differential privacy with `μ (1 + 256/σ²)`, σ in grid steps and
 * `μ` = ℓ2 sensitivity over σ, in every dimension. Results for real-valued Gaussian noise then apply,
 * including sampling and composition.
 *
 * It suffices to consider one entry that moves by one step: steps add up in `μ`, and entries in `μ²` (Dong,
 * Roth and Su 2022, Theorem 2.14 and Corollary 3.3). Define `h(m)` by `P(X ≥ m) = Q(h(m))`, the upper tail of
 * N(0, 1). The trade-off curve of `X` and `X + 1` has its corners at integer thresholds, so it lies above the
 * curve of `w` if `h(m + 1) − h(m) ≤ w` for all `m`. By symmetry take `0 ≤ m ≤ 40σ`; let `t = (m − ½)/σ`.
 *
 * 1. A cell of N(0, σ²) around `j` has at least `e^(−1/8σ²)` and at most `cosh(j/2σ²)` times `P(X = j)`, but
 *    for `e^(−19σ²)`. So `P(X = m) ≤ e^(1/8σ²) (Q(t) − Q(t + 1/σ))`; and by Jensen `Q(h) ≥ Q(t) e^(−κ)`,
 *    `κ = (t² + 3)/8σ²`.
 * 2. Hazard rates of N(0, 1) rise and are at least `max(t, ¾)`: `h ≤ t + κ/max(t, ¾)`, so `∫ φ` over
 *    `[h, h + 1/σ]` is at least `e^(−1.05κ)` of that over `[t, t + 1/σ]`. Another `256/σ³` of length, where
 *    `φ` has fallen by 4 % at most, adds `245/σ²` of it.
 * 3. `1.05κ + 1/8σ² ≤ 211/σ²` for `t ≤ 40`: `∫ φ` over `[h, h + (1 + 256/σ²)/σ]`
 *    is at least `P(X = m)`, and `h(m + 1)` lies within.
 *
 * Thresholds beyond 40σ have tails below `10^−347`, which no δ in double precision can detect, for 10²⁰
 * entries and releases together. Numerically the constant is about `1/24` instead of 256.
 *
 * @param mu - Sensitivity over σ, rounded up.
 * @param deviation - σ in grid steps, rounded down; 0 when the grid is not known.
 * @throws {Unsupported} below 1024 steps.
 */
export function discreteGaussianCurve(mu: number, deviation: number): GaussianCurve {
  if (!(deviation >= leastDeviation)) {
    throw new Unsupported(
      `discrete Gaussian noise of ${deviation} grid steps has no known Gaussian privacy curve; ` +
        `the event must state its grid, and the noise must be at least ${leastDeviation} steps`,
      { deviation, least: leastDeviation },
    );
  }
  return {
    lower: 0,
    mu: multiplyUp(mu, addUp(1, divideUp(256, multiplyDown(deviation, deviation)))),
    exact: false,
  };
}
