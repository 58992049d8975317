import { gaussianEvent, type PrivacyEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocated } from './amplified.js';
import { gaussianCurve } from './gaussian-curve.js';
import { mixturePair } from './mixture-pair.js';
import { gaussianNoise, laplaceNoise } from './noise.js';
import { selectedPair } from './selected-pair.js';
import { pairDelta } from './shifted-pair.js';
import { trueDelta } from './truth.js';

const sum = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, sum);
const event = (kind: string, fields: object): PrivacyEvent => ({ kind: `core/${kind}`, v: 1, ...fields });
const least = (
  e: PrivacyEvent,
  epsilon: number,
  adjacency: 'zero-out' | 'replace-one' | 'add-remove' = 'zero-out',
): number => defined(trueDelta(e, adjacency, epsilon)).lower;

describe('a mixture', () => {
  it('of two positions is the shifted pair', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(gaussianNoise, laplaceNoise),
        fc.constantFrom(0.1, 0.5, 1),
        fc.constantFrom(0.3, 1, 4),
        fc.constantFrom(0, 0.2, 1, 3),
        (noise, rate, shift, epsilon) => {
          const one = mixturePair(
            noise,
            [
              { at: 0, weight: 1 - rate },
              { at: shift, weight: rate },
            ],
            [{ at: 0, weight: 1 }],
          ).delta(epsilon).lower;
          const { upper } = pairDelta({ noise, rate, up: shift, down: 0 }, epsilon);
          expect(one).toBeLessThanOrEqual(upper * (1 + 1e-9) + 1e-15);
          expect(one).toBeGreaterThanOrEqual(upper * (1 - 1e-6) - 1e-10);
        },
      ),
    );
  });

  it('has δ = 1 for distant positions', () => {
    const far = mixturePair(
      gaussianNoise,
      [
        { at: 0, weight: 0.25 },
        { at: 90, weight: 0.75 },
      ],
      [
        { at: 0, weight: 0.25 },
        { at: -90, weight: 0.75 },
      ],
    );
    for (const epsilon of [0, 1, 8]) expect(far.delta(epsilon).lower).toBeCloseTo(0.75, 8);
  });

  it('has a slightly smaller divergence after reduction to cells', () => {
    const pair = mixturePair(
      gaussianNoise,
      [
        { at: 0, weight: 0.7 },
        { at: 2, weight: 0.3 },
      ],
      [
        { at: 0, weight: 0.7 },
        { at: -2, weight: 0.3 },
      ],
    );
    const { grid } = defined(pair.discretise)(1e-4, 'down');
    const coarse = grid.masses.reduce(
      (total, mass, i) => total + mass * Math.max(0, -Math.expm1(0.5 - grid.step * (grid.first + i))),
      0,
    );
    expect(coarse).toBeLessThanOrEqual(pair.delta(0.5).lower);
    expect(coarse).toBeGreaterThan(0.99 * pair.delta(0.5).lower);
  });
});

