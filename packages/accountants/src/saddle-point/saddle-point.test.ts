import {
  composedEvent,
  defineEvent,
  dominatingPair,
  type EventKind,
  type PrivacyEvent,
  repeatedEvent,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { exponential, gaussian, gaussians, laplace, response, sgd } from '../../test/events.js';
import { gaussianLossDistribution, pureLossDistribution } from '../events/index.js';
import { gdp } from '../gaussian/gdp.js';
import { saddlePoint } from './saddle-point.js';

const adjacency = 'add-remove';

describe('saddlePoint', () => {
  it('encloses exact Gaussian accounting, from one release to 10⁹ and down to δ = 1e-300', () => {
    for (const count of [1, 1e3, 1e6, 1e9])
      for (const delta of [1e-5, 1e-100, 1e-300])
        for (const scale of [0.3, 10]) {
          const event = gaussians(scale * Math.sqrt(count), count);
          const found = saddlePoint.epsilon(event, { adjacency, delta });
          const truth = gdp.epsilon(event, { adjacency, delta });
          expect(found.lower).toBeLessThanOrEqual(truth.upper);
          expect(found.upper).toBeGreaterThanOrEqual(truth.lower);
          expect(found.certificate).toBe('certified');
          expect(found.method).toContain('saddle-point');
          if (count >= 1e3)
            expect(found.upper - found.lower).toBeLessThan(2e-4 * truth.upper + 1e-3 / scale + 1e-12 * count);
        }
  });

  it('takes the worse direction, for sampled releases, mixed compositions and other adjacencies', () => {
    const { lower, upper } = saddlePoint.epsilon(sgd(0.01, 1, 1000), { adjacency, delta: 1e-5 });
    expect(lower).toBeGreaterThan(1.828);
    expect(lower).toBeLessThanOrEqual(1.828238);
    expect(upper).toBeGreaterThanOrEqual(1.828236);
    expect(upper).toBeLessThan(1.8285);
    const mixed = saddlePoint.epsilon(
      composedEvent([sgd(0.005, 0.8, 100), gaussians(8, 200), repeatedEvent(laplace(10), 100)]),
      { adjacency, delta: 1e-6 },
    );
    expect(mixed.lower).toBeGreaterThan(11.148);
    expect(mixed.upper).toBeLessThan(11.151);
    expect(saddlePoint.epsilon(gaussian(1), { adjacency: 'replace-one', delta: 1e-5 }).upper).toBeGreaterThan(
      mixed.upper / 2,
    );
  });

  it('takes the worse direction at every δ, where the other one is worse at 1e-300', () => {
    const two = defineEvent({
      name: 'acme/two',
      summary: 'bounded losses in one direction only',
      source: { id: 'acme', item: '1' },
      claims: [],
      version: 1,
      characterise: {
        pair: () => [
          dominatingPair('add', pureLossDistribution(9.97)),
          dominatingPair('remove', gaussianLossDistribution(0.268)),
        ],
      },
      schema: z.looseObject({ kind: z.literal('acme/two'), v: z.literal(1) }),
    }) as unknown as EventKind;
    const upper = (delta: number): number =>
      saddlePoint.epsilon({ kind: 'acme/two', v: 1 } as PrivacyEvent, { adjacency, delta, kinds: [two] })
        .upper;
    expect(upper(1e-300)).toBe(9.97);
    expect(upper(1e-305)).toBeGreaterThan(10.01);
    expect(upper(0)).toBe(Infinity);
  });

  it('is as narrow where a few distributions meet, of which some return to 1', () => {
    const event = composedEvent([gaussians(6.194, 10), gaussian(2.26), repeatedEvent(laplace(0.5504), 2)]);
    const { lower, upper } = saddlePoint.epsilon(event, { adjacency, delta: 1e-12, width: 0.066 });
    expect(upper - lower).toBeLessThan(0.3);
  });

  it('is narrow where few releases are on atoms that nearly recur', () => {
    const events: readonly (readonly [PrivacyEvent, number])[] = [
      [gaussians(15.6, 18), 5e-25],
      [composedEvent([gaussians(212, 242), gaussians(5.16, 2), gaussians(42.8, 3)]), 4e-175],
      [gaussians(9.3, 10), 3e-17],
    ];
    for (const [event, delta] of events) {
      const { lower, upper } = saddlePoint.epsilon(event, { adjacency, delta });
      const truth = gdp.epsilon(event, { adjacency, delta });
      expect(lower).toBeLessThanOrEqual(truth.upper);
      expect(upper).toBeGreaterThanOrEqual(truth.lower);
      expect(upper - lower).toBeLessThan(1e-3 * upper);
    }
  });

  it('has a lower end only where neighbours attain it', () => {
    expect(
      saddlePoint.epsilon(repeatedEvent(response(0.6, 2), 1000), { adjacency: 'replace-one', delta: 1e-5 })
        .lower,
    ).toBeGreaterThan(0);
    const { lower, upper } = saddlePoint.epsilon(repeatedEvent(exponential(0.1), 1000), {
      adjacency,
      delta: 1e-5,
    });
    expect(lower).toBe(0);
    expect(upper).toBeLessThan(18);
  });

  it('answers at the ends of δ and ε', () => {
    expect(saddlePoint.epsilon(gaussians(1, 10), { adjacency, delta: 0 }).upper).toBe(Infinity);
    expect(saddlePoint.epsilon(gaussians(1, 10), { adjacency, delta: 1 })).toMatchObject({
      lower: 0,
      upper: 0,
    });
    expect(saddlePoint.epsilon(repeatedEvent(laplace(10), 5), { adjacency, delta: 0 }).upper).toBeCloseTo(
      0.5,
      10,
    );
    expect(saddlePoint.delta(gaussians(1, 1000), { adjacency, epsilon: 0 }).upper).toBeLessThanOrEqual(1);
    expect(saddlePoint.delta(gaussians(1, 10), { adjacency, epsilon: 1e6 }).upper).toBeLessThan(1e-300);
    for (const scale of [1e-3, 1e6]) {
      const { lower, upper } = saddlePoint.epsilon(gaussians(scale, 1e9), { adjacency, delta: 1e-300 });
      expect(lower).toBeLessThanOrEqual(upper);
      expect(upper).toBeGreaterThan(0);
    }
  });
});
