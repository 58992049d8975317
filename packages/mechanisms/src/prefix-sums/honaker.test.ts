import { describe, expect, it } from 'vitest';
import {
  allOnes,
  cholesky,
  decoderMatrix,
  encoderMatrix,
  inverse,
  largestDifference,
  product,
  range,
  solveLower,
  transpose,
  type Rows,
} from '../../test/factors.js';
import { binaryTree } from './binary-tree.js';
import { honakerFull } from './honaker-full.js';
import { honakerOnline } from './honaker-online.js';

const shapeOf = (steps: number): { readonly steps: number; readonly dimension: number } => ({
  steps,
  dimension: 1,
});
const once = { times: 1, gap: 1 };
const lengths = [1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 21, 31, 32, 33, 63, 64];

/** Rows that sum the steps of each node of the tree over `2^height` steps, by height from the leaves up. */
const nodeRows = (height: number): Rows =>
  range(height + 1).flatMap((k) =>
    range(2 ** (height - k)).map((index) =>
      range(2 ** height).map((t) => Number(Math.floor(t / 2 ** k) === index)),
    ),
  );
const firstOf = (matrix: Rows, steps: number): Rows =>
  matrix.slice(0, steps).map((row) => row.slice(0, steps));

/** Covariance of least-squares estimates of running sums from the rows that are given for each. */
function leastSquares(nodes: Rows, steps: number): Rows {
  const a = allOnes(steps);
  return product(product(a, inverse(product(transpose(nodes), nodes))), transpose(a));
}

const isFinishedBy =
  (step: number) =>
  (row: readonly number[]): boolean =>
    row.lastIndexOf(1) <= step;

describe('honakerOnline', () => {
  it.each(lengths)('releases what estimates from below over all nodes would, %d steps', (steps) => {
    // Estimates by their definition: rows of weights on the nodes' noisy sums.
    const height = Math.ceil(Math.log2(steps + 1));
    const nodes = nodeRows(height);
    const place = (k: number, index: number): number =>
      range(k).reduce((sum, lower) => sum + 2 ** (height - lower), 0) + index;
    const estimate = (k: number, index: number): number[] => {
      const weights = nodes.map(() => 0);
      if (k === 0) {
        weights[place(0, index)] = 1;
        return weights;
      }
      // Inverse variances: 1 for the node itself, 1/(2 v) for its children together.
      const ofChildren = 1 / (2 * (2 ** (k - 1) / (2 ** k - 1)));
      const own = 1 / (1 + ofChildren);
      const [left, right] = [estimate(k - 1, 2 * index), estimate(k - 1, 2 * index + 1)];
      weights[place(k, index)] = own;
      return weights.map((weight, i) => weight + (1 - own) * (left[i] + right[i]));
    };
    const b = range(steps).map((t) => {
      const row = nodes.map(() => 0);
      for (let end = t + 1; end > 0;) {
        const k = Math.log2(end & -end);
        estimate(k, end / 2 ** k - 1).forEach((weight, i) => {
          row[i] += weight;
        });
        end -= 2 ** k;
      }
      return row;
    });
    expect(
      largestDifference(
        product(b, nodes).map((row) => row.slice(0, steps)),
        allOnes(steps),
      ),
    ).toBeLessThan(1e-12);
    const ours = decoderMatrix(honakerOnline, {}, steps);
    expect(largestDifference(product(ours, transpose(ours)), product(b, transpose(b)))).toBeLessThan(1e-12);
  });

  it('is least squares over the nodes finished by each step', () => {
    const steps = 16;
    const nodes = nodeRows(4);
    for (const step of range(steps)) {
      const finished = nodes.filter(isFinishedBy(step)).map((row) => row.slice(0, step + 1));
      expect(honakerOnline.variance({}, shapeOf(steps), step)).toBeCloseTo(
        leastSquares(finished, step + 1)[step][step],
        12,
      );
    }
  });

  it.each(lengths)('has the sensitivity of its own noise, less than that of the nodes, %d steps', (steps) => {
    const longest = Math.max(
      ...transpose(encoderMatrix(honakerOnline, {}, steps)).map((column) => Math.hypot(...column)),
    );
    const declared = honakerOnline.columnNorm({}, shapeOf(steps), once);
    expect(declared).toBeGreaterThanOrEqual(longest * (1 - 1e-14));
    expect(declared).toBeLessThanOrEqual(longest * (1 + 1e-11));
    expect(declared).toBeLessThanOrEqual(binaryTree.columnNorm({}, shapeOf(steps), once) * (1 + 1e-11));
  });

  it('has the variances that are published, and the error', () => {
    expect(honakerOnline.variance({}, shapeOf(8), 7)).toBeCloseTo(8 / 15, 15);
    // ⌊log₂⌋ + 1 = 10 nodes above each step of 1023, each running sum counted with the nodes one by one.
    const variances = range(1023).map((t) => honakerOnline.variance({}, shapeOf(1023), t));
    expect(10 * Math.max(...variances)).toBeCloseTo(58, 0);
    expect((10 * variances.reduce((sum, v) => sum + v, 0)) / 1023).toBeCloseTo(29.04, 1);
  });
});

describe('honakerFull', () => {
  it.each(lengths)('releases what least squares over all nodes would, %d steps', (steps) => {
    const height = Math.ceil(Math.log2(steps));
    const expected = firstOf(leastSquares(nodeRows(height), 2 ** height), steps);
    const b = decoderMatrix(honakerFull, {}, steps);
    expect(largestDifference(product(b, transpose(b)), expected)).toBeLessThan(1e-12);
    expect(largestDifference(b, cholesky(expected))).toBeLessThan(1e-12);
  });

  it.each(lengths)('has the sensitivity of its own noise, %d steps', (steps) => {
    const c = encoderMatrix(honakerFull, {}, steps);
    const dense = solveLower(decoderMatrix(honakerFull, {}, steps), allOnes(steps));
    expect(largestDifference(c, dense)).toBeLessThan(1e-11);
    const longest = Math.max(...transpose(dense).map((column) => Math.hypot(...column)));
    const declared = honakerFull.columnNorm({}, shapeOf(steps), once);
    expect(declared).toBeGreaterThanOrEqual(longest * (1 - 1e-13));
    expect(declared).toBeLessThanOrEqual(longest * (1 + 1e-11));
  });

  it.each([2, 8, 64])('has the inner products of the nodes, %d steps', (steps) => {
    const c = encoderMatrix(honakerFull, {}, steps);
    const nodes = nodeRows(Math.log2(steps));
    expect(largestDifference(product(transpose(c), c), product(transpose(nodes), nodes))).toBeLessThan(1e-11);
    expect(honakerFull.columnNorm({}, shapeOf(steps), once)).toBeCloseTo(Math.sqrt(Math.log2(steps) + 1), 10);
  });

  it('never varies more than estimates from below at powers of two', () => {
    for (const steps of [2, 4, 32, 64])
      for (const step of range(steps)) {
        expect(honakerFull.variance({}, shapeOf(steps), step)).toBeLessThanOrEqual(
          honakerOnline.variance({}, shapeOf(steps), step) * (1 + 1e-12),
        );
      }
  });
});
