import { matrixMemory, type CsrMatrix, type MatrixView, type Precision } from '@lethe/numerics';
import { selectRows, type LabelledRows } from '@lethe/losses';
import type { ProblemSpec, SampledSpec } from '../experiment/schema.js';

type Layout = ProblemSpec['data']['layout'];

/** The precision in which records are attached, where an experiment says it. */
export const precisionIn = (data: SampledSpec['data']): { readonly precision?: Precision } =>
  'design' in data && data.precision !== undefined ? { precision: data.precision } : {};

/**
 * Records as a matrix by rows, which is a view of them, or by columns, which is a copy; sparse as they are.
 */
export function matrixOf(
  { features, rows, columns }: Pick<LabelledRows, 'features' | 'rows' | 'columns'>,
  layout: Layout,
): MatrixView | CsrMatrix {
  if ('rowStarts' in features) return features;
  if (layout === 'rows')
    return { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
  return copyOf(
    { features, rows, columns },
    Uint32Array.from({ length: rows }, (_, row) => row),
    layout,
  );
}

/** Copies the `chosen` records, dense ones to kernel memory with room for the arrays of a curator. */
export function copyOf(
  { features, columns }: Pick<LabelledRows, 'features' | 'rows' | 'columns'>,
  chosen: Uint32Array,
  layout: Layout,
): MatrixView | CsrMatrix {
  if ('rowStarts' in features) return selectRows(features, chosen);
  const n = chosen.length;
  const data = matrixMemory(n, columns);
  if (layout === 'rows') {
    chosen.forEach((row, i) => data.set(features.subarray(row * columns, (row + 1) * columns), i * columns));
    return { data, rows: n, columns, offset: 0, rowStride: columns, columnStride: 1 };
  }
  chosen.forEach((row, i) => {
    for (let j = 0; j < columns; j++) data[j * n + i] = features[row * columns + j];
  });
  return { data, rows: n, columns, offset: 0, rowStride: 1, columnStride: n };
}
