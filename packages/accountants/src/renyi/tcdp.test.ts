import { defineEvent, type PrivacyEvent, repeatedEvent } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { concentrated } from '../../test/events.js';
import { renyiDelta, renyiEpsilon } from './renyi-conversion.js';
import { tcdp } from './tcdp.js';

const schema = z.strictObject({
  kind: z.literal('test/truncated'),
  v: z.literal(1),
  rho: z.number(),
  omega: z.number(),
});
const kinds = [
  defineEvent({
    name: 'test/truncated',
    version: 1,
    summary: 'Truncated.',
    source: { id: 'test', item: '1' },
    claims: [],
    schema,
    characterise: { tcdp: ({ rho, omega }) => ({ rho, omega }) },
  }),
];
const truncated = (rho: number, omega: number): PrivacyEvent =>
  ({ kind: 'test/truncated', v: 1, rho, omega }) as PrivacyEvent;
const query = { adjacency: 'zero-out', kinds } as const;
const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));

describe('tcdp', () => {
  it('is at most the bound of any order below ω, and at least that of all orders', () => {
    fc.assert(
      fc.property(tenTo(-4, 1), tenTo(-2, 3), tenTo(-12, -1), (rho, above, delta) => {
        const omega = 1 + above;
        const { upper } = tcdp.epsilon(truncated(rho, omega), { ...query, delta });
        const least = Math.min(
          ...[1e-6, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12].map((share) => {
            const alpha = 1 + share * above;
            return Math.max(0, rho * alpha + Math.log1p(-1 / alpha) - Math.log(delta * alpha) / (alpha - 1));
          }),
        );
        expect(upper).toBeLessThanOrEqual(least * (1 + 1e-6) + 1e-9);
        expect(upper).toBeGreaterThanOrEqual(
          renyiEpsilon((alpha) => rho * alpha, delta).value * (1 - 1e-6) - 1e-9,
        );
        const back = tcdp.delta(truncated(rho, omega), {
          ...query,
          epsilon: upper * (1 + 1e-9) + 1e-12,
        }).upper;
        expect(back).toBeLessThanOrEqual(delta * (1 + 1e-5));
      }),
      { numRuns: 60 },
    );
  });

  it('with every order is concentrated privacy', () => {
    for (const rho of [1e-4, 0.1, 3]) {
      expect(tcdp.epsilon(concentrated(rho), { ...query, delta: 1e-6 }).upper).toBeCloseTo(
        renyiEpsilon((alpha) => rho * alpha, 1e-6).value,
        12,
      );
      expect(tcdp.delta(concentrated(rho), { ...query, epsilon: 1 }).upper).toBeCloseTo(
        renyiDelta((alpha) => rho * alpha, 1).value,
        12,
      );
    }
  });

  it('adds up ρ and keeps the least ω', () => {
    const { upper } = tcdp.epsilon(repeatedEvent(truncated(0.01, 5), 10), { ...query, delta: 1e-6 });
    expect(upper).toBeCloseTo(tcdp.epsilon(truncated(0.1, 5), { ...query, delta: 1e-6 }).upper, 12);
    expect(upper).toBeGreaterThan(tcdp.epsilon(truncated(0.1, 50), { ...query, delta: 1e-6 }).upper);
    expect(tcdp.epsilon(truncated(0, 5), { ...query, delta: 0 })).toMatchObject({
      lower: 0,
      upper: 0,
      certificate: 'exact',
    });
  });
});
