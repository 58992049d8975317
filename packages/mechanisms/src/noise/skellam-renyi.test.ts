import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skellamEvent } from './skellam-event.js';
import { skellamRenyi } from './skellam-renyi.js';
import { skellam } from './skellam.js';

/** `log(e^(−μ) I_k(μ))` for k = 0, …, end, by backward recurrence of ratios and normalisation. */
function logProbabilities(mu: number, end: number): Float64Array {
  const far = end + 80 + Math.ceil(10 * Math.sqrt(mu));
  const logs = new Float64Array(far);
  const ratios = new Float64Array(far + 1);
  for (let k = far - 1; k >= 0; k--) ratios[k] = 1 / ((2 * (k + 1)) / mu + ratios[k + 1]);
  for (let k = 1; k < far; k++) logs[k] = logs[k - 1] + Math.log(ratios[k - 1]);
  let total = 1;
  for (let k = far - 1; k > 0; k--) total += 2 * Math.exp(logs[k]);
  return logs.subarray(0, end + 1).map((x) => x - Math.log(total));
}

/** The Rényi divergence of one entry that moves by s, summed. */
function divergence(mu: number, s: number, alpha: number): number {
  const reach = Math.ceil(60 + 40 * Math.sqrt(mu) + 30 * s * alpha);
  const logs = logProbabilities(mu, reach + s);
  const terms = Array.from(
    { length: 2 * reach + 1 },
    (_, i) => alpha * logs[Math.abs(i - reach)] + (1 - alpha) * logs[Math.abs(i - reach + s)],
  );
  const largest = Math.max(...terms);
  return (largest + Math.log(terms.reduce((sum, x) => sum + Math.exp(x - largest), 0))) / (alpha - 1);
}

describe('skellamRenyi', () => {
  it.each([0.25, 1, 4, 25, 100, 1000])('bounds the divergence of one entry, at variance %d', (mu) => {
    for (const s of [1, 2, 5, 20])
      for (const alpha of [1.001, 1.1, 1.5, 2, 2.7, 8, 32]) {
        expect(skellamRenyi(s / Math.sqrt(mu), Math.sqrt(mu))(alpha)).toBeGreaterThanOrEqual(
          divergence(mu, s, alpha) * (1 - 1e-9),
        );
      }
  });

  it('bounds vectors that move in many entries, whose divergences add up', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(1, 9, 64),
        fc.constantFrom(1.2, 2, 5),
        (moves, mu, alpha) => {
          fc.pre(moves.some((s) => s > 0));
          const norm = Math.hypot(...moves);
          const exact = moves.reduce((sum, s) => sum + (s === 0 ? 0 : divergence(mu, s, alpha)), 0);
          expect(skellamRenyi(norm / Math.sqrt(mu), Math.sqrt(mu))(alpha)).toBeGreaterThanOrEqual(
            exact * (1 - 1e-9),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is that of Gaussian noise on a fine grid, and never below it', () => {
    for (const [scale, excess] of [
      [30, 0.08],
      [1000, 0.003],
    ] as const)
      for (const alpha of [1.5, 4, 20]) {
        const gaussian = (alpha * 0.25) / 2;
        const bound = skellamRenyi(0.5, scale)(alpha);
        expect(bound).toBeGreaterThan(gaussian);
        expect(bound).toBeLessThan(gaussian * (1 + excess));
      }
  });

  it('falls as the scale grows and rises with order and shift', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 100 }),
        (scale, shift, order) => {
          const at = (c: number, t: number, alpha: number): number => skellamRenyi(t / 10, c / 4)(alpha);
          const alpha = 1 + order / 8;
          expect(at(scale * 2, shift, alpha)).toBeLessThanOrEqual(at(scale, shift, alpha));
          expect(at(scale, shift + 1, alpha)).toBeGreaterThanOrEqual(at(scale, shift, alpha));
          expect(at(scale, shift, alpha + 0.5)).toBeGreaterThanOrEqual(at(scale, shift, alpha));
        },
      ),
    );
  });
});

describe('skellam', () => {
  it('meets (ε, δ) by its event, and no much smaller multiplier does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom(1, 30, 1000),
        (tenths, digits, leastScale) => {
          const epsilon = tenths / 10;
          const delta = 10 ** -digits;
          const multiplier = skellam.multiplierFor({ leastScale }, { epsilon, delta });
          const deltaAt = (sigma: number): number => {
            const curve = defined(skellamEvent.characterise.rdp)(
              skellam.event({ leastScale }, sigma, { 'zero-out': 1 }) as never,
              'zero-out',
              undefined as never,
            );
            let least = 1;
            for (let t = -12; t < 30; t += 1 / 64) {
              const beta = 2 ** t;
              const alpha = 1 + beta;
              least = Math.min(
                least,
                Math.exp(
                  beta * (curve(alpha) - epsilon) +
                    beta * (beta < 1 ? Math.log(beta / alpha) : Math.log1p(-1 / alpha)) -
                    Math.log(alpha),
                ),
              );
            }
            return least;
          };
          expect(deltaAt(multiplier)).toBeLessThanOrEqual(delta * (1 + 2e-3));
          expect(deltaAt(multiplier * 0.998)).toBeGreaterThan(delta);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('falls towards the discrete Gaussian multiplier as the grid gets finer', () => {
    const multipliers = [1, 8, 64, 1000].map((leastScale) =>
      skellam.multiplierFor({ leastScale }, { epsilon: 1, delta: 1e-5 }),
    );
    expect(multipliers).toEqual(multipliers.toSorted((a, b) => b - a));
    expect(multipliers[3]).toBeCloseTo(4.0454, 3);
  });
});
