import {
  type Adjacency,
  composedEvent,
  defineEvent,
  dominatingPair,
  type DominatingPair,
  freeEvent,
  gaussianEvent,
  IncompatiblePlugins,
  InvalidParameter,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
  unprotectedEvent,
  Unsupported,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { calibrateByProfile } from './calibrate-by-profile.js';
import { approximateCurve, pureCurve, renyiCurve } from './claimed-curves.js';
import { claimedProfile, claimedRenyi } from './claimed-profile.js';
import { gaussianCurve, gaussianCurveEpsilon } from './gaussian-curve.js';

const one = { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 };
const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 20, max: high * 20 }).map((k) => 10 ** (k / 20));
const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;

describe('the Gaussian curve', () => {
  it.each([
    [1, 1, 0.12693673750664392],
    [3, 1, 0.7876007413603846],
    [1, 2, 0.020923635821113756],
  ])('at μ = %f and ε = %f is %f', (mu, epsilon, delta) => {
    const { lower, upper } = gaussianCurve(mu, epsilon);
    expect(upper - lower).toBeLessThan(1e-14);
    expect(lower).toBeLessThanOrEqual(delta * (1 + 1e-13));
    expect(upper).toBeGreaterThanOrEqual(delta * (1 - 1e-13));
  });

  it.each([
    [1, 1e-5, 4.377178095681133],
    [1, 1e-8, 5.776098382890259],
    [1, 1e-18, 8.997181733663735],
    [Math.sqrt(10), 1e-5, 17.856586830107616],
  ])('of μ = %f reaches δ = %f at ε = %f', (mu, delta, epsilon) => {
    const { lower, upper } = gaussianCurveEpsilon(mu, delta);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(Math.abs(lower - epsilon)).toBeLessThan(2e-9);
    expect(Math.abs(upper - epsilon)).toBeLessThan(2e-9);
  });

  it('calibrates to known noise', () => {
    for (const [epsilon, delta, sigma] of [
      [1, 1e-5, 3.7306316348159374],
      [8, 1e-10, 0.8339892295379883],
    ] as const) {
      expect(gaussianCurve(1 / (sigma * (1 - 1e-8)), epsilon).lower).toBeGreaterThan(delta);
      expect(gaussianCurve(1 / (sigma * (1 + 1e-8)), epsilon).upper).toBeLessThan(delta);
    }
  });

  it('is ordered, falls with ε and grows with μ, at every scale', () => {
    fc.assert(
      fc.property(tenTo(-4, 3), tenTo(-4, 4), tenTo(-2, 0), (mu, epsilon, more) => {
        const here = gaussianCurve(mu, epsilon);
        expect(here.lower).toBeLessThanOrEqual(here.upper);
        expect(gaussianCurve(mu, epsilon * (1 + more)).lower).toBeLessThanOrEqual(here.upper);
        expect(gaussianCurve(mu * (1 + more), epsilon).upper).toBeGreaterThanOrEqual(here.lower);
        expect(here.upper - here.lower).toBeLessThan(1e-12);
      }),
    );
    expect(gaussianCurve(0, 1)).toEqual({ lower: 0, upper: 0 });
    expect(gaussianCurve(Infinity, 1)).toEqual({ lower: 1, upper: 1 });
  });
});

