import {
  InvalidParameter,
  Unsupported,
  type LabelledRows,
  type LinearForm,
  type Loss,
  type RecordView,
  type Resolved,
} from '@lethe/core';
import { defined } from '@lethe/numerics';

export type { LabelledRows } from '@lethe/core';

/**
 * @param width - Numbers in one label.
 * @throws {InvalidParameter} unless there is a row and a column and the lengths agree.
 */
export function assertRows({ features, rows, columns, labels }: LabelledRows, width = 1): void {
  if (rows > 0 && columns > 0 && features.length === rows * columns && labels.length === rows * width) return;
  throw new InvalidParameter(
    `${rows} rows of ${columns} columns need ${rows * columns} features and ${rows * width} labels, ` +
      `at least one of each; got ${features.length} and ${labels.length}`,
    { rows, columns, features: features.length, labels: labels.length },
  );
}

/** @throws {InvalidParameter} unless `point` has so many entries, and all are finite. */
export function assertPoint(point: Float64Array, dimension: number): void {
  if (point.length === dimension && point.every(Number.isFinite)) return;
  throw new InvalidParameter(
    `a point needs ${dimension} finite entries; got ` +
      `${point.length}${point.length === dimension ? ', not all finite' : ''}`,
    { length: point.length, dimension },
  );
}

/** Row `i` and its label; features, and a label of several numbers, are views. */
export function recordOf({ features, rows, columns, labels }: LabelledRows, i: number): RecordView {
  const row = features.subarray(i * columns, (i + 1) * columns);
  const width = labels.length / rows;
  return width === 1
    ? { features: row, label: labels[i] }
    : { features: row, label: labels[i * width], labels: labels.subarray(i * width, (i + 1) * width) };
}

/**
 * Value and slope in the margin, and the second derivative where
 * the loss gives it, with the parameters filled in.
 */
export interface MarginForm {
  readonly value: (margin: number, label: number) => number;
  readonly slope: (margin: number, label: number) => number;
  readonly curvature?: (margin: number, label: number) => number;
}

/** @throws {Unsupported} when the loss is not that of a linear model with one output. */
export function marginForm({ plugin, params }: Resolved<Loss>): MarginForm {
  const form: LinearForm<unknown> | null = plugin.linear;
  if (form === null)
    throw new Unsupported(
      `loss '${plugin.name}' is not that of a linear model with one output; ` +
        "this needs one such as 'squared' or 'logistic'",
      { loss: plugin.name },
    );
  return {
    value: (margin, label) => form.value(params, margin, label),
    slope: (margin, label) => form.slope(params, margin, label),
    ...(form.curvature === undefined
      ? {}
      : { curvature: (margin: number, label: number) => defined(form.curvature)(params, margin, label) }),
  };
}

/** Writes `⟨w, xᵢ⟩` for rows `from … from + out.length − 1`. */
function marginsInto(
  out: Float64Array,
  { features, columns }: LabelledRows,
  w: Float64Array,
  from: number,
): void {
  for (let i = 0, k = from * columns; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++, k++) sum += features[k] * w[j];
    out[i] = sum;
  }
}

/** Calls `use` on margins of consecutive blocks of rows that fit the cache; `margins` is lent. */
export function eachBlock(
  data: LabelledRows,
  w: Float64Array,
  use: (margins: Float64Array, from: number) => void,
): void {
  const buffer = new Float64Array(Math.min(data.rows, 4096));
  for (let from = 0; from < data.rows; from += buffer.length) {
    const margins = buffer.subarray(0, Math.min(buffer.length, data.rows - from));
    marginsInto(margins, data, w, from);
    use(margins, from);
  }
}
