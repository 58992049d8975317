import { eachSequence } from './problems.js';

/**
 * Unconstrained descent on `½ Σ λ_j w_j²`, from `offsets`, under
 * a constant bias and noise of one variance per coordinate.
 */
export interface ExactDescent {
  readonly eigenvalues: readonly number[];
  readonly offsets: readonly number[];
  readonly bias: readonly number[];
  readonly variances: readonly number[];
  readonly stepSizes: readonly number[];
}

/**
 * `E ½ Σ λ_j w_j²` of the last iterate and of the average of `w_1, w_2, …` with `weights`, by the recursion
 * of the joint moments of iterate and sum.
 */
export function exactDescentRisk(
  { eigenvalues, offsets, bias, variances, stepSizes }: ExactDescent,
  weights: readonly number[] = [],
): { readonly last: number; readonly average: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let last = 0;
  let average = 0;
  eigenvalues.forEach((lambda, j) => {
    let mean = offsets[j];
    let sum = 0;
    let own = 0;
    let cross = 0;
    let spread = 0;
    stepSizes.forEach((eta, t) => {
      const kept = 1 - lambda * eta;
      const weight = total === 0 ? 0 : weights[t] / total;
      mean = kept * mean - eta * bias[j];
      own = kept * kept * own + eta * eta * variances[j];
      cross *= kept;
      sum += weight * mean;
      spread += 2 * weight * cross + weight * weight * own;
      cross += weight * own;
    });
    last += (lambda / 2) * (mean * mean + own);
    average += (lambda / 2) * (sum * sum + spread);
  });
  return { last, average };
}

/** The recursion `r_{t+1} ≤ (1 − aη_t) r_t − η_t(b s_t − gain) + cη_t²` of non-negative numbers. */
export interface DescentRecursion {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly gain: number;
  readonly start: number;
  readonly stepSizes: readonly number[];
  readonly weights: readonly number[];
}

/**
 * The largest `(b/Z) Σ ζ_t s_t + tail·r_{T+1}` that the recursion permits, by trying every choice of each
 * `s_t` at one end of its range: 0, or all that remains. A linear program attains its maximum at such a
 * choice.
 */
export function worstByChoices(
  { a, b, c, gain, start, stepSizes, weights }: DescentRecursion,
  tail: number,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let worst = 0;
  eachSequence(2, stepSizes.length, (choices) => {
    let left = start;
    let value = 0;
    choices.forEach((takes, t) => {
      left = (1 - a * stepSizes[t]) * left + stepSizes[t] * gain + c * stepSizes[t] ** 2;
      if (takes === 0) return;
      value += ((weights[t] / total) * left) / stepSizes[t];
      left = 0;
    });
    worst = Math.max(worst, value + tail * left);
  });
  // The amount taken is `b s_t η_t`, so `b` cancels.
  return b === 0 ? 0 : worst;
}

/**
 * The same maximum for any length, as multiples of `start` and of `c`, by backward recursion: the worst
 * continuation is linear in what remains.
 */
export function worstByRecursion(
  { a, stepSizes, weights }: Pick<DescentRecursion, 'a' | 'stepSizes' | 'weights'>,
  tail: number,
): { readonly start: number; readonly noise: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let ahead = tail;
  let noise = 0;
  for (let t = stepSizes.length - 1; t >= 0; t--) {
    const price = Math.max(weights[t] / (total * stepSizes[t]), ahead);
    noise += price * stepSizes[t] ** 2;
    ahead = price * (1 - a * stepSizes[t]);
  }
  return { start: ahead, noise };
}
