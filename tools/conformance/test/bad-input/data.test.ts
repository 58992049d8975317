import { InvalidData, memoryStore, seededRandom, type Vector } from '@lethe/core';
import { attachData, centralCurator, openLedger, type DataInput } from '@lethe/curator';
import { logistic, squared } from '@lethe/losses';
import fc from 'fast-check';
import ndarray from 'ndarray';
import { describe, expect, test } from 'vitest';
import { clip, dimension, noise, records, registry } from '../world.js';
import { expectRefused, spoilt, strangeNumbers, typedOutcome } from './refused.js';
import { certified, within } from '../queries.js';

const rows = 6;
const view = (data: Float64Array, change: object = {}): object => ({
  data,
  rows,
  columns: dimension,
  offset: 0,
  rowStride: dimension,
  columnStride: 1,
  ...change,
});
const input = (change: object = {}): DataInput => {
  const { features, labels } = records(rows);
  return { features: view(features), labels, loss: squared({}), registry, ...change } as unknown as DataInput;
};

/**
 * Attaches; a refusal must leave the ledger unbound and
 * unspent, an acceptance must answer with finite numbers.
 */
function attach(change: object): ReturnType<typeof typedOutcome> {
  const store = memoryStore();
  const ledger = openLedger({ adjacency: 'replace-one', store });
  const before = store.read();
  const outcome = typedOutcome(() =>
    attachData({
      ...input(change),
      ledger,
      ...('ledger' in change ? { ledger: change.ledger as never } : {}),
    }),
  );
  if ('error' in outcome) {
    expect(store.read()).toEqual(before);
    return outcome;
  }
  const curator = centralCurator({
    data: outcome.value,
    registry,
    run: 'run',
    random: seededRandom('coins'),
  });
  const at = new Float64Array(outcome.value.dimension).fill(0.5);
  const { answer } = curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at }] },
    batch: curator.allRecords,
    ...within(1),
  });
  expect((answer as Vector).every(Number.isFinite)).toBe(true);
  return outcome;
}
const refused = (change: object): Error => {
  const outcome = attach(change);
  if (!('error' in outcome)) throw new Error(`was accepted: ${fc.stringify(change)}`);
  return outcome.error;
};

describe('values', () => {
  test('one NaN or infinity at any position is refused with its position, under either policy', () => {
    const place = fc.tuple(
      fc.nat(rows - 1),
      fc.nat(dimension),
      fc.constantFrom(Number.NaN, Infinity, -Infinity),
      fc.constantFrom('reject', 'clip'),
    );
    fc.assert(
      fc.property(place, ([row, column, value, outside]) => {
        const { features, labels } = records(rows);
        if (column === dimension) labels[row] = value;
        else features[row * dimension + column] = value;
        const error = refused({
          features: view(features),
          labels,
          outside,
          domain: { featureNorm: 100, labelBound: 100 },
        });
        expect(error).toBeInstanceOf(InvalidData);
        expect((error as InvalidData).details).toMatchObject({
          row,
          column: column === dimension ? 'label' : column,
          value,
        });
      }),
    );
  });

  test('all other doubles are accepted, with finite answers', () => {
    const size = fc
      .tuple(fc.constantFrom(-1, 1), fc.integer({ min: -307, max: 308 }))
      .map(([sign, exponent]) => sign * 10 ** exponent);
    const number = fc.oneof(size, fc.constantFrom(0, -0, 5e-324, Number.MAX_VALUE));
    fc.assert(
      fc.property(
        fc.array(number, { minLength: rows * (dimension + 1), maxLength: rows * (dimension + 1) }),
        (values) => {
          const all = Float64Array.from(values);
          expect(
            'value' in
              attach({ features: view(all.slice(0, rows * dimension)), labels: all.slice(rows * dimension) }),
          ).toBe(true);
        },
      ),
    );
  });

  test('labels that the loss refuses, and invalid flags, are refused', () => {
    refused({ loss: logistic({}), labels: Float64Array.of(0, 1, 1, 0, 1, 2) });
    refused({ nulls: Uint8Array.of(0, 1, 2, 0, 0, 0) });
    expect('value' in attach({ nulls: new Uint8Array(rows).fill(1) })).toBe(true);
  });
});

