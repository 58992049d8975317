import { seededRandom } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { metricsOf, type Metrics } from './metrics.js';
import { metricsOfSummary, summariesOf, summaryWidth } from './private-metrics.js';
import type { LabelSchema } from './schema.js';
import { taskOf } from './task.js';

const n = 300;
const random = seededRandom('summaries');
const binary: LabelSchema = { type: 'classes', column: 'y', classes: ['no', 'yes'] };
const several: LabelSchema = { type: 'classes', column: 'y', classes: ['a', 'b', 'c'] };
const number: LabelSchema = { type: 'number', column: 'y', lower: 2, upper: 12 };
const count: LabelSchema = { type: 'count', column: 'y', upper: 8 };

/** Records whose predictions are in the middle of bins, or within half of the bounds of the truth. */
function recordsOf(label: LabelSchema) {
  const task = taskOf(label);
  const width = task === 'classes' ? 3 : 1;
  const rows = Array.from({ length: n }, () => {
    if (task === 'binary') return { truth: random.integer(3) === 0 ? 1 : 0, said: [middle()] };
    if (task === 'classes') {
      const most = 0.55 + random.integer(4) / 10;
      const said = [(1 - most) / 2, (1 - most) / 2, (1 - most) / 2];
      said[random.integer(3)] = most;
      return { truth: random.integer(3), said };
    }
    const [low, high] = task === 'number' ? [2, 12] : [0, 8];
    const truth = low + random.integer(1 + high - low);
    return { truth, said: [truth + (random.uniform() - 0.5) * (high - low) * 0.9] };
  });
  return {
    width,
    predictions: Float64Array.from(rows.flatMap(({ said }) => said)),
    truth: Float64Array.from(rows, ({ truth }) => truth),
    losses: Float64Array.from(rows, () => 3.9 * random.uniform()),
    leftOut: new Uint8Array(n),
  };
}
const middle = (): number => (random.integer(10) + 0.5) / 10;

it.each([binary, several, number, count])(
  'a summary without noise tells the exact measures of $type',
  (label) => {
    const records = recordsOf(label);
    const size = summaryWidth(taskOf(label));
    const vectors = summariesOf(label, records);
    const mean = Float64Array.from({ length: size }, (_, j) =>
      Array.from({ length: n }, (_one, i) => vectors[i * size + j]).reduce((sum, one) => sum + one / n, 0),
    );
    const { metrics } = metricsOfSummary(label, mean, 0);
    const { width, predictions, truth, losses } = records;
    const loss = losses.reduce((sum, one) => sum + one / n, 0);
    const exact = metricsOf({ task: taskOf(label), predictions, width, truth, loss });
    for (const [name, value] of Object.entries(metrics) as [keyof Metrics, unknown][]) {
      if (typeof value !== 'number') continue;
      expect(value, name).toBeCloseTo(exact[name] as number, 10);
    }
    expect(metrics.calibration?.map(({ from, observed, weight }) => [from, observed, weight])).toEqual(
      exact.calibration?.map(({ from, observed, weight }) => [
        from,
        expect.closeTo(observed, 10),
        expect.closeTo(weight, 10),
      ]),
    );
    expect(Object.keys(metrics).length).toBeGreaterThanOrEqual(3);
  },
);

