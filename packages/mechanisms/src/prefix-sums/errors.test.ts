import { InvalidParameter, Unsupported, type PrefixSum } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { allOnes, inverse, product, range, transpose } from '../../test/factors.js';
import { bandedColumnNormalised } from './banded-column-normalised.js';
import { bandedToeplitz } from './banded-toeplitz.js';
import { binaryTree } from './binary-tree.js';
import { leastPossibleErrors, prefixSumErrors, variancesOf } from './errors.js';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';
import { prefixSums } from './index.js';

const shapeOf = (steps: number): { readonly steps: number; readonly dimension: number } => ({
  steps,
  dimension: 1,
});
const once = { times: 1, gap: 1 };

describe('prefixSumErrors', () => {
  it('is √T for the two trivial factorisations, whichever side has the noise', () => {
    for (const steps of [1, 10, 1000]) {
      expect(prefixSumErrors(independentIncrements, {}, shapeOf(steps), once).max).toBeCloseTo(
        Math.sqrt(steps),
        12,
      );
      expect(prefixSumErrors(independentIncrements, {}, shapeOf(steps), once).mean).toBeCloseTo(
        Math.sqrt((steps + 1) / 2),
        12,
      );
      expect(prefixSumErrors(independentPrefixes, {}, shapeOf(steps), once).mean).toBeCloseTo(
        Math.sqrt(steps),
        12,
      );
    }
  });

  it.each([
    [64, 42, 21.109],
    [1023, 100, 50.05],
    [1024, 110, 55.01],
    [4096, 156, 78],
  ])('has the published squares for the binary tree, %d steps', (steps, max, mean) => {
    const errors = prefixSumErrors(binaryTree, {}, shapeOf(steps), once);
    expect(errors.max ** 2).toBeCloseTo(max, 9);
    expect(Math.abs(errors.mean ** 2 - mean)).toBeLessThan(0.01);
  });

  it('is never below what is possible', () => {
    for (const plugin of prefixSums as readonly PrefixSum[])
      for (const params of plugin.examples ?? [])
        for (const steps of [1, 2, 3, 10, 33, 64]) {
          const errors = prefixSumErrors(plugin, plugin.params.parse(params), shapeOf(steps), once);
          const least = leastPossibleErrors(steps);
          expect(errors.max, `${plugin.name} ${steps}`).toBeGreaterThanOrEqual(least.max.lower * (1 - 1e-12));
          expect(errors.mean, `${plugin.name} ${steps}`).toBeGreaterThanOrEqual(
            least.mean.lower * (1 - 1e-12),
          );
        }
  });

  it('takes all variances at once where a prefix sum gives them', () => {
    const doubled = {
      ...independentIncrements,
      variancesInto: (out: Float64Array) => {
        out.fill(7);
      },
    } as never as PrefixSum;
    expect([...variancesOf(doubled, {}, shapeOf(3))]).toEqual([7, 7, 7]);
    expect([...variancesOf(independentIncrements, {}, shapeOf(3))]).toEqual([1, 2, 3]);
  });
});

describe('leastPossibleErrors', () => {
  it('is 1 for one step, and holds the known least for two', () => {
    expect(leastPossibleErrors(1)).toEqual({
      max: { lower: expect.closeTo(1, 14), upper: expect.closeTo(1, 14) },
      mean: { lower: expect.closeTo(1, 14), upper: expect.closeTo(1, 14) },
    });
    // γ₂ of the triangle of two steps is 2/√3.
    const { max } = leastPossibleErrors(2);
    expect(max.lower).toBeLessThanOrEqual(2 / Math.sqrt(3));
    expect(max.upper).toBeGreaterThanOrEqual(2 / Math.sqrt(3));
  });

  it('lies between the published logarithms', () => {
    for (const steps of [10, 1000, 10 ** 5]) {
      const { max, mean } = leastPossibleErrors(steps);
      // Matoušek, Nikolov, Talwar 2020 from below; Mathias 1993 from above.
      expect(mean.lower).toBeGreaterThanOrEqual((2 + Math.log((2 * steps + 1) / 3)) / Math.PI - 1e-9);
      expect(max.upper).toBeLessThanOrEqual(1 + Math.log(steps) / Math.PI);
      expect(max.upper - max.lower).toBeLessThan(0.5);
    }
  });

  it.each([2, 3, 10, 25])('is the trace norm of the triangle of %d steps over their number', (steps) => {
    const a = allOnes(steps);
    // Trace of the square root of AᵀA, by Denman and Beavers' iteration.
    let y = product(transpose(a), a);
    let z = range(steps).map((i) => range(steps).map((j) => Number(i === j)));
    for (let round = 0; round < 30; round++) {
      const [inverseY, inverseZ] = [inverse(y), inverse(z)];
      [y, z] = [
        y.map((row, i) => row.map((x, j) => (x + inverseZ[i][j]) / 2)),
        z.map((row, i) => row.map((x, j) => (x + inverseY[i][j]) / 2)),
      ];
    }
    expect(leastPossibleErrors(steps).mean.lower).toBeCloseTo(
      y.reduce((sum, row, i) => sum + row[i], 0) / steps,
      9,
    );
  });

  it('refuses what is no number of steps', () => {
    for (const bad of [0, -1, 2.5, NaN, Infinity])
      expect(() => leastPossibleErrors(bad)).toThrow(InvalidParameter);
  });

  it('refuses streams of which nobody can look at every step', () => {
    const steps = 2 ** 40;
    expect(() => leastPossibleErrors(steps)).toThrow(Unsupported);
    for (const plugin of [binaryTree, bandedToeplitz])
      expect(() => variancesOf(plugin as PrefixSum, { bandwidth: 3 }, shapeOf(steps))).toThrow(Unsupported);
    for (const plugin of [bandedToeplitz, bandedColumnNormalised]) {
      expect(() => plugin.variance({ bandwidth: 3 }, shapeOf(steps), steps - 1)).toThrow(Unsupported);
      expect(plugin.variance({ bandwidth: 3 }, shapeOf(steps), 0)).toBeCloseTo(
        plugin === bandedToeplitz ? 1 : 1 + 1 / 4 + 9 / 64,
        12,
      );
    }
  });
});
