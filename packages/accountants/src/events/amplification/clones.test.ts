import { describe, expect, it } from 'vitest';
import { hockeyStick, type Distribution } from '../../../test/enumeration.js';
import { defined, logBinomial } from '@lethe/numerics';
import { characterisationsOf, resolveEvent } from '../resolve.js';
import { binomialWindow } from './binomial.js';
import { clonesLossDistribution } from './clones.js';

const epsilons = [-1, -0.3, 0, 0.1, 0.5, 1.5];
const binomial = (n: number, k: number, rate: number): number =>
  k < 0 || k > n ? 0 : Math.exp(logBinomial(n, k) + k * Math.log(rate) + (n - k) * Math.log1p(-rate));

/** The pair of Feldman, McMillan and Talwar, one number of clones and one of ones after the other. */
function published(epsilon0: number, users: number, epsilon: number): number {
  const truth = Math.exp(epsilon0) / (1 + Math.exp(epsilon0));
  let delta = 0;
  for (let clones = 0; clones < users; clones++) {
    const weight = binomial(users - 1, clones, Math.exp(-epsilon0));
    for (let ones = 0; ones <= clones + 1; ones++) {
      const mine = binomial(clones, ones - 1, 0.5);
      const other = binomial(clones, ones, 0.5);
      delta +=
        weight *
        Math.max(
          0,
          truth * mine + (1 - truth) * other - Math.exp(epsilon) * ((1 - truth) * mine + truth * other),
        );
    }
  }
  return delta;
}

/** How many of the randomised bits are 1. */
function shuffled(epsilon0: number, bits: readonly number[]): Distribution {
  const keep = Math.exp(epsilon0) / (1 + Math.exp(epsilon0));
  let law = [1];
  for (const bit of bits) {
    const one = bit === 1 ? keep : 1 - keep;
    law = Array.from(
      { length: law.length + 1 },
      (_, k) => (law[k] ?? 0) * (1 - one) + (law[k - 1] ?? 0) * one,
    );
  }
  return new Map(law.map((mass, k) => [`${k}`, mass]));
}

describe('clonesLossDistribution', () => {
  it.each([
    [1, 1],
    [1, 3],
    [2, 12],
    [0.3, 40],
    [1, 60],
    [4, 200],
    [0.5, 300],
  ])('is the published pair for ε = %d and %d users', (epsilon0, users) => {
    const distribution = clonesLossDistribution(epsilon0, users);
    for (const epsilon of epsilons) {
      const truth = published(epsilon0, users, epsilon);
      expect(distribution.hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(truth * (1 - 1e-11));
      expect(distribution.hockeyStick(epsilon).upper).toBeLessThanOrEqual(truth * 1.001 + 1e-12);
    }
    expect(distribution.support).toEqual({ least: -epsilon0, most: epsilon0 });
    expect(distribution.infinite).toBe(0);
  });

  it.each([
    [0.5, 3],
    [1, 5],
    [2, 9],
  ])('bounds shuffled randomised responses of ε = %d by %d users', (epsilon0, users) => {
    const distribution = clonesLossDistribution(epsilon0, users);
    for (let ones = 0; ones < users; ones++) {
      const others = Array.from({ length: users - 1 }, (_, i) => (i < ones ? 1 : 0));
      for (const epsilon of epsilons) {
        expect(
          hockeyStick(shuffled(epsilon0, [1, ...others]), shuffled(epsilon0, [0, ...others]), epsilon),
        ).toBeLessThanOrEqual(distribution.hockeyStick(epsilon).upper + 1e-15);
      }
    }
  });

  it('falls with the number of users, up to millions and beyond, and has all of both distributions', () => {
    let before = Infinity;
    for (const users of [10, 1000, 10 ** 5, 10 ** 7, 2 ** 53 - 1]) {
      const distribution = clonesLossDistribution(1, users);
      const p = new Float64Array(1);
      const q = new Float64Array(1);
      defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, Infinity));
      expect(Math.abs(p[0] - 1)).toBeLessThan(1e-8);
      expect(Math.abs(q[0] - 1)).toBeLessThan(1e-8);
      const at = distribution.hockeyStick(0.001).upper;
      expect(at).toBeLessThan(before);
      before = at;
    }
    // tanh(½)·E|x|, where x is nearly normal.
    expect(clonesLossDistribution(1, 10 ** 5).hockeyStick(0).upper).toBeCloseTo(
      Math.tanh(0.5) * Math.sqrt(2 / (Math.PI * Math.exp(-1) * 10 ** 5)),
      6,
    );
  });

  it('is randomised response where nobody can be a clone', () => {
    for (const epsilon0 of [50, 600, 1000])
      expect(clonesLossDistribution(epsilon0, 100).hockeyStick(1).upper).toBeCloseTo(1, 12);
    expect(clonesLossDistribution(2, 1).hockeyStick(1).upper).toBeCloseTo(
      (Math.exp(2) - Math.E) / (1 + Math.exp(2)),
      11,
    );
  });
});

describe('core/shuffled-local', () => {
  const event = (epsilon: number, users: number) =>
    ({ kind: 'core/shuffled-local', v: 1, epsilon, users }) as const;

  it('hides a replaced record among clones, and not a missing one', () => {
    for (const adjacency of ['replace-one', 'zero-out'] as const) {
      expect(resolveEvent(event(1, 500), 'pure', { adjacency })).toBe(1);
      const [pair] = resolveEvent(event(1, 500), 'pair', { adjacency });
      expect(pair).toMatchObject({ direction: 'symmetric', attained: false });
      expect(pair.factors[0].distribution.hockeyStick(0.5).upper).toBeLessThan(1e-6);
    }
    expect(characterisationsOf(event(1, 500), { adjacency: 'add-remove' })).toEqual([]);
    expect(resolveEvent(event(0, 5), 'pure', { adjacency: 'zero-out' })).toBe(0);
  });
});

describe('binomialWindow', () => {
  it.each([
    [1, 0.5],
    [7, 0.01],
    [60, 0.99],
    [1000, 0.3],
    [10 ** 6, 1e-6],
  ])('has the probabilities of Binomial(%d, %d)', (trials, rate) => {
    const { first, masses, below, above, error } = binomialWindow(trials, rate);
    let total = below + above;
    masses.forEach((mass, i) => {
      total += mass;
      const exact = binomial(trials, first + i, rate);
      expect(Math.abs(mass - exact)).toBeLessThanOrEqual(1e-9 * exact + Number.MIN_VALUE);
    });
    expect(Math.abs(total - 1)).toBeLessThan(1e-12);
    expect(error).toBeLessThan(1e-11);
    expect(below + above).toBeLessThan(1e-290);
  });

  it('bounds what it leaves out', () => {
    const { first, masses, below, above } = binomialWindow(100, 0.3, 5);
    const outside = (from: number, to: number): number =>
      Array.from({ length: to - from }, (_, i) => binomial(100, from + i, 0.3)).reduce(
        (sum, mass) => sum + mass,
        0,
      );
    const inside = masses.reduce((sum, mass) => sum + mass, 0);
    // The masses are those of the window alone.
    expect(inside).toBeCloseTo(1, 14);
    const share = outside(first, first + masses.length);
    expect(below * share).toBeGreaterThanOrEqual(outside(0, first));
    expect(above * share).toBeGreaterThanOrEqual(outside(first + masses.length, 101));
  });
});
