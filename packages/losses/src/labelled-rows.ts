import { InvalidParameter, type Loss, type LinearForm, type RecordView, type Resolved, Unsupported } from '@lethe/core';

/** Features `[rows, columns]`, row-major, and one label per row; a design matrix is one. */
export interface LabelledRows {
  readonly features: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly labels: Float64Array;
}

/** @throws {InvalidParameter} unless there is a row and a column and the lengths agree. */
export function assertRows({ features, rows, columns, labels }: LabelledRows): void {
  if (rows > 0 && columns > 0 && features.length === rows * columns && labels.length === rows) return;
  throw new InvalidParameter(`${rows} rows of ${columns} columns need ${rows * columns} features and ${rows} labels, at least one of each; got ${features.length} and ${labels.length}`,
    { rows, columns, features: features.length, labels: labels.length });
}

/** @throws {InvalidParameter} unless `point` has one finite entry per column. */
export function assertPoint(point: Float64Array, columns: number): void {
  if (point.length === columns && point.every(Number.isFinite)) return;
  throw new InvalidParameter(`a point needs ${columns} finite entries, one per column; got ${point.length}${point.length === columns ? ', not all finite' : ''}`, { length: point.length, columns });
}

/** Row `i` and its label; the features are a view. */
export const recordOf = ({ features, columns, labels }: LabelledRows, i: number): RecordView => ({ features: features.subarray(i * columns, (i + 1) * columns), label: labels[i]! });

/** Value and slope in the margin with the parameters filled in. @throws {Unsupported} when the loss is not that of a linear model. */
export function marginForm({ plugin, params }: Resolved<Loss>): { readonly value: (margin: number, label: number) => number; readonly slope: (margin: number, label: number) => number; readonly kernel: LinearForm<never>['kernel'] } {
  const form = plugin.linear;
  if (form === null) throw new Unsupported(`loss '${plugin.name}' is not that of a linear model; this needs one such as 'squared' or 'logistic'`, { loss: plugin.name });
  return { value: (margin, label) => form.value(params, margin, label), slope: (margin, label) => form.slope(params, margin, label), kernel: form.kernel };
}

/** Writes `⟨w, xᵢ⟩` for rows `from … from + out.length − 1`. */
function marginsInto(out: Float64Array, { features, columns }: LabelledRows, w: Float64Array, from: number): void {
  for (let i = 0, k = from * columns; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++, k++) sum += features[k] * w[j];
    out[i] = sum;
  }
}

/** Calls `use` on margins of consecutive blocks of rows that fit the cache; `margins` is lent. */
export function eachBlock(data: LabelledRows, w: Float64Array, use: (margins: Float64Array, from: number) => void): void {
  const buffer = new Float64Array(Math.min(data.rows, 4096));
  for (let from = 0; from < data.rows; from += buffer.length) {
    const margins = buffer.subarray(0, Math.min(buffer.length, data.rows - from));
    marginsInto(margins, data, w, from);
    use(margins, from);
  }
}
