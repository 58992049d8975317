import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composedEvent,
  gaussianEvent,
  sampledEvent,
  type PrivacyEvent,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  approximateLossDistribution,
  gaussianLossDistribution,
  pureLossDistribution,
} from '../pairs/index.js';
import { characterisationsOf, resolveEvent } from '../resolve.js';
import { allocatedLossDistributions, allocatedWitnesses } from './allocation.js';
import { allocationRenyi } from './allocation-renyi.js';
import { sendsMessages } from './inner-distribution.js';
import { ratioDistribution } from './ratio-distribution.js';
import { inputs } from '../../../test/effort.js';

const epsilons = [-2, -0.5, -0.1, 0, 0.05, 0.3, 0.9, 1.7];
const allocation = (steps: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/random-allocation', steps }, event);
const sum = { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 };

/**
 * Every outcome of binary responses in `steps` places, by how many
 * of them say yes: under `P`, one of them answers for the record.
 */
function responses(epsilon: number, steps: number): readonly { readonly p: number; readonly q: number }[] {
  const heavy = 1 / (1 + Math.exp(-epsilon));
  const light = 1 - heavy;
  return Array.from({ length: 2 ** steps }, (_, mask) => {
    const bits = Array.from({ length: steps }, (__, i) => (mask >> i) & 1);
    const q = bits.reduce((product, bit) => product * (bit === 1 ? light : heavy), 1);
    return {
      p: bits.reduce((total, bit) => total + q * (bit === 1 ? heavy / light : light / heavy), 0) / steps,
      q,
    };
  });
}
const hockeyStick = (atoms: readonly { readonly p: number; readonly q: number }[], epsilon: number): number =>
  atoms.reduce((total, { p, q }) => total + Math.max(0, p - Math.exp(epsilon) * q), 0);

/** Probabilities under `P` of losses on a grid of spacing `h`, each moved to the ends of its cell. */
function gridded(distribution: PrivacyLossDistribution, h: number, reach: number): Float64Array {
  const cells = Math.round((2 * reach) / h);
  const edges = Float64Array.from({ length: cells + 1 }, (_, i) => (i - cells / 2) * h);
  const p = new Float64Array(cells);
  const q = new Float64Array(cells);
  defined(distribution.massesInto)(p, q, edges);
  const out = new Float64Array(cells + 1);
  for (let i = 0; i < cells; i++) {
    const upper = Math.min(p[i], Math.max(0, (p[i] - q[i] * Math.exp(edges[i])) / -Math.expm1(-h)));
    out[i + 1] += upper;
    out[i] += p[i] - upper;
  }
  return out;
}

function convolved(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length - 1);
  a.forEach((x, i) => {
    if (x > 1e-20) for (let j = 0; j < b.length; j++) out[i + j] += x * b[j];
  });
  return out;
}

