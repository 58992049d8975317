import {
  type Adjacency,
  composedEvent,
  defineEvent,
  freeEvent,
  IncompatiblePlugins,
  InvalidParameter,
  type PrivacyEvent,
  repeatedEvent,
  unprotectedEvent,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pureLossDistribution } from '../events/pairs/finite.js';
import { gaussianDelta, gaussianEpsilonLower, gaussianEpsilonUpper } from '../gaussian/gaussian-curve.js';
import {
  approximate,
  discreteLaplace,
  gaussian,
  laplace,
  pure,
  release,
  sampled,
  tenTo,
} from '../../test/releases.js';
import { pld, privacyLossDistribution } from './pld.js';
import { inputs } from '../../test/effort.js';

const adjacency: Adjacency = 'add-remove';
const epsilonOf = (event: PrivacyEvent, delta: number): { readonly lower: number; readonly upper: number } =>
  pld.epsilon(event, { adjacency, delta });

/** δ of `count` randomised responses, by its binomial sum in logarithms. */
function responsesDelta(epsilon0: number, count: number, epsilon: number): number {
  const logHigh = -Math.log1p(Math.exp(-epsilon0));
  let logChoose = 0;
  let delta = 0;
  for (let k = 0; k <= count; k += 1) {
    const loss = (count - 2 * k) * epsilon0;
    if (loss > epsilon)
      delta += Math.exp(logChoose + count * logHigh - k * epsilon0) * -Math.expm1(epsilon - loss);
    logChoose += Math.log((count - k) / (k + 1));
  }
  return delta;
}

