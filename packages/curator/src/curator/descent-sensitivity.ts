import type { Sensitivity } from '@lethe/core';
import {
  addUp,
  divideDown,
  divideUp,
  multiplyDown,
  multiplyUp,
  sqrtDown,
  sqrtUp,
  sumUp,
} from '@lethe/numerics';

/** Steps in a row that are alike. */
export interface DescentSteps {
  readonly count: number;
  /** `η`: at most 2 over the smoothness. */
  readonly stepSize: number;
  /** `B`: records of each step. */
  readonly batchSize: number;
}

/**
 * Projected gradient steps on convex smooth losses that read each record once, and what is released of them.
 */
export interface ReleasedDescent {
  readonly steps: readonly DescentSteps[];
  /** `L`: bound in ℓ2 on every gradient of every record. */
  readonly lipschitz: number;
  /** `M`: Lipschitz constant in ℓ2 of every record's gradient. */
  readonly smoothness: number;
  readonly dimension: number;
  /** Largest ℓ2 norm of a point that a step begins at. */
  readonly reach: number;
  readonly release: 'last' | 'average';
  /** What the noise is added to. Noise on the steps covers the last point only. */
  readonly noiseOn: 'answer' | 'steps';
}

/**
 * How far what the noise is added to moves between neighbours, in ℓ2, rounded up. There is none under
 * add-remove: a record less moves all later ones to other steps.
 *
 * Steps of at most `2/M` and projections bring points no further apart, so that a record that becomes null
 * moves all points from its own step `t` on by at most `L η_t/B_t`.
 *
 * - The last point moves by `L max_t η_t/B_t`.
 * - The average of the `T` points where gradients are taken moves by `L max_t (η_t/B_t)(T − t)/T`.
 * - Noise of deviation `σ` on every average gradient: each step `i ≥ t` may make up for a part of the
 *   shift, `η_i²/Σ_{j≥t} η_j²`, so that the last point is that of a composition of Gaussian mechanisms, and
 *   costs as one of sensitivity `L max_t (η_t/B_t)/√(Σ_{i≥t} η_i²)`.
 *
 * Steps in doubles have errors, which are added for both neighbours. A replaced record counts as two that
 * become null, so that ratios of adjacencies are exact.
 *
 * @see Feldman, Koren and Talwar 2020, sections 3 and 4; Feldman, Mironov, Talwar and Thakurta 2018,
 * Theorem 22, for noise on the steps.
 */
export function descentSensitivity(descent: ReleasedDescent): Sensitivity {
  const { lipschitz, noiseOn } = descent;
  const moved = multiplyUp(
    lipschitz,
    noiseOn === 'steps' ? shareOfNoise(descent.steps) : largestMove(descent),
  );
  const one = addUp(moved, errors(descent));
  return { 'replace-one': 2 * one, 'zero-out': one };
}

/** `max_t w_t η_t/B_t`: for the last point `w_t = 1`, for the average `(T − t)/T`. */
function largestMove({ steps, release }: ReleasedDescent): number {
  const all = steps.reduce((sum, { count }) => sum + count, 0);
  let largest = 0;
  let left = all;
  for (const { count, stepSize, batchSize } of steps) {
    const move = divideUp(stepSize, batchSize);
    // Of steps that are alike the first counts most.
    largest = Math.max(largest, release === 'last' ? move : multiplyUp(move, divideUp(left - 1, all)));
    left -= count;
  }
  return largest;
}

/** `max_t (η_t/B_t)/√(Σ_{i≥t} η_i²)`. */
function shareOfNoise(steps: readonly DescentSteps[]): number {
  let largest = 0;
  // Of squares of sizes relative to the greatest, which do not underflow where they matter.
  const greatest = Math.max(...steps.map(({ stepSize }) => stepSize));
  let squares = 0;
  for (const { count, stepSize, batchSize } of steps.toReversed()) {
    const size = divideUp(stepSize, greatest);
    const square = multiplyDown(divideDown(stepSize, greatest), divideDown(stepSize, greatest));
    // Of steps that are alike the last counts most.
    const after = sqrtDown(squares + square - 2 ** -50 * (squares + square));
    largest = Math.max(largest, divideUp(divideUp(size, batchSize), after));
    squares = (squares + count * square) * (1 - 2 ** -50);
  }
  return largest;
}

/** What rounding moves the points of both neighbours by, in the units of the sensitivity. */
function errors({ steps, lipschitz, smoothness, dimension, reach, noiseOn }: ReleasedDescent): number {
  const unit = 2 ** -42 * sqrtUp(dimension);
  const ofStep = (stepSize: number): number =>
    multiplyUp(
      unit,
      multiplyUp(addUp(reach, multiplyUp(stepSize, lipschitz)), addUp(1, multiplyUp(stepSize, smoothness))),
    );
  if (noiseOn === 'answer')
    return 2 * sumUp(steps.map(({ count, stepSize }) => multiplyUp(count, ofStep(stepSize))));
  const squares = steps.map(({ count, stepSize }) => {
    const error = divideUp(ofStep(stepSize), stepSize);
    return multiplyUp(count, multiplyUp(error, error));
  });
  return 2 * sqrtUp(sumUp(squares));
}
