import {
  addDown,
  addUp,
  divideUp,
  expDown,
  logNormalCdfBounds,
  multiplyDown,
  multiplyUp,
  normalCdfBounds,
  subtractUp,
} from '@lethe/numerics';

/** A double above `1 / √(2π)`. */
const peakDensity = 0.3989422804014327;

/** Lower bound on `e^ε Φ(b)`, in logarithms where one of the factors leaves the doubles. */
function weightedTailDown(epsilon: number, b: number): number {
  const { lower } = normalCdfBounds(b);
  if (epsilon < 700 && lower > 1e-290) return multiplyDown(expDown(epsilon), lower);
  const exponent = addDown(epsilon, logNormalCdfBounds(b).lower);
  return Number.isNaN(exponent) ? 0 : expDown(Math.min(exponent, 0));
}

/**
 * Upper bound on `δ(ε) = Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ)`, the exact δ of Gaussian noise of standard
 * deviation `sigma` on a value of ℓ2 sensitivity 1. Every operation is rounded outwards;
 * `δ(ε) ≤ δ(0) ≤ 1 / (σ √(2π))` helps where ε is tiny.
 *
 * @param epsilon - Positive and finite.
 * @param sigma - Positive and finite.
 * @see Balle and Wang 2018, Theorem 8.
 */
export function gaussianDeltaUp(epsilon: number, sigma: number): number {
  const half = divideUp(0.5, sigma);
  const a = subtractUp(half, multiplyDown(epsilon, sigma));
  const b = -addUp(half, multiplyUp(epsilon, sigma));
  const difference = subtractUp(normalCdfBounds(a).upper, weightedTailDown(epsilon, b));
  return Math.min(difference, multiplyUp(peakDensity, divideUp(1, sigma)));
}
