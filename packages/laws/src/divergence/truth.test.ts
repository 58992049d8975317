import {
  type Adjacency,
  adjacencies,
  composedEvent,
  gaussianEvent,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
  Unsupported,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimedProfile, claimedRenyi } from './claimed-profile.js';
import { gaussianNoise, laplaceNoise } from './noise.js';
import { pairDelta } from './shifted-pair.js';
import { trueDelta, trueProfile, trueRenyi } from './truth.js';

const every = (value: number) => ({ 'replace-one': 2 * value, 'add-remove': value, 'zero-out': value });
const gaussian = (mu: number): PrivacyEvent => gaussianEvent(1 / mu, every(1));
const laplace = (shift: number): PrivacyEvent =>
  ({ kind: 'core/laplace', v: 1, scale: 1 / shift, sensitivity: every(1) }) as PrivacyEvent;
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);

describe('the divergence of one shifted pair', () => {
  it.each([
    // rate, shift, direction, ε, δ
    [1, 1, 'add', 1, 0.12693673750664392],
    [0.4, 3, 'add', 1, 0],
    [1, 3, 'add', 1, 0.7876007413603846],
    [0.4, 2, 'replace', 1, 0.2075288527418333],
    [0.3, 0.5, 'replace', 2, 2.477038014894196e-9],
    [0.8, 0.5, 'replace', 1, 0.05808665654484266],
    [0.8, 1, 'remove', 1, 0.0816951786585356],
    [0.2, 1, 'remove', -0.25, 0.22119921692859512],
    [1, 1, 'add', 2, 0.020923635821113756],
    [0.3, 1, 'remove', 2, 0.0003341102928869344],
    [0.7, 3, 'remove', 1, 0.5356298793262405],
  ] as const)(
    'is the known one for Gaussian noise, rate %f, shift %f, %s, ε = %f',
    (rate, shift, direction, epsilon, expected) => {
      const pair = {
        noise: gaussianNoise,
        rate,
        up: direction === 'add' ? 0 : shift,
        down: direction === 'remove' ? 0 : shift,
      };
      const { lower, upper } = pairDelta(pair, epsilon);
      expect(upper - lower).toBeLessThan(1e-12);
      expect(Math.abs(lower - expected)).toBeLessThan(1e-8 * expected + 1e-14);
      expect(upper).toBeGreaterThanOrEqual(lower);
    },
  );

  it.each([
    [0.6, 1, 'add', 0.2, 0.1401134521354217],
    [1, 1, 'add', 0, 0.39346934028736663],
    [0.3, 1, 'add', 0, 0.11804080208621004],
    [0.8, 2, 'remove', 0.5, 0.40395646350320796],
    [0.2, 1, 'remove', -0.25, 0.22119921692859512],
    [1, 1, 'add', -2, 0.8646647167633873],
  ] as const)(
    'is the known one for Laplace noise, rate %f, shift %f, %s, ε = %f',
    (rate, shift, direction, epsilon, expected) => {
      const { lower, upper } = pairDelta(
        {
          noise: laplaceNoise,
          rate,
          up: direction === 'add' ? 0 : shift,
          down: direction === 'remove' ? 0 : shift,
        },
        epsilon,
      );
      expect(upper - lower).toBeLessThan(1e-12);
      expect(Math.abs(lower - expected)).toBeLessThan(1e-12);
    },
  );
});

