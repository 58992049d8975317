import { bisectBracket, logBinomial, normalCdf, normalQuantile } from '@lethe/numerics';
import { gaussianCurve } from '../divergence/index.js';

/** A threshold's guesses among all canaries. */
export interface Trial { readonly canaries: number; readonly guesses: number; readonly correct: number }

/** Whether guesses as good as these are too good for what is claimed, at a significance. */
export type Falsifies = (trial: Trial, epsilon: number, at: { readonly delta: number; readonly significance: number }) => boolean;

/**
 * No (ε, δ)-DP training lets `correct` of the guesses be right with more probability than `P(W ≥ correct) + 2 δ m maxᵢ P(correct > W ≥ correct − i)/i`
 * for `W` binomial with success probability `e^ε/(1 + e^ε)` and `m` canaries.
 *
 * @see Steinke, Nasr, Jagielski 2023, Theorem 5.2.
 */
export const approximateFalsified: Falsifies = ({ canaries, guesses, correct }, epsilon, { delta, significance }) => {
  const right = -Math.log1p(Math.exp(-epsilon)), wrong = -Math.log1p(Math.exp(epsilon));
  const probability = (k: number): number => Math.exp(logBinomial(guesses, k) + k * right + (guesses - k) * wrong);
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

/** μ of the Gaussian trade-off curve that meets (ε, δ) and no less. */
function shiftOf(epsilon: number, delta: number): number {
  let top = 1;
  while (gaussianCurve(top, epsilon).lower <= delta) top *= 2;
  return bisectBracket((mu) => (gaussianCurve(mu, epsilon).upper <= delta ? -1 : 1), 0, top).lower;
}

/**
 * The claim is that the training is as private as Gaussian noise that is just (ε, δ)-DP. Whether that many right guesses could come
 * at the significance follows from a recursion over the number of right guesses.
 *
 * @see Mahloujifar, Melis, Chaudhuri 2024, Algorithm 3.
 */
export const gaussianFalsified: Falsifies = ({ canaries, guesses, correct }, epsilon, { delta, significance }) => {
  const mu = shiftOf(epsilon, delta);
  const shrunk = (x: number): number => (x <= 0 ? 0 : x >= 1 ? 1 : normalCdf(normalQuantile(x) - mu));
  let right = (significance * correct) / canaries, wrong = (significance * (guesses - correct)) / canaries;
  for (let i = correct - 1; i >= 0; i--) {
    const more = Math.max(wrong, shrunk(right));
    if (more === wrong) break;
    right = Math.min(1, right + (i / (guesses - i)) * (more - wrong));
    wrong = more;
  }
  return right + wrong > guesses / canaries;
};
