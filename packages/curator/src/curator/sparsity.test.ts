import { InvalidData, InvalidParameter, type CsrMatrix } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { marginLoss } from '../../test/margin-loss.js';
import { openLedger } from '../ledger/index.js';
import type { DataInput } from './data-input.js';
import { attachData, type DataSet } from './data-set.js';

const loss = marginLoss((_params, { sparsity }) =>
  sparsity === undefined
    ? {}
    : { sparsity: { value: sparsity, scope: 'every-record', provenance: 'from-domain' } },
);
/** Rows (3, 0, −4, 1) and (0, 2, 0, 0), of which the sparse form stores a zero. */
const dense = () => ({
  data: Float64Array.of(3, 0, -4, 1, 0, 2, 0, 0),
  rows: 2,
  columns: 4,
  offset: 0,
  rowStride: 4,
  columnStride: 1,
});
const sparse = (): CsrMatrix => ({
  rows: 2,
  columns: 4,
  rowStarts: Uint32Array.of(0, 3, 5),
  columnIndices: Uint32Array.of(0, 2, 3, 1, 3),
  values: Float64Array.of(3, -4, 1, 2, 0),
});
const attached = (
  features: DataInput['features'],
  sparsity: number,
  outside: DataInput['outside'] = 'reject',
): DataSet =>
  attachData({
    features,
    labels: Float64Array.of(1, -1),
    loss: loss({}),
    registry: [loss],
    ledger: openLedger({ adjacency: 'replace-one' }),
    domain: { sparsity },
    outside,
  });

describe.each([
  ['dense', dense],
  ['sparse', sparse],
] as const)('a declared sparsity of %s rows', (_name, rows) => {
  test('holds for every record, or the records are refused', () => {
    expect(attached(rows(), 3).facts['sparsity'].value).toBe(3);
    expect(() => attached(rows(), 2)).toThrow(InvalidData);
    expect(() => attached(rows(), 2)).toThrow(
      /row 0 has 3 entries .* domain\.sparsity is 2\. .* write sparsity: 3 in domain/u,
    );
    for (const bad of [0, 1.5, NaN, -1, Infinity])
      expect(() => attached(rows(), bad)).toThrow(InvalidParameter);
  });

  test('leaves the entries of largest size where records are moved onto it', () => {
    const kept = (sparsity: number): readonly (readonly number[])[] => {
      const { matrix } = attached(rows(), sparsity, 'clip');
      return [0, 1].map((row) => {
        if (!('rowStarts' in matrix))
          return [...matrix.data.subarray(matrix.offset + 4 * row, matrix.offset + 4 * row + 4)];
        const out = [0, 0, 0, 0];
        for (let k = matrix.rowStarts[row]; k < matrix.rowStarts[row + 1]; k++)
          out[matrix.columnIndices[k]] = matrix.values[k];
        return out;
      });
    };
    expect(kept(3)).toEqual([
      [3, 0, -4, 1],
      [0, 2, 0, 0],
    ]);
    expect(kept(2)).toEqual([
      [3, 0, -4, 0],
      [0, 2, 0, 0],
    ]);
    expect(kept(1)).toEqual([
      [0, 0, -4, 0],
      [0, 2, 0, 0],
    ]);
  });
});
