import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hockeyStick, type Distribution } from '../../../test/enumeration.js';
import { defined, logBinomial } from '@lethe/numerics';
import { characterisationsOf, resolveEvent } from '../resolve.js';
import { binomialWindow } from './binomial.js';
import { clonesLossDistribution } from './clones.js';

const epsilons = [-1, -0.3, 0, 0.1, 0.5, 1.5];
const binomial = (n: number, k: number, rate: number): number =>
  k < 0 || k > n ? 0 : Math.exp(logBinomial(n, k) + k * Math.log(rate) + (n - k) * Math.log1p(-rate));

/**
 * δ where messages are of type A, B or C (decision 0081): those of the one user with probabilities
 * `e^ε₀ u, u, e^ε₀ z`, of each other with `u, u, z`. `share` is `(1 + e^ε₀) u`, between 0 and 1.
 */
function typed(epsilon0: number, users: number, epsilon: number, share: number): number {
  const e = Math.exp(epsilon0);
  const u = share / (1 + e);
  const z = (1 - share) / e;
  let delta = 0;
  for (let hidden = 0; hidden <= users; hidden++) {
    const others = (count: number, ofC: number, ones: number): number =>
      count < 0 || ofC < 0
        ? 0
        : binomial(users - 1, ofC, z) *
          binomial(users - 1 - ofC, count, (2 * u) / (1 - z)) *
          binomial(count, ones, 0.5);
    for (let count = 0; count + hidden <= users; count++)
      for (let ones = 0; ones <= count; ones++) {
        const asA = others(count - 1, hidden, ones - 1);
        const asB = others(count - 1, hidden, ones);
        const asC = e * z * others(count, hidden - 1, ones);
        const p = e * u * asA + u * asB + asC;
        const q = u * asA + e * u * asB + asC;
        delta += Math.max(0, p - Math.exp(epsilon) * q);
      }
  }
  return delta;
}

/** A randomiser of three inputs and four messages: `[input][message]` is a probability. */
type Randomiser = readonly (readonly number[])[];

/**
 * A randomiser whose input 2 sends what inputs 0 and 1 send as rarely as ε₀ allows. Inputs 0 and 1 send
 * message 2 with probability `both`; without it this is randomised response of three values.
 */
function rare(epsilon0: number, both: number): Randomiser {
  const e = Math.exp(epsilon0);
  // (1 + e)·light + both + w = 1 = 2·light + both/e + e·w.
  const light = (e * (1 - both) - 1 + both / e) / (e * (1 + e) - 2);
  const w = 1 - both - (1 + e) * light;
  return [
    [e * light, light, both, w],
    [light, e * light, both, w],
    [light, light, both / e, e * w],
  ];
}

/** Numbers of messages of each kind. */
function counted(randomiser: Randomiser, inputs: readonly number[]): Distribution {
  let distribution = new Map([['0,0,0', 1]]);
  for (const input of inputs) {
    const next = new Map<string, number>();
    for (const [key, mass] of distribution) {
      const counts = key.split(',').map(Number);
      randomiser[input].forEach((chance, message) => {
        const after = counts.map((n, k) => (k === message ? n + 1 : n)).join(',');
        next.set(after, (next.get(after) ?? 0) + mass * chance);
      });
    }
    distribution = next;
  }
  return distribution;
}

/** Orders of `inputs`, each of the same probability. */
const orders = (inputs: readonly number[]): readonly (readonly number[])[] =>
  inputs.length === 0
    ? [[]]
    : inputs.flatMap((input, i) => orders(inputs.filter((_, j) => j !== i)).map((rest) => [input, ...rest]));

/** Messages one after another of users in random order, where each randomiser depends on earlier messages. */
function adaptive(choose: (earlier: string) => Randomiser, inputs: readonly number[]): Distribution {
  const all = orders(inputs);
  const distribution = new Map<string, number>();
  for (const order of all) {
    let messages = new Map([['', 1 / all.length]]);
    for (const input of order)
      messages = new Map(
        [...messages].flatMap(([earlier, mass]) =>
          choose(earlier)[input].map((chance, message): [string, number] => [
            `${earlier}${message}`,
            mass * chance,
          ]),
        ),
      );
    for (const [key, mass] of messages) distribution.set(key, (distribution.get(key) ?? 0) + mass);
  }
  return distribution;
}

