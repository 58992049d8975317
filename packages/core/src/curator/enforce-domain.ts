import { InvalidData, InvalidParameter, type CsrMatrix, type MatrixView } from '@lethe/numerics';
import type { RecordDomain } from '../plugins/loss.js';

/**
 * `reject` stops at the first record outside; `clip` moves it
 * onto the bound (features are scaled to the norm bound, and the entries of largest size stay).
 */
export type OutsidePolicy = 'reject' | 'clip';

export interface Enforcement {
  readonly matrix: MatrixView | CsrMatrix;
  /** `[rows, labelWidth]`, row-major. */
  readonly labels: Float64Array;
  readonly labelWidth: number;
  readonly nulls: Uint8Array | null;
  readonly domain: Omit<RecordDomain, 'columns'>;
  readonly outside: OutsidePolicy;
  /** Whether the loss accepts a label: one that was moved onto the bound has to be one, too. */
  accepts(label: number): boolean;
}

/**
 * A record may exceed a norm bound by this factor of rounding
 * before it counts as outside; the facts allow for it.
 */
const slack = 1 + 1e-12;

/**
 * Makes every record satisfy the declared domain, in place; null records become zero rows.
 *
 * @throws {InvalidData} for a value that is not finite under any
 * policy, and for a record outside under `reject`.
 * @throws {InvalidParameter} under `clip`, where the bound of labels is no label itself, such as 2.5 for
 * counts, and a label would be moved onto it.
 */
export function enforceDomain({
  matrix,
  labels,
  labelWidth,
  nulls,
  domain,
  outside,
  accepts,
}: Enforcement): void {
  const { featureNorm = Infinity, featureBounds, labelBound = Infinity, sparsity = Infinity } = domain;
  const entries = entriesOf(matrix);
  for (let row = 0; row < matrix.rows; row++) {
    const { values, from, to, step } = entries(row);
    if (nulls?.[row] === 1) {
      for (let k = from; k < to; k += step) values[k] = 0;
      continue;
    }
    let largest = 0;
    for (let k = from, position = 0; k < to; k += step, position++) {
      const column = 'rowStarts' in matrix ? matrix.columnIndices[k] : position;
      const value = values[k];
      if (!Number.isFinite(value))
        throw new InvalidData(
          `row ${row}, column ${column} is ${value}; every feature must be a finite number`,
          { row, column, value },
        );
      const bound = featureBounds?.[column] ?? Infinity;
      if (Math.abs(value) > bound) {
        if (outside === 'reject')
          throw new InvalidData(
            `row ${row}, column ${column} is ${value}, outside the declared bound ${bound}; clip it, ` +
              'or declare the true bound',
            { row, column, value, bound },
          );
        values[k] = Math.sign(value) * bound;
      }
      largest = Math.max(largest, Math.abs(values[k]));
    }
    if (sparsity < matrix.columns) holdToSparsity({ values, from, to, step }, row, sparsity, outside);
    if (largest > 0 && featureNorm < Infinity) {
      let sum = 0;
      for (let k = from; k < to; k += step) sum += (values[k] / largest) ** 2;
      const norm = largest * Math.sqrt(sum);
      if (norm > featureNorm * slack) {
        if (outside === 'reject')
          throw new InvalidData(
            `row ${row} has norm ${norm}, above the declared ${featureNorm}; clip it, ` +
              'or declare the true bound',
            { row, norm, bound: featureNorm },
          );
        for (let k = from; k < to; k += step)
          values[k] = (values[k] / largest) * (featureNorm / Math.sqrt(sum));
      }
    }
    const label = labels.subarray(row * labelWidth, (row + 1) * labelWidth);
    const size = sizeOf(label);
    if (size > labelBound * (labelWidth === 1 ? 1 : slack)) {
      const shown = labelWidth === 1 ? `is ${label[0]}` : `has norm ${size}`;
      if (outside === 'reject')
        throw new InvalidData(
          `label of row ${row} ${shown}, outside the declared bound ${labelBound}; clip it, ` +
            'or declare the true bound',
          { row, column: 'label', value: labelWidth === 1 ? label[0] : size, bound: labelBound },
        );
      for (let k = 0; k < labelWidth; k++)
        label[k] = labelWidth === 1 ? Math.sign(label[0]) * labelBound : (label[k] / size) * labelBound;
      if (!label.every(accepts))
        throw new InvalidParameter(
          `domain.labelBound is ${labelBound}, and a label moved onto it is none that the loss accepts; ` +
            'declare a bound that is a label',
          { labelBound },
        );
    }
  }
}

/** Under `clip` the entries of largest size stay; of equal sizes, those of lower column. */
function holdToSparsity(
  { values, from, to, step }: RowEntries,
  row: number,
  sparsity: number,
  outside: OutsidePolicy,
): void {
  let count = 0;
  for (let k = from; k < to; k += step) if (values[k] !== 0) count++;
  if (count <= sparsity) return;
  if (outside === 'reject')
    throw new InvalidData(
      `row ${row} has ${count} entries that differ from zero, and domain.sparsity is ${sparsity}. If no ` +
        `record can have more than this one, write sparsity: ${count} in domain: a public bound, and not ` +
        "one found in the data; else drop its smallest entries by outside: 'clip'",
      { row, entries: count, sparsity },
    );
  const places: number[] = [];
  for (let k = from; k < to; k += step) if (values[k] !== 0) places.push(k);
  places.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  for (const place of places.slice(sparsity)) values[place] = 0;
}

/** ‖y‖₂, without overflow of squares. */
function sizeOf(label: Float64Array): number {
  if (label.length === 1) return Math.abs(label[0]);
  let largest = 0;
  for (const entry of label) largest = Math.max(largest, Math.abs(entry));
  if (largest === 0) return 0;
  let sum = 0;
  for (const entry of label) sum += (entry / largest) ** 2;
  return largest * Math.sqrt(sum);
}

interface RowEntries {
  readonly values: Float64Array;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function entriesOf(matrix: MatrixView | CsrMatrix): (row: number) => RowEntries {
  if ('rowStarts' in matrix)
    return (row) => ({
      values: matrix.values,
      from: matrix.rowStarts[row],
      to: matrix.rowStarts[row + 1],
      step: 1,
    });
  const { data, offset, rowStride, columnStride, columns } = matrix;
  return (row) => {
    const from = offset + row * rowStride;
    return { values: data, from, to: from + columns * columnStride, step: columnStride };
  };
}
