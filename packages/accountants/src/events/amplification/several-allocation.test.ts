import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { defined, logBinomial } from '@lethe/numerics';
import { pld } from '../../pld/pld.js';
import { atomicLossDistribution, type Atom } from '../pairs/atomic.js';
import { allocatedLossDistributions } from './allocation.js';
import { lossDistributionOfCurve } from './inner-distribution.js';
import { severalWitnesses } from './several-allocation.js';

const epsilons = [-1, 0, 0.1, 0.5, 1, 2, 4];

/** δ in both directions, where a record is in `times` of `steps` steps, each with these outcomes. */
function exact(atoms: readonly Atom[], steps: number, times: number, epsilon: number): readonly number[] {
  let sets = 1;
  for (let i = 0; i < times; i++) sets *= (steps - i) / (i + 1);
  let removed = 0;
  let added = 0;
  /** `sums[k]`: over sets of k of the steps so far, the probability of the outcomes with the record there. */
  const visit = (step: number, sums: readonly number[]): void => {
    if (step === steps) {
      const [present, absent] = [sums[times] / sets, sums[0]];
      removed += Math.max(0, present - Math.exp(epsilon) * absent);
      added += Math.max(0, absent - Math.exp(epsilon) * present);
      return;
    }
    for (const { p, q } of atoms)
      visit(
        step + 1,
        sums.map((sum, k) => sum * q + (k === 0 ? 0 : sums[k - 1] * p)),
      );
  };
  visit(
    0,
    Array.from({ length: times + 1 }, (_, k) => (k === 0 ? 1 : 0)),
  );
  return [removed, added];
}

/** The same for steps of two outcomes, by how often the first comes. */
function exactOfTwo(
  [one, other]: readonly Atom[],
  steps: number,
  times: number,
  epsilon: number,
): readonly number[] {
  const sets = logBinomial(steps, times);
  let removed = 0;
  let added = 0;
  for (let ones = 0; ones <= steps; ones++) {
    const ways = logBinomial(steps, ones);
    const absent = Math.exp(ways + ones * Math.log(one.q) + (steps - ones) * Math.log(other.q));
    let present = 0;
    // `both`: in how many of the steps with the record the first outcome comes.
    for (let both = Math.max(0, ones + times - steps); both <= Math.min(ones, times); both++)
      present += Math.exp(
        ways +
          logBinomial(ones, both) +
          logBinomial(steps - ones, times - both) -
          sets +
          both * Math.log(one.p) +
          (times - both) * Math.log(other.p) +
          (ones - both) * Math.log(one.q) +
          (steps - times - ones + both) * Math.log(other.q),
      );
    removed += Math.max(0, present - Math.exp(epsilon) * absent);
    added += Math.max(0, absent - Math.exp(epsilon) * present);
  }
  return [removed, added];
}

const twoOutcomes = (p: number, q: number): readonly Atom[] => [
  { p, q },
  { p: 1 - p, q: 1 - q },
];

