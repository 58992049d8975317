import { assertOptions, InvalidParameter, type Loss, type Resolved } from '@lethe/core';
import type { Task } from './task.js';

/** Measures of a model on records with labels. Which of them there are depends on the task. */
export interface Metrics {
  /** Mean of the loss that the model was trained with. */
  readonly loss?: number | undefined;
  /** Share of records whose most likely class is their own. */
  readonly accuracy?: number | undefined;
  /** Share of the most frequent class: the accuracy of always naming it. */
  readonly baseline?: number | undefined;
  /** Probability that a record of the second class has the larger prediction than one of the first. */
  readonly auc?: number | undefined;
  /** Mean distance of predicted probabilities from the shares of records in ten bins of them. */
  readonly calibrationError?: number | undefined;
  /** Predicted probabilities and shares, in ten bins. */
  readonly calibration?: readonly CalibrationBin[] | undefined;
  /** Share of the variance of the label that is explained; 0 for the mean, 1 for all. */
  readonly r2?: number | undefined;
  /** Root of the mean squared error, in the unit of the label. */
  readonly rmse?: number | undefined;
  /** Mean absolute error, in the unit of the label. */
  readonly mae?: number | undefined;
}

/** Records whose predicted probability lies in one bin. */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  /** Share of all records. */
  readonly weight: number;
  /** Mean predicted probability; of a private evaluation the middle of the bin. */
  readonly predicted: number;
  /** Share of them that are of the class. */
  readonly observed: number;
  /** Standard deviation that the noise gives to `observed`, to first order; of an exact evaluation none. */
  readonly noise?: number;
}

/** Predictions with labels, one record after another. */
export interface Scored {
  readonly task: Task;
  /** `[n, width]` */
  readonly predictions: Float64Array;
  readonly width: number;
  /** Class numbers, or numbers in the unit of the label. */
  readonly truth: Float64Array;
  /** Mean loss of the model, computed by the loss itself. */
  readonly loss: number;
}

const bins = 10;

/** Exact measures: **not private**. */
export function metricsOf(scored: Scored): Metrics {
  assertOptions(scored, 'metricsOf');
  const { task, predictions, width, truth, loss } = scored;
  if (!(truth?.length > 0 && predictions?.length === truth.length * width))
    throw new InvalidParameter(
      `metricsOf takes width (${width}) predictions for each label; ${predictions?.length} predictions do ` +
        `not go with ${truth?.length} labels`,
      { width },
    );
  if (task === 'number' || task === 'count') return { loss, ...errorsOf(predictions, truth) };
  const n = truth.length;
  const confidence = new Float64Array(n);
  const isRight = new Uint8Array(n);
  const counts = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const best = task === 'binary' ? Number(predictions[i] > 0.5) : largestAt(predictions, i, width);
    isRight[i] = Number(best === truth[i]);
    confidence[i] = task === 'binary' ? predictions[i] : predictions[i * width + best];
    counts.set(truth[i], (counts.get(truth[i]) ?? 0) + 1);
  }
  const positive = task === 'binary' ? Uint8Array.from(truth) : isRight;
  const calibration = calibrationOf(confidence, positive);
  return {
    loss,
    accuracy: isRight.reduce((sum, one) => sum + one, 0) / n,
    baseline: Math.max(...counts.values()) / n,
    ...(task === 'binary' ? { auc: aucOf(predictions, truth) } : {}),
    calibrationError: calibrationErrorOf(calibration),
    calibration,
  };
}

const largestAt = (predictions: Float64Array, i: number, width: number): number => {
  let best = 0;
  for (let k = 1; k < width; k++) if (predictions[i * width + k] > predictions[i * width + best]) best = k;
  return best;
};

/** Number of the bin of a probability. */
export const binOf = (probability: number): number => Math.min(bins - 1, Math.floor(probability * bins));
/** Bins of probabilities. */
export const binCount = bins;

function calibrationOf(probabilities: Float64Array, positive: Uint8Array): readonly CalibrationBin[] {
  const weight = new Float64Array(bins);
  const predicted = new Float64Array(bins);
  const observed = new Float64Array(bins);
  probabilities.forEach((probability, i) => {
    const bin = binOf(probability);
    weight[bin]++;
    predicted[bin] += probability;
    observed[bin] += positive[i];
  });
  return Array.from(weight, (count, bin) => ({
    from: bin / bins,
    to: (bin + 1) / bins,
    weight: count / probabilities.length,
    predicted: count === 0 ? (bin + 0.5) / bins : predicted[bin] / count,
    observed: count === 0 ? Number.NaN : observed[bin] / count,
  })).filter(({ weight: share }) => share > 0);
}

/** Expected calibration error. */
export const calibrationErrorOf = (all: readonly CalibrationBin[]): number =>
  all.reduce((sum, { weight, predicted, observed }) => sum + weight * Math.abs(predicted - observed), 0);

/** By ranks, ties counted half; `undefined` where there is one class only. */
function aucOf(scores: Float64Array, truth: Float64Array): number | undefined {
  const order = Uint32Array.from(scores, (_, i) => i).toSorted((a, b) => scores[a] - scores[b]);
  let positives = 0;
  let rankSum = 0;
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && scores[order[to]] === scores[order[from]]) to++;
    for (let k = from; k < to; k++) {
      if (truth[order[k]] !== 1) continue;
      positives++;
      rankSum += (from + 1 + to) / 2;
    }
    from = to;
  }
  const negatives = truth.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

function errorsOf(predictions: Float64Array, truth: Float64Array): Metrics {
  const n = truth.length;
  const mean = truth.reduce((sum, y) => sum + y / n, 0);
  let squares = 0;
  let absolute = 0;
  let spread = 0;
  truth.forEach((y, i) => {
    const error = y - predictions[i];
    squares += error * error;
    absolute += Math.abs(error);
    spread += (y - mean) ** 2;
  });
  return {
    r2: spread === 0 ? undefined : 1 - squares / spread,
    rmse: Math.sqrt(squares / n),
    mae: absolute / n,
  };
}

/** Mean loss of weights on records. **Not private.** */
export function lossesOf(
  { plugin, params }: Resolved<Loss>,
  weights: Float64Array,
  {
    features,
    labels,
    columns,
  }: { readonly features: Float64Array; readonly labels: Float64Array; readonly columns: number },
): Float64Array {
  return labels.map((label, i) =>
    plugin.value(params, weights, { features: features.subarray(i * columns, (i + 1) * columns), label }),
  );
}
