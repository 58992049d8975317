import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedRangeRenyi } from './bounded-range.js';
import { laplaceRenyi } from './laplace.js';
import { logPowerGap } from './power-gap.js';
import { exchangeRenyi, pureRenyi } from './two-point.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const epsilon = tenTo(-2, 1);
const order = tenTo(-1.5, 1.5).map((x) => 1 + x);

/** `log Σ p^α q^{1−α} / (α − 1)` of two lists of probabilities. */
const finite = (p: readonly number[], q: readonly number[], alpha: number): number =>
  Math.log(p.reduce((sum, pi, i) => sum + pi ** alpha * q[i] ** (1 - alpha), 0)) / (alpha - 1);

describe('divergences in closed form', () => {
  it('of ε-DP are those of binary randomised response', () => {
    fc.assert(
      fc.property(epsilon, order, (e, alpha) => {
        const p = 1 / (1 + Math.exp(-e));
        const truth = finite([p, 1 - p], [1 - p, p], alpha);
        expect(pureRenyi(e)(alpha)).toBeGreaterThanOrEqual(truth * (1 - 1e-9));
        expect(pureRenyi(e)(alpha)).toBeLessThanOrEqual(truth * (1 + 1e-9));
      }),
    );
  });

  it('of a replacement among other records are exact', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 19 }).map((k) => k / 20),
        fc.integer({ min: 2, max: 30 }),
        order,
        (p, k, alpha) => {
          const light = p / k;
          const heavy = 1 - p + light;
          const rest = Array.from({ length: k - 2 }, () => light);
          const truth = finite([heavy, light, ...rest], [light, heavy, ...rest], alpha);
          const bound = exchangeRenyi({ heavy, light, gap: 1 - p, epsilon: Math.log(heavy / light) })(alpha);
          expect(bound / truth).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('of Laplace noise are exact, and below those of its ε', () => {
    fc.assert(
      fc.property(epsilon, order, (e, alpha) => {
        const moment =
          (alpha * Math.exp((alpha - 1) * e) + (alpha - 1) * Math.exp(-alpha * e)) / (2 * alpha - 1);
        const bound = laplaceRenyi(e)(alpha);
        expect(bound / (Math.log(moment) / (alpha - 1))).toBeCloseTo(1, 7);
        expect(bound).toBeLessThanOrEqual(pureRenyi(e)(alpha) * (1 + 1e-12));
      }),
    );
  });

  it('of a bounded range are the largest over positions of the range', () => {
    fc.assert(
      fc.property(epsilon, order, fc.integer({ min: 1, max: 99 }), (e, alpha, place) => {
        const top = (e * place) / 100;
        const share = (Math.exp(e) - Math.exp(top)) / Math.expm1(e);
        const p = [share, 1 - share];
        const q = [share * Math.exp(-top), (1 - share) * Math.exp(e - top)];
        const bound = boundedRangeRenyi(e)(alpha);
        expect(bound).toBeGreaterThanOrEqual(finite(p, q, alpha) - 1e-13);
        expect(bound).toBeLessThanOrEqual(((alpha * e * e) / 8) * (1 + 1e-12));
        expect(bound).toBeLessThanOrEqual(pureRenyi(e)(alpha) * (1 + 1e-9));
      }),
    );
  });

  it('tend to the relative entropy at order 1 and to ε at large orders', () => {
    for (const e of [1e-3, 0.5, 1, 5, 30]) {
      expect(pureRenyi(e)(1 + 1e-9)).toBeGreaterThanOrEqual(e * Math.tanh(e / 2) * (1 - 1e-12));
      expect(pureRenyi(e)(1 + 1e-9)).toBeLessThanOrEqual(e * Math.tanh(e / 2) * (1 + 1e-6));
      expect(laplaceRenyi(e)(1 + 1e-7) / (e + Math.exp(-e) - 1)).toBeCloseTo(1, 4);
      for (const renyi of [pureRenyi, laplaceRenyi, boundedRangeRenyi]) {
        expect(renyi(e)(1e12)).toBeLessThanOrEqual(e);
        expect(renyi(e)(1e12)).toBeGreaterThan(e * (1 - 1e-6));
      }
    }
  });

  it('are numbers at every scale', () => {
    for (const renyi of [pureRenyi, laplaceRenyi, boundedRangeRenyi]) {
      for (const e of [5e-324, 1e-200, 1e-9, 1, 700, 800, 1e9, 1e300, Infinity]) {
        for (const alpha of [1 + 2 ** -52, 1.5, 64, 1e15, 1e300])
          expect(renyi(e)(alpha)).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe('logPowerGap', () => {
  /** The binomial tail by its integral form, whose terms do not cancel. */
  const byIntegral = (alpha: number, u: number): number => {
    const nodes = 20_000;
    let sum = 0;
    for (let i = 0; i < nodes; i++) {
      const t = (i + 0.5) / nodes;
      sum += (1 - t) * (1 + t * u) ** (alpha - 2);
    }
    return (alpha * (alpha - 1) * u * u * sum) / nodes;
  };

  it('agrees with the remainder of Taylor in all its branches', () => {
    const ratio = fc.oneof(
      tenTo(-6, 2),
      tenTo(-6, -0.01).map((x) => -x),
    );
    fc.assert(
      fc.property(ratio, tenTo(-2, 1), (u, beta) => {
        expect(logPowerGap(beta, u, Math.log1p(u))).toBeCloseTo(Math.log(byIntegral(1 + beta, u)), 4);
      }),
      { numRuns: 300 },
    );
  });

  it('joins its branches without a step', () => {
    for (const beta of [1e-6, 0.3, 1, 7, 4.999, 1000]) {
      for (const edge of [0.1, 0.5 / (1 + beta), Math.expm1(40 / (1 + beta))]) {
        const [below, above] = [edge * (1 - 1e-12), edge * (1 + 1e-12)].map((u) =>
          logPowerGap(beta, u, Math.log1p(u)),
        );
        expect(Math.abs(above - below)).toBeLessThan(1e-8);
      }
    }
  });
});
