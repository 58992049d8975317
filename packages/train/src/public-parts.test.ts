import { InvalidData, seededRandom } from '@lethe/numerics';
import { linear } from '@lethe/losses';
import { expect, it } from 'vitest';
import { binEnd, normBinCount, normBins, quantileOf } from './clip-quantile.js';
import { metricsOf } from './metrics.js';
import { predictionsOf } from './predictions.js';
import { publicOrder } from './public-order.js';
import { readingOf } from './reading.js';
import { recordsOf } from './records.js';
import { parseSchema, type TrainingSchema } from './schema.js';
import { heldOutSlots } from './setting.js';
import { heldOutPlaces } from './split.js';
import { tableOf } from './table-of.js';
import { usualDelta, usualParams } from './usual-method.js';

it('an order is a permutation by its seed, of which fewer positions are the first, and one more changes none', () => {
  const order = publicOrder(7, 500);
  expect([...order].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  expect([...publicOrder(7, 500, 20)]).toEqual([...order.subarray(0, 20)]);
  expect([...publicOrder(7, 501)].filter((one) => one !== 500)).toEqual([...order]);
  expect([...publicOrder(8, 500)]).not.toEqual([...order]);
});

it('places are held out by their key alone, in the share, and stay with their records', () => {
  const places = heldOutPlaces({ heldOut: 0.2, key: 'a' }, 20_000);
  const held = places.reduce((sum, one) => sum + one, 0);
  expect(Math.abs(held - 4000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.16));
  expect([...heldOutPlaces({ heldOut: 0.2, key: 'a' }, 100)]).toEqual([...places.subarray(0, 100)]);
  const other = heldOutPlaces({ heldOut: 0.2, key: 'b' }, 20_000);
  // Two keys hold out the same place with probability 0.04.
  const both = other.reduce((sum, one, i) => sum + one * places[i], 0);
  expect(Math.abs(both - 800)).toBeLessThan(5 * Math.sqrt(800));
  // Records are attached in a public order: slot i is the record at place order[i].
  const slots = heldOutSlots({ heldOut: 0.2, key: 'a' }, { slots: 100, owners: null });
  expect([...slots]).toEqual(Array.from(publicOrder(1, 100), (place) => places[place]));
});

it('a quantile is the end of the bin below which the share of the counts lies that are no noise', () => {
  const counts = new Float64Array(normBinCount);
  counts.set([3, 10, 20, 40, 30], 10);
  const at = (share: number, noise = 0): number => quantileOf(counts, { share, largest: 6, noise });
  expect(binEnd(normBinCount - 1, 6)).toBe(6);
  expect(binEnd(normBinCount - 3, 6)).toBeCloseTo(3, 12);
  // 3, 13, 33, 73 and 103 records up to bins 10 to 14.
  for (const [share, bin] of [
    [0.02, 10],
    [0.12, 11],
    [0.32, 12],
    [33 / 103, 12],
    [0.33, 13],
    [0.7, 13],
    [0.72, 14],
    [1, 14],
  ] as const)
    expect(at(share)).toBe(binEnd(bin, 6));
  // Counts of at most twice the noise are none: 20, 40 and 30 stay.
  expect(at(0.2, 5)).toBe(binEnd(12, 6));
  expect(at(0.23, 5)).toBe(binEnd(13, 6));
  expect(at(0.1, 4.9)).toBe(binEnd(11, 6));
  expect(at(0.5, 100)).toBe(6);
});

it('measures are those of their definitions, by pairs and bins', () => {
  const random = seededRandom('measures');
  const n = 200;
  const predictions = Float64Array.from({ length: n }, () => random.integer(21) / 20);
  const truth = Float64Array.from(predictions, (p) => (random.uniform() < 0.8 * p ? 1 : 0));
  const found = metricsOf({ task: 'binary', predictions, width: 1, truth, loss: 0.3 });
  let [pairs, won] = [0, 0];
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      if (!(truth[i] === 1 && truth[k] === 0)) continue;
      pairs++;
      won += predictions[i] === predictions[k] ? 0.5 : Number(predictions[i] > predictions[k]);
    }
  expect(found.auc).toBeCloseTo(won / pairs, 12);
  const positives = truth.reduce((sum, one) => sum + one, 0);
  expect(found.baseline).toBe(Math.max(positives, n - positives) / n);
  expect(found.accuracy).toBe(truth.filter((one, i) => (predictions[i] > 0.5 ? 1 : 0) === one).length / n);
  let error = 0;
  for (let bin = 0; bin < 10; bin++) {
    const inBin = [...predictions.keys()].filter((i) => Math.min(9, Math.floor(predictions[i] * 10)) === bin);
    error += Math.abs(inBin.reduce((sum, i) => sum + predictions[i] - truth[i], 0)) / n;
  }
  expect(found.calibrationError).toBeCloseTo(error, 12);
  const numbers = metricsOf({
    task: 'number',
    predictions: Float64Array.of(1, 2, 3, 8),
    width: 1,
    truth: Float64Array.of(1, 4, 3, 4),
    loss: 1,
  });
  expect(numbers).toEqual({ loss: 1, r2: expect.closeTo(1 - 20 / 6, 12), rmse: Math.sqrt(5), mae: 1.5 });
});