describe('known values', () => {
  const approximate = (epsilon: number, delta: number): PrivacyEvent =>
    ({ kind: 'core/approximate', v: 1, epsilon, delta }) as PrivacyEvent;
  const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
  const response = (p: number, categories: number): PrivacyEvent =>
    ({ kind: 'core/randomized-response', v: 1, p, categories }) as PrivacyEvent;
  const encloses = (
    bounds: { readonly lower: number; readonly upper: number } | undefined,
    expected: number,
    width: number,
  ): void => {
    expect(defined(bounds).lower).toBeLessThanOrEqual(expected + width);
    expect(defined(bounds).upper).toBeGreaterThanOrEqual(expected - width);
    expect(defined(bounds).upper - defined(bounds).lower).toBeLessThanOrEqual(width);
  };

  it('of sampled Gaussian noise, three times', () => {
    encloses(
      trueDelta(repeatedEvent(poisson(0.2, gaussian(2)), 3), 'add-remove', 1),
      0.15593277616591233,
      5e-3,
    );
  });

  it('of sampled Gaussian noise, Rényi, fractional orders and all', () => {
    for (const [rate, sigma, alpha, moment, width] of [
      [0.1, 1, 1.3, 0.002957639241918831, 1e-13],
      [0.3, 2, 1.5, 0.00919565960944754, 1e-13],
      [0.02, 0.7, 1.7, 0.0014846385313199864, 1e-13],
      [0.5, 1, 1.2, 0.03490347570137665, 1e-12],
      [0.1, 1, 2.5, 0.03525559089150462, 1e-12],
      [0.01, 1, 1.1, 9.241471084686968e-6, 1e-16],
      [0.1, 100, 20.5, 0.00019991818458097035, 1e-12],
      [0.01, 10, 20, 0.00019129699912839754, 1e-12],
      [1e-4, 1, 1.5, 6.4426869538366495e-9, 1e-17],
    ] as const)
      encloses(
        trueRenyi(poisson(rate, gaussian(1 / sigma)), 'add-remove', alpha),
        moment / (alpha - 1),
        width / (alpha - 1),
      );
    encloses(
      trueRenyi(repeatedEvent(poisson(0.01, gaussian(0.4)), 50), 'add-remove', 1.5),
      0.000650070897,
      2e-12,
    );
    encloses(
      trueRenyi(repeatedEvent(poisson(0.01, gaussian(0.4)), 50), 'add-remove', 5),
      0.0021807565623080077,
      1e-11,
    );
    encloses(trueRenyi(poisson(0.01, gaussian(4)), 'add-remove', 1.25), 0.11036031742462477, 1e-9);
    encloses(trueRenyi(poisson(0.01, gaussian(10)), 'add-remove', 1.25), 39.47435359280898, 1e-6);
  });

  it('of randomised response, Rényi', () => {
    for (const [p, categories, alpha, expected] of [
      [0.3, 10, 1.5, 2.6946320226546314],
      [0.3, 10, 50, 3.1854244842182466],
      [0.05, 20, 2.5, 5.910360162307462],
      [0.01, 3, 5, 4.503803908976894],
    ] as const) {
      // The third is known for a null record that answers uniformly, which is less than replacing.
      const { lower, upper } = defined(trueRenyi(response(p, categories), 'replace-one', alpha));
      if (p !== 0.01) encloses({ lower, upper }, expected, 1e-3);
      else expect(lower).toBeGreaterThan(expected);
    }
  });

  it('of the exponential mechanism, Rényi', () => {
    const event = { kind: 'core/exponential', v: 1, epsilon: 1, sensitivity: every(1) } as PrivacyEvent;
    const near = defined(trueRenyi(event, 'add-remove', 1 + 1e-6));
    expect(near.lower).toBeCloseTo(0.12330156148224458, 6);
    expect(defined(trueRenyi(event, 'add-remove', 400)).lower).toBeGreaterThan(0.97);
    const large = defined(trueRenyi({ ...event, epsilon: 500 } as PrivacyEvent, 'add-remove', 30));
    expect(large.lower).toBeGreaterThan(499);
    expect(large.upper).toBeLessThanOrEqual(500 * (1 + 1e-14));
  });

  it('of composed (ε, δ)', () => {
    encloses(
      trueDelta(composedEvent([approximate(1, 0.1), approximate(2, 0.2)]), 'add-remove', 3),
      0.28,
      1e-12,
    );
    const thirty = defined(trueProfile(repeatedEvent(approximate(1, 0.001), 30), 'add-remove'));
    expect(thirty.delta(22).upper).toBeLessThan(0.06);
    expect(thirty.delta(20).lower).toBeGreaterThan(0.0295);
    expect(
      defined(trueDelta(repeatedEvent(approximate(1, 0.01), 30), 'add-remove', 30)).lower,
    ).toBeGreaterThan(0.26);
    const fifty = defined(trueProfile(repeatedEvent(pure(0.25), 50), 'add-remove'));
    encloses(fifty.delta(5), 0.008637588103976, 1e-13);
    expect(fifty.delta(4.5).lower).toBeGreaterThan(0.01);
    encloses(trueDelta(repeatedEvent(pure(1), 30), 'add-remove', 30), 0, 1e-300);
  });

  it('of composed Gaussians, in closed form', () => {
    encloses(
      trueDelta(repeatedEvent(gaussian(1 / Math.sqrt(3)), 3), 'add-remove', 1),
      0.126936737506643,
      1e-13,
    );
    encloses(trueDelta(repeatedEvent(gaussian(0.1), 1000), 'zero-out', 17.856586830107616), 1e-5, 1e-13);
  });

  it('of truncated claims: unknown kinds and compositions have none', () => {
    expect(trueProfile({ kind: 'core/zcdp', v: 1, rho: 1 } as PrivacyEvent, 'add-remove')).toBeUndefined();
    expect(trueProfile(gaussianEvent(1, { 'zero-out': 1 }), 'replace-one')).toBeUndefined();
    expect(() => trueProfile({ kind: 'acme/other', v: 1 }, 'add-remove')).toThrow(Unsupported);
    expect(
      trueDelta(repeatedEvent(poisson(0.01, gaussian(1)), 1000), 'add-remove', 1) ?? { lower: 0, upper: 1 },
    ).toEqual({ lower: 0, upper: 1 });
  });
});

