import { drawInto } from '@lethe/losses';
import { seededRandom } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import type { Metrics } from './metrics.js';
import { metricsOfSummary, summariesOf, type Noise, type NoisyMetrics } from './private-metrics.js';
import type { LabelSchema } from './schema.js';

const n = 400;
const draws = 600;

/** Mean of the vectors of records whose labels follow the predictions. */
function meanOf(label: LabelSchema, predicted: (i: number) => number, truth: (i: number) => number) {
  const vectors = summariesOf(label, {
    predictions: Float64Array.from({ length: n }, (_, i) => predicted(i)),
    width: 1,
    truth: Float64Array.from({ length: n }, (_, i) => truth(i)),
    losses: new Float64Array(n).fill(0.5),
    leftOut: new Uint8Array(n),
  });
  const width = vectors.length / n;
  return Float64Array.from({ length: width }, (_, j) =>
    Array.from({ length: n }).reduce<number>((sum, _one, i) => sum + vectors[i * width + j] / n, 0),
  );
}

/** Measures under noise that is drawn again and again. */
function drawn(label: LabelSchema, mean: Float64Array, spread: number): readonly NoisyMetrics[] {
  const random = seededRandom('noise of measures');
  const noise = new Float64Array(mean.length);
  return Array.from({ length: draws }, () => {
    drawInto(noise, { law: 'gaussian', scale: 1 }, random);
    return metricsOfSummary(
      label,
      mean.map((one, j) => one + spread * noise[j]),
      spread,
    );
  });
}

const spreadOf = (values: readonly number[]): number => {
  const mean = values.reduce((sum, one) => sum + one / values.length, 0);
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2 / (values.length - 1), 0));
};

const named = (all: readonly NoisyMetrics[], name: keyof Metrics & keyof Noise) => ({
  values: all.map(({ metrics }) => metrics[name] ?? Number.NaN),
  told: all.map(({ noise }) => noise[name] ?? Number.NaN),
});

describe('the noise of a private evaluation', () => {
  it.each<[string, LabelSchema, number, (keyof Metrics & keyof Noise)[], Float64Array]>([
    [
      'two classes',
      { type: 'classes', column: 'y', classes: ['no', 'yes'] },
      0.002,
      ['loss', 'accuracy', 'baseline', 'auc'],
      meanOf(
        { type: 'classes', column: 'y', classes: ['no', 'yes'] },
        (i) => (i % 10) / 10 + 0.05,
        (i) => Number((i * 7) % 13 < (i % 10) + 3),
      ),
    ],
    [
      'numbers',
      { type: 'number', column: 'y', lower: 0, upper: 10 },
      0.01,
      ['r2', 'rmse', 'mae'],
      meanOf(
        { type: 'number', column: 'y', lower: 0, upper: 10 },
        (i) => (i % 10) + 0.5,
        (i) => ((i % 10) + ((i * 7) % 5)) / 1.4,
      ),
    ],
  ])('is as large as told, for %s', (_, label, spread, names, mean) => {
    const all = drawn(label, mean, spread);
    for (const name of names) {
      const { values, told } = named(all, name);
      const middle = told.toSorted((a, b) => a - b)[draws / 2];
      expect(Math.abs(spreadOf(values) / middle - 1)).toBeLessThan(0.15);
    }
  });

  it('of a bin is as large as told, and of the calibration error at most', () => {
    const label: LabelSchema = { type: 'classes', column: 'y', classes: ['no', 'yes'] };
    const mean = meanOf(
      label,
      (i) => (i % 10) / 10 + 0.05,
      (i) => Number((i * 7) % 11 < (i % 10) + 1),
    );
    const exact = metricsOfSummary(label, mean, 0);
    const all = drawn(label, mean, 0.001);
    const bins = all.map(({ metrics }) => metrics.calibration?.[4]);
    expect(bins.every((bin) => bin?.from === 0.4 && bin.observed > 0)).toBe(true);
    const told = bins.reduce((sum, bin) => sum + (bin?.noise ?? Number.NaN) / draws, 0);
    expect(Math.abs(spreadOf(bins.map((bin) => bin?.observed ?? Number.NaN)) / told - 1)).toBeLessThan(0.15);
    const errors = named(all, 'calibrationError');
    const off = errors.values.map((value) => (value - (exact.metrics.calibrationError ?? Number.NaN)) ** 2);
    expect(Math.sqrt(off.reduce((sum, one) => sum + one / draws, 0))).toBeLessThan(errors.told[0]);
  });
});