describe('allocatedLossDistributions', () => {
  it.each([2, 3, 5, 8])('enclose all outcomes of %d places tightly, in both directions', (steps) => {
    const { remove, add } = defined(allocatedLossDistributions(pureLossDistribution(1.2), steps));
    const atoms = responses(1.2, steps);
    for (const epsilon of epsilons) {
      for (const [distribution, truth] of [
        [remove, hockeyStick(atoms, epsilon)],
        [
          add,
          hockeyStick(
            atoms.map(({ p, q }) => ({ p: q, q: p })),
            epsilon,
          ),
        ],
      ] as const) {
        const { lower, upper } = distribution.hockeyStick(epsilon);
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-15);
        expect(upper - truth).toBeLessThan(2e-5);
        expect(upper - lower).toBeLessThan(1e-9);
      }
    }
  });

  it.each([2, 3, 5, 8])('have a witness just below all outcomes of %d places', (steps) => {
    const { remove, add } = defined(allocatedWitnesses(pureLossDistribution(1.2), steps));
    const atoms = responses(1.2, steps);
    const reversed = atoms.map(({ p, q }) => ({ p: q, q: p }));
    for (const epsilon of epsilons)
      for (const [distribution, truth] of [
        [remove, hockeyStick(atoms, epsilon)],
        [add, hockeyStick(reversed, epsilon)],
      ] as const) {
        const { lower, upper } = distribution.hockeyStick(epsilon);
        expect(upper).toBeLessThanOrEqual(truth + 1e-9);
        expect(truth - lower).toBeLessThan(2e-5);
      }
  });

  it('have the whole mass of both distributions, and equal the distribution for a single place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.constantFrom(0.1, 0.5, 1, 3), (steps, mu) => {
        const { remove, add } = defined(allocatedLossDistributions(gaussianLossDistribution(mu), steps));
        for (const distribution of [remove, add]) {
          const p = new Float64Array(1);
          const q = new Float64Array(1);
          defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, Infinity));
          expect(Math.abs(p[0] + distribution.infinite - 1)).toBeLessThan(1e-10);
          expect(Math.abs(q[0] - 1)).toBeLessThan(1e-10);
          expect(distribution.infinite).toBeLessThan(1e-35);
          expect(distribution.grain).toBeLessThan(1e-8);
        }
        if (steps === 1)
          expect(remove.hockeyStick(0.5).upper).toBeCloseTo(
            gaussianLossDistribution(mu).hockeyStick(0.5).upper,
            4,
          );
      }),
      { numRuns: inputs(8) },
    );
  });

  it('keep failures: with probability δ in the place of the record, and never without it', () => {
    const { remove, add } = defined(allocatedLossDistributions(approximateLossDistribution(0.5, 0.01), 4));
    expect(remove.infinite).toBeGreaterThanOrEqual(0.01);
    expect(remove.infinite).toBeLessThan(0.0101);
    // All places would have to show something that none does with the record.
    expect(add.infinite).toBeGreaterThanOrEqual(1e-8);
    expect(add.infinite).toBeLessThan(1.1e-8);
  });

  it('keep rare failures: an output that only the absence of the record shows excludes its place', () => {
    // Nothing else is told, so that of the s places that show it, E (1 − e^ε(1 − s/t))⁺ is what is learnt.
    for (const delta of [1e-14, 5e-13, 1e-11]) {
      for (const steps of [2, 10]) {
        const { add } = defined(allocatedLossDistributions(approximateLossDistribution(0, delta), steps));
        for (const epsilon of [0.01, 0.05]) {
          const truth =
            steps * delta * (1 - delta) ** (steps - 1) * (1 - Math.exp(epsilon) * (1 - 1 / steps));
          expect(add.hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(truth);
          expect(add.hockeyStick(epsilon).upper).toBeLessThan(truth * 1.1 + steps * 1e-14);
        }
      }
    }
  });

  it('are laws where hardly anything is shown', () => {
    for (const distribution of [
      approximateLossDistribution(1e-13, 0),
      approximateLossDistribution(1e-300, 0),
      approximateLossDistribution(1e-11, 1e-3),
      gaussianLossDistribution(1e-8),
      gaussianLossDistribution(1e-200),
    ]) {
      for (const steps of [2, 3, 1000, Number.MAX_SAFE_INTEGER]) {
        const { remove, add } = defined(allocatedLossDistributions(distribution, steps));
        for (const one of [remove, add]) {
          const p = new Float64Array(1);
          const q = new Float64Array(1);
          defined(one.massesInto)(p, q, Float64Array.of(-Infinity, Infinity));
          expect(Math.abs(p[0] + one.infinite - 1)).toBeLessThan(2 * defined(one.grain));
          expect(q[0]).toBeLessThan(1 + 2 * defined(one.grain));
          expect(one.hockeyStick(0).upper).toBeLessThanOrEqual(
            distribution.hockeyStick(0).upper + 4 * defined(one.grain) + 1e-7,
          );
          expect(one.hockeyStick(0).upper).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });

  it('are those of their own numbers, also after others were asked about', () => {
    const ask = (mu: number, steps: number): number =>
      defined(allocatedLossDistributions(gaussianLossDistribution(mu), steps)).remove.hockeyStick(0.3).upper;
    const [first, others] = [ask(1, 4), [ask(1, 5), ask(1.1, 4)]];
    expect(ask(1, 4)).toBe(first);
    expect(others).toEqual([ask(1, 5), ask(1.1, 4)]);
    expect(new Set([first, ...others]).size).toBe(3);
    const least = (): number =>
      defined(allocatedWitnesses(gaussianLossDistribution(1), 4)).remove.hockeyStick(0.3).lower;
    expect(least()).toBeLessThan(first);
    expect(least()).toBeGreaterThan(0.99 * first);
  });

  it('are unknown where ratios overflow', () => {
    expect(ratioDistribution(gaussianLossDistribution(40), 100)).toBeUndefined();
    expect(allocatedLossDistributions(gaussianLossDistribution(40), 3)).toBeUndefined();
  });
});

describe('random allocation', () => {
  it('costs what is published for ten epochs of a hundred steps', () => {
    const [remove, add] = resolveEvent(allocation(100, gaussianEvent(1, sum)), 'pair', {
      adjacency: 'add-remove',
    });
    const h = 0.01;
    const reach = 6;
    for (const [pair, least, most] of [
      [remove, 1.6767031439435887, 1.7266405088703207],
      [add, 1.5, 1.6],
    ] as const) {
      const one = gridded(pair.factors[0].distribution, h, reach);
      const two = convolved(one, one);
      const four = convolved(two, two);
      const all = convolved(convolved(four, four), two);
      const delta = (epsilon: number): number =>
        all.reduce(
          (total, mass, i) => total + mass * Math.max(0, -Math.expm1(epsilon - (i * h - 10 * reach))),
          0,
        );
      // The largest ε with δ above 1e-5 is between these.
      expect(delta(least)).toBeGreaterThan(1e-5);
      expect(delta(most)).toBeLessThan(1e-5);
    }
    expect(remove.attained).toBe(false);
  });

  it('has Rényi divergences that are exact for removal at integer orders', () => {
    const epsilon = 0.8;
    const alpha = 4;
    const heavy = 1 / (1 + Math.exp(-epsilon));
    const light = 1 - heavy;
    const inner = (order: number): number =>
      Math.log(heavy ** order * light ** (1 - order) + light ** order * heavy ** (1 - order)) / (order - 1);
    for (const steps of [2, 3, 6]) {
      const atoms = responses(epsilon, steps);
      const exact =
        Math.log(atoms.reduce((total, { p, q }) => total + q * (p / q) ** alpha, 0)) / (alpha - 1);
      const added =
        Math.log(atoms.reduce((total, { p, q }) => total + p * (q / p) ** alpha, 0)) / (alpha - 1);
      const bound = allocationRenyi(steps, inner);
      expect(bound(alpha)).toBeGreaterThanOrEqual(Math.max(exact, added));
      expect(bound(alpha)).toBeLessThanOrEqual(inner(alpha));
      const geometric = inner(1 + (alpha - 1) / steps);
      expect(bound(alpha)).toBeCloseTo(Math.max(exact, geometric), 11);
      for (const order of [1.2, 2.5, 3.9]) {
        const truth =
          Math.log(atoms.reduce((total, { p, q }) => total + q * (p / q) ** order, 0)) / (order - 1);
        expect(allocationRenyi(steps, inner)(order)).toBeGreaterThanOrEqual(truth);
      }
    }
    expect(allocationRenyi(9, (order) => order / 2)(5000)).toBe(2500);
    expect(allocationRenyi(9, () => Infinity)(3)).toBe(Infinity);
  });

  it('has the moments of a mean of likelihood ratios, where little noise makes removal cost more', () => {
    // Of Gaussian noise of ½: a batch drawn j of k times contributes exp(2j(j − 1)).
    const moment = (steps: number, left: number): number => {
      if (steps === 1) return Math.exp(2 * left * (left - 1));
      let [total, ways] = [0, 1];
      for (let j = 0; j <= left; j++) {
        total += ways * Math.exp(2 * j * (j - 1)) * moment(steps - 1, left - j);
        ways *= (left - j) / (j + 1);
      }
      return total;
    };
    for (const steps of [2, 3, 5])
      for (const order of [2, 3, 5])
        expect(allocationRenyi(steps, (alpha) => 2 * alpha)(order)).toBeCloseTo(
          Math.log(moment(steps, order) / steps ** order) / (order - 1),
          11,
        );
  });

  it('has the second moment of so many steps as the event names', () => {
    for (const [steps, sigma] of [
      [1, 1],
      [2, 1],
      [7, 0.5],
      [1000, 0.3],
    ])
      for (const adjacency of ['add-remove', 'zero-out'] as const) {
        const curve = resolveEvent(allocation(steps, gaussianEvent(sigma, sum)), 'rdp', { adjacency });
        const removed = Math.log1p(Math.expm1(sigma ** -2) / steps);
        const added = (1 + 1 / steps) / (2 * sigma ** 2);
        expect(curve(2) / Math.max(removed, added)).toBeCloseTo(1, 9);
      }
  });

  it('costs a replaced record no less than opposite moves of one of two batches', () => {
    const curve = resolveEvent(allocation(2, gaussianEvent(1, sum)), 'rdp', { adjacency: 'replace-one' });
    for (const order of [2, 4]) {
      let moment = 0;
      for (let x = -12; x < 12; x += 0.1)
        for (let y = -12; y < 12; y += 0.1) {
          const [up, down] = [Math.exp(x) + Math.exp(y), Math.exp(-x) + Math.exp(-y)];
          // Of moves by 1 from the density at 0.
          const still = Math.exp(-(x * x + y * y + 1) / 2) / (2 * Math.PI);
          moment += 0.01 * still * (down / 2) * (up / down) ** order;
        }
      expect(curve(order)).toBeGreaterThan(Math.log(moment) / (order - 1) - 1e-6);
    }
  });

  it('is not amplified where a null record shows in its batch, nor for a record replaced by another', () => {
    const response: PrivacyEvent & { readonly p: number; readonly categories: number } = {
      kind: 'core/randomized-response',
      v: 1,
      p: 0.5,
      categories: 2,
    };
    const plain = resolveEvent(response, 'pure', { adjacency: 'zero-out' });
    expect(resolveEvent(allocation(5, response), 'pure', { adjacency: 'zero-out' })).toBe(plain);
    const inner = gaussianEvent(1, sum);
    const [pair] = resolveEvent(allocation(5, inner), 'pair', { adjacency: 'replace-one' });
    expect(pair.attained).toBe(false);
    expect(pair.factors[0].distribution.hockeyStick(1)).toEqual(
      resolveEvent(inner, 'pair', { adjacency: 'replace-one' })[0].factors[0].distribution.hockeyStick(1),
    );
    expect(characterisationsOf(allocation(5, inner), { adjacency: 'add-remove' })).toContain('pair');
  });

  it.each(['core/randomized-response', 'core/shuffled', 'core/shuffled-local'])(
    'knows that %s sends messages',
    (kind) => {
      const event: PrivacyEvent = { kind, v: 1 };
      expect(sendsMessages(event)).toBe(true);
      expect(sendsMessages(composedEvent([gaussianEvent(1, sum), event]))).toBe(true);
    },
  );

  it('has a lower end under replacement where replaced records are no closer than null ones', () => {
    for (const [apart, isKnown] of [
      [2, true],
      [1, true],
      [0.5, false],
    ] as const) {
      const event = allocation(5, gaussianEvent(1, { ...sum, 'replace-one': apart }));
      for (const { witness } of resolveEvent(event, 'pair', { adjacency: 'replace-one' }))
        expect(witness !== undefined).toBe(isKnown);
    }
  });
});
