import { InvalidParameter, type PrivacyEvent, repeatedEvent, Unsupported, unprotectedEvent } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concentrated, gaussian, gaussians, poisson, pure, sgd } from '../test/events.js';
import { accountants, bestOf, calibrator, gdp, rdp, zcdp } from './index.js';

const adjacency = 'zero-out';
const calibrate = calibrator(accountants);
const tenTo = (low: number, high: number): fc.Arbitrary<number> => fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));

describe('calibrator', () => {
  it('lands on the private side, within the tolerance of the other', () => {
    fc.assert(fc.property(tenTo(-4, 3), tenTo(-12, -2), (epsilon, delta) => {
      const { value, achieved } = calibrate({ make: gaussian, target: { epsilon, delta }, adjacency, direction: 'larger-is-private' });
      expect(achieved.upper).toBeLessThanOrEqual(epsilon);
      expect(achieved).toEqual(bestOf(accountants).epsilon(gaussian(value), { adjacency, delta }));
      expect(gdp.epsilon(gaussian(value * (1 - 1.1e-9)), { adjacency, delta }).upper).toBeGreaterThan(epsilon);
    }), { numRuns: 40 });
  });

  it('calibrates a sampled run in few probes', () => {
    let probes = 0;
    const make = (sigma: number): PrivacyEvent => {
      probes++;
      return sgd(0.01, sigma, 1000);
    };
    const { value, achieved } = calibrate({ make, target: { epsilon: 1, delta: 1e-5 }, adjacency, direction: 'larger-is-private' });
    expect(achieved.upper).toBeLessThanOrEqual(1);
    expect(achieved.upper).toBeGreaterThan(1 - 1e-8);
    expect(value).toBeCloseTo(1.513, 3);
    expect(probes).toBeLessThan(40);
  });

  it('finds the largest number of steps, and the largest rate', () => {
    const target = { epsilon: 2, delta: 1e-6 };
    const steps = calibrate({ make: (n) => sgd(0.1, 3, n), target, adjacency, direction: 'smaller-is-private', integer: true });
    expect(Number.isInteger(steps.value)).toBe(true);
    expect(steps.achieved.upper).toBeLessThanOrEqual(2);
    expect(rdp.epsilon(sgd(0.1, 3, steps.value + 1), { adjacency, delta: 1e-6 }).upper).toBeGreaterThan(2);
    // The exact number is 155 (by privacy loss distributions); Rényi divergences allow fewer.
    expect(steps.value).toBeLessThanOrEqual(155);
    expect(steps.value).toBeGreaterThan(110);
    const rate = calibrate({ make: (q) => poisson(q, gaussians(3, 3)), target, adjacency, direction: 'smaller-is-private' });
    expect(rate.value).toBeLessThan(1);
    expect(rate.achieved.upper).toBeGreaterThan(2 - 1e-6);
    // A rate above 1 is no event: the search stays where there are some.
    expect(calibrate({ make: (q) => poisson(q, gaussian(30)), target, adjacency, direction: 'smaller-is-private' }).value).toBeLessThanOrEqual(1);
  });

  it('finds the least whole number, at both ends of what there is', () => {
    const least = (epsilon: number): number => calibrate({ make: gaussian, target: { epsilon, delta: 1e-5 }, adjacency, direction: 'larger-is-private', integer: true }).value;
    expect([least(1), least(100), least(1e-6)]).toEqual([4, 1, expect.any(Number)]);
    expect(gdp.epsilon(gaussian(3), { adjacency, delta: 1e-5 }).upper).toBeGreaterThan(1);
    expect(calibrate({ make: () => pure(0.5), target: { epsilon: 1, delta: 0 }, adjacency, direction: 'smaller-is-private', integer: true }).value).toBe(2 ** 52);
  });

  it('reaches tiny and huge targets', () => {
    for (const epsilon of [1e-12, 1e-6, 1e6, 1e12]) {
      const { achieved } = calibrate({ make: gaussian, target: { epsilon, delta: 1e-8 }, adjacency, direction: 'larger-is-private' });
      expect(achieved.upper).toBeLessThanOrEqual(epsilon);
      expect(achieved.upper).toBeGreaterThan(epsilon * (1 - 1e-6) - 1e-14);
    }
    const { value } = calibrator([zcdp])({ make: concentrated, target: { epsilon: 1, delta: 1e-6 }, adjacency, direction: 'smaller-is-private' });
    expect(value).toBeCloseTo(0.024355970359538372, 9);
  });

  it('says when nothing meets the target', () => {
    const request = { target: { epsilon: 1, delta: 0 }, adjacency, direction: 'larger-is-private' } as const;
    for (const make of [gaussian, () => unprotectedEvent]) expect(() => calibrate({ ...request, make })).toThrow(Unsupported);
    expect(() => calibrate({ ...request, make: (n) => repeatedEvent(pure(2), n), direction: 'smaller-is-private', integer: true })).toThrow(Unsupported);
    expect(() => calibrate({ ...request, make: () => ({ kind: 'acme/unknown', v: 1 }) })).toThrow(Unsupported);
  });

  it('refuses requests that make no sense', () => {
    const good = { make: gaussian, target: { epsilon: 1, delta: 1e-6 }, adjacency, direction: 'larger-is-private' } as const;
    const bad = [{ target: { epsilon: NaN, delta: 0 } }, { target: { epsilon: -1, delta: 0 } }, { target: { epsilon: 1, delta: 2 } }, { tolerance: 0 }, { tolerance: NaN }, { direction: 'sideways' as 'larger-is-private' }, { make: () => gaussian(NaN) }];
    for (const change of bad) expect(() => calibrate({ ...good, ...change })).toThrow(InvalidParameter);
    expect(() => calibrator([])).toThrow(InvalidParameter);
  });
});
