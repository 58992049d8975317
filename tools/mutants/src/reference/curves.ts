import { normalCdf } from '@lethe/numerics';

/** δ(ε) of μ-Gaussian privacy, to the accuracy of doubles. */
export const gaussianCurve = (mu: number, epsilon: number): number =>
  Math.max(0, normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu));

/** Least δ over a grid of orders. */
export function renyiCurve(divergence: (alpha: number) => number, epsilon: number): number {
  let least = 0;
  for (let t = -8; t < 12; t += 1 / 8) {
    const beta = Math.exp(t);
    const alpha = 1 + beta;
    least = Math.min(
      least,
      beta * (divergence(alpha) - epsilon) + beta * Math.log(beta / alpha) - Math.log(alpha),
    );
  }
  return Math.exp(least);
}
