import { InvalidParameter } from '@lethe/core';
import { approximateFalsified, gaussianFalsified, type Trial } from './hypotheses.js';
import { thresholds } from './thresholds.js';

/** Canary scores of one training run. */
export interface OneRun {
  /** Scores of the included canaries, chosen by a fair coin each; higher scores indicate inclusion. */
  readonly included: Float64Array;
  /** Scores of the excluded canaries. */
  readonly excluded: Float64Array;
  readonly delta: number;
  /** Error probability of the bound. @defaultValue 0.05 */
  readonly significance?: number;
  /**
   * `approximate`: an (ε, δ) claim only. `gaussian`: the claim is a Gaussian trade-off curve, and the bound
   * much stronger. @defaultValue 'approximate'
   */
  readonly claim?: 'approximate' | 'gaussian';
}

const most = 2 ** 10;
const tolerance = 1e-7;

/**
 * A lower bound on ε from one training run, valid with probability `1 − significance`: the largest ε that the
 * best threshold on the scores refutes, with the significance divided among the thresholds. 0 if nothing is
 * refuted.
 *
 * @see Steinke, Nasr, Jagielski 2023; Mahloujifar, Melis, Chaudhuri 2024.
 * @throws {InvalidParameter} without scores, for scores that are not finite, or for numbers outside (0, 1).
 */
export function epsilonOfOneRun({
  included,
  excluded,
  delta,
  significance = 0.05,
  claim = 'approximate',
}: OneRun): number {
  for (const [name, scores] of Object.entries({ included, excluded })) {
    if (scores.length === 0)
      throw new InvalidParameter(`there are no scores of ${name} canaries; give at least one`, { name });
    const at = scores.findIndex((score) => !Number.isFinite(score));
    if (at >= 0)
      throw new InvalidParameter(`the score of ${name} canary ${at} is ${scores[at]}; scores are finite`, {
        name,
        at,
        score: scores[at],
      });
  }
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; it must lie between 0 and 1`, { delta });
  if (!(significance > 0 && significance < 1))
    throw new InvalidParameter(`the significance is ${significance}; it must lie between 0 and 1`, {
      significance,
    });
  const falsified = claim === 'gaussian' ? gaussianFalsified : approximateFalsified;
  const corners = thresholds(included, excluded);
  const share = { delta, significance: significance / corners.length };
  const canaries = included.length + excluded.length;
  const trials: Trial[] = corners
    .filter(({ hits }) => hits > 0)
    .map(({ hits, misses }) => ({ canaries, guesses: hits + misses, correct: hits }));
  let best = 0;
  // The most precise thresholds first: they decide, and the others take one test each.
  for (const trial of trials.toSorted((a, b) => b.correct / b.guesses - a.correct / a.guesses)) {
    if (!falsified(trial, best, share)) continue;
    let [low, high] = [best, Math.max(1, 2 * best)];
    while (high < most && falsified(trial, high, share)) [low, high] = [high, 2 * high];
    while (high - low > tolerance) {
      const middle = (low + high) / 2;
      if (falsified(trial, middle, share)) low = middle;
      else high = middle;
    }
    best = low;
  }
  return best;
}
