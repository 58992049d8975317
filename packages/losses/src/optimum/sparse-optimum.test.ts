import { l2Ball, proximalL2Squared, type CsrMatrix } from '@lethe/numerics';
import { seededRandom, Unsupported } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { absolute } from '../absolute.js';
import { averageRisk } from '../average-risk.js';
import { sparseData } from '../data/sparse-data.js';
import { empiricalGradientMoment } from '../empirical-moment.js';
import { logistic } from '../logistic.js';
import { softmax } from '../softmax.js';
import { squared } from '../squared.js';
import { squaredDistance } from '../squared-distance.js';
import { nonPrivateOptimum } from './non-private-optimum.js';

const columns = 12;
const { features, labels } = sparseData(
  { rows: 400, columns, entries: 5, exponent: 0.5 },
  seededRandom('optimum'),
);
const dense = (matrix: CsrMatrix): Float64Array => {
  const out = new Float64Array(matrix.rows * matrix.columns);
  for (let row = 0; row < matrix.rows; row++)
    for (let k = matrix.rowStarts[row]; k < matrix.rowStarts[row + 1]; k++)
      out[row * matrix.columns + matrix.columnIndices[k]] = matrix.values[k];
  return out;
};
const sparseRows = { features, rows: 400, columns, labels };
const denseRows = { features: dense(features), rows: 400, columns, labels };
const domain = l2Ball({ dimension: columns, radius: 3 });
const at = Float64Array.from({ length: columns }, (_, j) => Math.sin(j + 1));

describe('records as sparse rows', () => {
  const losses = [
    { plugin: logistic, params: {} },
    { plugin: squared, params: {} },
    { plugin: squaredDistance, params: { scale: 2 } },
  ] as const;

  it.each(losses)('have the risk, moments and optimum of the dense ones: $plugin.name', (loss) => {
    expect(averageRisk(loss, sparseRows, at) / averageRisk(loss, denseRows, at)).toBeCloseTo(1, 12);
    const moment = (rows: typeof sparseRows | typeof denseRows): number =>
      empiricalGradientMoment(loss, rows, { order: 4, over: { points: [at] } }).uniform;
    expect(moment(sparseRows) / moment(denseRows)).toBeCloseTo(1, 12);
    for (const options of [
      {},
      { regulariser: proximalL2Squared({ strength: new Float64Array(columns).fill(0.1) }) },
    ]) {
      const slow = nonPrivateOptimum(loss, sparseRows, domain, options);
      const fast = nonPrivateOptimum(loss, denseRows, domain, options);
      expect(slow.gap).toBeLessThanOrEqual(2e-10 * (1 + slow.risk));
      expect(Math.abs(slow.risk - fast.risk)).toBeLessThanOrEqual(slow.gap + fast.gap + 1e-12);
    }
  });

  it('may have classes, and more weights than a Hessian could hold', () => {
    const classes = labels.map((label) => (label > 0 ? 2 : 0));
    const of = { plugin: softmax, params: { classes: 3 } };
    const ball = l2Ball({ dimension: 3 * columns, radius: 3 });
    const slow = nonPrivateOptimum(of, { ...sparseRows, labels: classes }, ball);
    const fast = nonPrivateOptimum(of, { ...denseRows, labels: classes }, ball);
    expect(Math.abs(slow.risk - fast.risk)).toBeLessThanOrEqual(slow.gap + fast.gap + 1e-12);
    const wide = sparseData({ rows: 300, columns: 100_000, entries: 6 }, seededRandom('wide'));
    const found = nonPrivateOptimum(
      { plugin: logistic, params: {} },
      { ...wide, rows: 300, columns: 100_000 },
      l2Ball({ dimension: 100_000, radius: 2 }),
    );
    expect(found.gap).toBeLessThan(1e-6);
  });

  it('are refused where only dense rows will do', () => {
    expect(() => nonPrivateOptimum({ plugin: absolute, params: {} }, sparseRows, domain)).toThrow(
      Unsupported,
    );
  });
});