describe('shapes', () => {
  test('ragged, empty and fractional shapes are refused', () => {
    const { features } = records(rows);
    for (const length of [0, 1, rows - 1, rows + 1]) {
      refused({ labels: new Float64Array(length) });
      refused({ nulls: new Uint8Array(length) });
    }
    for (const change of [
      { rows: 0 },
      { columns: 0 },
      { rows: -1 },
      { rows: 1.5 },
      { rows: Number.NaN },
      { rows: '6' },
      { columns: Infinity },
      { columns: 2 ** 53 },
      { rows: 2 ** 40, rowStride: 0 },
    ]) {
      refused({ features: view(features, change), labels: undefined });
    }
    refused({ features: view(new Float64Array(0)) });
    refused({ features: ndarray(features, [rows * dimension]) });
    refused({ features: ndarray(features, [2, 3, 3]) });
    refused({ features: ndarray([...features], [rows, dimension]) });
    refused({ features: ndarray(new Int32Array(rows * dimension), [rows, dimension]) });
  });

  test('one row, one column', () => {
    expect(
      'value' in
        attach({ features: view(Float64Array.of(1, 2, 3), { rows: 1 }), labels: Float64Array.of(1) }),
    ).toBe(true);
    expect(
      'value' in attach({ features: view(new Float64Array(rows).fill(1), { columns: 1, rowStride: 1 }) }),
    ).toBe(true);
  });

  test('a million columns, dense and sparse', () => {
    const columns = 1_000_000;
    const wide = {
      rows: 2,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
      data: new Float64Array(2 * columns).fill(1e-3),
    };
    expect('value' in attach({ features: wide, labels: Float64Array.of(1, 2) })).toBe(true);
    const sparse = {
      rows: 2,
      columns,
      rowStarts: Uint32Array.of(0, 1, 2),
      columnIndices: Uint32Array.of(0, columns - 1),
      values: Float64Array.of(1, 2),
    };
    expect('value' in attach({ features: sparse, labels: Float64Array.of(1, 2) })).toBe(true);
    const data = attachData({
      ...input({ features: wide, labels: Float64Array.of(1, 2) }),
      domain: { featureNorm: 2, labelBound: 2, iterateNorm: 1 },
      ledger: openLedger({ adjacency: 'replace-one' }),
    });
    const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('coins') });
    const at = new Float64Array(columns);
    curator.answer(0, {
      ask: 'value',
      statistic: { of: 'gradient-norm', bound: clip(1) },
      at,
      batch: curator.allRecords,
      noise: noise(1),
    });
    curator.answer(1, {
      ask: 'mean',
      of: { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(columns - 1) },
      batch: curator.allRecords,
      ...certified(),
    });
  });

  test('a view with any offset and strides reads only its storage, or is refused', () => {
    const stride = fc.oneof(
      fc.integer({ min: -8, max: 8 }),
      fc.constantFrom<unknown>(...strangeNumbers, '1', null),
    );
    fc.assert(
      fc.property(fc.record({ offset: stride, rowStride: stride, columnStride: stride }), (change) => {
        const data = records(rows).features;
        const { offset, rowStride, columnStride } = change as Record<string, number>;
        const corners = [0, rows - 1].flatMap((i) =>
          [0, dimension - 1].map((j) => offset + i * rowStride + j * columnStride),
        );
        const inside =
          [offset, rowStride, columnStride].every(Number.isSafeInteger) &&
          corners.every((corner) => corner >= 0 && corner < data.length);
        expect('value' in attach({ features: view(data, change) })).toBe(inside);
      }),
      { numRuns: 300 },
    );
  });
});