describe('curves of single claims', () => {
  it('of pure privacy end at its ε and begin at tanh(ε/2)', () => {
    fc.assert(
      fc.property(tenTo(-6, 2.5), (epsilon) => {
        expect(pureCurve(epsilon, epsilon)).toBe(0);
        expect(pureCurve(epsilon, 0)).toBeGreaterThanOrEqual(Math.tanh(epsilon / 2) * (1 - 1e-15));
        expect(pureCurve(epsilon, 0)).toBeLessThanOrEqual(Math.tanh(epsilon / 2) * (1 + 1e-14));
      }),
    );
    expect(pureCurve(Infinity, 1)).toBe(1);
  });

  it('of approximate privacy are δ beyond its ε', () => {
    expect(approximateCurve({ epsilon: 1, delta: 0.1 }, 1)).toBe(0.1);
    expect(approximateCurve({ epsilon: 1, delta: 0.1 }, 0)).toBeCloseTo(0.1 + 0.9 * Math.tanh(0.5), 14);
    expect(approximateCurve({ epsilon: 1, delta: 1 }, 5)).toBe(1);
  });

  it.each([
    [0.5, 0, 0.5588356393474351],
    [0.05, 0.25, 0.0817727531036956],
    [0.03125, 0, 0.1508457845622862],
  ])('of ρ = %f at ε = %f are the best over all orders', (rho, epsilon, delta) => {
    const found = renyiCurve((alpha) => rho * alpha)(epsilon);
    expect(found).toBeGreaterThanOrEqual(delta * (1 - 1e-14));
    expect(found).toBeLessThanOrEqual(delta * (1 + 1e-10));
  });
});

