import { normalCdf } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { productDelta, productRenyi, quantilesOf, shiftedCells } from './shifted-cells.js';

/** δ(ε) of Gaussian noise of scale 1 at a shift of μ, whatever the dimension. */
const exact = (mu: number, epsilon: number): number =>
  normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
const own = quantilesOf(normalCdf);
const cells = (shift: number) => shiftedCells(normalCdf, own, shift, { whole: false });
const epsilons = [0, 0.1, 0.5, 1, 2, 4];

describe('lower bounds on the divergence of a shift, from cells', () => {
  it.each([0.1, 0.5, 1, 2, 4])('is at most the divergence, and close to it (shift %d)', (mu) => {
    for (const side of [1, -1])
      for (const epsilon of epsilons) {
        const shown = productDelta(cells(side * mu), 1)(epsilon);
        expect(shown).toBeLessThanOrEqual(exact(mu, epsilon));
        expect(shown).toBeGreaterThanOrEqual(0.9 * exact(mu, epsilon) - 1e-8);
      }
    for (const alpha of [1.1, 1.5, 2]) {
      expect(productRenyi(cells(mu), 1, alpha)).toBeLessThanOrEqual((alpha * mu * mu) / 2);
      if (mu <= 2)
        expect(productRenyi(cells(mu), 1, alpha)).toBeGreaterThanOrEqual((0.98 * alpha * mu * mu) / 2);
    }
  });

  it('composes over coordinates: four of half the shift equal one of the shift', () => {
    for (const mu of [1, 2, 4])
      for (const epsilon of epsilons) {
        const shown = productDelta(cells(mu / 2), 4)(epsilon);
        expect(shown).toBeLessThanOrEqual(exact(mu, epsilon));
        expect(shown).toBeGreaterThanOrEqual(0.8 * exact(mu, epsilon) - 1e-4);
      }
    expect(productRenyi(cells(0.5), 4, 2)).toBeLessThanOrEqual(1);
    expect(productRenyi(cells(0.5), 4, 2)).toBeGreaterThan(0.98);
  });

  it('is exact for integer noise: the geometric distribution is pure', () => {
    const ratio = Math.exp(-1);
    const cdf = (x: number): number =>
      Math.floor(x) < 0
        ? Math.exp(Math.floor(x)) / (1 + ratio)
        : 1 - Math.exp(-(Math.floor(x) + 1)) / (1 + ratio);
    const at = productDelta(shiftedCells(cdf, quantilesOf(cdf), 1, { whole: true }), 1);
    expect(at(1)).toBeLessThanOrEqual(0);
    // P(k ≤ 0) = 1/(1 + e^-1) against e^-1/(1 + e^-1).
    expect(at(0)).toBeCloseTo((1 - ratio) / (1 + ratio), 9);
  });
});
