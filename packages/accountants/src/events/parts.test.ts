import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composedEvent,
  normalEvent,
  parallelEvent,
  repeatedEvent,
  freeEvent,
  unprotectedEvent,
  gaussianEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { Unsupported } from '@lethe/numerics';
import { approximateParts, type ApproximatePart } from './parts.js';
import { createResolver } from './resolve.js';

const json = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const pure = (epsilon: number): PrivacyEvent => json({ kind: 'core/pure', v: 1, epsilon });
const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  json({ kind: 'core/approximate', v: 1, epsilon, delta });
const partsOf = (event: PrivacyEvent) => approximateParts(normalEvent(event), 'zero-out', createResolver());
/** Every ε and every δ, largest first. */
const listed = (parts: readonly ApproximatePart[], of: 'epsilon' | 'delta'): readonly number[] =>
  parts
    .flatMap((part) => Array.from({ length: part.count }, () => part[of]))
    .filter((x) => x > 0)
    .toSorted((a, b) => b - a);

describe('parts of a composition', () => {
  it('are counted through compositions, failures and filters', () => {
    const event = composedEvent([
      repeatedEvent(composedEvent([pure(0.5), repeatedEvent(approximate(1, 1e-3), 2)]), 3),
      json({ kind: 'core/failing', v: 1, delta: 1e-2, event: repeatedEvent(pure(0.25), 4) }),
    ]);
    const { parts, attained } = partsOf(event);
    expect([listed(parts, 'epsilon'), listed(parts, 'delta')]).toEqual([
      [1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25],
      [1e-2, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3],
    ]);
    expect(attained).toBe(true);
    expect(partsOf(json({ kind: 'core/filtered', v: 1, limit: repeatedEvent(pure(1), 5) }))).toEqual({
      parts: [{ epsilon: 1, delta: 0, count: 5 }],
      attained: false,
    });
    expect(partsOf(freeEvent)).toEqual({ parts: [], attained: true });
    expect(partsOf(unprotectedEvent).parts).toEqual([{ epsilon: Infinity, delta: 0, count: 1 }]);
    expect(partsOf(json({ kind: 'core/laplace', v: 1, scale: 2, sensitivity: { 'zero-out': 1 } }))).toEqual({
      parts: [{ epsilon: 0.5, delta: 0, count: 1 }],
      attained: false,
    });
    expect(() => partsOf(composedEvent([pure(1), gaussianEvent(1, { 'zero-out': 1 })]))).toThrow(Unsupported);
  });

  it('of parallel events are the largest of the parts, part by part', () => {
    const branch = fc.array(
      fc.tuple(
        fc.constantFrom(0, 0.25, 0.5, 1, 2),
        fc.constantFrom(0, 1e-3, 1e-2),
        fc.integer({ min: 1, max: 5 }),
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(branch, { minLength: 2, maxLength: 4 }), (branches) => {
        const events = branches.map((parts) =>
          composedEvent(
            parts.map(([epsilon, delta, count]) => repeatedEvent(approximate(epsilon, delta), count)),
          ),
        );
        const { parts } = partsOf(parallelEvent(events));
        for (const of of ['epsilon', 'delta'] as const) {
          const lists = events.map((event) => listed(partsOf(event).parts, of));
          const length = Math.max(...lists.map((list) => list.length));
          expect(listed(parts, of)).toEqual(
            Array.from({ length }, (_, i) => Math.max(...lists.map((list) => list[i] ?? 0))),
          );
        }
      }),
    );
  });
});
