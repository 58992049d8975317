import { gaussianEvent, composedEvent, sampledEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { gaussianLossDistribution, presentInPoisson } from '../events/pairs/index.js';
import { gdp } from '../gaussian/gdp.js';
import { gathered, isEnsemble } from './ensemble.js';
import { pld } from './pld.js';

const once = { 'add-remove': 1 };
const adjacency = 'add-remove';
const many = Array.from({ length: 140 }, (_, i) => 15 + (50 * i) / 139);

describe('ensembles', () => {
  it('encloses the cost of Gaussians with many scales, which is that of one Gaussian', () => {
    const event = composedEvent(many.map((sigma) => gaussianEvent(sigma, once)));
    for (const delta of [1e-12]) {
      const { lower: most, upper: least } = gdp.epsilon(event, { adjacency, delta });
      const found = pld.epsilon(event, { adjacency, delta });
      expect(found.lower).toBeLessThanOrEqual(least);
      expect(found.upper).toBeGreaterThanOrEqual(most);
      expect(found.upper - found.lower).toBeLessThan(2e-3 * most);
    }
  });

  it('composes members alone where chords over widely different scales are loose', () => {
    const wide = Array.from({ length: 130 }, (_, i) => 0.5 * 1000 ** (i / 129));
    const event = composedEvent(wide.map((sigma) => gaussianEvent(sigma, once)));
    const { lower: most, upper: least } = gdp.epsilon(event, { adjacency, delta: 1e-6 });
    const found = pld.epsilon(event, { adjacency, delta: 1e-6 });
    expect(found.lower).toBeLessThanOrEqual(least);
    expect(found.upper).toBeGreaterThanOrEqual(most);
    expect(found.upper - found.lower).toBeLessThan(2e-4 * most);
  });

  it('counts members as often as they occur, and distributions outside the family', () => {
    const twice = composedEvent([
      ...many.flatMap((sigma) => [gaussianEvent(sigma, once), gaussianEvent(sigma, once)]),
      gaussianEvent(0.2, once),
    ]);
    const { lower: most, upper: least } = gdp.epsilon(twice, { adjacency, delta: 1e-6 });
    const found = pld.epsilon(twice, { adjacency, delta: 1e-6 });
    expect(found.lower).toBeLessThanOrEqual(least);
    expect(found.upper).toBeGreaterThanOrEqual(most);
  });

  it('does not mix samples of different rates', () => {
    const factors = [0.1, 0.2].flatMap((rate) =>
      many.map((sigma) => ({
        distribution: presentInPoisson(gaussianLossDistribution(1 / sigma), rate, 'remove'),
        count: 1,
      })),
    );
    const groups = gathered(factors).filter(({ distribution }) => isEnsemble(distribution));
    // A copy may have another profile.
    const copies = factors.map(({ distribution, count }) => ({ distribution: { ...distribution }, count }));
    expect(gathered(copies)).toEqual(copies);
    // Twelve for each rate.
    expect(groups).toHaveLength(24);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(2 * many.length);
  });

  it.each([
    ['none', (mu: number) => gaussianLossDistribution(mu)],
    ['remove', (mu: number) => presentInPoisson(gaussianLossDistribution(mu), 0.03, 'remove')],
    ['add', (mu: number) => presentInPoisson(gaussianLossDistribution(mu), 0.03, 'add')],
  ] as const)('has chords above and carried-on chords below every member, in a sample: %s', (_, member) => {
    const factors = Array.from({ length: 900 }, (__, i) => ({
      distribution: member(0.2 * 10 ** (i / 899)),
      count: 1,
    }));
    for (const { distribution } of gathered(factors)) {
      if (!isEnsemble(distribution)) continue;
      const interval = defined(distribution.intervals.find(({ members }) => members.length > 1));
      const { first, last, members } = interval;
      const beyond = interval.beyond(1e-3);
      const [{ upperShare, lowerShare }] = members;
      const [p, q] = [new Float64Array(1), new Float64Array(1)];
      const carried = (epsilon: number): number => {
        defined(beyond.massesInto)(p, q, Float64Array.of(epsilon, Infinity));
        return p[0] - Math.exp(epsilon) * q[0];
      };
      // The first member of the interval by its distance from the anchors.
      const own = factors.find(
        ({ distribution: { hockeyStick } }) => hockeyStick(0).lower > first.hockeyStick(0).upper,
      );
      for (const epsilon of [-2, -0.5, -0.01, 0, 0.003, 0.02, 0.1, 0.6, 2]) {
        const { lower, upper } = defined(own).distribution.hockeyStick(epsilon);
        const [start, end] = [first, last].map((one) => one.hockeyStick(epsilon));
        expect((1 - upperShare) * start.upper + upperShare * end.upper).toBeGreaterThanOrEqual(
          lower * (1 - 1e-9),
        );
        expect((1 - lowerShare) * start.lower + lowerShare * carried(epsilon)).toBeLessThanOrEqual(
          upper * (1 + 1e-9) + 1e-15,
        );
      }
    }
  });

  it('has members as they are where few are between two anchors', () => {
    const factors = many.map((sigma, i) => ({
      distribution: gaussianLossDistribution(1 / sigma),
      count: 1 + (i % 3),
    }));
    const alone = gathered(factors).flatMap(({ distribution }) =>
      isEnsemble(distribution) ? distribution.intervals.filter(({ members }) => members.length === 1) : [],
    );
    expect(alone.length).toBeGreaterThan(50);
    for (const { first, last, members } of alone) {
      const own = defined(factors.find(({ distribution }) => distribution === first));
      expect(last).toBe(first);
      expect(members).toEqual([{ count: own.count, upperShare: 0, lowerShare: 0 }]);
    }
  });

  it('answers two hundred sampled scales as narrowly as a thousand, without composing each alone', () => {
    const event = composedEvent(
      Array.from({ length: 200 }, (_, i) =>
        sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussianEvent(0.7 + (3 * i) / 199, once)),
      ),
    );
    const { lower, upper } = pld.epsilon(event, { adjacency, delta: 1e-6 });
    expect(upper - lower).toBeLessThan(0.002 * upper);
  });

  it('answers a thousand sampled scales', () => {
    const event = composedEvent(
      Array.from({ length: 1000 }, (_, i) =>
        sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussianEvent(0.7 + (3 * (i + 0.5)) / 1000, once)),
      ),
    );
    const { lower, upper } = pld.epsilon(event, { adjacency, delta: 1e-6 });
    // By a separate program with 192 intervals, from above and from below.
    expect(lower).toBeLessThan(2.32738);
    expect(upper).toBeGreaterThan(2.32422);
    expect(upper - lower).toBeLessThan(0.004);
  });
});
