import type { CsrMatrix } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import { onAxis, type Row } from './vectors.js';

/** Shape of sparse rows: up to `rows` rows of `columns` columns, values around `scale`. */
export interface CsrShape {
  readonly rows: number;
  readonly columns: number;
  readonly scale: number;
}

type Entry = readonly [column: number, value: number];

/**
 * Sparse rows, ascending columns: empty ones, single entries,
 * full ones, stored zeros; values on a grid over many scales.
 */
export function csrRowsOf({ rows, columns, scale }: CsrShape): Arbitrary<CsrMatrix> {
  const value = fc
    .tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 8 }))
    .map(([step, power]) => step * 2 ** power * scale + 0);
  const entry = fc.tuple(fc.nat(columns - 1), value);
  const row = (most: number): Arbitrary<readonly Entry[]> =>
    fc
      .uniqueArray(entry, { selector: ([column]) => column, maxLength: most, size: 'max' })
      .map((entries) => entries.toSorted(([a], [b]) => a - b));
  const anyRow = fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: row(Math.min(1, columns)) },
    { weight: 3, arbitrary: row(columns) },
  );
  return fc
    .array(anyRow, { minLength: 1, maxLength: rows, size: 'max' })
    .map((entries) => csrFrom(entries, columns));
}

function csrFrom(rows: readonly (readonly Entry[])[], columns: number): CsrMatrix {
  const rowStarts = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    rowStarts[i + 1] = rowStarts[i] + row.length;
  });
  const entries = rows.flat();
  return {
    rows: rows.length,
    columns,
    rowStarts,
    columnIndices: Uint32Array.from(entries, ([column]) => column),
    values: Float64Array.from(entries, ([, value]) => value),
  };
}

/** The same rows as dense rows. */
export const denseRows = ({ rows, columns, rowStarts, columnIndices, values }: CsrMatrix): readonly Row[] =>
  Array.from({ length: rows }, (_, i) => {
    let row = onAxis(columns, 0, 0);
    for (let k = rowStarts[i]; k < rowStarts[i + 1]; k++) row = row.with(columnIndices[k], values[k]);
    return row;
  });
