import {
  InvalidParameter,
  Unsupported,
  type Participation,
  type PrefixSum,
  type PrefixSumShape,
} from '@lethe/core';
import { assertShape } from './participation.js';

/**
 * Error of a stream of running sums, as the standard deviation of one
 * entry for a noise multiplier of 1 and increments of sensitivity 1.
 */
export interface PrefixSumErrors {
  /** Error of the running sum with the largest variance. */
  readonly max: number;
  /** Root mean square over all running sums. */
  readonly mean: number;
}

/** Largest number of steps that are evaluated one by one. */
const longest = 2 ** 27;

/** @throws {Unsupported} for streams too long to evaluate every step. */
function assertShort(steps: number): void {
  if (steps > longest)
    throw new Unsupported(
      `all steps of a stream of ${steps} were asked for; at most ${longest} are looked at. ` +
        'Ask for the variance of single steps.',
      { steps, most: longest },
    );
}

/**
 * All variances of a stream, in units of the squared noise scale.
 *
 * @throws {InvalidParameter} unless the shape is of counts; {@link Unsupported} for more than 2²⁷ steps.
 */
export function variancesOf<P extends PrefixSum>(
  plugin: P,
  params: unknown,
  shape: PrefixSumShape,
): Float64Array {
  assertShape(shape);
  assertShort(shape.steps);
  const variances = new Float64Array(shape.steps);
  if (plugin.variancesInto !== undefined) plugin.variancesInto(variances, params, shape);
  else for (let step = 0; step < shape.steps; step++) variances[step] = plugin.variance(params, shape, step);
  return variances;
}

/**
 * Error of a prefix sum at equal privacy: `columnNorm · √variance`,
 * the largest over all steps and the root mean square.
 *
 * @param plugin - the prefix sum
 * @param params - its parameters, parsed
 * @throws {InvalidParameter} unless shape and participation are
 * counts; {@link Unsupported} for more than 2²⁷ steps.
 */
export function prefixSumErrors<P extends PrefixSum>(
  plugin: P,
  params: unknown,
  shape: PrefixSumShape,
  participation: Participation,
): PrefixSumErrors {
  const variances = variancesOf(plugin, params, shape);
  const norm = plugin.columnNorm(params, shape, participation);
  let most = 0;
  let sum = 0;
  for (const variance of variances) {
    most = Math.max(most, variance);
    sum += variance;
  }
  return { max: norm * Math.sqrt(most), mean: norm * Math.sqrt(sum / shape.steps) };
}

/** Lower and upper bound of the best possible error. */
export interface ErrorInterval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Bounds of the least error of any prefix sum over a number of steps, for one participation: of the running
 * sum with the largest variance (the norm γ₂ of the all-ones lower triangle), and root mean square (γ_F).
 *
 * With `σ_j = 1/(2 sin((2j − 1)π/(4T + 2)))` the singular values of the triangle and
 * `m = (1/T) Σ_j 1/sin((2j − 1)π/(2T))`: `Σ σ_j/T ≤ γ_F ≤ γ₂`, and `(T + 1)m/(2T) ≤ γ₂ ≤ (m + 1)/2`.
 *
 * @see Mathias 1993, Corollary 3.5 (the bounds with m); Matoušek, Nikolov, Talwar 2020, and Henzinger,
 * Upadhyay, Upadhyay 2023 (those with singular values). Not rounded outwards.
 *
 * @throws {InvalidParameter} unless `steps` is a positive integer; {@link Unsupported} for more than 2²⁷.
 */
export function leastPossibleErrors(steps: number): {
  readonly max: ErrorInterval;
  readonly mean: ErrorInterval;
} {
  if (!Number.isSafeInteger(steps) || steps < 1)
    throw new InvalidParameter(`errors of ${steps} steps were asked for; give a positive integer`, { steps });
  assertShort(steps);
  let singular = 0;
  let circulant = 0;
  for (let j = 1; j <= steps; j++) {
    singular += 0.5 / Math.sin(((2 * j - 1) * Math.PI) / (4 * steps + 2));
    circulant += 1 / Math.sin(((2 * j - 1) * Math.PI) / (2 * steps));
  }
  const [mean, m] = [singular / steps, circulant / steps];
  const upper = (m + 1) / 2;
  return {
    max: { lower: Math.max(mean, ((steps + 1) * m) / (2 * steps)), upper },
    mean: { lower: mean, upper },
  };
}
