import { normalCdf, normalQuantile } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quantileOf } from './quantile.js';

it('inverts a continuous distribution function', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), (permille) => {
      expect(quantileOf(normalCdf, permille / 1000)).toBeCloseTo(normalQuantile(permille / 1000), 12);
    }),
  );
});

it('finds the jump of a distribution with atoms, and is finite without a solution', () => {
  expect(quantileOf((x) => (x >= 3 ? 1 : 0), 0.5)).toBeCloseTo(3, 12);
  expect(quantileOf((x) => (x >= -1000 ? 1 : 0), 0.5)).toBeCloseTo(-1000, 9);
  expect(Number.isFinite(quantileOf(() => 0, 0.5))).toBe(true);
  expect(Number.isFinite(quantileOf(() => 1, 0.5))).toBe(true);
});
