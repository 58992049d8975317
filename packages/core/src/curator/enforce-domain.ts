import { InvalidData, type CsrMatrix, type MatrixView } from '@lethe/numerics';
import type { RecordDomain } from '../plugins/loss.js';

/** `reject` stops at the first record outside; `clip` moves it onto the bound (features are scaled to the norm bound). */
export type OutsidePolicy = 'reject' | 'clip';

export interface Enforcement {
  readonly matrix: MatrixView | CsrMatrix;
  readonly labels: Float64Array;
  readonly nulls: Uint8Array | null;
  readonly domain: Omit<RecordDomain, 'dimension'>;
  readonly outside: OutsidePolicy;
}

/** A record may exceed a norm bound by this factor of rounding before it counts as outside; the facts allow for it. */
const slack = 1 + 1e-12;

/**
 * Makes every record satisfy the declared domain, in place; null records become zero rows.
 *
 * @throws {InvalidData} for a value that is not finite under any policy, and for a record outside under `reject`.
 */
export function enforceDomain({ matrix, labels, nulls, domain, outside }: Enforcement): void {
  const { featureNorm = Infinity, featureBounds, labelBound = Infinity } = domain;
  const entries = entriesOf(matrix);
  for (let row = 0; row < matrix.rows; row++) {
    const { values, from, to, step } = entries(row);
    if (nulls?.[row] === 1) { for (let k = from; k < to; k += step) values[k] = 0; continue; }
    let largest = 0;
    for (let k = from, position = 0; k < to; k += step, position++) {
      const column = 'rowStarts' in matrix ? matrix.columnIndices[k]! : position;
      const value = values[k]!;
      if (!Number.isFinite(value)) throw new InvalidData(`row ${row}, column ${column} is ${value}; every feature must be a finite number`, { row, column, value });
      const bound = featureBounds?.[column] ?? Infinity;
      if (Math.abs(value) > bound) {
        if (outside === 'reject') throw new InvalidData(`row ${row}, column ${column} is ${value}, outside the declared bound ${bound}; clip it, or declare the true bound`, { row, column, value, bound });
        values[k] = Math.sign(value) * bound;
      }
      largest = Math.max(largest, Math.abs(values[k]!));
    }
    if (largest > 0 && featureNorm < Infinity) {
      let sum = 0;
      for (let k = from; k < to; k += step) sum += (values[k]! / largest) ** 2;
      const norm = largest * Math.sqrt(sum);
      if (norm > featureNorm * slack) {
        if (outside === 'reject') throw new InvalidData(`row ${row} has norm ${norm}, above the declared ${featureNorm}; clip it, or declare the true bound`, { row, norm, bound: featureNorm });
        for (let k = from; k < to; k += step) values[k] = (values[k]! / largest) * (featureNorm / Math.sqrt(sum));
      }
    }
    const label = labels[row]!;
    if (Math.abs(label) > labelBound) {
      if (outside === 'reject') throw new InvalidData(`label of row ${row} is ${label}, outside the declared bound ${labelBound}; clip it, or declare the true bound`, { row, column: 'label', value: label, bound: labelBound });
      labels[row] = Math.sign(label) * labelBound;
    }
  }
}

interface RowEntries { readonly values: Float64Array; readonly from: number; readonly to: number; readonly step: number }

function entriesOf(matrix: MatrixView | CsrMatrix): (row: number) => RowEntries {
  if ('rowStarts' in matrix) return (row) => ({ values: matrix.values, from: matrix.rowStarts[row]!, to: matrix.rowStarts[row + 1]!, step: 1 });
  const { data, offset, rowStride, columnStride, columns } = matrix;
  return (row) => {
    const from = offset + row * rowStride;
    return { values: data, from, to: from + columns * columnStride, step: columnStride };
  };
}
