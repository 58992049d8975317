import { seededRandom, type Vector } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { squared } from '@lethe/losses';
import fc from 'fast-check';
import ndarray, { type NdArray } from 'ndarray';
import ops from 'ndarray-ops';
import { expect, test } from 'vitest';
import { exact, mean, within } from './queries.js';
import { registry } from './world.js';

const rows = 7;
const columns = 4;
const entry = fc.integer({ min: -64, max: 64 }).map((k) => k / 8);

/** The same values with other strides: by rows, by columns, reversed, and inside a larger array. */
const layouts: Readonly<Record<string, () => NdArray<Float64Array>>> = {
  'row-major': () => ndarray(new Float64Array(rows * columns), [rows, columns]),
  'column-major': () => ndarray(new Float64Array(rows * columns), [columns, rows]).transpose(1, 0),
  backwards: () => ndarray(new Float64Array(rows * columns), [rows, columns]).step(-1, -1),
  'every third row of a window': () =>
    ndarray(new Float64Array(4 * rows * (columns + 3)), [4 * rows, columns + 3])
      .lo(2, 1)
      .hi(3 * rows, columns)
      .step(3, 1),
};

function answer(features: NdArray<Float64Array>, labels: Float64Array, at: Float64Array): Vector {
  const data = attachData({
    features,
    labels,
    loss: squared({}),
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('coins') });
  return curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at }] },
    batch: curator.allRecords,
    ...within(2),
  }).answer as Vector;
}

test.each(Object.entries(layouts))(
  '%s: a view of any stride gives the answer of its values, bit for bit',
  (_name, layout) => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: rows * columns, maxLength: rows * columns }),
        fc.array(entry, { minLength: rows, maxLength: rows }),
        fc.array(entry, { minLength: columns, maxLength: columns }),
        (values, y, w) => {
          const plain = ndarray(Float64Array.from(values), [rows, columns]);
          const view = layout();
          ops.assign(view, plain);
          const [labels, at] = [Float64Array.from(y), Float64Array.from(w)];
          expect([...answer(view, labels, at)]).toEqual([...answer(plain, labels, at)]);
        },
      ),
      { numRuns: 40 },
    );
  },
);

test('later writes to the array of the owner do not change the attached data', () => {
  const features = ndarray(
    Float64Array.from({ length: rows * columns }, (_, i) => i / 8),
    [rows, columns],
  );
  const labels = new Float64Array(rows);
  const data = attachData({
    features,
    labels,
    loss: squared({}),
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const ask = (run: string): number[] => {
    const curator = centralCurator({
      data,
      registry,
      run,
      random: seededRandom('coins'),
      allowUnprotected: true,
    });
    return [
      ...(curator.answer(0, mean(curator.allRecords, new Float64Array(columns).fill(1), exact(2)))
        .answer as Vector),
    ];
  };
  const before = ask('before');
  ops.assigns(features, 9);
  labels.fill(9);
  expect(ask('after')).toEqual(before);
});