describe('sparse rows', () => {
  const sparse = {
    rows,
    columns: dimension,
    rowStarts: Uint32Array.of(0, 2, 2, 3, 5, 6, 8),
    columnIndices: Uint32Array.of(0, 2, 1, 0, 1, 2, 0, 1),
    values: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8),
  };
  test.each<[string, object]>([
    ['decreasing starts', { rowStarts: Uint32Array.of(0, 3, 2, 3, 5, 6, 8) }],
    ['starts beyond the values', { rowStarts: Uint32Array.of(0, 2, 2, 3, 5, 6, 9) }],
    ['starts beyond the values that decrease again', { rowStarts: Uint32Array.of(0, 900, 2, 3, 5, 6, 8) }],
    ['starts that do not begin at 0', { rowStarts: Uint32Array.of(1, 2, 2, 3, 5, 6, 8) }],
    ['too few starts', { rowStarts: Uint32Array.of(0, 2, 2, 3, 5, 8) }],
    ['no starts', { rowStarts: new Uint32Array(0) }],
    ['starts that are not whole', { rowStarts: Float64Array.of(0, 1.5, 2, 3, 5, 6, 8) }],
    ['a start that is NaN', { rowStarts: Float64Array.of(0, Number.NaN, 2, 3, 5, 6, 8) }],
    ['a column that does not exist', { columnIndices: Uint32Array.of(0, 3, 1, 0, 1, 2, 0, 1) }],
    ['a column twice in a row', { columnIndices: Uint32Array.of(0, 0, 1, 0, 1, 2, 0, 1) }],
    ['decreasing columns', { columnIndices: Uint32Array.of(2, 0, 1, 0, 1, 2, 0, 1) }],
    ['more columns than values', { columnIndices: new Uint32Array(9) }],
    ['signed columns', { columnIndices: Int32Array.of(0, -1, 1, 0, 1, 2, 0, 1) }],
    ['values in an array', { values: [1, 2, 3, 4, 5, 6, 7, 8] }],
    ['a value that is NaN', { values: Float64Array.of(1, 2, 3, 4, Number.NaN, 6, 7, 8) }],
  ])('%s', (_name, change) => {
    refused({ features: { ...sparse, ...change } });
  });

  test("well-formed ones are attached, and later changes of the caller's arrays change nothing", () => {
    const mine = {
      ...sparse,
      rowStarts: sparse.rowStarts.slice(),
      columnIndices: sparse.columnIndices.slice(),
      values: sparse.values.slice(),
    };
    const data = attachData({
      ...input({ features: mine }),
      ledger: openLedger({ adjacency: 'replace-one' }),
    });
    mine.columnIndices.fill(4_000_000_000);
    mine.rowStarts.fill(4_000_000_000);
    mine.values.fill(Number.NaN);
    const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('coins') });
    const answer = curator.answer(0, {
      ask: 'mean',
      of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
      batch: curator.allRecords,
      ...within(1, noise(1e-9)),
    }).answer as Vector;
    expect([...answer].some((x) => Math.abs(x) > 0.1)).toBe(true);
  });
});

test('arrays in shared memory are copied before they are checked', () => {
  const { features, labels } = records(rows);
  const shared = new Float64Array(new SharedArrayBuffer(8 * features.length));
  shared.set(features);
  const data = attachData({
    ...input({ features: view(shared), labels }),
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  shared.fill(Number.NaN);
  const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('coins') });
  const answer = curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
    batch: curator.allRecords,
    ...within(1),
  }).answer as Vector;
  expect(answer.every(Number.isFinite)).toBe(true);
});

test('input of any wrong type throws a typed error, and the ledger stays unbound', () => {
  const fields = {
    ...input(),
    nulls: new Uint8Array(rows),
    domain: { featureNorm: 100, labelBound: 100, iterateNorm: 1, featureBounds: [9, 9, 9] },
    outside: 'clip',
    identity: [Uint8Array.of(1)],
  };
  const { registry: known, ...rest } = fields;
  fc.assert(
    fc.property(spoilt(rest), (change) => {
      attach({ registry: known, ...(change as object) });
    }),
    { numRuns: 600 },
  );
  for (const registryGiven of [null, {}, [], 'all']) refused({ registry: registryGiven });
  for (const ledger of [null, {}, 5, { adjacency: 'replace-one' }]) refused({ ledger });
  for (const nothing of [undefined, null, 5, 'data', []])
    expectRefused(() => attachData(nothing as unknown as DataInput));
});

test('a declared domain is finite and positive, and fits the columns', () => {
  for (const value of strangeNumbers.filter((x) => !(x > 0 && Number.isFinite(x)))) {
    for (const name of ['featureNorm', 'labelBound', 'iterateNorm']) refused({ domain: { [name]: value } });
    if (!(value >= 0)) refused({ domain: { featureBounds: [9, value, 9] } });
  }
  for (const featureBounds of [[], [1, 2], [1, 2, 3, 4], 'abc', [9, '9', 9]])
    refused({ domain: { featureBounds } });
});
