import {
  biasReducedSgd,
  chargeOf,
  drawnLevels,
  lawOfStopping,
  likelyCalls,
  medianBound,
  regretBound,
  stationarityBound,
  stoppingBounds,
  stoppingLimits,
} from '@lethe/algorithms';
import {
  biasReducedBounds,
  biasReducedEstimate,
  levelsFor,
  nestedBatches,
  projectionMeanSquaredError,
  truncatedGeometric,
} from '@lethe/mechanisms';
import { squaredNorm } from '../common/vectors.js';

type Vectors = readonly ArrayLike<number>[];

/** Steps along a path, of one size. */
export interface Path {
  /** `x⁰ … x^T`. */
  readonly iterates: Vectors;
  /** Gradients of the average loss there, and what the oracle answered. */
  readonly gradients: Vectors;
  readonly answers: Vectors;
  readonly stepSize: number;
}

const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);

/** The right side of Proposition B.1 for a path and a minimiser. */
function regretAlong({ iterates, gradients, answers, stepSize }: Path, minimiser: ArrayLike<number>): number {
  const from = (t: number): readonly number[] => Array.from(iterates[t], (x, j) => x - minimiser[j]);
  return iterates.reduce(
    (sum, _x, t) =>
      sum +
      (stepSize / 2) * squaredNorm(answers[t]) +
      inner(gradients[t], from(t)) -
      inner(answers[t], from(t)),
    squaredNorm(from(0)) / (2 * stepSize),
  );
}

/** The right side of Proposition B.2 for a path of a smooth function that falls by `gap` at most. */
const gradientsAlong = (
  { gradients, answers, stepSize }: Path,
  { gap, smoothness }: { readonly gap: number; readonly smoothness: number },
): number =>
  answers.reduce(
    (sum, answer, t) =>
      sum +
      ((stepSize * smoothness) / 2) * squaredNorm(answer) -
      inner(gradients[t], answer) +
      squaredNorm(gradients[t]),
    gap / stepSize,
  );

/** Twice the square of `a − (b + c)/2`, bounded by the squares of three errors. */
const halvesBound = (a: number, b: number, c: number): number => 4 * a ** 2 + 2 * b ** 2 + 2 * c ** 2;
/** Price of an x-private release over a share q of the records, for x of at most 1.2564. */
const amplifiedPrice = (q: number, x: number): number => 2 * q * x;

/** What rows 32 to 61 and 104 to 110 of the claims are about: what ships, and the paper's own formulas. */
export const debiasedSubject = Object.freeze({
  amplifiedPrice,
  biasReducedBounds,
  biasReducedEstimate,
  biasReducedSgd,
  chargeOf,
  drawnLevels,
  gradientsAlong,
  halvesBound,
  lawOfStopping,
  likelyCalls,
  levelsFor,
  medianBound,
  nestedBatches,
  projectionMeanSquaredError,
  regretAlong,
  regretBound,
  stationarityBound,
  stoppingBounds,
  stoppingLimits,
  truncatedGeometric,
});
/** Type of {@link debiasedSubject}. */
export type DebiasedSubject = typeof debiasedSubject;
