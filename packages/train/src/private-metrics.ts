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

/** Measures of a private evaluation, and what its noise does to them. */
export interface NoisyMetrics {
  readonly metrics: Metrics;
  readonly noise: Noise;
}

/**
 * Standard deviations that the noise gives to measures: exact for those that are linear in the released mean,
 * otherwise to first order, at the released numbers.
 */
export interface Noise {
  readonly loss?: number;
  readonly accuracy?: number;
  readonly baseline?: number | undefined;
  readonly auc?: number | undefined;
  /** At most, as a root mean square: noise makes it larger more often than smaller. */
  readonly calibrationError?: number | undefined;
  readonly r2?: number | undefined;
  readonly rmse?: number | undefined;
  readonly mae?: number | undefined;
}

/**
 * Measures from the noisy mean of the vectors over the records that count.
 *
 * @param noise - Standard deviation of the noise in each number of the mean.
 */
export function metricsOfSummary(label: LabelSchema, mean: Float64Array, noise: number): NoisyMetrics {
  const task = taskOf(label);
  const share = hasClasses(task) ? shares.classes : shares.numbers;
  const sums = mean.map((one) => one * share);
  return hasClasses(task)
    ? metricsOfClasses(task, sums, noise * share)
    : metricsOfNumbers(scaleOf(label).half, sums, noise * share);
}

function metricsOfClasses(task: Task, sums: Float64Array, spread: number): NoisyMetrics {
  const counts = sums.subarray(0, cells);
  const kept = counts.map((one) => Math.max(one, 0));
  const total = kept.reduce((sum, one) => sum + one, 0);
  const calibration: readonly CalibrationBin[] = Array.from({ length: binCount }, (_, bin) => {
    const [no, yes] = [kept[2 * bin], kept[2 * bin + 1]];
    const size = no + yes;
    return {
      from: bin / binCount,
      to: (bin + 1) / binCount,
      weight: total === 0 ? 0 : size / total,
      predicted: (bin + 0.5) / binCount,
      observed: size === 0 ? Number.NaN : yes / size,
      noise: size === 0 ? Infinity : (spread * Math.hypot(no, yes)) / size ** 2,
    };
    // A bin within the noise says nothing.
  }).filter(({ weight }) => weight * total > 2 * Math.SQRT2 * spread);
  // The noise alone makes it this large; more of it would be measured than of the model.
  const isCalibrated = total > 0 && spread * binCount <= 0.02;
  const isBinary = task === 'binary';
  const baseline = isBinary ? largestShareOf(counts) : undefined;
  const auc = isBinary ? aucOfBins(counts) : undefined;
  return {
    metrics: {
      loss: Math.max(0, sums[cells + 1] * lossCap),
      accuracy: within(sums[cells]),
      ...(isBinary ? { baseline, auc: auc === undefined ? undefined : within(auc) } : {}),
      calibrationError: isCalibrated ? calibrationErrorOf(calibration) : undefined,
      calibration,
    },
    noise: {
      loss: spread * lossCap,
      accuracy: spread,
      ...(isBinary
        ? {
            baseline: baseline === undefined ? undefined : spreadOf(shareOfSecond, counts, spread),
            auc: auc === undefined ? undefined : spreadOf(aucOfBins, counts, spread),
          }
        : {}),
      calibrationError: isCalibrated ? errorNoise(calibration, spread / total) : undefined,
    },
  };
}

const within = (share: number): number => Math.min(1, Math.max(0, share));

/** Of the absolute value of independent noise in each bin: its mean, which adds up, and its spread. */
function errorNoise(calibration: readonly CalibrationBin[], spread: number): number {
  const each = calibration.map(({ predicted }) => spread * Math.hypot(predicted, 1 - predicted));
  const bias = each.reduce((sum, one) => sum + one * Math.sqrt(2 / Math.PI), 0);
  return Math.hypot(bias, ...each);
}

/** Records of both classes in counts of bins; less than none, as noise makes it, is none. */
const groupsOf = (counts: Float64Array): readonly number[] =>
  [0, 1].map((group) =>
    Math.max(
      0,
      counts.reduce((sum, count, at) => sum + (at % 2 === group ? count : 0), 0),
    ),
  );

function shareOfSecond(counts: Float64Array): number | undefined {
  const [negatives, positives] = groupsOf(counts);
  return negatives + positives === 0 ? undefined : positives / (negatives + positives);
}

function largestShareOf(counts: Float64Array): number | undefined {
  const share = shareOfSecond(counts);
  return share === undefined ? undefined : Math.max(share, 1 - share);
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
  return negatives > 0 && positives > 0 ? pairs / (negatives * positives) : undefined;
}

function metricsOfNumbers(half: number, sums: Float64Array, spread: number): NoisyMetrics {
  const squares = Math.max(0, squaredError(sums));
  const squaresSpread = spreadOf(squaredError, sums, spread);
  const r2 = explained(sums);
  return {
    metrics: {
      r2,
      rmse: Math.sqrt(squares) * half,
      mae: Math.max(0, absoluteError(sums)) * half,
    },
    noise: {
      r2: r2 === undefined ? undefined : spreadOf(explained, sums, spread),
      rmse:
        ((Math.sqrt(squares + squaresSpread) - Math.sqrt(Math.max(0, squares - squaresSpread))) / 2) * half,
      mae: spreadOf(absoluteError, sums, spread) * half,
    },
  };
}

/** Sums of squared errors, absolute errors, squares and values of the label, and of ones. */
const countIn = (sums: Float64Array): number => Math.max(sums[4], 1e-9);
const squaredError = (sums: Float64Array): number => sums[0] / countIn(sums);
const absoluteError = (sums: Float64Array): number => sums[1] / countIn(sums);

/** R²; none where the noise leaves no variance of the label. */
function explained(sums: Float64Array): number | undefined {
  const count = countIn(sums);
  const variance = sums[2] / count - (sums[3] / count) ** 2;
  return variance > 0 ? 1 - Math.max(0, squaredError(sums)) / variance : undefined;
}

/**
 * Standard deviation of a function of numbers with independent noise, to first order: by how much it changes
 * over the noise of each. Undefined where it has no value within the noise.
 */
function spreadOf<Value extends number | undefined>(
  of: (numbers: Float64Array) => Value,
  at: Float64Array,
  noise: number,
): Value {
  const changes = Array.from(at, (one, i) => {
    const [below, above] = [one - noise, one + noise].map((moved) => of(at.with(i, moved)));
    return below === undefined || above === undefined ? Number.NaN : (above - below) / 2;
  });
  const spread = Math.hypot(...changes);
  return (Number.isNaN(spread) ? undefined : spread) as Value;
}
