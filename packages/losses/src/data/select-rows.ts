import type { CsrMatrix } from '@lethe/numerics';

/** A copy of the chosen rows, in their order. */
export function selectRows(
  { columns, rowStarts, columnIndices, values }: CsrMatrix,
  chosen: Uint32Array,
): CsrMatrix {
  const starts = new Float64Array(chosen.length + 1);
  chosen.forEach((row, i) => {
    starts[i + 1] = starts[i] + rowStarts[row + 1] - rowStarts[row];
  });
  const entries = starts[chosen.length];
  const out = { columnIndices: new Uint32Array(entries), values: new Float64Array(entries) };
  chosen.forEach((row, i) => {
    out.columnIndices.set(columnIndices.subarray(rowStarts[row], rowStarts[row + 1]), starts[i]);
    out.values.set(values.subarray(rowStarts[row], rowStarts[row + 1]), starts[i]);
  });
  return { rows: chosen.length, columns, rowStarts: starts, ...out };
}