it('outputs are links of linear models, within the bounds of the label', () => {
  const rows = {
    data: Float64Array.of(1, 2, 1, -30),
    offset: 0,
    rows: 2,
    columns: 2,
    rowStride: 2,
    columnStride: 1,
  };
  const said = (label: Parameters<typeof predictionsOf>[0], weights: readonly number[]) => [
    ...predictionsOf(label, weights, rows),
  ];
  const column = 'y';
  const binary = said({ type: 'above', column, threshold: 3 }, [0.5, 0.25]);
  expect(binary).toEqual(
    [1 / (1 + Math.exp(-1)), 1 / (1 + Math.exp(7))].map((one) => expect.closeTo(one, 14)),
  );
  // Bounds −1 and 1 of the loss are 2 and 12.
  expect(said({ type: 'number', column, lower: 2, upper: 12 }, [0.1, 0.1])).toEqual([
    expect.closeTo(8.5, 12),
    2,
  ]);
  expect(said({ type: 'count', column, upper: 8 }, [0.5, 0.5])).toEqual([
    expect.closeTo(Math.exp(1.5), 12),
    expect.closeTo(Math.exp(-14.5), 12),
  ]);
  expect(said({ type: 'count', column, upper: 4 }, [0.5, 0.5])[0]).toBe(4);
  const classes = said({ type: 'classes', column, classes: ['a', 'b', 'c'] }, [1, 0, 0, 1, 0, 0]);
  const powers = [Math.E, Math.E ** 2, 1];
  const total = powers.reduce((sum, one) => sum + one, 0);
  expect(classes.slice(0, 3)).toEqual(powers.map((one) => expect.closeTo(one / total, 14)));
});

it('the usual δ is a power of ten, of at most a tenth of one over the records', () => {
  for (const [records, delta] of [
    [1, 1e-6],
    [99_999, 1e-6],
    [100_000, 1e-6],
    [100_001, 1e-7],
    [1e7, 1e-8],
  ] as const)
    expect(usualDelta(records)).toBeCloseTo(delta, 20);
  const few = usualParams({ records: 100, smoothness: 4, hasClasses: true });
  expect(few).toEqual({ steps: 60, rate: 1, stepSize: 2.5, schedule: 'inverse-sqrt', average: 'last' });
  const many = usualParams({ records: 40_000, smoothness: 4, hasClasses: false });
  expect(many).toEqual({
    steps: 200,
    rate: 0.25,
    stepSize: 2.5,
    schedule: 'inverse-sqrt',
    average: 'polyak',
  });
  expect(usualParams({ records: 512, smoothness: 1, hasClasses: true }).rate).toBe(0.5);
});

it('labels are what a loss takes, within their bounds, and follow the order of the records', () => {
  const columns = { x: { type: 'number', lower: 0, upper: 1 } } as const;
  const read = (
    label: TrainingSchema['label'],
    values: readonly (string | number | null)[],
    order?: Uint32Array,
  ) => {
    const schema = parseSchema({ label, columns });
    const rows = values.map((y, i) => ({ x: i / 10, y }));
    return recordsOf(tableOf(rows, readingOf(schema, true)), schema, order === undefined ? {} : { order });
  };
  const count = read({ type: 'count', column: 'y', upper: 30 }, [0, 7, 50, null]);
  expect([...count.labels.subarray(0, 3), ...count.unlabelled]).toEqual([0, 7, 30, 0, 0, 0, 1]);
  expect(() => read({ type: 'count', column: 'y', upper: 30 }, [3, -1])).toThrow(InvalidData);
  const number = read({ type: 'number', column: 'y', lower: 10, upper: 20 }, [10, 15, 17.5, 99, -99]);
  expect([...number.labels]).toEqual([-1, 0, 0.5, 1, -1]);
  const two = read(
    { type: 'classes', column: 'y', classes: ['no', 'yes'] },
    ['no', 'yes', null, 'yes'],
    Uint32Array.of(2, 0, 3, 1),
  );
  expect([...two.unlabelled]).toEqual([1, 0, 0, 0]);
  expect([...two.labels.subarray(1)]).toEqual([-1, 1, 1]);
  const three = read({ type: 'classes', column: 'y', classes: ['a', 'b', 'c'] }, ['c', 'a', 'b']);
  expect([...three.labels]).toEqual([2, 0, 1]);
});

it('norms of gradients at the origin are in their bins, and of a record that is left out in none', () => {
  const rows = {
    data: Float64Array.of(1.2, 0, 0.48, 0.36, 6, 8, 0, 0),
    offset: 0,
    rows: 4,
    columns: 2,
    rowStride: 2,
    columnStride: 1,
  };
  // Also of a loss that leaves entries as they are where its gradient is 0.
  const passing: typeof linear.gradientInto = (params, out, at, record) => {
    const own = new Float64Array(out.length);
    linear.gradientInto(params, own, at, record);
    own.forEach((entry, j) => {
      if (entry !== 0) out[j] = entry;
    });
  };
  const loss = { plugin: { ...linear, gradientInto: passing }, params: {} } as unknown as Parameters<
    typeof normBins
  >[0];
  const binsOf = (leftOut: readonly number[]) => {
    const bins = normBins(loss, rows, new Float64Array(4), { leftOut: Uint8Array.from(leftOut), largest: 4 });
    return [0, 1, 2, 3].map((i) =>
      [...bins.subarray(i * normBinCount, (i + 1) * normBinCount)].flatMap((one, bin) =>
        one === 1 ? [bin] : [],
      ),
    );
  };
  // Ends of bins are 4, 4/√2, 2, …: norms are 1.2, 0.6, 10 and 0.
  const last = normBinCount - 1;
  expect(binsOf([0, 0, 0, 0])).toEqual([[last - 3], [last - 5], [last], [0]]);
  expect(binsOf([0, 1, 0, 1])).toEqual([[last - 3], [], [last], []]);
});
