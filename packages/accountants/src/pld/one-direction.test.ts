import { clippedMeanSensitivity, gaussianEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussianDelta } from '../gaussian/gaussian-curve.js';
import { oneDirection, pld } from './pld.js';

const adjacency = 'add-remove';
const sampled = (sigma: number, rate: number) =>
  sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, clippedMeanSensitivity));

describe('one direction', () => {
  // Zhu, Dong and Wang 2022, Proposition 30, for one release.
  it.each([
    [1, 0.1, 0.5],
    [0.7, 0.01, 1],
    [2, 0.5, 0.2],
  ])('has the closed form of one sampled Gaussian, sigma %f, rate %f, ε %f', (sigma, rate, epsilon) => {
    const profile = (at: number): number => gaussianDelta(1 / sigma, at).upper;
    const absent = 1 - Math.exp(epsilon) * (1 - rate);
    const exact = {
      remove: rate * profile(Math.log1p(Math.expm1(epsilon) / rate)),
      add: absent > 0 ? absent * profile(epsilon + Math.log(rate / absent)) : 0,
    };
    for (const direction of ['remove', 'add'] as const) {
      const { lower, upper } = oneDirection(direction).delta(sampled(sigma, rate), { adjacency, epsilon });
      expect(lower).toBeLessThanOrEqual(exact[direction] * (1 + 1e-9));
      expect(upper).toBeGreaterThanOrEqual(exact[direction] * (1 - 1e-9));
      expect(upper - lower).toBeLessThanOrEqual(1e-3 * exact[direction] + 1e-12);
    }
  });

  it('is the cost, for the larger of both, and less for the other', () => {
    const event = repeatedEvent(sampled(1.1, 256 / 60_000), 2344);
    const query = { adjacency, delta: 1e-5 } as const;
    const [remove, add, both] = [oneDirection('remove'), oneDirection('add'), pld].map((one) =>
      one.epsilon(event, query),
    );
    expect(remove.upper).toBe(both.upper);
    expect(add.upper).toBeLessThan(0.9 * both.lower);
  });

  it('is asked for under add-remove alone', () => {
    expect(() =>
      oneDirection('add').delta(sampled(1, 0.1), { adjacency: 'replace-one', epsilon: 1 }),
    ).toThrow(/no directions/u);
    // @ts-expect-error it is no direction
    expect(() => oneDirection('symmetric')).toThrow(/oneDirection/u);
  });
});
