import { addDown, addUp, type Bounds, divideDown, divideUp, erfcx, expDown, expUp, findRoot, multiplyDown, multiplyUp, normalCdfBounds, normalQuantileOfLog, subtractDown, subtractUp } from '@lethe/core';

const sqrtHalf = 0.707_106_781_186_547_5;
/** Error granted to `erfcx`, which is four times what it has, and to the rounding of its argument. */
const erfcxError = 8e-15;

/**
 * Bounds of `δ(ε) = Φ(−x) − e^ε Φ(−y)` of `μ`-Gaussian privacy, with `x = ε/μ − μ/2` and `y = ε/μ + μ/2`.
 *
 * The second term is written `½ e^{−x²/2} erfcx(y/√2)`, in which nothing overflows and no large exponents cancel.
 * @see Balle, Wang 2018, Theorem 8.
 */
export function gaussianDelta(mu: number, epsilon: number): Bounds {
  if (mu === 0 || epsilon === Infinity) return { lower: 0, upper: 0 };
  if (mu === Infinity) return { lower: 1, upper: 1 };
  const half = mu / 2;
  const lowX = subtractDown(divideDown(epsilon, mu), half);
  const highX = subtractUp(divideUp(epsilon, mu), half);
  const highY = addUp(divideUp(epsilon, mu), half);
  const lowY = addDown(divideDown(epsilon, mu), half);
  const [leastSquare, largestSquare] = squares(lowX, highX);
  const scaled = (y: number): number => 0.5 * erfcx(y * sqrtHalf);
  const smallest = multiplyDown(expDown(-largestSquare / 2), scaled(highY) * (1 - erfcxError));
  const largest = multiplyUp(expUp(-leastSquare / 2), scaled(lowY) * (1 + erfcxError));
  return {
    lower: Math.max(0, subtractDown(normalCdfBounds(-highX).lower, largest)),
    upper: Math.min(1, Math.max(0, subtractUp(normalCdfBounds(-lowX).upper, smallest))),
  };
}

/** Bounds of `x²` over an interval. */
function squares(low: number, high: number): readonly [number, number] {
  const near = low > 0 ? low : high < 0 ? -high : 0;
  const far = Math.max(Math.abs(low), Math.abs(high));
  return [multiplyDown(near, near), multiplyUp(far, far)];
}

/** Least ε, rounded up, at which `mu`-Gaussian privacy gives (ε, δ). */
export function gaussianEpsilonUpper(mu: number, delta: number): number {
  const bound = (epsilon: number): number => gaussianDelta(mu, epsilon).upper;
  return edge(mu, delta, bound, (value) => value <= delta)[1];
}

/** The same rounded down: below it the Gaussian pair exceeds δ. */
export function gaussianEpsilonLower(mu: number, delta: number): number {
  const bound = (epsilon: number): number => gaussianDelta(mu, epsilon).lower;
  return edge(mu, delta, bound, (value) => value < delta)[0];
}

/** Neighbouring ε, the bound of δ being too large at the first and met at the second. */
function edge(mu: number, delta: number, bound: (epsilon: number) => number, met: (value: number) => boolean): readonly [number, number] {
  if (mu === 0 || delta >= 1) return [0, 0];
  if (delta === 0 || mu === Infinity) return [Infinity, Infinity];
  if (met(bound(0))) return [0, 0];
  // Φ(−x) ≥ δ(ε), so the quantile of δ is beyond the edge but for rounding.
  let high = Math.max(Number.MIN_VALUE, mu * (mu / 2 - normalQuantileOfLog(Math.log(delta))));
  let low = 0;
  while (high === Infinity || !met(bound(high))) {
    if (high === Infinity) return [low, Infinity];
    low = high;
    high *= 1.0625;
  }
  const { lower, upper } = findRoot((epsilon) => {
    const value = bound(epsilon);
    const size = Math.min(1000, Math.max(2 ** -60, Math.abs(Math.log(value / delta))));
    return met(value) ? -size : size;
  }, low, high);
  return [lower, upper];
}
