import { freeEvent, InvalidParameter, repeatedEvent, Unsupported, unprotectedEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { concentrated, gaussian, gaussians, laplace, sgd } from '../../test/events.js';
import { centralLimit } from './central-limit.js';
import { bestOf, gdp } from '../index.js';

const adjacency = 'add-remove';

describe('the central limit', () => {
  it('is exact for Gaussian noise, and still no certificate', () => {
    for (const [sigma, count] of [
      [1, 1],
      [10, 1000],
      [3, 5],
    ] as const) {
      const answer = centralLimit.epsilon(gaussians(sigma, count), { adjacency, delta: 1e-5 });
      expect(answer).toMatchObject({
        lower: 0,
        upper: Infinity,
        certificate: 'estimate',
        method: 'central-limit',
      });
      expect(
        defined(answer.estimate) / gdp.epsilon(gaussians(sigma, count), { adjacency, delta: 1e-5 }).upper,
      ).toBeCloseTo(1, 2);
      const delta = centralLimit.delta(gaussians(sigma, count), { adjacency, epsilon: 0.5 });
      expect(delta).toMatchObject({ lower: 0, upper: 1, certificate: 'estimate' });
      expect(
        defined(delta.estimate) / gdp.delta(gaussians(sigma, count), { adjacency, epsilon: 0.5 }).upper,
      ).toBeCloseTo(1, 2);
    }
  });

  it('is close for many equal releases, and too low for rare samples', () => {
    expect(
      centralLimit.epsilon(repeatedEvent(laplace(10), 500), { adjacency, delta: 1e-5 }).estimate,
    ).toBeCloseTo(11.19, 0);
    const rare = defined(centralLimit.epsilon(sgd(0.01, 1, 1000), { adjacency, delta: 1e-5 }).estimate);
    // The true ε is 1.828.
    expect(rare).toBeGreaterThan(1.4);
    expect(rare).toBeLessThan(1.8);
  });

  it('is never treated as a bound', () => {
    const best = bestOf([centralLimit, gdp]);
    expect(best.epsilon(gaussian(1), { adjacency, delta: 1e-5 })).toEqual(
      gdp.epsilon(gaussian(1), { adjacency, delta: 1e-5 }),
    );
    expect(() => bestOf([centralLimit]).epsilon(gaussian(1), { adjacency, delta: 1e-5 })).toThrow(
      Unsupported,
    );
  });

  it('has ends, and refuses what has no pair', () => {
    expect(centralLimit.epsilon(freeEvent, { adjacency, delta: 1e-5 }).estimate).toBe(0);
    expect(centralLimit.epsilon(unprotectedEvent, { adjacency, delta: 1e-5 }).estimate).toBe(Infinity);
    expect(centralLimit.delta(unprotectedEvent, { adjacency, epsilon: 3 }).estimate).toBe(1);
    expect(centralLimit.epsilon(gaussian(1), { adjacency, delta: 0 }).estimate).toBe(Infinity);
    expect(centralLimit.epsilon(gaussian(1), { adjacency, delta: 1 }).estimate).toBe(0);
    expect(() => centralLimit.epsilon(concentrated(1), { adjacency, delta: 0.1 })).toThrow(Unsupported);
    expect(() => centralLimit.delta(gaussian(1), { adjacency, epsilon: -1 })).toThrow(InvalidParameter);
  });
});
