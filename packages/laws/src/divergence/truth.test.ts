import { type Adjacency, adjacencies, composedEvent, gaussianEvent, type PrivacyEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimedProfile, claimedRenyi } from './claimed-profile.js';
import { gaussianNoise, laplaceNoise } from './noise.js';
import { pairDelta } from './shifted-pair.js';
import { trueProfile, trueRenyi } from './truth.js';

const every = (value: number) => ({ 'replace-one': 2 * value, 'add-remove': value, 'zero-out': value });
const gaussian = (mu: number): PrivacyEvent => gaussianEvent(1 / mu, every(1));
const laplace = (shift: number): PrivacyEvent => ({ kind: 'core/laplace', v: 1, scale: 1 / shift, sensitivity: every(1) } as PrivacyEvent);
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent => sampledEvent({ kind: 'core/poisson', rate }, event);

describe('the divergence of one shifted pair', () => {
  it.each([
    // rate, shift, direction, ε, δ
    [1, 1, 'add', 1, 0.12693673750664392], [0.4, 3, 'add', 1, 0], [1, 3, 'add', 1, 0.7876007413603846], [0.4, 2, 'replace', 1, 0.2075288527418333],
    [0.3, 0.5, 'replace', 2, 2.477038014894196e-9], [0.8, 0.5, 'replace', 1, 0.05808665654484266], [0.8, 1, 'remove', 1, 0.0816951786585356],
    [0.2, 1, 'remove', -0.25, 0.22119921692859512], [1, 1, 'add', 2, 0.020923635821113756], [0.3, 1, 'remove', 2, 0.0003341102928869344], [0.7, 3, 'remove', 1, 0.5356298793262405],
  ] as const)('is the known one for Gaussian noise, rate %f, shift %f, %s, ε = %f', (rate, shift, direction, epsilon, expected) => {
    const pair = { noise: gaussianNoise, rate, up: direction === 'add' ? 0 : shift, down: direction === 'remove' ? 0 : shift };
    const { lower, upper } = pairDelta(pair, epsilon);
    expect(upper - lower).toBeLessThan(1e-12);
    expect(Math.abs(lower - expected)).toBeLessThan(1e-8 * expected + 1e-14);
    expect(upper).toBeGreaterThanOrEqual(lower);
  });

  it.each([
    [0.6, 1, 'add', 0.2, 0.1401134521354217], [1, 1, 'add', 0, 0.39346934028736663], [0.3, 1, 'add', 0, 0.11804080208621004], [0.8, 2, 'remove', 0.5, 0.40395646350320796],
    [0.2, 1, 'remove', -0.25, 0.22119921692859512], [1, 1, 'add', -2, 0.8646647167633873],
  ] as const)('is the known one for Laplace noise, rate %f, shift %f, %s, ε = %f', (rate, shift, direction, epsilon, expected) => {
    const { lower, upper } = pairDelta({ noise: laplaceNoise, rate, up: direction === 'add' ? 0 : shift, down: direction === 'remove' ? 0 : shift }, epsilon);
    expect(upper - lower).toBeLessThan(1e-12);
    expect(Math.abs(lower - expected)).toBeLessThan(1e-12);
  });
});

describe('true profiles', () => {
  const epsilons = [0, 0.01, 0.1, 0.5, 1, 2, 4];
  const shift = fc.integer({ min: -24, max: 8 }).map((k) => 2 ** (k / 4));
  const rate = fc.integer({ min: 1, max: 40 }).map((k) => 2 ** (-k / 8));
  const single: fc.Arbitrary<PrivacyEvent> = fc.oneof(
    shift.map(gaussian), shift.map(laplace),
    fc.tuple(rate, shift).map(([q, mu]) => poisson(q, gaussian(mu))),
    fc.tuple(rate, shift).map(([q, b]) => poisson(q, laplace(b))),
    shift.map((epsilon) => ({ kind: 'core/pure', v: 1, epsilon })),
    fc.tuple(shift, rate).map(([epsilon, delta]) => ({ kind: 'core/approximate', v: 1, epsilon, delta: delta / 4 })),
    fc.tuple(rate, fc.integer({ min: 2, max: 9 })).map(([p, categories]) => ({ kind: 'core/randomized-response', v: 1, p, categories })),
    shift.map((epsilon) => ({ kind: 'core/exponential', v: 1, epsilon, sensitivity: every(1) })),
    shift.map((scale) => ({ kind: 'core/discrete-laplace', v: 1, scale, sensitivity: every(1) })),
    shift.map((sigma) => ({ kind: 'core/discrete-gaussian', v: 1, sigma, sensitivity: every(1) })),
  );
  const adjacency = fc.constantFrom(...adjacencies);

  function consistent(event: PrivacyEvent, under: Adjacency): void {
    if (event.kind === 'core/randomized-response' && under === 'add-remove') return;
    const profile = trueProfile(event, under)!;
    const claim = claimedProfile(event, under);
    for (const epsilon of epsilons) {
      const { lower, upper } = profile.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(upper);
      expect(claim.delta(epsilon)).toBeGreaterThanOrEqual(lower);
    }
  }

  it('are not above what core claims of one release', () => {
    fc.assert(fc.property(single, adjacency, consistent), { numRuns: 300 });
  });

  it('are not above what core claims of short compositions', () => {
    fc.assert(fc.property(fc.array(fc.tuple(single, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }), adjacency, (parts, under) => {
      fc.pre(!(under === 'add-remove' && parts.some(([event]) => event.kind === 'core/randomized-response')));
      const event = composedEvent(parts.map(([part, count]) => repeatedEvent(part, count)));
      fc.pre(trueProfile(event, under) !== undefined);
      let claim;
      try { claim = claimedProfile(event, under); } catch { return; }
      const profile = trueProfile(event, under)!;
      for (const epsilon of [0, 0.5, 2]) expect(claim.delta(epsilon)).toBeGreaterThanOrEqual(profile.delta(epsilon).lower);
    }), { numRuns: 25 });
  });

  it('of Rényi divergences are not above what core claims', () => {
    fc.assert(fc.property(single, adjacency, fc.integer({ min: -16, max: 16 }).map((k) => 1 + 2 ** (k / 3)), (event, under, alpha) => {
      fc.pre(!(under === 'add-remove' && event.kind === 'core/randomized-response') && event.kind !== 'core/approximate');
      const { lower, upper } = trueRenyi(event, under, alpha)!;
      expect(lower).toBeLessThanOrEqual(upper);
      expect(claimedRenyi(event, under)(alpha)).toBeGreaterThanOrEqual(lower);
    }), { numRuns: 300 });
  });
});
