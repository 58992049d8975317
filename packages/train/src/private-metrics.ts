import { binCount, binOf, calibrationErrorOf, type CalibrationBin, type Metrics } from './metrics.js';
import type { LabelSchema } from './schema.js';
import { taskOf, type Task } from './task.js';

/**
 * A record's part of a private evaluation is a vector of norm 1 or less:
 * - classes: a one in the cell of its bin of probability and of its class (or whether it is right), whether
 *   it is right, and its loss up to a cap, over √3;
 * - numbers: squared and absolute error up to half the width of the bounds, square and value of the label,
 *   and 1, each from −1 to 1, over √5.
 *
 * Predictions and losses that are no numbers, as weights near the largest double make them, count as the
 * worst: whether there is an answer must not depend on a record.
 */
const cells = 2 * binCount;
const lossCap = 4;
const shares = { classes: Math.sqrt(3), numbers: Math.sqrt(5) };

const hasClasses = (task: Task): boolean => task === 'binary' || task === 'classes';

/** Numbers in a record's vector. */
export const summaryWidth = (task: Task): number => (hasClasses(task) ? cells + 2 : 5);

/** Records with what a model says of them. */
interface Scores {
  readonly predictions: Float64Array;
  readonly width: number;
  readonly truth: Float64Array;
  readonly losses: Float64Array;
  readonly leftOut: Uint8Array;
}

/** Vectors of all records, `[rows, summaryWidth]`; zeros for those that are left out. */
export function summariesOf(
  label: LabelSchema,
  { predictions, width, truth, losses, leftOut }: Scores,
): Float64Array {
  const task = taskOf(label);
  const size = summaryWidth(task);
  const out = new Float64Array(truth.length * size);
  const { centre, half } = scaleOf(label);
  for (let i = 0; i < truth.length; i++) {
    if (leftOut[i] === 1) continue;
    const at = out.subarray(i * size, (i + 1) * size);
    if (hasClasses(task)) {
      const loss = Number.isNaN(losses[i]) ? 1 : Math.min(Math.max(losses[i], 0), lossCap) / lossCap;
      const { bin, group, isRight } = cellOf(task, predictions, width, truth, i);
      at[2 * bin + group] = 1 / shares.classes;
      at[cells] = Number(isRight) / shares.classes;
      at[cells + 1] = loss / shares.classes;
      continue;
    }
    const y = (truth[i] - centre) / half;
    const error = clamp((truth[i] - predictions[i]) / half);
    at.set([error * error, Math.abs(error), y * y, y, 1].map((one) => clamp(one) / shares.numbers));
  }
  return out;
}

const clamp = (value: number): number => (Number.isNaN(value) ? 1 : Math.min(Math.max(value, -1), 1));

function cellOf(task: Task, predictions: Float64Array, width: number, truth: Float64Array, i: number) {
  if (task === 'binary') {
    const isRight = predictions[i] > 0.5 === (truth[i] === 1);
    return { bin: binOf(predictions[i]), group: truth[i], isRight };
  }
  let best = 0;
  for (let k = 1; k < width; k++) if (predictions[i * width + k] > predictions[i * width + best]) best = k;
  const isRight = best === truth[i];
  return { bin: binOf(predictions[i * width + best]), group: Number(isRight), isRight };
}

/** Middle and half width of a label's bounds. */
function scaleOf(label: LabelSchema): { readonly centre: number; readonly half: number } {
  if (label.type === 'number')
    return { centre: (label.lower + label.upper) / 2, half: (label.upper - label.lower) / 2 };
  return label.type === 'count' ? { centre: label.upper / 2, half: label.upper / 2 } : { centre: 0, half: 1 };
}

/** Measures from the noisy mean of the vectors over the records that count. */
export function metricsOfSummary(label: LabelSchema, mean: Float64Array, noise: number): Metrics {
  const task = taskOf(label);
  if (!hasClasses(task))
    return metricsOfNumbers(
      label,
      mean.map((one) => one * shares.numbers),
    );
  const whole = mean.map((one) => one * shares.classes);
  const spread = noise * shares.classes;
  const counts = whole.subarray(0, cells);
  const kept = counts.map((one) => Math.max(one, 0));
  const total = kept.reduce((sum, one) => sum + one, 0);
  const calibration: readonly CalibrationBin[] = Array.from({ length: binCount }, (_, bin) => {
    const [no, yes] = [kept[2 * bin], kept[2 * bin + 1]];
    return {
      from: bin / binCount,
      to: (bin + 1) / binCount,
      weight: total === 0 ? 0 : (no + yes) / total,
      predicted: (bin + 0.5) / binCount,
      observed: no + yes === 0 ? Number.NaN : yes / (no + yes),
    };
    // A bin within the noise says nothing.
  }).filter(({ weight }) => weight * total > 2 * Math.SQRT2 * spread);
  const [negatives, positives] = [0, 1].map((group) =>
    Math.max(
      0,
      counts.reduce((sum, count, at) => sum + (at % 2 === group ? count : 0), 0),
    ),
  );
  return {
    loss: Math.max(0, whole[cells + 1] * lossCap),
    accuracy: Math.min(1, Math.max(0, whole[cells])),
    ...(task === 'binary'
      ? {
          baseline:
            negatives + positives === 0
              ? undefined
              : Math.max(negatives, positives) / (negatives + positives),
          auc: aucOfBins(counts),
        }
      : {}),
    // The noise alone makes it this large; more of it would be measured than of the model.
    calibrationError: total === 0 || spread * binCount > 0.02 ? undefined : calibrationErrorOf(calibration),
    calibration,
  };
}

/** Ties within a bin count half. Noise of either sign is kept, which would add up if it were cut. */
function aucOfBins(counts: Float64Array): number | undefined {
  let negatives = 0;
  let positives = 0;
  let pairs = 0;
  for (let bin = 0; bin < binCount; bin++) {
    const [no, yes] = [counts[2 * bin], counts[2 * bin + 1]];
    pairs += yes * (negatives + no / 2);
    negatives += no;
    positives += yes;
  }
  return negatives > 0 && positives > 0
    ? Math.min(1, Math.max(0, pairs / (negatives * positives)))
    : undefined;
}

function metricsOfNumbers(label: LabelSchema, [square, absolute, ySquare, y, one]: Float64Array): Metrics {
  const { half } = scaleOf(label);
  const count = Math.max(one, 1e-9);
  const [errors, size, second, first] = [square, absolute, ySquare, y].map((sum) => sum / count);
  const variance = second - first * first;
  const squares = Math.max(0, errors) * half * half;
  return {
    r2: variance > 0 ? 1 - squares / (variance * half * half) : undefined,
    rmse: Math.sqrt(squares),
    mae: Math.max(0, size) * half,
  };
}

/** Standard deviations that the noise gives to measures that are linear in the mean. */
export interface Noise {
  readonly loss?: number;
  readonly accuracy?: number;
  /** By what is known of the variance. */
  readonly r2?: number | undefined;
  readonly mae?: number;
}

export function summaryNoise(label: LabelSchema, noise: number, { r2, rmse }: Metrics): Noise {
  if (hasClasses(taskOf(label)))
    return { loss: noise * shares.classes * lossCap, accuracy: noise * shares.classes };
  const { half } = scaleOf(label);
  const inUnits = noise * shares.numbers * half;
  const variance = r2 === undefined || rmse === undefined ? undefined : rmse ** 2 / Math.max(1e-12, 1 - r2);
  return { mae: inUnits, r2: variance === undefined ? undefined : (inUnits * half) / variance };
}
