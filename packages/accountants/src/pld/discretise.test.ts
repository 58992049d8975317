import type { PrivacyLossDistribution } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discretise } from './discretise.js';
import { evenTiling, type GridDistribution, type Tiling } from './grid-distribution.js';
import { gaussian, laplace, lossDistributionsOf, pure, release, tenTo } from '../../test/releases.js';

/** The profile of one side of a grid law, by its sum. */
function profile(
  { base, step, nodes, ...law }: GridDistribution,
  side: 'upper' | 'lower',
  epsilon: number,
): number {
  let sum = side === 'upper' ? law.infiniteUpper : law.infiniteLower;
  nodes.forEach((node, i) => {
    sum += law[side][i] * Math.max(0, -Math.expm1(epsilon - (base + step * node)));
  });
  return sum;
}
function expectBetween(distribution: PrivacyLossDistribution, grid: GridDistribution, epsilon: number): void {
  const truth = distribution.hockeyStick(epsilon);
  // Sums of a few thousand terms, none negative.
  expect(profile(grid, 'upper', epsilon - grid.shift) * (1 + grid.scale + 1e-12)).toBeGreaterThanOrEqual(
    truth.lower * (1 - 1e-13) - 1e-300,
  );
  expect(profile(grid, 'lower', epsilon + grid.shift) * (1 - grid.scale - 1e-12)).toBeLessThanOrEqual(
    truth.upper * (1 + 1e-13) + 1e-300,
  );
}
/** Blocks of odd widths that change from one to the next. */
function unevenTiling(base: number, step: number, widths: readonly number[]): Tiling {
  const nodes: number[] = [];
  let node = -Math.round(widths.reduce((a, b) => a + b, 0) / 2);
  widths.forEach((width, i) => {
    if (i > 0) node += (widths[i - 1] + width) / 2;
    nodes.push(node);
  });
  return {
    base,
    step,
    nodes: Float64Array.from(nodes),
    widths: Float64Array.from(widths),
    tolerance: 2 ** -40,
  };
}

describe('a distribution on a grid', () => {
  it('dominates the distribution on one side and is dominated on the other, on every grid', () => {
    const widths = fc.array(
      fc.integer({ min: 0, max: 4 }).map((k) => 2 * k + 1),
      { minLength: 2, maxLength: 60 },
    );
    fc.assert(
      fc.property(
        release,
        tenTo(-4, 0),
        fc.integer({ min: -100, max: 100 }),
        widths,
        fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 8, maxLength: 8 }),
        (event, step, offset, blocks, at) => {
          for (const distribution of lossDistributionsOf(event)) {
            const grid = discretise(distribution, unevenTiling((offset / 100) * step, step, blocks));
            for (const k of at) expectBetween(distribution, grid, (k / 20) * step * blocks.length);
            for (const k of at) expectBetween(distribution, grid, k / 50);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does so from a profile alone', () => {
    fc.assert(
      fc.property(
        release,
        tenTo(-2, -1),
        fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 8, maxLength: 8 }),
        (event, step, at) => {
          for (const { massesInto: _, ...law } of lossDistributionsOf(event)) {
            const grid = discretise(law, evenTiling(step, -1, 2));
            for (const k of at) expectBetween(law, grid, k / 50);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('converges to the distribution with the square of the step', () => {
    for (const event of [gaussian(1), laplace(1), gaussian(3)]) {
      const distribution = lossDistributionsOf(event)[0];
      const gapOf = (step: number): number => {
        const grid = discretise(distribution, { ...evenTiling(step, -12, 12), tolerance: 2 ** -40 });
        return Math.max(
          ...[-1, 0, 0.3, 0.7, 1.5].map(
            (epsilon) => profile(grid, 'upper', epsilon) - profile(grid, 'lower', epsilon),
          ),
        );
      };
      const [coarse, fine] = [gapOf(1 / 16), gapOf(1 / 64)];
      expect(coarse).toBeLessThan(2e-3);
      expect(fine).toBeLessThan(coarse / 10);
      expect(fine).toBeGreaterThan(0);
    }
  });

  it('is exact where atoms are on the grid', () => {
    const grid = discretise(lossDistributionsOf(pure(0.5))[0], {
      ...evenTiling(0.25, -0.5, 0.5),
      tolerance: 2 ** -40,
    });
    const high = Math.exp(0.5) / (1 + Math.exp(0.5));
    for (const side of ['upper', 'lower'] as const) {
      expect(profile(grid, side, 0)).toBeCloseTo(2 * high - 1, 9);
      expect(grid[side].at(grid.nodes.indexOf(2))).toBeCloseTo(high, 9);
    }
  });
});
