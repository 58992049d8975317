import { InvalidParameter } from '@lethe/core';
import { approximateFalsified, gaussianFalsified, type Trial } from './hypotheses.js';
import { thresholds } from './thresholds.js';

/** What one training run showed of its canaries. */
export interface OneRun {
  /** Scores of the canaries that a fair coin each let take part; higher ones speak for it. */
  readonly included: Float64Array;
  /** Scores of those it left out. */
  readonly excluded: Float64Array;
  readonly delta: number;
  /** Probability with which the bound may be wrong. @defaultValue 0.05 */
  readonly significance?: number;
  /** `approximate`: nothing but (ε, δ) is claimed. `gaussian`: the claim is a Gaussian trade-off curve, and the bound far stronger. @defaultValue 'approximate' */
  readonly claim?: 'approximate' | 'gaussian';
}

const most = 2 ** 10;
const tolerance = 1e-7;

/**
 * A lower bound on ε from one training run, right with probability `1 − significance`: the largest ε that the best threshold on
 * the scores refutes, each threshold being given its share of the significance. 0 where nothing is refuted.
 *
 * @see Steinke, Nasr, Jagielski 2023; Mahloujifar, Melis, Chaudhuri 2024.
 * @throws {InvalidParameter} without scores, for scores that are not finite, or for numbers outside (0, 1).
 */
export function epsilonOfOneRun({ included, excluded, delta, significance = 0.05, claim = 'approximate' }: OneRun): number {
  for (const [name, scores] of Object.entries({ included, excluded })) {
    if (scores.length === 0) throw new InvalidParameter(`there are no scores of ${name} canaries; give at least one`, { name });
    const at = scores.findIndex((score) => !Number.isFinite(score));
    if (at >= 0) throw new InvalidParameter(`the score of ${name} canary ${at} is ${scores[at]}; scores are finite`, { name, at, score: scores[at] });
  }
  if (!(delta > 0 && delta < 1)) throw new InvalidParameter(`delta is ${delta}; it must lie between 0 and 1`, { delta });
  if (!(significance > 0 && significance < 1)) throw new InvalidParameter(`the significance is ${significance}; it must lie between 0 and 1`, { significance });
  const falsified = claim === 'gaussian' ? gaussianFalsified : approximateFalsified;
  const corners = thresholds(included, excluded), share = { delta, significance: significance / corners.length };
  const canaries = included.length + excluded.length;
  const trials: Trial[] = corners.filter(({ hits }) => hits > 0).map(({ hits, misses }) => ({ canaries, guesses: hits + misses, correct: hits }));
  let best = 0;
  // The most precise come first: they decide, and the others need one look each.
  for (const trial of trials.toSorted((a, b) => b.correct / b.guesses - a.correct / a.guesses)) {
    if (!falsified(trial, best, share)) continue;
    let [low, high] = [best, Math.max(1, 2 * best)];
    while (high < most && falsified(trial, high, share)) [low, high] = [high, 2 * high];
    while (high - low > tolerance) {
      const middle = (low + high) / 2;
      if (falsified(trial, middle, share)) low = middle; else high = middle;
    }
    best = low;
  }
  return best;
}
