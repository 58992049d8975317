import { parseOrThrow, type Participation } from '@lethe/core';
import * as z from 'zod';
import { bandedResponse, type BandedResponse } from './banded-inverse.js';
import { minimizeLocally } from './buffered-search.js';
import { largestParticipation } from './participation.js';
import { squareRootCoefficient } from './toeplitz-square-root.js';

const count = z.int().positive();
const schema = z.strictObject({
  steps: count.max(2 ** 24),
  bandwidth: count.max(512),
  times: count.default(1),
  gap: count.default(1),
  objective: z.enum(['max', 'mean']).default('max'),
});

/** What to find coefficients of {@link bandedToeplitz} or {@link bandedColumnNormalised} for. */
export interface BandedToeplitzGoal extends Partial<Participation> {
  /** Length of the stream, at most 2²⁴. */
  readonly steps: number;
  /** Width of the band, 1 to 512. */
  readonly bandwidth: number;
  /** Largest number of participations of one slot. @defaultValue 1 */
  readonly times?: number;
  /** Least number of steps between two participations of one slot. @defaultValue 1 */
  readonly gap?: number;
  /** The variance to make small: that of the last running sum, or the mean of all. @defaultValue 'max' */
  readonly objective?: 'max' | 'mean';
}

/**
 * Coefficients for which squared sensitivity times variance is small: a local minimum among those that do not
 * increase, by quasi-Newton steps from the square root's. With many participations the error is a tenth to a
 * fifth below the square root's. The same goal always gives the same coefficients. Each of some hundred steps
 * costs `O(steps · bandwidth)`.
 *
 * @throws {InvalidParameter} unless counts are positive integers,
 * `bandwidth` is at most 512 and `steps` at most 2²⁴.
 * @see McKenna 2024; Choquette-Choo et al. 2023.
 */
export function optimizeBandedToeplitz(goal: BandedToeplitzGoal): { coefficients: number[] } {
  const { steps, bandwidth, times, gap, objective } = parseOrThrow(
    schema,
    goal,
    'goal of a banded Toeplitz factorisation',
  );
  const most = largestParticipation({ steps, dimension: 1 }, { times, gap });
  const weights = Float64Array.from({ length: steps }, (_, t) =>
    objective === 'max' ? 1 : (steps - t) / steps,
  );
  const width = Math.min(bandwidth, steps);
  const start = Float64Array.from({ length: width - 1 }, (_, k) =>
    logit(squareRootCoefficient(k + 1) / squareRootCoefficient(k)),
  );
  const logError = (x: Float64Array): number => {
    const c = decoded(x);
    const spread = columnSum(c, steps, most, gap).reduce((sum, entry) => sum + entry * entry, 0);
    return Math.log(spread * variance(bandedResponse(c, steps, steps), weights));
  };
  const gradient = (x: Float64Array): Float64Array => {
    const c = decoded(x);
    const byCoefficient = logGradient(c, bandedResponse(c, steps, steps), weights, { times: most, gap });
    // A ratio scales its own coefficient and all behind it.
    const out = new Float64Array(x.length);
    for (let k = x.length - 1, behind = 0; k >= 0; k--) {
      behind += c[k + 1] * byCoefficient[k + 1];
      out[k] = behind * (1 - logistic(x[k]));
    }
    return out;
  };
  return { coefficients: [...decoded(minimizeLocally(logError, start, gradient).argument)] };
}

/** Free variables are the logits of the ratios of neighbouring coefficients, which are below 1. */
function decoded(x: Float64Array): Float64Array {
  const c = new Float64Array(x.length + 1).fill(1);
  for (let k = 0; k < x.length; k++) c[k + 1] = c[k] * logistic(x[k]);
  return c;
}

const logistic = (u: number): number => 1 / (1 + Math.exp(-u));
const logit = (p: number): number => Math.log(p / (1 - p));

/** Sum of the columns `0, gap, 2 gap, …` of C. */
function columnSum(c: Float64Array, steps: number, times: number, gap: number): Float64Array {
  const sum = new Float64Array(Math.min(steps, c.length + (times - 1) * gap));
  for (let from = 0; from < times * gap; from += gap)
    for (let k = 0; k < c.length && from + k < sum.length; k++) sum[from + k] += c[k];
  return sum;
}

const variance = ({ sums }: BandedResponse, weights: Float64Array): number =>
  weights.reduce((total, weight, t) => total + weight * sums[t] * sums[t], 0);

/** Gradient by the coefficients of `log ‖column sum‖² + log variance`. */
function logGradient(
  c: Float64Array,
  response: BandedResponse,
  weights: Float64Array,
  { times, gap }: Participation,
): Float64Array {
  const { sums } = response;
  const column = columnSum(c, weights.length, times, gap);
  const spread = column.reduce((sum, entry) => sum + entry * entry, 0);
  const total = variance(response, weights);
  // A change δ of C changes the response w = C^{-1} 1 by −C^{-1} δ w.
  const solved = new Float64Array(weights.length);
  for (let t = 0; t < solved.length; t++) {
    let value = sums[t];
    for (let k = 1; k < c.length && k <= t; k++) value -= c[k] * solved[t - k];
    solved[t] = value;
  }
  return c.map((_, k) => {
    let slope = 0;
    let pull = 0;
    for (let t = k; t < weights.length; t++) slope -= weights[t] * sums[t] * solved[t - k];
    for (let m = 0; m < times && k + m * gap < column.length; m++) pull += column[k + m * gap];
    return 2 * (slope / total + pull / spread);
  });
}
