import { type DominatingPair, dominatingPair, type PrivacyLossDistribution } from '@lethe/core';
import {
  gaussianLossDistribution,
  laplaceLossDistribution,
  presentInPoisson,
  pureLossDistribution,
} from '../events/index.js';
import { logBinomial } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianDelta, gaussianEpsilonLower, gaussianEpsilonUpper } from '../gaussian/gaussian-curve.js';
import { deltaBounds, epsilonBounds } from './curve.js';
import { inputs } from '../../test/effort.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const count = tenTo(0, 9).map(Math.round);
const delta = fc.oneof(tenTo(-300, -10), tenTo(-10, -0.2));
const product = (...factors: readonly (readonly [PrivacyLossDistribution, number])[]): DominatingPair => ({
  direction: 'remove',
  attained: true,
  factors: factors.map(([distribution, n]) => ({ distribution, count: n })),
});
const sampledGaussian = (rate: number, mu: number): PrivacyLossDistribution =>
  presentInPoisson(gaussianLossDistribution(mu), rate, 'remove');

describe('epsilonBounds', () => {
  it('encloses the Gaussian curve at every count, μ and δ', () => {
    fc.assert(
      fc.property(count, tenTo(-3, 1.5), delta, (n, total, d) => {
        const mu = total / Math.sqrt(n);
        const { lower, upper } = epsilonBounds(product([gaussianLossDistribution(mu), n]), d);
        const most = mu * Math.sqrt(n) * (1 + 1e-15);
        expect(lower).toBeLessThanOrEqual(gaussianEpsilonUpper(most, d));
        expect(upper).toBeGreaterThanOrEqual(gaussianEpsilonLower(most * (1 - 2e-15), d));
      }),
      { numRuns: inputs(60) },
    );
  });

  it('is narrow where counts are large', () => {
    fc.assert(
      fc.property(tenTo(3, 7).map(Math.round), tenTo(-2, 1), delta, (n, total, d) => {
        const { lower, upper } = epsilonBounds(
          product([gaussianLossDistribution(total / Math.sqrt(n)), n]),
          d,
        );
        expect(upper - lower).toBeLessThan(2e-3 * total + 1e-4 * upper);
      }),
      { numRuns: inputs(40) },
    );
  });

  it('agrees with the best values that are known', () => {
    const known: readonly (readonly [DominatingPair, number, number, number])[] = [
      [product([laplaceLossDistribution(0.1), 500]), 1e-5, 11.19066, 5e-3],
      [product([sampledGaussian(1e-2, 1), 1000]), 1e-5, 1.828237, 2e-4],
      [product([sampledGaussian(256 / 60_000, 1 / 1.1), 14_040]), 1e-5, 2.379554, 5e-5],
      [product([sampledGaussian(1e-3, 1 / 0.8), 1e6]), 1e-6, 10.6824, 1e-4],
      [
        product(
          [sampledGaussian(5e-3, 1 / 0.8), 100],
          [gaussianLossDistribution(1 / 8), 200],
          [laplaceLossDistribution(0.1), 100],
        ),
        1e-6,
        11.1492,
        2e-3,
      ],
    ];
    for (const [pair, d, epsilon, width] of known) {
      const { lower, upper } = epsilonBounds(pair, d);
      expect(upper - lower).toBeLessThan(width);
      expect(lower).toBeLessThan(epsilon * (1 + 1e-5));
      expect(upper).toBeGreaterThan(epsilon * (1 - 1e-5));
    }
  });

  it('has the largest loss, failures and empty releases', () => {
    const nothing = { lower: 0, upper: 0 };
    expect(epsilonBounds(product(), 1e-5)).toMatchObject(nothing);
    expect(epsilonBounds(product([gaussianLossDistribution(1), 0]), 1e-5)).toMatchObject(nothing);
    expect(epsilonBounds(product([pureLossDistribution(2), 3]), 0).upper).toBe(6);
    expect(epsilonBounds(product([gaussianLossDistribution(2), 3]), 0).upper).toBe(Infinity);
    const failing = {
      ...pureLossDistribution(1),
      infinite: 1e-6,
      hockeyStick: () => ({ lower: 0.99e-6, upper: 1e-6 }),
    };
    expect(epsilonBounds(product([failing, 100]), 9e-5)).toMatchObject({ lower: Infinity, upper: Infinity });
    expect(epsilonBounds(product([failing, 100]), 1.1e-4).upper).toBeLessThanOrEqual(100);
    expect(deltaBounds(product([failing, 100]), 101).upper).toBeCloseTo(1e-4, 7);
  });

  it('refuses laws of which only the profile is known', () => {
    const { massesInto: _, ...profile } = gaussianLossDistribution(1);
    expect(() => epsilonBounds(dominatingPair('add', profile), 1e-5)).toThrow('needs the masses');
  });
});

describe('deltaBounds', () => {
  it('encloses the Gaussian curve down to where doubles end', () => {
    fc.assert(
      fc.property(count, tenTo(-3, 1), fc.integer({ min: -3, max: 37 }), (n, total, z) => {
        const mu = total / Math.sqrt(n);
        const epsilon = Math.max(0, (total * total) / 2 + z * total);
        const { lower, upper } = deltaBounds(product([gaussianLossDistribution(mu), n]), epsilon);
        const truth = gaussianDelta(mu * Math.sqrt(n), epsilon);
        expect(lower).toBeLessThanOrEqual(truth.upper * (1 + 1e-12));
        expect(upper).toBeGreaterThanOrEqual(truth.lower * (1 - 1e-12));
      }),
      { numRuns: inputs(60) },
    );
  });

  it('encloses the exact sum for randomised response, whose losses are on a lattice', () => {
    fc.assert(
      fc.property(
        tenTo(0, 3.5).map(Math.round),
        tenTo(-2, 0.5),
        fc.integer({ min: 0, max: 99 }),
        (n, each, share) => {
          const epsilon = (share / 100) * n * each;
          const { lower, upper } = deltaBounds(product([pureLossDistribution(each), n]), epsilon);
          let truth = 0;
          for (let heads = 0; heads <= n; heads++) {
            const loss = (2 * heads - n) * each;
            const log =
              logBinomial(n, heads) -
              heads * Math.log1p(Math.exp(-each)) -
              (n - heads) * Math.log1p(Math.exp(each));
            if (loss > epsilon) truth += Math.exp(log) * -Math.expm1(epsilon - loss);
          }
          expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-9) + 1e-300);
          expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-9));
        },
      ),
      { numRuns: inputs(60) },
    );
  });

  it('is the curve that ε is read from', () => {
    fc.assert(
      fc.property(tenTo(1.5, 6).map(Math.round), tenTo(-2, 0.5), tenTo(-30, -1), (n, total, d) => {
        const pair = product(
          [gaussianLossDistribution(total / Math.sqrt(n)), n],
          [laplaceLossDistribution(total / Math.sqrt(n)), n],
        );
        const { lower, upper } = epsilonBounds(pair, d);
        expect(deltaBounds(pair, upper).lower).toBeLessThanOrEqual(d);
        if (lower > 0) expect(deltaBounds(pair, lower).upper).toBeGreaterThanOrEqual(d * (1 - 1e-12));
      }),
      { numRuns: inputs(10) },
    );
  });
});
