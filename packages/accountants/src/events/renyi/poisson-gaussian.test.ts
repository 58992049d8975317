import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integrate } from '@lethe/numerics';
import { logMixture, presenceRenyi, replacementRenyi } from './poisson-gaussian.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const rate = fc.oneof(
  tenTo(-4, -0.05),
  tenTo(-4, -1).map((x) => 1 - x),
);
const mu = tenTo(-1.3, 0.5);
const order = tenTo(-2, 1.2).map((x) => 1 + x);

/**
 * `D_α` of two mixtures of N(0,1) with N(first,1) and N(second,1),
 * by the adaptive quadrature that the code does not use.
 */
function divergence(q: number, first: number, second: number, alpha: number): number {
  const log = (shift: number, x: number): number => logMixture(q, shift * x - (shift * shift) / 2);
  const reach = Math.abs(first) * alpha + Math.abs(second) * (alpha - 1) + 12;
  const gap = (x: number): number => {
    const denominator = log(second, x);
    const ratio = log(first, x) - denominator;
    const weight = denominator - (x * x) / 2;
    if (alpha * ratio > 50)
      return Math.exp(weight + alpha * ratio) - Math.exp(weight) * (1 + alpha * Math.expm1(ratio));
    return Math.exp(weight) * (Math.expm1(alpha * ratio) - alpha * Math.expm1(ratio));
  };
  const parts = Array.from(
    { length: 40 },
    (_, i) =>
      integrate(gap, -reach + (i * reach) / 20, -reach + ((i + 1) * reach) / 20, {
        tolerance: 1e-11,
        absoluteTolerance: 1e-16,
      }).value,
  );
  return Math.log1p(parts.reduce((a, b) => a + b, 0) / Math.sqrt(2 * Math.PI)) / (alpha - 1);
}
const moderate = (m: number, alpha: number): boolean => alpha * m * m < 40;

describe('presence in a Poisson sample', () => {
  it('has the divergence that quadrature finds, from above', () => {
    fc.assert(
      fc.property(rate, mu, order, (q, m, alpha) => {
        fc.pre(moderate(m, alpha));
        const truth = divergence(q, m, 0, alpha);
        const bound = presenceRenyi({ rate: q, mu: m })(alpha);
        const noise = 1e-8 * truth + 1e-13 / (alpha - 1);
        expect(bound).toBeGreaterThanOrEqual(truth - noise);
        expect(bound).toBeLessThanOrEqual(truth + noise);
      }),
      { numRuns: 60 },
    );
  });

  it('bounds the other direction too', () => {
    fc.assert(
      fc.property(rate, mu, order, (q, m, alpha) => {
        fc.pre(moderate(m, alpha));
        const noise = 1e-13 / (alpha - 1);
        expect(presenceRenyi({ rate: q, mu: m })(alpha) * (1 + 1e-8)).toBeGreaterThanOrEqual(
          divergence(q, 0, m, alpha) - noise,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('has the values of 30-digit quadrature at fractional orders', () => {
    const rows = [
      [0.1, 1, 1.3, 0.002957639241918831],
      [0.3, 2, 1.5, 0.00919565960944754],
      [0.02, 0.7, 1.7, 0.0014846385313199864],
      [0.5, 1, 1.2, 0.03490347570137665],
      [0.01, 1, 1.1, 9.241471084686968e-6],
    ] as const;
    for (const [q, sigma, alpha, log] of rows) {
      const bound = presenceRenyi({ rate: q, mu: 1 / sigma })(alpha) * (alpha - 1);
      expect(bound / log).toBeGreaterThanOrEqual(1 - 1e-14);
      expect(bound / log).toBeLessThan(1 + 1e-11);
    }
  });
});

describe('replacement in a Poisson sample', () => {
  it('has the divergence that quadrature finds, from above', () => {
    fc.assert(
      fc.property(rate, mu, order, (q, m, alpha) => {
        fc.pre(moderate(m, alpha));
        const truth = divergence(q, m, -m, alpha);
        const noise = 1e-8 * truth + 1e-13 / (alpha - 1);
        const bound = replacementRenyi({ rate: q, mu: m })(alpha);
        expect(bound).toBeGreaterThanOrEqual(truth - noise);
        expect(bound).toBeLessThanOrEqual(truth + noise);
      }),
      { numRuns: 60 },
    );
  });

  it('dominates every pair of shifts within reach, not only opposite ones', () => {
    const share = fc.integer({ min: -20, max: 20 }).map((k) => k / 20);
    fc.assert(
      fc.property(rate, mu, order, share, share, (q, m, alpha, first, second) => {
        fc.pre(moderate(m, alpha));
        const bound = replacementRenyi({ rate: q, mu: m })(alpha);
        expect(bound * (1 + 1e-8) + 1e-13 / (alpha - 1)).toBeGreaterThanOrEqual(
          divergence(q, first * m, second * m, alpha),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('both', () => {
  const both = [presenceRenyi, replacementRenyi];

  it('grow with rate, shift and order, and replacement costs at least presence', () => {
    const wideMu = tenTo(-6, 2);
    const wideOrder = tenTo(-6, 4).map((x) => 1 + x);
    fc.assert(
      fc.property(tenTo(-8, -0.01), wideMu, wideOrder, tenTo(-3, 0.5), (q, m, alpha, more) => {
        for (const renyi of both) {
          const least = renyi({ rate: q, mu: m })(alpha);
          const slack = least * 1e-9 + 1e-300;
          expect(
            renyi({ rate: Math.min(q * (1 + more), 1 - 2 ** -53), mu: m })(alpha),
          ).toBeGreaterThanOrEqual(least - slack);
          expect(renyi({ rate: q, mu: m * (1 + more) })(alpha)).toBeGreaterThanOrEqual(least - slack);
          expect(renyi({ rate: q, mu: m })(1 + (alpha - 1) * (1 + more))).toBeGreaterThanOrEqual(
            least - slack,
          );
        }
        expect(replacementRenyi({ rate: q, mu: m })(alpha)).toBeGreaterThanOrEqual(
          presenceRenyi({ rate: q, mu: m })(alpha) * (1 - 1e-9),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('never cost more than without sampling', () => {
    fc.assert(
      fc.property(
        tenTo(-8, -0.01),
        tenTo(-6, 3),
        tenTo(-6, 6).map((x) => 1 + x),
        (q, m, alpha) => {
          expect(presenceRenyi({ rate: q, mu: m })(alpha)).toBeLessThanOrEqual(
            ((alpha * m * m) / 2) * (1 + 1e-9),
          );
          expect(replacementRenyi({ rate: q, mu: m })(alpha)).toBeLessThanOrEqual(
            alpha * 2 * m * m * (1 + 1e-9),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('answer with numbers at extreme rates, shifts and orders', () => {
    const extreme = [1e-300, 1e-20, 1e-3, 0.5, 1 - 2 ** -53];
    for (const q of extreme) {
      for (const m of [1e-200, 1e-9, 1, 100, 1e5, 1e160, Infinity]) {
        for (const alpha of [1 + 2 ** -52, 1.001, 2, 256, 1e6, 1e26]) {
          for (const renyi of both) expect(renyi({ rate: q, mu: m })(alpha)).toBeGreaterThan(0);
        }
      }
    }
    expect(presenceRenyi({ rate: 1e-6, mu: 10 })(256) * 255).toBeCloseTo(3_260_463.2292971606, 4);
    expect(presenceRenyi({ rate: 1e-5, mu: 10 })(256.1) * 255.1).toBeCloseTo(3_263_607.0397884212, 4);
  });
});