describe('pld', () => {
  it('has the closed form of Gaussians between its ends, which are near', () => {
    fc.assert(
      fc.property(
        tenTo(-2, 4),
        tenTo(0, 6),
        fc.oneof(tenTo(-15, -1), tenTo(-300, -15)),
        (sigma, times, delta) => {
          const count = Math.round(times);
          const mu = Math.sqrt(count) / sigma;
          const { lower, upper } = epsilonOf(repeatedEvent(gaussian(sigma), count), delta);
          const truth = gaussianEpsilonUpper(mu, delta);
          expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-13));
          expect(upper).toBeGreaterThanOrEqual(gaussianEpsilonLower(mu, delta) * (1 - 1e-13));
          // Where single losses are beyond doubles under the other law, only the cells tell where they are.
          if (sigma > 0.1)
            expect(upper - lower).toBeLessThanOrEqual(
              2e-3 * Math.max(Math.min(1, mu), truth / 10) + 1e-9 * count,
            );
        },
      ),
      { numRuns: inputs(120) },
    );
  });

  it('has δ(ε) of Gaussians between its ends', () => {
    fc.assert(
      fc.property(tenTo(-0.5, 3), tenTo(0, 5), fc.integer({ min: 0, max: 100 }), (sigma, times, at) => {
        const count = Math.round(times);
        const mu = Math.sqrt(count) / sigma;
        const epsilon = (at / 10) * (mu + (mu * mu) / 10);
        const { lower, upper } = pld.delta(repeatedEvent(gaussian(sigma), count), { adjacency, epsilon });
        const truth = gaussianDelta(mu, epsilon);
        expect(lower).toBeLessThanOrEqual(truth.upper);
        expect(upper).toBeGreaterThanOrEqual(truth.lower);
        if (truth.lower > 1e-290) expect(upper).toBeLessThanOrEqual(1.1 * truth.upper);
      }),
      { numRuns: inputs(120) },
    );
  });

  it('has the binomial sum of randomised responses at its ends', () => {
    fc.assert(
      fc.property(
        tenTo(-2.5, 0.5),
        fc.integer({ min: 1, max: 300 }),
        tenTo(-12, -1),
        (epsilon0, count, delta) => {
          const { lower, upper } = epsilonOf(repeatedEvent(pure(epsilon0), count), delta);
          expect(responsesDelta(epsilon0, count, upper)).toBeLessThanOrEqual(delta * (1 + 1e-9));
          if (lower > 0)
            expect(responsesDelta(epsilon0, count, lower)).toBeGreaterThanOrEqual(delta * (1 - 1e-9));
          expect(upper - lower).toBeLessThanOrEqual(1e-3 * Math.max(1, upper));
        },
      ),
      { numRuns: inputs(100) },
    );
  });

  it('has ordered ends for any mixture of releases, and the same cost for any order of parts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(release, fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 2 }),
        tenTo(-8, -2),
        (parts, delta) => {
          const events = parts.map(([event, count]) => repeatedEvent(event, count));
          const { lower, upper, certificate } = pld.epsilon(composedEvent(events), { adjacency, delta });
          expect(lower).toBeGreaterThanOrEqual(0);
          expect(upper).toBeGreaterThanOrEqual(lower);
          expect(['certified', 'exact']).toContain(certificate);
          expect(
            pld.epsilon(composedEvent([freeEvent, composedEvent(events.toReversed())]), { adjacency, delta }),
          ).toMatchObject({ lower, upper });
          // One more release cannot cost less.
          expect(
            pld.epsilon(composedEvent([...events, gaussian(3)]), { adjacency, delta }).upper,
          ).toBeGreaterThanOrEqual(lower);
        },
      ),
      { numRuns: inputs(25) },
    );
  });

  it.each([
    ['sampled Gaussians', repeatedEvent(sampled(0.01, gaussian(1)), 1000), 1e-5, 1.828237],
    [
      'sampled Gaussians of a long training',
      repeatedEvent(sampled(256 / 60_000, gaussian(1.1)), 14_040),
      1e-5,
      2.379554,
    ],
    ['Laplace', repeatedEvent(laplace(10), 500), 1e-5, 11.19066],
    [
      'three kinds',
      composedEvent([
        repeatedEvent(sampled(5e-3, gaussian(0.8)), 100),
        repeatedEvent(gaussian(8), 200),
        repeatedEvent(laplace(10), 100),
      ]),
      1e-6,
      11.1492,
    ],
    [
      'fifty scales',
      composedEvent(
        Array.from({ length: 50 }, (_, i) =>
          repeatedEvent(sampled(0.01, gaussian(0.8 + (1.2 * i) / 49)), 100),
        ),
      ),
      1e-5,
      3.22457,
    ],
    ['a million steps', repeatedEvent(sampled(1e-3, gaussian(0.8)), 1e6), 1e-6, 10.6824],
    [
      'Laplace of three scales',
      composedEvent([
        repeatedEvent(laplace(10), 100),
        repeatedEvent(laplace(7.3), 100),
        repeatedEvent(laplace(3.1), 50),
      ]),
      1e-5,
      14.418675,
    ],
    ['little noise', repeatedEvent(sampled(0.1, gaussian(0.5)), 1000), 1e-5, 126.166],
  ] as const)('agrees with the field on %s, within a thousandth', (_, event, delta, known) => {
    const { lower, upper } = epsilonOf(event, delta);
    expect(lower).toBeLessThanOrEqual(known + 6e-4);
    expect(upper).toBeGreaterThanOrEqual(known - 1e-4);
    expect(upper - lower).toBeLessThanOrEqual(1e-3);
  });

  // By sums of Fourier transforms on even grids of up to 2^20 points,
  // two of them extrapolated: `known` is right within `error`.
  it.each([
    [0.01, 0.35, 120, 1e-5, 18.697_740_7, 5e-7],
    [0.001, 0.5, 120, 1e-5, 2.193_664_8, 2e-6],
    [0.001, 0.35, 1000, 1e-8, 17.848_635, 2e-5],
    [0.01, 0.2, 120, 1e-8, 115.644_722, 1e-6],
  ])(
    'has few large losses between near ends: rate %d, σ = %d, %d times, at δ = %d',
    (rate, sigma, times, delta, known, error) => {
      const { lower, upper } = epsilonOf(repeatedEvent(sampled(rate, gaussian(sigma)), times), delta);
      expect(lower).toBeLessThanOrEqual(known + error);
      expect(upper).toBeGreaterThanOrEqual(known - error);
      expect(upper - lower).toBeLessThanOrEqual(1.6e-4 * Math.max(1, known / 20));
    },
  );

  it('is as narrow as requested for few large losses', () => {
    const { lower, upper } = privacyLossDistribution({ width: 1e-5 }).epsilon(
      repeatedEvent(sampled(0.01, gaussian(0.35)), 120),
      { adjacency, delta: 1e-5 },
    );
    expect(upper - lower).toBeLessThanOrEqual(1.6e-5);
    expect(lower).toBeLessThanOrEqual(18.697_741_2);
    expect(upper).toBeGreaterThanOrEqual(18.697_740_2);
  });

  it('has close ends when most mass is one atom and few losses are large', () => {
    for (const [rate, sigma, steps, width] of [
      [5e-5, 0.34986, 3, 2.5e-4],
      [5e-5, 0.42654, 100, 5e-4],
    ] as const) {
      const { lower, upper } = epsilonOf(repeatedEvent(sampled(rate, gaussian(sigma)), steps), 1e-6);
      expect(lower).toBeLessThanOrEqual(upper);
      expect(upper - lower).toBeLessThan(width);
      expect(lower).toBeGreaterThan(0.99);
      expect(upper).toBeLessThan(1.01);
    }
  });

  it('answers wider, and not less, where a question says how wide is enough', () => {
    const event = repeatedEvent(sampled(5e-4, gaussian(0.5)), 100);
    const narrow = pld.epsilon(event, { adjacency, delta: 1e-6 });
    for (const width of [1e-5, 1e-2, 0.1]) {
      const { lower, upper } = pld.epsilon(event, { adjacency, delta: 1e-6, width });
      expect(lower).toBeLessThanOrEqual(narrow.upper);
      expect(upper).toBeGreaterThanOrEqual(narrow.lower);
    }
    for (const width of [0, -1, NaN, Infinity])
      expect(() => pld.epsilon(event, { adjacency, delta: 1e-6, width })).toThrow(InvalidParameter);
  });

  it('bounds a sampled event that may fail, with a lower end where neighbours attain it', () => {
    const failing = { kind: 'core/failing', v: 1, delta: 1e-5, event: gaussian(2) } as PrivacyEvent;
    const { lower, upper } = epsilonOf(repeatedEvent(sampled(0.01, failing), 100), 1e-4);
    const without = epsilonOf(repeatedEvent(sampled(0.01, gaussian(2)), 100), 1e-4 - 100 * 1e-7);
    expect(upper).toBeLessThanOrEqual(without.upper + 1e-3);
    expect(lower).toBeGreaterThan(0.9 * upper);
    expect(epsilonOf(repeatedEvent(sampled(0.01, failing), 100), 0.99e-5).upper).toBe(Infinity);
  });

  it('is as narrow as requested', () => {
    const event = repeatedEvent(sampled(0.01, gaussian(1)), 1000);
    const widths = [1e-1, 1e-2, 1e-3, 1e-4].map((width) => {
      const { lower, upper } = privacyLossDistribution({ width }).epsilon(event, { adjacency, delta: 1e-5 });
      return upper - lower;
    });
    widths.forEach((width, i) => expect(width).toBeLessThanOrEqual(1.6 * 10 ** -(i + 1)));
    for (const width of [0, -1, NaN, Infinity])
      expect(() => privacyLossDistribution({ width })).toThrow(InvalidParameter);
  });

  it('adds up failures, and gives Infinity when they exceed δ', () => {
    const event = repeatedEvent(approximate(0.1, 1e-8), 50);
    expect(epsilonOf(event, 4e-7).upper).toBe(Infinity);
    expect(epsilonOf(event, 1e-5).upper).toBeLessThan(5);
    expect(epsilonOf(event, 1e-5).upper).toBeGreaterThan(epsilonOf(repeatedEvent(pure(0.1), 50), 1e-5).lower);
  });

  it('ends quickly with valid bounds at extremes', () => {
    const ends = (event: PrivacyEvent, delta: number): readonly [number, number] => {
      const { lower, upper } = epsilonOf(event, delta);
      return [lower, upper];
    };
    for (const [sigma, count] of [
      [1e-3, 1],
      [1e-3, 10],
      [1e-3, 1e9],
      [1e6, 1],
      [1e6, 1e9],
      [1e3, 1e9],
    ] as const) {
      for (const delta of [1e-300, 1e-5, 0.5]) {
        const [lower, upper] = ends(repeatedEvent(gaussian(sigma), count), delta);
        const mu = Math.sqrt(count) / sigma;
        expect(lower).toBeLessThanOrEqual(gaussianEpsilonUpper(mu, delta));
        expect(upper).toBeGreaterThanOrEqual(gaussianEpsilonLower(mu, delta));
      }
    }
    for (const event of [
      repeatedEvent(sampled(1e-9, gaussian(1)), 1e9),
      repeatedEvent(sampled(1e-6, gaussian(0.1)), 1e4),
      repeatedEvent(discreteLaplace(3, 2), 1e9),
      repeatedEvent(sampled(0.999, laplace(0.01)), 100),
    ]) {
      const [lower, upper] = ends(event, 1e-6);
      expect(upper).toBeGreaterThanOrEqual(lower);
      expect(upper).toBeLessThan(Infinity);
    }
    expect(ends(freeEvent, 0)).toEqual([0, 0]);
    expect(ends(unprotectedEvent, 0.5)[1]).toBe(Infinity);
    expect(ends(gaussian(1), 0)[1]).toBe(Infinity);
    expect(ends(gaussian(1), 1)).toEqual([0, 0]);
    expect(ends(composedEvent([laplace(2), pure(0.25)]), 0)[1]).toBe(0.75);
    expect(pld.delta(repeatedEvent(gaussian(1), 9), { adjacency, epsilon: Infinity }).upper).toBe(0);
    expect(pld.delta(unprotectedEvent, { adjacency, epsilon: 1 }).upper).toBe(1);
  });

  it.each([0, 1])(
    'gives no number where neighbours come to more than a dominating pair of ε = %d',
    (most) => {
      const understated = defineEvent({
        name: 'acme/understated',
        summary: 'a release whose dominating pair is too good',
        source: { id: 'acme', item: '1' },
        claims: [],
        version: 1,
        characterise: {
          pair: () => [
            {
              direction: 'symmetric',
              factors: [{ distribution: pureLossDistribution(most), count: 1 }],
              attained: false,
              witness: [{ distribution: pureLossDistribution(2), count: 1 }],
            },
          ],
        },
        schema: z.looseObject({ kind: z.literal('acme/understated'), v: z.literal(1) }),
      });
      const event: PrivacyEvent = { kind: 'acme/understated', v: 1 };
      for (const delta of [0, 1e-6])
        expect(() => pld.epsilon(event, { adjacency, delta, kinds: [understated] })).toThrow(
          IncompatiblePlugins,
        );
    },
  );
});
