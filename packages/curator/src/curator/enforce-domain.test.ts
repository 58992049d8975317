import { expect, test } from 'vitest';
import { openLedger } from '../ledger/index.js';
import { marginLoss } from '../../test/margin-loss.js';
import { attachData } from './data-set.js';
import type { DataInput } from './data-input.js';

const loss = marginLoss();

const attach = (rows: readonly (readonly number[])[], change: Partial<DataInput> = {}) =>
  attachData({
    features: {
      data: Float64Array.from(rows.flat()),
      rows: rows.length,
      columns: rows[0].length,
      offset: 0,
      rowStride: rows[0].length,
      columnStride: 1,
    },
    labels: new Float64Array(rows.length).fill(1),
    loss: loss({}),
    registry: [loss],
    ledger: openLedger({ adjacency: 'replace-one' }),
    ...change,
  });

test.each([NaN, Infinity, -Infinity])('an entry %d in any place is refused', (bad) => {
  for (let place = 0; place < 3; place++) {
    const row = [0.5, 0, 1e-200];
    row[place] = bad;
    const message = new RegExp(`row 1, column ${place} is ${bad}; every feature`);
    expect(() => attach([[0, 0, 0], row])).toThrow(message);
    expect(() => attach([[0, 0, 0], row], { domain: { featureNorm: 2 }, outside: 'clip' })).toThrow(message);
  }
});

test('a bound of one coordinate holds in a row far within the others', () => {
  const domain = { featureBounds: [4, 1e-180], featureNorm: 8 };
  const rows = [
    [1, 1e-181],
    [1, -1e-170],
  ];
  expect(() => attach(rows, { domain })).toThrow(/row 1, column 1 is -1e-170, outside the declared bound/);
  const { stored, norms } = attach([...rows, [5, 0]], { domain, outside: 'clip' });
  expect('data' in stored && [...stored.data.subarray(stored.offset, stored.offset + 6)]).toEqual([
    1, 1e-181, 1, -1e-180, 4, 0,
  ]);
  expect([...norms]).toEqual([1, 1, 4]);
});

test.each([1e-300, 1, 1e300])('a norm may exceed the bound %d by rounding alone', (bound) => {
  const domain = { featureNorm: bound };
  const side = bound * Math.SQRT1_2;
  expect(attach([[side, side]], { domain }).slots).toBe(1);
  expect(() => attach([[side * (1 + 1e-11), side]], { domain })).toThrow(/row 0 has norm/);
  const { norms } = attach([[3 * bound, 4 * bound]], { domain, outside: 'clip' });
  expect(norms[0] / bound).toBeCloseTo(1, 12);
});

test('a null record is a zero row with norm 0, whatever its features are', () => {
  const nulls = Uint8Array.of(1, 1, 0);
  const { norms, stored } = attach(
    [
      [3, 4],
      [NaN, 0],
      [3, 4],
    ],
    { nulls },
  );
  expect([...norms]).toEqual([0, 0, 5]);
  expect('data' in stored && [...stored.data.subarray(stored.offset, stored.offset + 4)]).toEqual([
    0, 0, 0, 0,
  ]);
});

test('a row within its norm still may not have more entries than declared', () => {
  const domain = { featureNorm: 9, sparsity: 1 };
  expect(() => attach([[1, 1]], { domain })).toThrow(/row 0 has 2 entries/);
  expect([...attach([[1, 2]], { domain, outside: 'clip' }).norms]).toEqual([2]);
});

test('a record that cannot be used is a null one where nobody may learn of it, whatever is wrong', () => {
  const rows = [
    [1, 2],
    [3, 4],
  ];
  const domain = { featureNorm: 8, labelBound: 2 };
  const clip = { domain, outside: 'clip' } as const;
  const whole = { ...loss, labels: { rule: 'whole numbers', accepts: Number.isInteger } };
  const given = { ...clip, loss: loss({}), registry: [whole] };
  const nulled = attach(rows, { ...given, labels: Float64Array.of(1, 0), nulls: Uint8Array.of(0, 1) });
  for (const [row, label] of [
    [[NaN, 4], 1],
    [[3, Infinity], 1],
    [rows[1], NaN],
    [rows[1], 0.5],
  ] as const) {
    const bad = { ...given, labels: Float64Array.of(1, label) };
    expect(() => attach([rows[0], row], bad)).toThrow(/ is /u);
    const data = attach([rows[0], row], { ...bad, unreadable: 'null' });
    expect([data.view, data.unreadable, data.norms[1]]).toStrictEqual([nulled.view, 1, 0]);
  }
  // Norms that overflow are none of it.
  const large = attach([rows[0], [1e308, 1e308]], { ...given, unreadable: 'null' });
  expect([large.unreadable, large.norms[1]]).toStrictEqual([0, expect.closeTo(8, 9)]);
});