describe('the claimed profile of an event', () => {
  it('is the Gaussian curve for a Gaussian, and at most the bound of each characterisation', () => {
    fc.assert(
      fc.property(tenTo(-1, 1), tenTo(-2, 1), (sigma, epsilon) => {
        const { delta, from } = claimedProfile(gaussianEvent(sigma, one), 'replace-one');
        expect(from).toContain('gdp');
        expect(delta(epsilon)).toBeLessThanOrEqual(gaussianCurve(1 / sigma, epsilon).upper * (1 + 1e-10));
        expect(delta(epsilon)).toBeGreaterThanOrEqual(gaussianCurve(1 / sigma, epsilon).lower * (1 - 1e-10));
      }),
      { numRuns: 30 },
    );
  });

  it('separates failure probabilities if that gives less', () => {
    const event = composedEvent([
      { kind: 'core/approximate', v: 1, epsilon: 0.1, delta: 1e-3 } as PrivacyEvent,
      gaussianEvent(2, one),
    ]);
    expect(claimedProfile(event, 'replace-one').delta(1)).toBeLessThan(gaussianCurve(0.75, 1).upper + 1e-3);
    expect(claimedProfile(event, 'replace-one').delta(20)).toBeGreaterThanOrEqual(1e-3);
  });

  it('is 0 for a free event and 1 for an unprotected one', () => {
    expect(claimedProfile(freeEvent, 'zero-out').delta(0)).toBe(0);
    expect(claimedProfile(unprotectedEvent, 'zero-out').delta(100)).toBe(1);
    expect(claimedProfile(unprotectedEvent, 'zero-out').epsilon(0.5)).toBe(Infinity);
  });

  it('inverts', () => {
    fc.assert(
      fc.property(tenTo(-1, 0.5), tenTo(-8, -0.5), (sigma, delta) => {
        const profile = claimedProfile(gaussianEvent(sigma, one), 'add-remove');
        const epsilon = profile.epsilon(delta);
        expect(profile.delta(epsilon)).toBeLessThanOrEqual(delta);
        if (epsilon > 0) expect(profile.delta(epsilon * (1 - 1e-9))).toBeGreaterThan(delta);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses unknown and malformed events', () => {
    expect(() => claimedProfile(gaussianEvent(1, { 'zero-out': 1 }), 'replace-one')).toThrow(Unsupported);
    expect(() => claimedRenyi(gaussianEvent(1, { 'zero-out': 1 }), 'replace-one')).toThrow(Unsupported);
    expect(() => claimedProfile({ kind: 'acme/other', v: 1 }, 'replace-one')).toThrow(Unsupported);
    expect(() => claimedProfile(gaussianEvent(-1, one), 'replace-one')).toThrow(InvalidParameter);
  });

  it('reads pairs of a plugin only where they cover both directions', () => {
    const kind = (pairs: readonly DominatingPair[]) =>
      defineEvent({
        name: 'acme/paired',
        summary: 'Known by its pairs.',
        source: { id: 'none', item: 'none' },
        claims: [],
        version: 1,
        schema: z.strictObject({ kind: z.literal('acme/paired'), v: z.literal(1) }),
        characterise: { pair: () => pairs },
      });
    const pair = (direction: DominatingPair['direction'], delta: number): DominatingPair =>
      dominatingPair(direction, {
        hockeyStick: (epsilon) => ({ lower: 0, upper: Math.max(delta, -Math.expm1(epsilon)) }),
        infinite: 0,
        support: { least: -1, most: 1 },
      });
    const at = (pairs: readonly DominatingPair[]): number =>
      claimedProfile({ kind: 'acme/paired', v: 1 }, 'add-remove', [kind(pairs)]).delta(1);
    expect(at([pair('remove', 0.2), pair('add', 0.3)])).toBe(0.3);
    expect(at([pair('symmetric', 0.4)])).toBe(0.4);
    for (const half of [[pair('remove', 0.2)], []]) expect(() => at(half)).toThrow(IncompatiblePlugins);
  });

  it('has the smallest of all known Rényi divergences', () => {
    expect(claimedRenyi(gaussianEvent(2, one), 'zero-out')(8)).toBeCloseTo(1, 12);
    expect(claimedRenyi(pure(0.5), 'zero-out')(1e9)).toBeLessThanOrEqual(0.5);
    expect(claimedRenyi({ kind: 'core/zcdp', v: 1, rho: 0.25 } as PrivacyEvent, 'zero-out')(4)).toBe(1);
    expect(claimedRenyi(freeEvent, 'zero-out')(4)).toBe(0);
  });
});

describe('calibration by claimed profiles', () => {
  const adjacency: Adjacency = 'replace-one';

  it('finds the least noise that meets the target', () => {
    fc.assert(
      fc.property(tenTo(-2, 1), tenTo(-9, -2), (epsilon, delta) => {
        const make = (sigma: number): PrivacyEvent => gaussianEvent(sigma, one);
        const { value, achieved } = calibrateByProfile()({
          make,
          target: { epsilon, delta },
          adjacency,
          direction: 'larger-is-private',
        });
        expect(claimedProfile(make(value), adjacency).delta(epsilon)).toBeLessThanOrEqual(delta);
        expect(claimedProfile(make(value * (1 - 1e-6)), adjacency).delta(epsilon)).toBeGreaterThan(delta);
        expect(achieved.upper).toBeLessThanOrEqual(epsilon);
      }),
      { numRuns: 15 },
    );
  });

  it('finds nine digits with few events', () => {
    for (const delta of [1e-2, 1e-6, 1e-12]) {
      let made = 0;
      const make = (sigma: number): PrivacyEvent => {
        made++;
        return gaussianEvent(sigma, one);
      };
      calibrateByProfile()({
        make,
        target: { epsilon: 1, delta },
        adjacency,
        direction: 'larger-is-private',
      });
      expect(made).toBeLessThan(14);
    }
  });

  it('finds the most steps and the largest rate', () => {
    const steps = calibrateByProfile()({
      make: (count) => repeatedEvent(pure(0.25), count),
      target: { epsilon: 2, delta: 0 },
      adjacency,
      direction: 'smaller-is-private',
      integer: true,
    });
    expect(steps.value).toBe(8);
    const make = (rate: number): PrivacyEvent =>
      sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(1, one));
    const { value } = calibrateByProfile()({
      make,
      target: { epsilon: 1, delta: 1e-5 },
      adjacency: 'add-remove',
      direction: 'smaller-is-private',
      tolerance: 1e-3,
    });
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThan(1);
  });

  it('refuses impossible and invalid targets', () => {
    const make = (): PrivacyEvent => unprotectedEvent;
    expect(() =>
      calibrateByProfile()({
        make,
        target: { epsilon: 1, delta: 0.1 },
        adjacency,
        direction: 'larger-is-private',
      }),
    ).toThrow(Unsupported);
    expect(() =>
      calibrateByProfile()({
        make,
        target: { epsilon: NaN, delta: 0.1 },
        adjacency,
        direction: 'larger-is-private',
      }),
    ).toThrow(InvalidParameter);
  });
});