it.each([binary, several, number, count])(
  'no record of $type is longer than 1, the worst has that length, and one that is left out is zero',
  (label) => {
    const size = summaryWidth(taskOf(label));
    const width = taskOf(label) === 'classes' ? 3 : 1;
    const strange = [0, 1, 2, -1e308, 1e308, Number.NaN, Infinity, -Infinity, 12, 0.5];
    const rows = strange
      .flatMap((said) => strange.map((loss) => ({ said, loss })))
      .flatMap((row) =>
        [0, 1, 2, 12].map((truth) => ({ ...row, truth: taskOf(label) === 'binary' ? truth % 2 : truth })),
      );
    const scores = {
      width,
      predictions: Float64Array.from(rows.flatMap(({ said }) => (width === 1 ? [said] : [0.2, said, 0.1]))),
      truth: Float64Array.from(rows, ({ truth }) => truth),
      losses: Float64Array.from(rows, ({ loss }) => loss),
    };
    const vectors = summariesOf(label, { ...scores, leftOut: new Uint8Array(rows.length) });
    const lengths = rows.map((_, i) => Math.hypot(...vectors.subarray(i * size, (i + 1) * size)));
    expect(Math.max(...lengths)).toBeCloseTo(1, 12);
    expect(vectors.every(Number.isFinite)).toBe(true);
    const out = summariesOf(label, { ...scores, leftOut: new Uint8Array(rows.length).fill(1) });
    expect(out.every((entry) => entry === 0)).toBe(true);
    // A loss that is no number counts as the largest.
    if (size > 5) {
      const lossOf = (loss: number): number =>
        vectors[rows.findIndex((row) => Object.is(row.loss, loss)) * size + size - 1];
      expect(lossOf(Number.NaN)).toBe(lossOf(1e308));
      expect(lossOf(Number.NaN)).toBe(lossOf(Infinity));
      expect(lossOf(-1e308)).toBe(0);
    }
  },
);

it('bins within the noise are not shown, and all are without noise', () => {
  const mean = new Float64Array(summaryWidth('binary')).fill(0.01 / Math.sqrt(3));
  expect(metricsOfSummary(binary, mean, 0).metrics.calibration).toHaveLength(10);
  // A bin has two cells: its noise is √2 times that of one, and twice that is 2√2.
  for (const [factor, shown] of [
    [0.98, 10],
    [1.02, 0],
  ] as const) {
    const noise = (factor * 0.02) / (2 * Math.SQRT2 * Math.sqrt(3));
    expect(metricsOfSummary(binary, mean, noise).metrics.calibration).toHaveLength(shown);
  }
});

/** Measures of a mean with drawn noise. */
function noisy(label: LabelSchema, mean: Float64Array, spread: number) {
  const own = seededRandom('noise');
  return Array.from({ length: 600 }, () => {
    const noise = own.gaussianInto(new Float64Array(mean.length));
    return metricsOfSummary(
      label,
      mean.map((one, j) => one + spread * noise[j]),
      spread,
    );
  });
}
const size = summaryWidth('binary');

it('noise of cells without records does not add up in the area under the curve', () => {
  const mean = new Float64Array(size);
  // Two of ten bins have records.
  mean.set(
    [0.3, 0.1].map((one) => one / Math.sqrt(3)),
    4,
  );
  mean.set(
    [0.2, 0.4].map((one) => one / Math.sqrt(3)),
    14,
  );
  const exact = metricsOfSummary(binary, mean, 0).metrics.auc ?? Number.NaN;
  const found = noisy(binary, mean, 0.01).map(({ metrics }) => metrics.auc ?? Number.NaN);
  const off = found.map((one) => one - exact);
  const [bias, square] = [off, off.map((one) => one * one)].map((all) =>
    all.reduce((sum, one) => sum + one / 600, 0),
  );
  expect(Math.abs(bias)).toBeLessThan(5 * Math.sqrt(square / 600));
});

it('the calibration error of a perfect model is what its noise is told to make of it', () => {
  const mean = new Float64Array(size);
  for (let bin = 0; bin < 10; bin++)
    mean.set(
      [(1 - (bin + 0.5) / 10) / 10, (bin + 0.5) / 100].map((one) => one / Math.sqrt(3)),
      2 * bin,
    );
  const found = noisy(binary, mean, 0.0008);
  const square = found.reduce(
    (sum, { metrics }) => sum + (metrics.calibrationError ?? Number.NaN) ** 2 / 600,
    0,
  );
  const told = found.reduce((sum, { noise }) => sum + (noise.calibrationError ?? Number.NaN) / 600, 0);
  expect(Math.sqrt(square)).toBeLessThan(told);
  expect(Math.sqrt(square)).toBeGreaterThan(0.9 * told);
});
