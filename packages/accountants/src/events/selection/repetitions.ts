/**
 * Number of runs of a capped selection: `K = k` with probability `γ(1 − γ)^(k − 1)` for `k < cap`, else
 * `K = cap`, so `P(K ≥ j) = (1 − γ)^(j − 1)` up to the cap. The generating function is `f(x) = E x^K`.
 */
export interface Repetitions {
  /** γ, in (0, 1]. */
  readonly stopProbability: number;
  readonly cap: number;
}

/**
 * Error bound of {@link logSlope} and {@link meanRepetitions}: their powers amplify rounding errors of
 * exponents up to 745 times.
 */
export const logSlopeError = 2 ** -38;

/**
 * `1 − (1 − γ)(1 − s)`: the probability that a run is the last one or lacks a property of probability
 * `1 − s`.
 */
const stopOrMiss = (stop: number, s: number): number => stop + (1 - stop) * s;

/**
 * `log f′(1 − s)`, up to {@link logSlopeError}. With `z = (1 − γ)(1 − s)`, `f′` is
 * `γ Σ_{k<cap} k z^(k−1) + cap z^(cap−1)`.
 *
 * @param s - In [0, 1].
 * @param x - `1 − s`, which may be more precise than the difference; for rare stops `f′` is a power of it.
 */
export function logSlope({ stopProbability, cap }: Repetitions, s: number, x: number = 1 - s): number {
  if (cap === 1) return 0;
  if (x === 0 || stopProbability === 1) return Math.log(stopProbability);
  const w = stopOrMiss(stopProbability, s);
  const logZ = x < 0.5 ? Math.log1p(-stopProbability) + Math.log(x) : Math.log1p(-w);
  return Math.log(stopProbability * weightedSum(cap - 1, w, logZ) + cap * Math.exp((cap - 1) * logZ));
}

/** `f(x)`: the probability that all runs have a property of probability `x = 1 − s`. */
export function allRuns({ stopProbability, cap }: Repetitions, x: number, s: number): number {
  if (x === 0) return 0;
  const w = stopOrMiss(stopProbability, s);
  const logZ = x < 0.5 ? Math.log1p(-stopProbability) + Math.log(x) : Math.log1p(-w);
  return x * ((stopProbability * -Math.expm1((cap - 1) * logZ)) / w + Math.exp((cap - 1) * logZ));
}

/** `Σ_{k=1}^{m} k z^(k−1) = (1 − z^m (1 + m w)) / w²` with `z = 1 − w`. */
function weightedSum(m: number, w: number, logZ: number): number {
  if (m * w >= 2) return (1 - Math.exp(m * logZ) * (1 + m * w)) / (w * w);
  // Series in w: Σ_{j≥2} (j − 1) C(m + 1, j) (−w)^(j−2); its terms shrink from the third one.
  let binomial = ((m + 1) / 2) * m;
  let sum = binomial;
  for (let j = 3; j <= m + 1; j++) {
    binomial *= -w * ((m + 2 - j) / j);
    const term = (j - 1) * binomial;
    sum += term;
    if (Math.abs(term) < 2 ** -56 * sum) break;
  }
  return sum;
}

/** `E K = f′(1)`, up to a relative error of 2^-48. */
export function meanRepetitions({ stopProbability, cap }: Repetitions): number {
  return stopProbability === 1 ? 1 : -Math.expm1(cap * Math.log1p(-stopProbability)) / stopProbability;
}

/**
 * Probability that at least one run fails, if each fails with probability `delta`:
 * `1 − f(1 − δ) = δ Σ_{j≤cap} z^(j−1)`; rounded up.
 */
export function failureOfAny({ stopProbability, cap }: Repetitions, delta: number): number {
  if (delta === 0 || delta === 1) return delta;
  const w = stopOrMiss(stopProbability, delta);
  const runs = w >= 1 ? 1 : -Math.expm1(cap * Math.log1p(-w)) / w;
  return Math.min(1, delta * runs * (1 + 2 ** -40) + Number.MIN_VALUE);
}