describe('severalWitnesses', () => {
  it('are below what several of a few steps show, by enumeration', () => {
    const share = fc.double({ min: 0.02, max: 0.98, noNaN: true });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(share, share).map(([p, q]) => twoOutcomes(p, q)),
          fc.tuple(share, share, share, share).map(([a, b, c, d]) => [
            { p: a / 2, q: b / 2 },
            { p: c / 2, q: d / 2 },
            { p: 1 - (a + c) / 2, q: 1 - (b + d) / 2 },
          ]),
        ),
        fc
          .integer({ min: 2, max: 7 })
          .chain((steps) => fc.tuple(fc.constant(steps), fc.integer({ min: 1, max: steps - 1 }))),
        fc.double({ min: -2, max: 4, noNaN: true }),
        (atoms, [steps, times], epsilon) => {
          const { remove, add } = defined(severalWitnesses(atomicLossDistribution(atoms), steps, times));
          const [removed, added] = exact(atoms, steps, times, epsilon);
          expect(remove.hockeyStick(epsilon).lower).toBeLessThanOrEqual(removed * (1 + 1e-9) + 1e-16);
          expect(add.hockeyStick(epsilon).lower).toBeLessThanOrEqual(added * (1 + 1e-9) + 1e-16);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [0.6, 0.4, 10, 3],
    [0.7, 0.2, 12, 2],
    [0.52, 0.48, 12, 6],
  ])('come close for outcomes of probability %d and %d, %d steps, %d times', (p, q, steps, times) => {
    const atoms = twoOutcomes(p, q);
    const { remove, add } = defined(severalWitnesses(atomicLossDistribution(atoms), steps, times));
    for (const epsilon of [0, 0.1, 0.3]) {
      const [removed, added] = exact(atoms, steps, times, epsilon);
      expect(remove.hockeyStick(epsilon).lower).toBeGreaterThan(0.93 * removed);
      expect(add.hockeyStick(epsilon).lower).toBeGreaterThan(0.93 * added);
    }
  });

  it.each([
    [0.6, 0.4, 100, 5],
    [0.52, 0.48, 400, 200],
    [0.95, 0.05, 60, 30],
    [0.99, 0.6, 200, 100],
  ])(
    'are below many steps with outcomes of probability %d and %d, %d of them, %d times',
    (p, q, steps, times) => {
      const atoms = twoOutcomes(p, q);
      const { remove, add } = defined(severalWitnesses(atomicLossDistribution(atoms), steps, times));
      for (const epsilon of [0, 0.3, 1, 3, 10, 30]) {
        const [removed, added] = exactOfTwo(atoms, steps, times, epsilon);
        for (const [{ lower }, delta] of [
          [remove.hockeyStick(epsilon), removed],
          [add.hockeyStick(epsilon), added],
        ] as const) {
          expect(lower).toBeLessThanOrEqual(delta * (1 + 1e-9) + 1e-16);
          if (delta > 1e-9) expect(lower).toBeGreaterThan(0.9 * delta);
        }
      }
    },
  );

  it('are below the pair of one of many steps, and close to it', () => {
    for (const [sigma, steps] of [
      [1, 100],
      [0.5, 7],
    ]) {
      const one = lossDistributionOfCurve(1 / sigma);
      const witness = defined(severalWitnesses(one, steps, 1));
      const pair = defined(allocatedLossDistributions(one, steps));
      for (const direction of ['remove', 'add'] as const) {
        for (const epsilon of epsilons)
          expect(witness[direction].hockeyStick(epsilon).lower).toBeLessThanOrEqual(
            pair[direction].hockeyStick(epsilon).upper,
          );
        expect(witness[direction].hockeyStick(0).lower).toBeGreaterThan(
          0.98 * pair[direction].hockeyStick(0).upper,
        );
      }
    }
  });

  it('show as much by removal as by addition at ε = 0', () => {
    const { remove, add } = defined(severalWitnesses(lossDistributionOfCurve(0.7), 200, 9));
    expect(remove.hockeyStick(0).lower).toBeCloseTo(add.hockeyStick(0).lower, 9);
  });
});

describe('core/random-allocation to several steps', () => {
  const noise = gaussianEvent(1, { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 });
  const event = (steps: number, times: number) =>
    sampledEvent({ kind: 'core/random-allocation', steps, times }, noise);

  it('costs at most as many allocations to one of a block, and nearly as much', () => {
    const context = { adjacency: 'add-remove', delta: 1e-5 } as const;
    const { lower, upper } = pld.epsilon(event(1000, 10), context);
    const block = sampledEvent({ kind: 'core/random-allocation', steps: 100 }, noise);
    expect(upper).toBe(pld.epsilon(repeatedEvent(block, 10), context).upper);
    expect(lower).toBeGreaterThan(0.98 * upper);
  });

  it('has bounds that allow each other where the times do not divide the steps', () => {
    for (const [steps, times] of [
      [3, 2],
      [5, 2],
      [5, 3],
      [7, 3],
      [9, 5],
    ])
      for (const epsilon of [0, 0.5]) {
        const { lower, upper } = pld.delta(event(steps, times), { adjacency: 'add-remove', epsilon });
        expect(lower).toBeGreaterThan(0.5 * upper);
        expect(lower).toBeLessThan(upper);
      }
  });

  it('has a lower end under every adjacency, and no amplification where a record is replaced', () => {
    for (const adjacency of ['zero-out', 'replace-one'] as const) {
      const { lower, upper } = pld.delta(event(64, 4), { adjacency, epsilon: 1 });
      expect(lower).toBeGreaterThan(0.01);
      expect(upper).toBeLessThan(adjacency === 'zero-out' ? 1.3 * lower : 1);
    }
  });

  it('is a composition where the record is in all steps, and an allocation to one by default', () => {
    const context = { adjacency: 'add-remove', delta: 1e-5 } as const;
    expect(pld.epsilon(event(9, 9), context)).toEqual(pld.epsilon(repeatedEvent(noise, 9), context));
    expect(pld.epsilon(event(9, 1), context)).toEqual(
      pld.epsilon(sampledEvent({ kind: 'core/random-allocation', steps: 9 }, noise), context),
    );
  });

  it('costs more with every time', () => {
    let before = { lower: 0, upper: 0 };
    for (const times of [1, 4, 16]) {
      const { lower, upper } = pld.epsilon(event(64, times), { adjacency: 'add-remove', delta: 1e-5 });
      expect(lower).toBeGreaterThan(before.lower);
      expect(upper).toBeGreaterThan(before.upper);
      before = { lower, upper };
    }
  });
});