describe('compositions on a grid', () => {
  it('enclose the closed form, if any', () => {
    // Nearly equal parts are not merged, so the grid is used; the true value is known.
    const grid = (a: PrivacyEvent, b: PrivacyEvent) =>
      defined(trueProfile(composedEvent([repeatedEvent(a, 2), b]), 'add-remove'));
    const pureOf = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
    for (const epsilon of [0, 0.3, 0.9, 1.4]) {
      const found = grid(pureOf(0.5), pureOf(0.5 + 1e-12)).delta(epsilon);
      const known = defined(trueDelta(repeatedEvent(pureOf(0.5), 3), 'add-remove', epsilon));
      expect(found.lower).toBeLessThanOrEqual(known.upper + 1e-12);
      expect(found.upper).toBeGreaterThanOrEqual(known.lower - 1e-12);
      expect(found.upper - found.lower).toBeLessThan(5e-3);
      const sampled = grid(poisson(1 - 2 ** -50, gaussian(0.5)), poisson(1 - 2 ** -49, gaussian(0.5))).delta(
        epsilon,
      );
      const whole = defined(trueDelta(repeatedEvent(gaussian(0.5), 3), 'add-remove', epsilon));
      expect(sampled.lower).toBeLessThanOrEqual(whole.upper);
      expect(sampled.upper).toBeGreaterThanOrEqual(whole.lower);
      expect(sampled.upper - sampled.lower).toBeLessThan(1e-2);
    }
  });

  it('of Laplace noise lie below the pure curve, and are narrow', () => {
    const profile = defined(trueProfile(repeatedEvent(laplace(0.5), 3), 'zero-out'));
    for (const epsilon of [0, 0.5, 1]) {
      const { lower, upper } = profile.delta(epsilon);
      expect(upper - lower).toBeLessThan(2e-3);
      expect(lower).toBeLessThan(
        defined(
          trueDelta(
            repeatedEvent({ kind: 'core/pure', v: 1, epsilon: 0.5 } as PrivacyEvent, 3),
            'zero-out',
            epsilon,
          ),
        ).upper,
      );
    }
    expect(profile.delta(1.51).lower).toBe(0);
    expect(profile.delta(1.51).upper).toBeLessThan(1e-12);
  });

  it('use both directions: sampled Laplace noise has a larger δ for addition than for removal', () => {
    // 0.5229 with the record, 0.5303 without, by an independent sum over outputs.
    const { lower, upper } = defined(
      trueDelta(repeatedEvent(poisson(0.9, laplace(1)), 4), 'add-remove', 0.1849),
    );
    expect(lower).toBeGreaterThan(0.5275);
    expect(upper).toBeLessThan(0.533);
  });

  it('grow with every further run', () => {
    const at = (count: number) =>
      defined(trueDelta(repeatedEvent(poisson(0.25, laplace(1)), count), 'replace-one', 0.5));
    for (const count of [1, 2, 3, 4]) expect(at(count + 1).upper).toBeGreaterThan(at(count).lower);
    expect(at(5).lower).toBeGreaterThan(at(1).upper);
  });
});