describe('δ of some neighbours', () => {
  it('in a draw of all records equals δ without sampling, and increases with the size of the draw', () => {
    const drawn = (size: number): number =>
      least(sampledEvent({ kind: 'core/fixed-size', n: 10, size, replacement: false }, gaussian(1)), 0.5);
    for (let size = 1; size < 9; size++) expect(drawn(size)).toBeLessThan(drawn(size + 1));
    expect(drawn(10)).toBeCloseTo(gaussianCurve(1, 0.5).lower, 12);
    // If the record is not drawn, another one is, possibly far from it: more than in a Poisson sample.
    expect(drawn(3)).toBeGreaterThan(
      1.1 * least(sampledEvent({ kind: 'core/poisson', rate: 0.3 }, gaussian(1)), 0.5),
    );
  });

  it('with replacement is larger than without: a record may be drawn twice', () => {
    const drawn = (replacement: boolean, size: number): number =>
      least(
        sampledEvent({ kind: 'core/fixed-size', n: 10, size, replacement }, gaussian(1)),
        1,
        'replace-one',
      );
    expect(drawn(true, 1)).toBeCloseTo(drawn(false, 1), 12);
    expect(drawn(true, 5)).toBeGreaterThan(0.5 * drawn(false, 5));
  });

  it('in a random allocation is 1 without noise, and with one batch equals δ of the release', () => {
    const partitioned = (steps: number, sigma: number): number =>
      least(sampledEvent({ kind: 'core/random-allocation', steps }, gaussian(sigma)), 0.5, 'add-remove');
    expect(partitioned(2, 0.1)).toBeGreaterThan(0.99);
    // Independent samples at the rate 1/2 sometimes omit the record in both.
    expect(
      least(
        repeatedEvent(sampledEvent({ kind: 'core/poisson', rate: 0.5 }, gaussian(0.1)), 2),
        0.5,
        'add-remove',
      ),
    ).toBeLessThan(0.76);
    for (const steps of [2, 3, 4]) expect(partitioned(steps, 1)).toBeLessThan(gaussianCurve(1, 0.5).lower);
    expect(allocated({ steps: 1 }, 1, 0).delta(0.5).lower).toBeLessThanOrEqual(gaussianCurve(1, 0.5).upper);
    expect(allocated({ steps: 1 }, 1, 0).delta(0.5).lower).toBeGreaterThan(
      0.999 * gaussianCurve(1, 0.5).lower,
    );
  });

  it('in a random allocation to two equals the integral over both sums', () => {
    // P = ½N((1,0)) + ½N((0,1)) against N(0) at ε = ½, on a grid of midpoints.
    const h = 0.02;
    let expected = 0;
    for (let x = -7; x < 8; x += h)
      for (let y = -7; y < 8; y += h) {
        const q = Math.exp(-(x * x + y * y) / 2) / (2 * Math.PI);
        const p = (q * (Math.exp(x - 0.5) + Math.exp(y - 0.5))) / 2;
        expected += h * h * Math.max(0, p - Math.exp(0.5) * q);
      }
    const found = allocated({ steps: 2 }, 1, 0).delta(0.5).lower;
    expect(found).toBeLessThan(expected * (1 + 1e-4));
    expect(found).toBeGreaterThan(expected * (1 - 1e-2));
  });

  it('in a truncated sample equals that in a Poisson sample, and decreases with truncation', () => {
    const cut = (most: number): number =>
      least(sampledEvent({ kind: 'core/truncated-poisson', n: 8, rate: 0.3, most }, gaussian(1)), 0.5);
    expect(cut(8)).toBeGreaterThanOrEqual(
      least(sampledEvent({ kind: 'core/poisson', rate: 0.3 }, gaussian(1)), 0.5) * (1 - 1e-8),
    );
    expect(cut(1)).toBeLessThan(cut(4));
  });

  it('of a group uses the total shift of its records, with a failure that grows like powers of e^ε', () => {
    expect(least(event('group', { size: 3, event: gaussian(2) }), 1)).toBeCloseTo(
      gaussianCurve(1.5, 1).lower,
      10,
    );
    const failing = (size: number): number =>
      least(event('group', { size, event: event('approximate', { epsilon: 1, delta: 1e-5 }) }), 5);
    expect(failing(3)).toBeCloseTo(1e-5 * (1 + Math.E + Math.E ** 2), 12);
    expect(
      least(
        event('group', { size: 2, event: sampledEvent({ kind: 'core/poisson', rate: 0.5 }, gaussian(1)) }),
        0.5,
        'add-remove',
      ),
    ).toBeGreaterThan(
      least(sampledEvent({ kind: 'core/poisson', rate: 0.5 }, gaussian(1)), 0.5, 'add-remove'),
    );
  });

  it('of a selection is larger than of its base, up to three times ε, and fails if any run fails', () => {
    const chosen = event('selection', {
      base: event('pure', { epsilon: 0.5 }),
      stopProbability: 1e-3,
      cap: 10_000,
    });
    expect(least(chosen, 1)).toBeGreaterThan(1e-3);
    expect(least(chosen, 1.49)).toBeLessThan(1e-3);
    expect(least(chosen, 1.51)).toBe(0);
    const failing = event('selection', {
      base: event('approximate', { epsilon: 0, delta: 1e-3 }),
      stopProbability: 1e-3,
      cap: 10_000,
    });
    expect(least(failing, 1)).toBeCloseTo(0.5, 2);
    // A negative binomial variable of shape 1 is geometric.
    const base = event('pure', { epsilon: 0.5 });
    const geometric = event('negative-binomial-selection', { base, shape: 1, stopProbability: 0.01 });
    const capped = event('selection', { base, stopProbability: 0.01, cap: 10_000 });
    expect(least(geometric, 1)).toBeCloseTo(least(capped, 1), 12);
    const poisson = event('poisson-selection', {
      base: event('approximate', { epsilon: 0, delta: 0.01 }),
      mean: 5,
    });
    expect(least(poisson, 1)).toBeCloseTo(Math.expm1(-0.05) / Math.expm1(-5), 8);
  });

  it('of the best of many runs agrees with a simulation', () => {
    const stopping = { kind: 'core/selection', v: 1, stopProbability: 0.3, cap: 4 } as const;
    const [p, q] = [
      [0.5, 0.3, 0.2],
      [0.6, 0.3, 0.1],
    ];
    const law = (masses: readonly number[]): readonly number[] =>
      masses.map((_, i) => {
        const below = (k: number): number => masses.slice(0, k).reduce((total, mass) => total + mass, 0);
        let chance = 0;
        for (let runs = 1; runs <= 4; runs++)
          chance +=
            (runs < 4 ? 0.3 * 0.7 ** (runs - 1) : 0.7 ** 3) * (below(i + 1) ** runs - below(i) ** runs);
        return chance;
      });
    const expected = law(p).reduce(
      (total, mass, i) => total + Math.max(0, mass - Math.exp(0.2) * law(q)[i]),
      0,
    );
    expect(defined(selectedPair(stopping, p, q)).delta(0.2).lower).toBeCloseTo(expected, 9);
  });

  it('of shuffled messages lies between 0 and δ of one message', () => {
    const shuffled = (epsilon: number, users: number): number =>
      least(event('shuffled-local', { epsilon, users }), 0.1, 'replace-one');
    expect(shuffled(1, 1)).toBeCloseTo((Math.E - Math.exp(0.1)) / (1 + Math.E), 9);
    for (const users of [2, 5, 20]) expect(shuffled(1, users)).toBeLessThan(shuffled(1, users - 1));
    expect(shuffled(1, 50)).toBeGreaterThan(0);
  });
});
