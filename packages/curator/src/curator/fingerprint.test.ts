import { memoryStore, type Store } from '@lethe/core';
import { Corrupt, keyedHasher } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { linesOf, written } from '../../test/counted-ledgers.js';
import { marginLoss } from '../../test/margin-loss.js';
import { openLedger } from '../ledger/index.js';
import { attachData } from './data-set.js';

const [rows, columns] = [7, 61];
const values = Float64Array.from({ length: rows * columns }, (_, i) => Math.sin(i));
const labels = new Float64Array(rows).fill(1);
const byRows = { data: values, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
const byColumns = {
  ...byRows,
  data: values.map((_, i) => values[(i % rows) * columns + Math.floor(i / rows)]),
  rowStride: 1,
  columnStride: rows,
};

const loss = marginLoss();
const attach = (store: Store, features = byRows): unknown =>
  attachData({
    features,
    labels,
    loss: loss({}),
    registry: [loss],
    ledger: openLedger({ adjacency: 'zero-out', store }),
  });

/** The ledger as it was written when fingerprints hashed every byte. */
function older(store: Store): Store {
  const [header, data] = linesOf(store);
  if (header.t !== 'ledger' || data.t !== 'data') throw new Error('not the ledger of a data set');
  const hasher = keyedHasher(header.key.subarray(0, 16));
  for (const part of [values, labels]) hasher.update(new Uint8Array(part.buffer));
  return written([header, { t: 'data', fingerprint: hasher.digest(), unit: 'record' }]);
}

test('a ledger knows its data by rows and by columns, and no others, also one that hashed every byte', () => {
  const store = memoryStore();
  attach(store);
  for (const one of [store, older(store)]) {
    attach(one);
    attach(one, byColumns);
    for (const place of [1, 200, values.length - 1]) {
      const data = values.slice();
      data[place] *= 1 + 2 ** -52;
      expect(() => attach(one, { ...byRows, data })).toThrow(Corrupt);
    }
  }
});
