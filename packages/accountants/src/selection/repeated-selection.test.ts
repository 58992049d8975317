import { gaussianEvent, InvalidParameter, type PrivacyEvent } from '@lethe/core';
import { resolveEvent } from '../events/index.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { negativeBinomialOf, negativeBinomialSelection } from './repeated-selection.js';

const adjacency = 'zero-out';
const curveOf = (event: PrivacyEvent): ((alpha: number) => number) =>
  resolveEvent(event, 'rdp', { adjacency });
const laplace = curveOf({
  kind: 'core/laplace',
  v: 1,
  scale: 1,
  sensitivity: { 'zero-out': 1 },
} as PrivacyEvent);

describe('the best of a negative binomial number of runs', () => {
  it('is priced for a number of the given mean, or refused where its γ is no double', () => {
    // γ is about 10^(−10⁶): 1/γ overflows before the mean does.
    expect(() => negativeBinomialOf({ mean: 1.5, shape: -1 + 1e-7 })).toThrow(/out of the range/u);
    expect(negativeBinomialOf({ mean: 10, shape: 5e-324 }).stopProbability).toBe(
      negativeBinomialOf({ mean: 10, shape: 0 }).stopProbability,
    );
  });

  it.each([
    [1000, 5, 7],
    [100, 2, 4],
    [1000, 1, 3],
  ])('of an ε-private base, mean %d and shape %d, is (2 + shape)ε-private', (mean, shape, expected) => {
    expect(Math.abs(negativeBinomialSelection(laplace, { mean, shape })(1e10) - expected)).toBeLessThan(5e-7);
  });

  it('covers the exact divergences of the best of few outputs', () => {
    const laws = fc
      .array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 3 })
      .map((w) => w.map((x) => x / w.reduce((a, b) => a + b, 0)));
    const renyi = (p: readonly number[], q: readonly number[], alpha: number): number => {
      const logs = p.map((mass, i) => alpha * Math.log(mass) + (1 - alpha) * Math.log(q[i]));
      const most = Math.max(...logs);
      return (most + Math.log(logs.reduce((sum, x) => sum + Math.exp(x - most), 0))) / (alpha - 1);
    };
    // E x^K = (1 − (1 − γ)x)^−η less its value at 0, scaled.
    const generating =
      (gamma: number, shape: number) =>
      (x: number): number =>
        ((1 - (1 - gamma) * x) ** -shape - 1) / (gamma ** -shape - 1);
    fc.assert(
      fc.property(
        laws,
        laws,
        fc.constantFrom(0.01, 0.2, 0.7),
        fc.constantFrom(-0.5, 0.5, 1, 3),
        fc.constantFrom(1.3, 3, 12),
        (p, q, gamma, shape, alpha) => {
          const f = generating(gamma, shape);
          const best = (law: readonly number[]): readonly number[] => {
            let below = 0;
            return law.map((mass) => {
              const from = below;
              below = Math.min(1, below + mass);
              return f(below) - f(from);
            });
          };
          const mean = (shape * (1 - gamma)) / (gamma * (1 - gamma ** shape));
          const claimed = negativeBinomialSelection(
            (order) => 1e-12 + Math.max(renyi(p, q, order), renyi(q, p, order)),
            { mean, shape },
          );
          expect(renyi(best(p), best(q), alpha)).toBeLessThanOrEqual(claimed(alpha) + 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('costs slightly more than the capped event for a large cap', () => {
    const noise = gaussianEvent(5, { 'zero-out': 1 });
    const capped = curveOf({
      kind: 'core/selection',
      v: 1,
      base: noise,
      stopProbability: 0.01,
      cap: 1e9,
    } as PrivacyEvent);
    const geometric = negativeBinomialSelection(curveOf(noise), { mean: 100, shape: 1 });
    for (const alpha of [2, 10, 50]) expect(capped(alpha)).toBeLessThan(geometric(alpha) + 0.05);
  });

  it('refuses unknown distributions', () => {
    for (const bad of [
      { mean: 1, shape: 1 },
      { mean: NaN, shape: 1 },
      { mean: 5, shape: -1 },
      { mean: Infinity, shape: 0 },
      null,
    ])
      expect(() => negativeBinomialSelection(laplace, bad as never)).toThrow(InvalidParameter);
    expect(() => negativeBinomialSelection(laplace, { mean: 10, shape: 1 })(1)).toThrow(InvalidParameter);
    expect(negativeBinomialSelection(() => Infinity, { mean: 10, shape: 0 })(2)).toBe(Infinity);
    expect(negativeBinomialSelection(laplace, { mean: 1 + 1e-12, shape: 1 })(2)).toBeLessThan(Infinity);
    expect(negativeBinomialSelection(laplace, { mean: 1e6, shape: 0 })(1e9)).toBeGreaterThan(1.9);
  });
});
