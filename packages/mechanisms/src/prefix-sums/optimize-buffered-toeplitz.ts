import { parseOrThrow, type Participation } from '@lethe/core';
import { sumUp } from '@lethe/numerics';
import * as z from 'zod';
import { meanVariance, rowVariance } from './buffered-error.js';
import { impulseResponse, type BufferedToeplitz } from './buffered-inverse.js';
import { minimizeLocally } from './buffered-search.js';
import { nearest, spacedColumns } from './buffered-sensitivity.js';
import { largestParticipation } from './participation.js';

const count = z.int().positive();
const schema = z.strictObject({
  steps: count,
  buffers: count.max(16),
  times: count.default(1),
  gap: count.default(1),
  objective: z.enum(['max', 'mean']).default('max'),
});

/** What to find parameters of {@link bufferedLinearToeplitz} for. */
export interface BufferedToeplitzGoal extends Partial<Participation> {
  /** Length of the stream. */
  readonly steps: number;
  /**
   * Buffers, 1 to 16: rows of memory, and passes over a row in
   * each step. Four or five do for a million steps.
   */
  readonly buffers: number;
  /** Largest number of participations of one slot. @defaultValue 1 */
  readonly times?: number;
  /** Least number of steps between two participations of one slot. @defaultValue 1 */
  readonly gap?: number;
  /**
   * The variance to make small: that of the last running sum,
   * which is the largest, or the mean of all. @defaultValue 'max'
   */
  readonly objective?: 'max' | 'mean';
}

/**
 * Parameters of {@link bufferedLinearToeplitz} for which squared sensitivity times variance is small: the
 * best of three local minima, by quasi-Newton steps on the closed forms of both. The same goal always gives
 * the same parameters. Some milliseconds for each buffer where `times` is small; the cost does not depend on
 * `steps`.
 *
 * For one participation and the largest variance the optimum of all Toeplitz factorisations is known; five
 * buffers come within 0.5 % of its error at a million steps. With several participations more buffers may not
 * help: coefficients that never increase are optimal with few.
 *
 * @throws {InvalidParameter} unless counts are positive integers and `buffers` is at most 16.
 * @see McMahan, Xu, Zhang 2024; Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024.
 */
export function optimizeBufferedToeplitz(goal: BufferedToeplitzGoal): { theta: number[]; omega: number[] } {
  const { steps, buffers, times, gap, objective } = parseOrThrow(
    schema,
    goal,
    'goal of a buffered Toeplitz factorisation',
  );
  const most = largestParticipation({ steps, dimension: 1 }, { times, gap });
  const logError = (x: Float64Array): number => {
    const params = decoded(x, steps);
    if (!isValid(params)) return Infinity;
    const response = impulseResponse(params);
    const variance = objective === 'max' ? rowVariance(response, steps - 1) : meanVariance(response, steps);
    return Math.log(variance * spacedColumns(params, steps, most, gap, nearest));
  };
  const minima = [
    [-1, 1],
    [-2, 0],
    [0, 2],
  ].map(([low, high]) => minimizeLocally(logError, startingPoint(buffers, low, Math.log(steps) + high)));
  return decoded(minima.reduce((best, other) => (other.value < best.value ? other : best)).argument, steps);
}

/**
 * The square root's coefficients are `∫ ω(u) θ(u)^{t−1} du` with `θ = 1/(1 + e^{−u})` and
 * `ω = θ^{3/2} (1 − θ)^{1/2} / π`: its midpoint rule on `low ≤ u ≤ high`.
 */
function startingPoint(buffers: number, low: number, high: number): Float64Array {
  const width = (high - low) / buffers;
  const x = new Float64Array(2 * buffers).fill(Math.log(width));
  x[0] = low + width / 2;
  for (let i = 0; i < buffers; i++) {
    const theta = logistic(x[0] + i * width);
    x[buffers + i] = Math.log((width / Math.PI) * theta * Math.sqrt(theta * (1 - theta)));
  }
  return x;
}

/**
 * Free variables: the least logit of `theta`, the logarithms of the
 * distances to the next, and logarithms of `omega : 1 − Σ omega`.
 */
function decoded(x: Float64Array, steps: number): { theta: number[]; omega: number[] } {
  const buffers = x.length / 2;
  // A decay that cannot be told from none within the stream:
  // nearer to one, rounding would hide what the others do.
  const slowest = 1 - 2 ** -10 / steps;
  const odds = Array.from(x.subarray(buffers), Math.exp);
  const total = odds.reduce((sum, value) => sum + value, 1);
  let logit = x[0];
  const theta = Array.from(
    { length: buffers },
    (_, i) => slowest * logistic(i === 0 ? logit : (logit += Math.exp(x[i]))),
  );
  return { theta, omega: odds.map((value) => value / total) };
}

const logistic = (u: number): number => 1 / (1 + Math.exp(-u));

const isValid = ({ theta, omega }: BufferedToeplitz): boolean =>
  theta.every((value, i) => value > (i === 0 ? 0 : theta[i - 1]) && value < 1) &&
  omega.every((value) => value > 2 ** -400) &&
  sumUp(omega) <= 1;