/** The pair of Feldman, McMillan and Talwar, one number of clones and one of ones after the other. */
function published(epsilon0: number, users: number, epsilon: number): number {
  const truth = Math.exp(epsilon0) / (1 + Math.exp(epsilon0));
  let delta = 0;
  for (let clones = 0; clones < users; clones++) {
    const weight = binomial(users - 1, clones, 2 / (1 + Math.exp(epsilon0)));
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

/** The same pair by its densities, over all numbers of clones and of ones that matter. */
function manyPublished(epsilon0: number, users: number, epsilon: number): number {
  const rate = 2 / (1 + Math.exp(epsilon0));
  const slope = Math.tanh(epsilon0 / 2);
  const around = (n: number, share: number): readonly number[] => {
    const reach = Math.ceil(7 * Math.sqrt(n * share * (1 - share)));
    return Array.from({ length: 2 * reach + 1 }, (_, i) => Math.floor(n * share) - reach + i);
  };
  let delta = 0;
  for (const clones of around(users - 1, rate)) {
    const weight = binomial(users - 1, clones, rate);
    const m = clones + 1;
    for (const ones of around(m, 0.5)) {
      const x = (2 * ones) / m - 1;
      const gain = 1 + slope * x - Math.exp(epsilon) * (1 - slope * x);
      if (gain > 0) delta += weight * binomial(m, ones, 0.5) * gain;
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
  it('is the published pair for many users, whose numbers of clones are grouped', () => {
    const distribution = clonesLossDistribution(1, 20_000);
    for (const epsilon of [0.005, 0.02, 0.04]) {
      const expected = manyPublished(1, 20_000, epsilon);
      const { upper } = distribution.hockeyStick(epsilon);
      expect(upper).toBeGreaterThan(expected * (1 - 1e-7));
      expect(upper).toBeLessThan(expected * 1.002);
    }
  });

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

  it('bounds shuffled messages of randomisers that hide as little as they may', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 2, max: 9 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (epsilon0, share, users, at) => {
          // Above this share, input 2 would send message 3 more often than ε₀ allows.
          const randomiser = rare(epsilon0, (share * (Math.exp(epsilon0) - 1)) / (Math.exp(epsilon0) + 1));
          const bound = clonesLossDistribution(epsilon0, users).hockeyStick(at * epsilon0).upper;
          const others = Array.from({ length: users - 1 }, () => 2);
          const p = counted(randomiser, [0, ...others]);
          const q = counted(randomiser, [1, ...others]);
          expect(hockeyStick(p, q, at * epsilon0)).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-15);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    [1, 8],
    [3, 12],
    [5, 10],
  ])('is within a tenth of randomised responses (ε = %d, %d users)', (epsilon0, users) => {
    const others = Array.from({ length: users - 1 }, () => 0);
    const at = 0.9 * epsilon0;
    const delta = hockeyStick(shuffled(epsilon0, [0, ...others]), shuffled(epsilon0, [1, ...others]), at);
    const bound = clonesLossDistribution(epsilon0, users).hockeyStick(at).upper;
    expect(delta / bound).toBeGreaterThan(0.9);
  });

  it('bounds randomisers that depend on earlier messages', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.3, 1, 2, 4),
        fc.func(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.array(fc.constantFrom(0, 1, 2, 2), { minLength: 1, maxLength: 3 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (epsilon0, share, others, at) => {
          const e = Math.exp(epsilon0);
          const choose = (earlier: string): Randomiser =>
            rare(epsilon0, (share(earlier) * (e - 1)) / (e + 1));
          const bound = clonesLossDistribution(epsilon0, others.length + 1).hockeyStick(at * epsilon0).upper;
          const p = adaptive(choose, [0, ...others]);
          const q = adaptive(choose, [1, ...others]);
          expect(hockeyStick(p, q, at * epsilon0)).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-15);
        },
      ),
      { numRuns: 60 },
    );
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
      Math.tanh(0.5) * Math.sqrt((Math.E + 1) / (Math.PI * 10 ** 5)),
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

describe('types of messages', () => {
  it.each([
    [0.5, 12],
    [2, 20],
    [5, 30],
  ])('tell most where the share of A and B is largest (ε = %d, %d users)', (epsilon0, users) => {
    for (const at of [-0.6, -0.2, 0, 0.1, 0.4, 0.8]) {
      let before = 0;
      for (const share of [0.02, 0.1, 0.5, 0.9, 0.99, 0.999]) {
        const delta = typed(epsilon0, users, at * epsilon0, share);
        expect(delta).toBeGreaterThanOrEqual(before * (1 - 1e-12));
        before = delta;
      }
      const pair = published(epsilon0, users, at * epsilon0);
      expect(pair).toBeGreaterThanOrEqual(before);
      expect(pair).toBeLessThanOrEqual(before * 1.05 + 1e-12);
    }
  });

  it('A and B are a mean-preserving spread of C and of no message', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 30, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (epsilon0, tau, corner) => {
          const s = (1 + Math.exp(-epsilon0)) / 2;
          const hinge = (x: number): number => Math.max(0, x - corner);
          const spread = (hinge(s * (1 - tau)) + hinge(-s * (1 + tau))) / 2;
          expect(spread).toBeGreaterThanOrEqual(s * hinge(-tau) + (1 - s) * hinge(0) - 1e-15);
        },
      ),
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
