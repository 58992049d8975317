import type { Vector } from '@lethe/core';
import type { LogDensity } from './noise-density.js';

/** Index of a neighbour. */
export type Side = 0 | 1;

/** Distribution of one answer on both neighbours. */
export interface AnswerDistribution {
  /** `ln p(answer)` up to a constant, if the canary of this neighbour participates `times` times. */
  logLikelihood(answer: Vector, times: number, side: Side): number;
}

/**
 * A value with independent noise on every entry: the value without the canary, and its shifts by
 * both canaries.
 */
export interface AdditiveNoise {
  readonly base: Vector;
  readonly moves: readonly [Vector, Vector];
  readonly scale: number;
  readonly logDensity: LogDensity;
  /** Factor that inverts post-processing of the noisy value. @defaultValue 1 */
  readonly factor?: number;
}

/** The exact distribution of a noisy value. Entries that neither canary shifts are omitted. */
export function additiveDistribution({
  base,
  moves,
  scale,
  logDensity,
  factor = 1,
}: AdditiveNoise): AnswerDistribution {
  const entries = [...base.keys()].filter((j) => moves[0][j] !== 0 || moves[1][j] !== 0);
  return {
    logLikelihood(answer, times, side) {
      let log = 0;
      for (const j of entries)
        log += logDensity((answer[j] * factor - base[j] - times * moves[side][j]) / scale);
      return log;
    },
  };
}

/** Number of simulated answers for each case of {@link fittedDistribution}. */
const simulations = 200;

/**
 * A distribution fitted to simulated answers: independent normal entries, for answers that are not a value
 * plus noise. The approximation costs tightness, not validity.
 *
 * @param simulate - One answer without a canary (`null`), or
 * with the canary of a neighbour; `index` counts the answers.
 */
export function fittedDistribution(
  simulate: (present: Side | null, index: number) => Vector,
): AnswerDistribution {
  const [none, first, second] = ([null, 0, 1] as const).map((present) =>
    momentsOf(Array.from({ length: simulations }, (_, i) => simulate(present, i))),
  );
  const means = [first.mean, second.mean];
  const deviation = none.mean.map((_, j) =>
    Math.sqrt((none.variance[j] + first.variance[j] + second.variance[j]) / 3),
  );
  const isClear = (a: Vector, b: Vector, j: number): boolean =>
    Math.abs(a[j] - b[j]) > 4 * deviation[j] * Math.sqrt(2 / simulations);
  const entries = [...none.mean.keys()].filter(
    (j) =>
      deviation[j] > 0 &&
      (isClear(first.mean, none.mean, j) ||
        isClear(second.mean, none.mean, j) ||
        isClear(first.mean, second.mean, j)),
  );
  return {
    logLikelihood(answer, times, side) {
      let log = 0;
      for (const j of entries)
        log -= ((answer[j] - none.mean[j] - times * (means[side][j] - none.mean[j])) / deviation[j]) ** 2 / 2;
      return log;
    },
  };
}

function momentsOf(answers: readonly Vector[]): { readonly mean: Vector; readonly variance: Vector } {
  const mean = new Float64Array(answers[0].length);
  const variance = new Float64Array(mean.length);
  for (const answer of answers) for (let j = 0; j < mean.length; j++) mean[j] += answer[j] / answers.length;
  for (const answer of answers)
    for (let j = 0; j < mean.length; j++) variance[j] += (answer[j] - mean[j]) ** 2 / (answers.length - 1);
  return { mean, variance };
}
