import {
  InvalidParameter,
  Unsupported,
  type LabelledRows,
  type LabelledRowsOf,
  type LinearForm,
  type Loss,
  type RecordView,
  type Resolved,
} from '@lethe/core';
import { defined, margins, viewOf, type CsrMatrix } from '@lethe/numerics';
import type { NdArray } from 'ndarray';

export type { LabelledRows } from '@lethe/core';

/** Records as a user has them: features also as an array `[rows, columns]` of any stride. */
export type GivenRows =
  | LabelledRows
  | (Omit<DenseRows, 'features'> & { readonly features: NdArray<Float64Array> })
  | (Omit<DenseRows, 'features'> & { readonly features: NdArray<Float64Array> | CsrMatrix });

/**
 * Rows with plain features; an array whose rows follow one another is not copied.
 *
 * @throws {InvalidParameter} for an array that has not two dimensions, or another shape than is said.
 */
export function plainRows(given: GivenRows): LabelledRows {
  const { features, rows, columns, labels } = given;
  if (features instanceof Float64Array) return { features, rows, columns, labels };
  if ('rowStarts' in features) return { features, rows, columns, labels };
  const view = viewOf(features);
  if (view.rows !== rows || view.columns !== columns)
    throw new InvalidParameter(
      `the features are ${view.rows} by ${view.columns}, the records ${rows} of ${columns} columns`,
      { rows, columns, shape: [view.rows, view.columns] },
    );
  const { data, offset, rowStride, columnStride } = view;
  if (rowStride === columns && columnStride === 1 && data instanceof Float64Array)
    return { features: data.subarray(offset, offset + rows * columns), rows, columns, labels };
  const copy = new Float64Array(rows * columns);
  for (let i = 0, k = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, k++) copy[k] = data[offset + i * rowStride + j * columnStride];
  return { features: copy, rows, columns, labels };
}

/** Rows that are not sparse. */
export type DenseRows = LabelledRowsOf<Float64Array>;
export const isDense = (data: LabelledRows): data is DenseRows => data.features instanceof Float64Array;

/**
 * @param what - What needs dense rows.
 * @throws {Unsupported} for sparse rows.
 */
export function denseRows(data: LabelledRows, what: string): DenseRows {
  if (isDense(data)) return data;
  throw new Unsupported(`${what} takes dense rows, and these ${data.rows} rows are sparse`, {
    rows: data.rows,
    columns: data.columns,
  });
}

/**
 * @param width - Numbers in one label.
 * @throws {InvalidParameter} unless there is a row and a column and the lengths agree.
 */
export function assertRows(data: LabelledRows, width = 1): void {
  const { rows, columns, labels } = data;
  if (!isDense(data)) {
    const { features } = data;
    if (rows > 0 && features.rows === rows && features.columns === columns && labels.length === rows * width)
      return;
    throw new InvalidParameter(
      `${rows} rows of ${columns} columns have sparse features of ${features.rows} by ` +
        `${features.columns} and ${labels.length} labels; they must agree, with ${width} numbers in a label`,
      { rows, columns, labels: labels.length },
    );
  }
  const { features } = data;
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

/** Row `i` and its label; features of dense rows, and a label of several numbers, are views. */
export function recordOf(data: LabelledRows, i: number): RecordView {
  const { rows, columns, labels } = data;
  const row = isDense(data)
    ? data.features.subarray(i * columns, (i + 1) * columns)
    : rowOf(data.features, i);
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

/** Row `i` made dense. */
function rowOf({ columns, rowStarts, columnIndices, values }: CsrMatrix, i: number): Float64Array {
  const out = new Float64Array(columns);
  for (let k = rowStarts[i]; k < rowStarts[i + 1]; k++) out[columnIndices[k]] = values[k];
  return out;
}

/** Writes `⟨w, xᵢ⟩` for rows `from … from + out.length − 1`. */
function marginsInto(out: Float64Array, data: LabelledRows, w: Float64Array, from: number): void {
  if (!isDense(data)) {
    margins(data.features, w, { from, to: from + out.length }, out);
    return;
  }
  const { features, columns } = data;
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
    const block = buffer.subarray(0, Math.min(buffer.length, data.rows - from));
    marginsInto(block, data, w, from);
    use(block, from);
  }
}
