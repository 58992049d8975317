import { InvalidParameter } from '@lethe/core';
import { minimizeUnimodal } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { bandedColumnNormalised } from './banded-column-normalised.js';
import { bandedToeplitz } from './banded-toeplitz.js';
import { prefixSumErrors } from './errors.js';
import { optimizeBandedToeplitz, type BandedToeplitzGoal } from './optimize-banded-toeplitz.js';
import { squareRootEnergy } from './toeplitz-square-root.js';

type Params = { readonly coefficients: number[] } | { readonly bandwidth: number };
const errorOf = (
  params: Params,
  { steps, times = 1, gap = 1, objective = 'max' }: BandedToeplitzGoal,
  plugin: typeof bandedToeplitz | typeof bandedColumnNormalised = bandedToeplitz,
): number => prefixSumErrors(plugin, params, { steps, dimension: 1 }, { times, gap })[objective];

describe('optimizeBandedToeplitz', () => {
  it('finds the square root, where the band is as wide as the stream is long', () => {
    for (const steps of [2, 10, 40])
      expect(
        errorOf(optimizeBandedToeplitz({ steps, bandwidth: steps }), { steps, bandwidth: steps }) /
          squareRootEnergy(steps),
      ).toBeCloseTo(1, 8);
  });

  it('finds what a search along a line finds, for a band of two', () => {
    for (const goal of [
      { steps: 100, bandwidth: 2 },
      { steps: 77, bandwidth: 2, times: 3, gap: 1, objective: 'mean' },
      { steps: 50, bandwidth: 2, times: 9, gap: 4 },
    ] as const) {
      const line = minimizeUnimodal((x) => errorOf({ coefficients: [1, x] }, goal), 0, 1);
      expect(errorOf(optimizeBandedToeplitz(goal), goal) / line.value).toBeCloseTo(1, 9);
    }
  });

  it.each([
    { steps: 300, bandwidth: 12, times: 5, gap: 60, objective: 'max' },
    { steps: 300, bandwidth: 12, times: 5, gap: 5, objective: 'mean' },
    { steps: 200, bandwidth: 30, objective: 'mean' },
  ] as const)('leaves nothing to gain: %o', (goal) => {
    const best = optimizeBandedToeplitz(goal);
    const error = errorOf(best, goal);
    expect(best.coefficients).toHaveLength(goal.bandwidth);
    for (let k = 1; k < goal.bandwidth; k++)
      for (const factor of [0.99, 1.01]) {
        const coefficients = best.coefficients.map((c, i) =>
          i < k ? c : Math.min(best.coefficients[k - 1], c * factor),
        );
        expect(errorOf({ coefficients }, goal)).toBeGreaterThanOrEqual(error * (1 - 1e-9));
      }
    const others = [
      { ...goal, objective: goal.objective === 'max' ? 'mean' : 'max' },
      { ...goal, steps: goal.steps / 4, times: 1 },
    ] as const;
    for (const other of others)
      expect(errorOf(optimizeBandedToeplitz(other), goal)).toBeGreaterThan(error * (1 + 1e-5));
  });

  it('is an eighth better than the square root for narrow bands in long streams, normalised or not', () => {
    const goal = { steps: 2000, bandwidth: 16, times: 10, gap: 200 };
    const best = optimizeBandedToeplitz(goal);
    for (const plugin of [bandedToeplitz, bandedColumnNormalised])
      expect(errorOf(best, goal, plugin)).toBeLessThan((7 / 8) * errorOf({ bandwidth: 16 }, goal, plugin));
  });

  it('gives valid, reproducible coefficients, at most one per step', () => {
    for (const steps of [1, 2, 5]) {
      const params = optimizeBandedToeplitz({ steps, bandwidth: 4, times: 2, gap: 2 });
      expect(params.coefficients).toHaveLength(Math.min(steps, 4));
      expect(bandedToeplitz(params).params).toEqual(params);
      expect(optimizeBandedToeplitz({ steps, bandwidth: 4, times: 2, gap: 2 })).toEqual(params);
    }
  });

  it('refuses goals that are none', () => {
    const goal = { steps: 10, bandwidth: 2 };
    for (const bad of [0, -1, 0.5, NaN, Infinity])
      for (const key of ['steps', 'bandwidth', 'times', 'gap']) {
        expect(() => optimizeBandedToeplitz({ ...goal, [key]: bad })).toThrow(InvalidParameter);
      }
    for (const bad of [{ bandwidth: 513 }, { steps: 2 ** 25 }, { objective: 'median' as 'mean' }])
      expect(() => optimizeBandedToeplitz({ ...goal, ...bad })).toThrow(InvalidParameter);
  });
});
