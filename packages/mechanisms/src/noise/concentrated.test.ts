import { Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positive } from '../../test/support/arbitraries.js';
import { largestRho } from './concentrated.js';
import { gaussian } from './gaussian.js';
import { multiplierForRho } from './noise-target.js';

/** The least δ over a fine grid of orders, by the formula as it is printed. */
function deltaOf(rho: number, epsilon: number): number {
  let least = 1;
  for (let t = -20; t < 60; t += 1 / 128) {
    const beta = 2 ** t;
    const alpha = 1 + beta;
    least = Math.min(
      least,
      Math.exp(
        beta * (alpha * rho - epsilon) -
          Math.log(beta) +
          alpha * (beta < 1 ? Math.log(beta / alpha) : Math.log1p(-1 / alpha)),
      ),
    );
  }
  return least;
}

describe('largestRho', () => {
  it('makes (ε, δ), and no much larger ρ does by any order', () => {
    fc.assert(
      fc.property(positive(-2, 1), positive(-12, -2), (epsilon, delta) => {
        const rho = largestRho(epsilon, delta);
        expect(deltaOf(rho, epsilon)).toBeLessThanOrEqual(delta * (1 + 1e-3));
        expect(deltaOf(rho * (1 + 1e-3), epsilon)).toBeGreaterThan(delta);
      }),
      { numRuns: 40 },
    );
  });

  it('costs a tenth of the multiplier or so against the exact curve of real Gaussian noise, δ below 1e-4', () => {
    fc.assert(
      fc.property(positive(-2, 0), positive(-12, -5), (epsilon, delta) => {
        const ratio =
          multiplierForRho(largestRho(epsilon, delta)) / gaussian.multiplierFor({}, { epsilon, delta });
        expect(ratio).toBeGreaterThan(1);
        expect(ratio).toBeLessThan(1.25);
      }),
      { numRuns: 40 },
    );
  });

  it('stays certified at extreme targets', () => {
    fc.assert(
      fc.property(
        positive(-100, 100),
        fc.constantFrom(1e-300, 1e-30, 0.5, 1 - 2 ** -53),
        (epsilon, delta) => {
          const multiplier = multiplierForRho(largestRho(epsilon, delta));
          expect(multiplier).toBeGreaterThan(0);
          expect(multiplier).toBeLessThan(Infinity);
        },
      ),
    );
    expect(() => largestRho(5e-324, 5e-324)).toThrow(Unsupported);
  });
});
