import { composedEvent, InvalidParameter, type PrivacyEvent, repeatedEvent, Unsupported } from '@lethe/core';
import { normalCdf, normalQuantile } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approximate, gaussian, gaussians, laplace, pure, response } from '../../test/events.js';
import { optimal } from '../composition/optimal.js';
import { gaussianDomination } from './gaussian-domination.js';
import { gdp, rdp } from '../index.js';
import { profileAt, profileOf } from './profile.js';
import { detectionRate, gaussianDetectionRate } from './trade-off.js';
import { inputs } from '../../test/effort.js';

const adjacency = 'zero-out';
const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const gaussianProfile = (mu: number) => profileOf(gdp, gaussian(1 / mu), { adjacency });
const exactly = (event: PrivacyEvent) => profileOf(optimal, event, { adjacency });

describe('detection', () => {
  it('of Gaussian noise has its closed form', () => {
    fc.assert(
      fc.property(tenTo(-2, 1), tenTo(-10, -0.01), (mu, x) => {
        const truth = gaussianDetectionRate(mu, x);
        const { lower, upper } = detectionRate(gaussianProfile(mu), x);
        expect(truth.lower).toBeCloseTo(normalCdf(normalQuantile(x) + mu), 12);
        expect(lower).toBeLessThanOrEqual(truth.upper);
        expect(upper).toBeGreaterThanOrEqual(truth.lower);
        expect(upper - lower).toBeLessThanOrEqual(1e-5 * upper);
      }),
      { numRuns: inputs(60) },
    );
  });

  it('of randomised response that may fail is piecewise linear', () => {
    fc.assert(
      fc.property(
        tenTo(-2, 0.7),
        fc.constantFrom(0, 1e-6, 0.01, 0.2),
        fc.integer({ min: 1, max: 999 }),
        (epsilon, delta, k) => {
          const x = k / 1000;
          const truth = Math.min(1, delta + Math.exp(epsilon) * x, 1 - Math.exp(-epsilon) * (1 - delta - x));
          const { lower, upper } = detectionRate(exactly(approximate(epsilon, delta)), x);
          expect(lower).toBeLessThanOrEqual(truth + 1e-13);
          expect(upper).toBeGreaterThanOrEqual(truth - 1e-13);
          expect(upper - lower).toBeLessThanOrEqual(1e-4 * truth);
        },
      ),
      { numRuns: inputs(60) },
    );
  });

  it('agrees with published values', () => {
    expect(detectionRate(profileOf(gdp, gaussians(Math.sqrt(3), 3), { adjacency }), 0.1).upper).toBeCloseTo(
      0.38914,
      4,
    );
    const { lower, upper } = detectionRate(
      exactly(composedEvent([approximate(1, 0.1), approximate(2, 0.2)])),
      0.1,
    );
    expect([lower, upper]).toEqual([expect.closeTo(0.919_38, 4), expect.closeTo(0.919_38, 4)]);
    for (const [x, rate] of [
      [1e-10, 4.1303e-8],
      [1e-3, 0.0183],
      [1e-5, 5.475e-4],
    ] as const)
      expect(gaussianDetectionRate(1, x).upper / rate).toBeCloseTo(1, 3);
  });

  it('is as high as the upper ends of wide answers make it, and not more', () => {
    for (const mu of [0.1, 1, 4])
      for (const falseAlarms of [1e-6, 0.01, 0.3]) {
        const wide = (share: number) => (epsilon: number) => {
          const { upper } = gaussianProfile(mu)(epsilon);
          return { lower: share * upper, upper };
        };
        for (const share of [0, 0.5, 0.99])
          expect(
            detectionRate(wide(share), falseAlarms).upper / gaussianDetectionRate(mu, falseAlarms).upper,
          ).toBeLessThan(1.001);
      }
  });

  it('is exact at its ends, and larger for looser bounds', () => {
    expect(detectionRate(gaussianProfile(1), 1)).toEqual({ lower: 1, upper: 1 });
    expect(detectionRate(gaussianProfile(1), 0)).toMatchObject({ upper: 0 });
    expect(detectionRate(exactly(approximate(1, 0.25)), 0).upper).toBe(0.25);
    expect(detectionRate(gaussianProfile(1), 1e-300).upper).toBeLessThan(1e-250);
    expect([
      gaussianDetectionRate(3, 0),
      gaussianDetectionRate(3, 1),
      gaussianDetectionRate(0, 0.25).upper,
    ]).toEqual([{ lower: 0, upper: 0 }, { lower: 1, upper: 1 }, expect.closeTo(0.25, 14)]);
    const loose = detectionRate(profileOf(rdp, gaussian(1), { adjacency }), 0.1);
    expect(loose.upper).toBeGreaterThan(0.38914);
    expect(loose.lower).toBe(0.1);
    for (const x of [NaN, -0.1, 1.1])
      expect(() => detectionRate(gaussianProfile(1), x)).toThrow(InvalidParameter);
    expect(() => gaussianDetectionRate(-1, 0.5)).toThrow(InvalidParameter);
    expect(profileAt(gdp, gaussian(1), { adjacency }, [0, 1]).map(({ upper: delta }) => delta)).toEqual([
      expect.closeTo(0.382_924_922_548, 10),
      expect.closeTo(0.126_936_737_507, 10),
    ]);
  });
});

describe('the Gaussian profile above a profile', () => {
  it('of one response is the one through its corner', () => {
    for (const p of [0.9, 0.99]) {
      const event = response(p, 2);
      const heavy = 1 - p / 2;
      const { lower, upper } = gaussianDomination(
        profileOf(optimal, event, { adjacency: 'replace-one' }),
        Math.log(heavy / (1 - heavy)),
      );
      expect(upper / (p === 0.9 ? 0.25132 : 0.025067)).toBeCloseTo(1, 3);
      expect(lower).toBe(0);
    }
    fc.assert(
      fc.property(tenTo(-2, 0.7), (epsilon) => {
        const truth = -2 * normalQuantile(1 / (1 + Math.exp(epsilon)));
        const { lower, upper } = gaussianDomination(exactly(pure(epsilon)));
        expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-12));
        expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-12));
        expect(upper / lower).toBeLessThan(1.002);
      }),
      { numRuns: inputs(20) },
    );
  });

  it('of Gaussian noise is itself', () => {
    for (const mu of [0.1, 1, 3]) {
      const { lower, upper, most } = gaussianDomination(gaussianProfile(mu));
      expect(lower).toBeLessThanOrEqual(mu * (1 + 1e-9));
      expect(upper).toBeGreaterThanOrEqual(mu * (1 - 1e-9));
      expect(upper / lower).toBeLessThan(1.002);
      expect(gaussianProfile(mu)(most).upper).toBeLessThanOrEqual(1e-12);
    }
  });

  it('is above everywhere', () => {
    for (const event of [repeatedEvent(pure(0.3), 9), laplace(0.7), composedEvent([pure(0.2), pure(1)])]) {
      const profile = exactly(event);
      const { upper, most } = gaussianDomination(profile);
      for (let i = 0; i <= 300; i++)
        expect(
          gdp.delta(gaussian(1 / upper), { adjacency, epsilon: (i / 300) * most }).upper,
        ).toBeGreaterThanOrEqual(profile((i / 300) * most).upper * (1 - 1e-9));
    }
    expect(gaussianDomination(exactly(pure(0)), 3)).toEqual({ lower: 0, upper: 0, most: 3 });
    expect(() => gaussianDomination(exactly(approximate(1, 1e-3)))).toThrow(Unsupported);
    expect(() => gaussianDomination(exactly(pure(1)), -1)).toThrow(InvalidParameter);
  });
});
