import { InvalidParameter } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { meanVariance } from './buffered-error.js';
import { impulseResponse } from './buffered-inverse.js';
import { bufferedLinearToeplitz } from './buffered-linear-toeplitz.js';
import { minimizeLocally } from './buffered-search.js';
import { optimizeBufferedToeplitz, type BufferedToeplitzGoal } from './optimize-buffered-toeplitz.js';
import { squareRootEnergy } from './toeplitz-square-root.js';

type Params = ReturnType<typeof optimizeBufferedToeplitz>;

/** Sensitivity times the square root of the largest or mean variance. */
function errorOf(
  params: Params,
  { steps, times = 1, gap = 1, objective = 'max' }: BufferedToeplitzGoal,
): number {
  const shape = { steps, dimension: 1 };
  const variance =
    objective === 'max'
      ? bufferedLinearToeplitz.variance(params, shape, steps - 1)
      : meanVariance(impulseResponse(params), steps);
  return bufferedLinearToeplitz.columnNorm(params, shape, { times, gap }) * Math.sqrt(variance);
}

describe('optimizeBufferedToeplitz', () => {
  it('finds the published parameters for 10⁵ steps and two buffers', () => {
    // Of the JAX Privacy library, whose optimizer is another.
    const { theta, omega } = optimizeBufferedToeplitz({ steps: 100_000, buffers: 2 });
    [0.9857068667, 0.9999528892].forEach((published, i) => {
      expect(Math.abs(theta[i] / published - 1)).toBeLessThan(1e-5);
    });
    [0.1878393665, 0.0122853238].forEach((published, i) => {
      expect(Math.abs(omega[i] / published - 1)).toBeLessThan(1e-5);
    });
  });

  it.each([
    // Steps, buffers, and the most that the error may be above that of the best Toeplitz factorisation.
    [1e3, 2, 0.018],
    [1e3, 3, 0.0016],
    [1e4, 3, 0.009],
    [1e4, 4, 0.0013],
    [1e5, 4, 0.006],
    [1e6, 4, 0.016],
    [1e6, 5, 0.0042],
    [1e6, 6, 0.0011],
  ])('is near the optimum for %d steps and %d buffers', (steps, buffers, slack) => {
    const ratio =
      errorOf(optimizeBufferedToeplitz({ steps, buffers }), { steps, buffers }) / squareRootEnergy(steps);
    expect(ratio).toBeGreaterThanOrEqual(1 - 1e-12);
    expect(ratio).toBeLessThan(1 + slack);
  });

  it('is no worse with more buffers, and better than what was found for other goals', () => {
    for (const goal of [
      { steps: 500, times: 5, gap: 50, objective: 'max' },
      { steps: 500, times: 5, gap: 50, objective: 'mean' },
      { steps: 1000, times: 2, gap: 5, objective: 'mean' },
    ] as const) {
      const errors = [1, 2, 3].map((buffers) =>
        errorOf(optimizeBufferedToeplitz({ ...goal, buffers }), { ...goal, buffers }),
      );
      expect(errors[1]).toBeLessThan(errors[0]);
      expect(errors[2]).toBeLessThan(errors[1] * (1 + 1e-6));
      const others = [
        { ...goal, objective: goal.objective === 'max' ? 'mean' : 'max' },
        { ...goal, times: 1 },
        { ...goal, steps: 50, gap: 5 },
      ] as const;
      for (const other of others)
        expect(
          errorOf(optimizeBufferedToeplitz({ ...other, buffers: 3 }), { ...goal, buffers: 3 }),
        ).toBeGreaterThan(errors[2] * (1 + 1e-6));
    }
  });

  it('finds no slope left: every parameter is best given the others', () => {
    const goal = { steps: 5000, buffers: 3, times: 4, gap: 900, objective: 'mean' } as const;
    const best = optimizeBufferedToeplitz(goal);
    for (const key of ['theta', 'omega'] as const)
      for (let i = 0; i < 3; i++)
        for (const factor of [0.99, 1.01]) {
          const values = best[key].with(
            i,
            key === 'theta' ? 1 - (1 - best.theta[i]) * factor : best.omega[i] * factor,
          );
          expect(errorOf({ ...best, [key]: values }, goal)).toBeGreaterThan(errorOf(best, goal));
        }
  });

  it('comes to fresh noise where that is best: everybody takes part all the time', () => {
    for (const steps of [3, 16, 33])
      for (const buffers of [1, 3]) {
        const goal = { steps, buffers, times: steps, gap: 1 };
        expect(errorOf(optimizeBufferedToeplitz(goal), goal)).toBeLessThan(steps * (1 + 1e-5));
      }
  });

  it('gives valid, reproducible parameters, also for short streams', () => {
    for (const steps of [1, 2, 3, 10, 1e12])
      for (const buffers of [1, 2, 5]) {
        const params = optimizeBufferedToeplitz({ steps, buffers });
        expect(bufferedLinearToeplitz(params).params).toEqual(params);
        if (buffers < 3) expect(optimizeBufferedToeplitz({ steps, buffers })).toEqual(params);
      }
  });

  it('refuses goals that are none', () => {
    const goal = { steps: 10, buffers: 2 };
    for (const bad of [0, -1, 0.5, NaN, Infinity])
      for (const key of ['steps', 'buffers', 'times', 'gap']) {
        expect(() => optimizeBufferedToeplitz({ ...goal, [key]: bad })).toThrow(InvalidParameter);
      }
    expect(() => optimizeBufferedToeplitz({ ...goal, buffers: 17 })).toThrow(InvalidParameter);
    expect(() => optimizeBufferedToeplitz({ ...goal, objective: 'median' as 'mean' })).toThrow(
      InvalidParameter,
    );
  });
});

describe('minimizeLocally', () => {
  it('follows a curved valley to its end', () => {
    const { argument, value } = minimizeLocally(
      ([x, y]) => (1 - x) ** 2 + 100 * (y - x * x) ** 2,
      Float64Array.of(-1.2, 1),
    );
    expect(Math.hypot(argument[0] - 1, argument[1] - 1)).toBeLessThan(1e-4);
    expect(value).toBeLessThan(1e-9);
  });

  it('stops before a wall', () => {
    const { argument } = minimizeLocally(
      ([x, y]) => (x > 1 ? Infinity : (x - 2) ** 2 + y * y),
      Float64Array.of(0, 3),
    );
    expect(argument[0]).toBeLessThanOrEqual(1);
    expect(argument[0]).toBeGreaterThan(0.99);
  });
});
