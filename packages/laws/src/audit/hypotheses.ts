import { bisectBracket, logBinomial, normalCdf, normalQuantile } from '@lethe/numerics';
import { gaussianCurve } from '../divergence/index.js';

/** The guesses of a threshold among all canaries. */
export interface Trial {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
}

/** Whether these guesses refute the claim, at a significance. */
export type Falsifies = (
  trial: Trial,
  epsilon: number,
  at: { readonly delta: number; readonly significance: number },
) => boolean;

/**
 * Under (ε, δ)-DP training the probability of `correct` or more right guesses is at most
 * `P(W ≥ correct) + 2 δ m maxᵢ P(correct > W ≥ correct − i)/i` for `W` binomial with success probability
 * `e^ε/(1 + e^ε)` and `m` canaries.
 *
 * @see Steinke, Nasr, Jagielski 2023, Theorem 5.2.
 */
export const approximateFalsified: Falsifies = (
  { canaries, guesses, correct },
  epsilon,
  { delta, significance },
) => {
  const right = -Math.log1p(Math.exp(-epsilon));
  const wrong = -Math.log1p(Math.exp(epsilon));
  const probability = (k: number): number =>
    Math.exp(logBinomial(guesses, k) + k * right + (guesses - k) * wrong);
  let tail = 0;
  for (let k = correct; k <= guesses; k++) tail += probability(k);
  if (tail > significance || delta === 0) return tail <= significance;
  let [below, most] = [0, 0];
  for (let i = 1; i <= correct; i++) {
    below += probability(correct - i);
    most = Math.max(most, below / i);
    if (1 / (i + 1) <= most) break;
  }
  return tail + 2 * delta * canaries * most <= significance;
};

/** μ of the Gaussian trade-off curve through (ε, δ). */
function shiftOf(epsilon: number, delta: number): number {
  let top = 1;
  while (gaussianCurve(top, epsilon).lower <= delta) top *= 2;
  return bisectBracket((mu) => (gaussianCurve(mu, epsilon).upper <= delta ? -1 : 1), 0, top).lower;
}

/**
 * The claim: the training is as private as Gaussian noise with exactly (ε, δ)-DP. A recursion over the number
 * of right guesses decides whether that many are possible at the significance.
 *
 * @see Mahloujifar, Melis, Chaudhuri 2024, Algorithm 3.
 */
export const gaussianFalsified: Falsifies = (
  { canaries, guesses, correct },
  epsilon,
  { delta, significance },
) => {
  const mu = shiftOf(epsilon, delta);
  const shrunk = (x: number): number => {
    if (x <= 0) return 0;
    return x >= 1 ? 1 : normalCdf(normalQuantile(x) - mu);
  };
  let right = (significance * correct) / canaries;
  let wrong = (significance * (guesses - correct)) / canaries;
  for (let i = correct - 1; i >= 0; i--) {
    const more = Math.max(wrong, shrunk(right));
    if (more === wrong) break;
    right = Math.min(1, right + (i / (guesses - i)) * (more - wrong));
    wrong = more;
  }
  return right + wrong > guesses / canaries;
};