describe('true profiles', () => {
  const epsilons = [0, 0.01, 0.1, 0.5, 1, 2, 4];
  const shift = fc.integer({ min: -24, max: 8 }).map((k) => 2 ** (k / 4));
  const rate = fc.integer({ min: 1, max: 40 }).map((k) => 2 ** (-k / 8));
  const single: fc.Arbitrary<PrivacyEvent> = fc.oneof(
    shift.map(gaussian),
    shift.map(laplace),
    fc.tuple(rate, shift).map(([q, mu]) => poisson(q, gaussian(mu))),
    fc.tuple(rate, shift).map(([q, b]) => poisson(q, laplace(b))),
    shift.map((epsilon) => ({ kind: 'core/pure', v: 1, epsilon })),
    fc
      .tuple(shift, rate)
      .map(([epsilon, delta]) => ({ kind: 'core/approximate', v: 1, epsilon, delta: delta / 4 })),
    fc
      .tuple(rate, fc.integer({ min: 2, max: 9 }))
      .map(([p, categories]) => ({ kind: 'core/randomized-response', v: 1, p, categories })),
    shift.map((epsilon) => ({ kind: 'core/exponential', v: 1, epsilon, sensitivity: every(1) })),
    shift.map((scale) => ({ kind: 'core/discrete-laplace', v: 1, scale, sensitivity: every(1) })),
    shift.map((sigma) => ({ kind: 'core/discrete-gaussian', v: 1, sigma, sensitivity: every(1) })),
  );
  const adjacency = fc.constantFrom(...adjacencies);

  function consistent(event: PrivacyEvent, under: Adjacency): void {
    if (event.kind === 'core/randomized-response' && under === 'add-remove') return;
    const profile = defined(trueProfile(event, under));
    const claim = claimedProfile(event, under);
    for (const epsilon of epsilons) {
      const { lower, upper } = profile.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(upper);
      expect(claim.delta(epsilon)).toBeGreaterThanOrEqual(lower);
    }
  }

  it('are at most the claims of core for one release', () => {
    fc.assert(fc.property(single, adjacency, consistent), { numRuns: 300 });
  });

  it('are at most the claims of core for short compositions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(single, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }),
        adjacency,
        (parts, under) => {
          fc.pre(
            !(under === 'add-remove' && parts.some(([event]) => event.kind === 'core/randomized-response')),
          );
          const event = composedEvent(parts.map(([part, count]) => repeatedEvent(part, count)));
          fc.pre(trueProfile(event, under) !== undefined);
          let claim;
          try {
            claim = claimedProfile(event, under);
          } catch {
            return;
          }
          const profile = defined(trueProfile(event, under));
          for (const epsilon of [0, 0.5, 2])
            expect(claim.delta(epsilon)).toBeGreaterThanOrEqual(profile.delta(epsilon).lower);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('equal the claims of core where these are tight', () => {
    const sharp = fc.oneof(
      shift.map(gaussian),
      shift.map((epsilon): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent),
      fc
        .tuple(shift, rate)
        .map(
          ([epsilon, delta]): PrivacyEvent =>
            ({ kind: 'core/approximate', v: 1, epsilon, delta: delta / 4 }) as PrivacyEvent,
        ),
    );
    fc.assert(
      fc.property(sharp, adjacency, fc.constantFrom(...epsilons), (event, under, epsilon) => {
        const { lower, upper } = defined(trueDelta(event, under, epsilon));
        expect(upper - lower).toBeLessThanOrEqual(1e-13);
        expect(Math.abs(claimedProfile(event, under).delta(epsilon) - upper)).toBeLessThan(1e-13);
      }),
      { numRuns: 100 },
    );
    const renyi = fc.oneof(
      sharp.filter(({ kind }) => kind !== 'core/approximate'),
      shift.map(laplace),
      fc.tuple(rate, shift).map(([q, mu]) => poisson(q, gaussian(mu))),
      shift.map(
        (epsilon): PrivacyEvent =>
          ({ kind: 'core/exponential', v: 1, epsilon, sensitivity: every(1) }) as PrivacyEvent,
      ),
    );
    fc.assert(
      fc.property(
        renyi,
        adjacency,
        fc.integer({ min: -10, max: 14 }).map((k) => 1 + 2 ** (k / 3)),
        (event, under, alpha) => {
          const { lower, upper } = defined(trueRenyi(event, under, alpha));
          expect(lower).toBeLessThanOrEqual(upper);
          const claim = claimedRenyi(event, under)(alpha);
          expect(claim).toBeGreaterThanOrEqual(lower);
          expect(claim).toBeLessThanOrEqual(lower * (1 + 1e-6));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of Rényi divergences are at most the claims of core', () => {
    fc.assert(
      fc.property(
        single,
        adjacency,
        fc.integer({ min: -16, max: 16 }).map((k) => 1 + 2 ** (k / 3)),
        (event, under, alpha) => {
          fc.pre(
            !(under === 'add-remove' && event.kind === 'core/randomized-response') &&
              event.kind !== 'core/approximate',
          );
          const { lower, upper } = defined(trueRenyi(event, under, alpha));
          expect(lower).toBeLessThanOrEqual(upper);
          expect(claimedRenyi(event, under)(alpha)).toBeGreaterThanOrEqual(lower);
        },
      ),
      { numRuns: 300 },
    );
  });
});
