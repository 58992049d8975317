import { memoryStore, type GradientTerms, type RecordBound } from '@lethe/core';
import { Corrupt, InvalidData, InvalidParameter, to32Bits } from '@lethe/numerics';
import ndarray from 'ndarray';
import { describe, expect, test } from 'vitest';
import { marginLoss } from '../../test/margin-loss.js';
import { losses } from '../../test/mean-parts.js';
import { openLedger, type Ledger } from '../ledger/index.js';
import { boundedSum } from './bounded-sum.js';
import { keptSums } from './coordinate-sum.js';
import type { DataInput } from './data-input.js';
import { attachData, type DataSet } from './data-set.js';

const [rows, columns] = [40, 5];
const given = Float64Array.from({ length: rows * columns }, (_, k) => Math.sin(3 * k + 1));
const rounded = Float32Array.from(given, to32Bits);
const labels = Float64Array.from({ length: rows }, (_, i) => (i % 3 === 0 ? -1 : 1));
const view = { rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
const loss = marginLoss();

function attach(more: Partial<DataInput>, ledger: Ledger = openLedger({ adjacency: 'zero-out' })): DataSet {
  return attachData({
    features: { ...view, data: given },
    labels,
    loss: loss({}),
    registry: [loss],
    ledger,
    ...more,
  });
}
const single = { features: { ...view, data: rounded } };
const widened = { features: { ...view, data: Float64Array.from(rounded) } };
const numbersOf = ({ matrix }: DataSet): ArrayLike<number> => {
  if ('rowStarts' in matrix) throw new Error('dense rows were attached');
  return matrix.data.subarray(matrix.offset, matrix.offset + matrix.rows * matrix.columns);
};

test('numbers of 64 bits become those of 32 towards zero; an array of 32 stays as it is', () => {
  for (const data of [
    attach({ precision: 32 }),
    attach(single),
    attach({ features: ndarray(rounded, [rows, columns]) }),
  ])
    expect(numbersOf(data)).toEqual(rounded);
  expect(numbersOf(attach({ ...single, precision: 64 }))).toEqual(Float64Array.from(rounded));
});

test('norms are those of the rounded rows', () => {
  const own = attach({ precision: 32 });
  expect(own.norms).toEqual(attach(widened).norms);
  expect(own.norms).not.toEqual(attach({}).norms);
  expect(own.normsIn('l1')).toEqual(attach(widened).normsIn('l1'));
});

describe('declared bounds hold of what is kept', () => {
  const bounds = { featureBounds: [0.1, 0.3, 0.7, 0.9, 1 / 3], featureNorm: 0.8 };

  test('a record on its bound is inside, also rounded', () => {
    const data = Float64Array.from(bounds.featureBounds);
    const features = { ...view, data, rows: 1 };
    const domain = { featureBounds: bounds.featureBounds };
    expect(numbersOf(attach({ features, labels: labels.subarray(0, 1), domain, precision: 32 }))).toEqual(
      Float32Array.from(data, to32Bits),
    );
  });

  test('a record that rounding to the nearest moved beyond its bound is told so, and what to do', () => {
    const features = { ...view, data: Float32Array.of(0.1, 0, 0, 0, 0), rows: 1 };
    const one = { features, labels: labels.subarray(0, 1) };
    const told = (domain: DataInput['domain']) => (): DataSet => attach({ ...one, domain: { ...domain } });
    const tight = [0.1, 1, 1, 1, 1];
    expect(told({ featureBounds: tight })).toThrow(
      /column 0 is 0\.10000000149011612, outside the declared bound 0\.1, as numbers rounded to .* precision: 32/,
    );
    expect(told({ featureNorm: 0.1 })).toThrow(/above the declared 0\.1, as numbers rounded to the nearest/);
    for (const declared of ['featureBounds', 'featureNorm'] as const) {
      let text = '';
      try {
        told({ [declared]: declared === 'featureNorm' ? 0.1 : tight })();
      } catch (error) {
        text = (error as Error).message;
      }
      const enough = Number(/declare ([\d.]+)/.exec(text)?.[1]);
      told({ [declared]: declared === 'featureNorm' ? enough : [enough, 1, 1, 1, 1] })();
    }
    expect(told({ featureBounds: [0.09, 1, 1, 1, 1] })).toThrow(/bound 0\.09; clip it, or declare the true/);
  });

  test('records are moved onto bounds and never beyond', () => {
    const data = attach({ precision: 32, domain: bounds, outside: 'clip' });
    Array.from(numbersOf(data)).forEach((x, k) =>
      expect(Math.abs(x)).toBeLessThanOrEqual(bounds.featureBounds[k % columns]),
    );
    expect(Math.max(...data.norms)).toBeLessThanOrEqual(bounds.featureNorm * (1 + 1e-12));
  });

  test('a number that 32 bits cannot hold is refused, or its record is a null record', () => {
    const data = given.slice();
    data[7] = -3.5e38;
    const features = { ...view, data };
    expect(() => attach({ features, precision: 32 })).toThrow(InvalidData);
    expect(() => attach({ features, precision: 32 })).toThrow(/row 1, column 2 is -Infinity in 32 bits/u);
    expect(attach({ features, precision: 32, unreadable: 'null' }).unreadable).toBe(1);
    expect(attach({ features, unreadable: 'null' }).unreadable).toBe(0);
  });
});

test('sparse rows have 64 bits, and no rows have 16', () => {
  const sparse = {
    rows: 1,
    columns,
    rowStarts: Uint32Array.of(0, 1),
    columnIndices: Uint32Array.of(2),
    values: Float64Array.of(1),
  };
  expect(() => attach({ features: sparse, labels: labels.subarray(0, 1), precision: 32 })).toThrow(
    InvalidParameter,
  );
  expect(() => attach({ precision: 16 as never })).toThrow(/precision must be 32 or 64/u);
});

test('a ledger takes rows of one precision for no others, but knows their source by its identity', () => {
  const store = memoryStore();
  const ledger = (): Ledger => openLedger({ adjacency: 'zero-out', store });
  const first = attach(single, ledger());
  expect(attach({ precision: 32 }, ledger()).view).toEqual(first.view);
  for (const other of [widened, {}]) {
    expect(() => attach(other, ledger())).toThrow(Corrupt);
    expect(attach(other).view).not.toEqual(first.view);
  }
  const source = memoryStore();
  const identity = [Uint8Array.of(1, 2)];
  for (const more of [single, widened, {}])
    attach({ ...more, identity }, openLedger({ adjacency: 'zero-out', store: source }));
});

test('by columns and by rows it is the same data set', () => {
  const data = rounded.map((_, i) => rounded[(i % rows) * columns + Math.floor(i / rows)]);
  const byColumns = attach({ features: { ...view, data, rowStride: 1, columnStride: rows } });
  expect(byColumns.view).toEqual(attach(single).view);
  expect(byColumns.norms).toEqual(attach(single).norms);
  expect(numbersOf(byColumns)).toEqual(rounded);
});

test('every sum has the bits of that of the same numbers in 64 bits', () => {
  const at = Float64Array.from({ length: columns }, (_, j) => Math.cos(j));
  const halve = (vector: Float64Array): void => vector.forEach((x, j) => void (vector[j] = x / 2));
  const about = { norm: 'l2', radius: 1, boundInPlace: halve } as const;
  const bounds: readonly RecordBound[] = [
    { ...about, linear: null },
    { ...about, linear: { factor: (size) => Math.min(1, 1 / size), radius: 1 } },
    { ...about, linear: { factor: (size) => 1 / (1 + size), radius: null } },
  ];
  const asked: readonly GradientTerms[] = [
    { terms: [{ weight: 1, at }] },
    { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(1, 3) },
    {
      terms: [
        { weight: 2, at },
        { weight: -1, at: at.map((x) => x / 3) },
      ],
    },
  ];
  for (const each of losses) {
    const own = { loss: { kind: 'loss', name: each.name, params: {} }, registry: [each] } as const;
    const [ours, wide] = [single, widened].map((features) => attach({ ...features, ...own }));
    for (const bound of bounds)
      for (const of of asked)
        for (const some of [{ from: 3, to: rows }, Uint32Array.of(7, 2, 30)])
          expect(boundedSum(ours, some, of, bound, keptSums)).toEqual(
            boundedSum(wide, some, of, bound, keptSums),
          );
  }
});
