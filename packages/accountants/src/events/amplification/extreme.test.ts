import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjacencies, gaussianEvent, sampledEvent, type PrivacyEvent, type SamplerSpec } from '@lethe/core';
import { attempt } from '../attempt.js';
import { resolveEvent } from '../resolve.js';
import { inputs } from '../../../test/effort.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const scale = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -5, max: 5 }))
  .map(([digits, decade]) => digits * 10 ** decade);
const rate = fc.oneof(
  fc.constantFrom(1, 1 - 2 ** -53, 0.5, 1e-300),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -12, max: -1 }))
    .map(([digit, decade]) => digit * 10 ** decade),
);
const count = fc.oneof(
  fc.constantFrom(1, 2, 2 ** 53 - 1),
  fc
    .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 12 }))
    .map(([digits, decade]) => digits * 10 ** decade),
);
const event = fc.oneof(
  scale.map((sigma) => gaussianEvent(sigma, sensitivity)),
  scale.map((b) => plain({ kind: 'core/laplace', v: 1, scale: b, sensitivity })),
  scale.map((epsilon) => plain({ kind: 'core/pure', v: 1, epsilon })),
  scale.map((epsilon) => plain({ kind: 'core/approximate', v: 1, epsilon, delta: 1e-9 })),
  fc.constantFrom(
    plain({ kind: 'core/free', v: 1 }),
    plain({ kind: 'core/unprotected', v: 1 }),
    plain({ kind: 'core/zcdp', v: 1, rho: 1 }),
  ),
);
const samplers: fc.Arbitrary<SamplerSpec> = fc.oneof(
  fc.tuple(count, count, fc.boolean()).map(([a, b, replacement]): SamplerSpec => ({
    kind: 'core/fixed-size',
    n: Math.max(a, b),
    size: Math.min(a, b),
    replacement,
  })),
  fc
    .tuple(fc.integer({ min: 1, max: 50 }), count)
    .map(([n, size]): SamplerSpec => ({ kind: 'core/fixed-size', n, size, replacement: true })),
  fc.integer({ min: 1, max: 9 }).map((steps): SamplerSpec => ({ kind: 'core/random-allocation', steps })),
  fc
    .tuple(count, rate, count)
    .map(([n, of, most]): SamplerSpec => ({ kind: 'core/truncated-poisson', n, rate: of, most })),
);

describe('amplified events at any parameter', () => {
  it('have divergences and profiles that are bounds, or a typed refusal', () => {
    fc.assert(
      fc.property(
        samplers,
        event,
        fc.constantFrom(...adjacencies),
        scale,
        (sampler, inner, adjacency, at) => {
          const drawn = sampledEvent(sampler, inner);
          const pure = attempt(() => resolveEvent(drawn, 'pure', { adjacency }));
          const known = attempt(() => resolveEvent(drawn, 'rdp', { adjacency }));
          if (known !== undefined)
            for (const alpha of [1 + 2 ** -40, 1.5, 2, 33.3, 1e6])
              expect(known(alpha)).toBeGreaterThanOrEqual(0);
          for (const { factors } of attempt(() => resolveEvent(drawn, 'pair', { adjacency })) ?? []) {
            for (const { distribution } of factors) {
              expect(distribution.infinite).toBeGreaterThanOrEqual(0);
              expect(distribution.infinite).toBeLessThanOrEqual(1);
              expect(distribution.support.least).toBeLessThanOrEqual(distribution.support.most);
              for (const epsilon of [-at, 0, at]) {
                const { lower, upper } = distribution.hockeyStick(epsilon);
                expect(lower).toBeGreaterThanOrEqual(0);
                expect(upper).toBeGreaterThanOrEqual(lower);
                expect(upper).toBeLessThanOrEqual(1);
                expect(upper).toBeGreaterThanOrEqual(-Math.expm1(epsilon) * (1 - 1e-9));
              }
              if (distribution.massesInto === undefined) continue;
              const p = new Float64Array(3);
              const q = new Float64Array(3);
              distribution.massesInto(p, q, Float64Array.of(-Infinity, -at, at, Infinity));
              const grain = 1e-9 + 2 * (distribution.grain ?? 0);
              expect(Math.abs(p[0] + p[1] + p[2] + distribution.infinite - 1)).toBeLessThan(grain);
              expect(q[0] + q[1] + q[2]).toBeLessThan(1 + grain);
            }
          }
          if (pure !== undefined) expect(pure).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: inputs(60) },
    );
  });

  it('have a shuffled law for any ε and any number of users', () => {
    fc.assert(
      fc.property(scale, count, scale, (epsilon, users, at) => {
        const [pair] = resolveEvent(plain({ kind: 'core/shuffled-local', v: 1, epsilon, users }), 'pair', {
          adjacency: 'replace-one',
        });
        const { distribution } = pair.factors[0];
        const { lower, upper } = distribution.hockeyStick(at);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(upper).toBeGreaterThanOrEqual(lower);
        expect(upper).toBeLessThanOrEqual(at >= epsilon && epsilon < 700 ? 1e-9 : 1);
        expect(distribution.support.most).toBeLessThanOrEqual(epsilon * (1 + 1e-9));
      }),
      { numRuns: inputs(60) },
    );
  });
});
