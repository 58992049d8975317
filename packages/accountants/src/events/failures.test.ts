import { describe, expect, it } from 'vitest';
import { Unsupported } from '@lethe/numerics';
import {
  composedEvent,
  defineEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  type PrivacyEvent,
} from '@lethe/core';
import * as z from 'zod';
import { assumptionsOf } from './assumptions.js';
import { withoutFailures } from './failures.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const gaussian = gaussianEvent(1, { 'zero-out': 1 });
const failing = (delta: number, event: PrivacyEvent): PrivacyEvent =>
  plain({ kind: 'core/failing', v: 1, delta, event });
const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  plain({ kind: 'core/approximate', v: 1, epsilon, delta });
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);

describe('withoutFailures', () => {
  it('takes δ out of (ε, δ) and adds failures up', () => {
    expect(withoutFailures(approximate(2, 0.125), 'zero-out')).toEqual({
      event: approximate(2, 0),
      delta: 0.125,
    });
    const event = composedEvent([
      failing(0.25, failing(0.125, gaussian)),
      repeatedEvent(approximate(1, 0.0625), 3),
      gaussian,
    ]);
    expect(withoutFailures(event, 'replace-one')).toEqual({
      event: composedEvent([gaussian, repeatedEvent(approximate(1, 0), 3), gaussian]),
      delta: 0.5625,
    });
  });

  it('takes the larger of what may fail side by side, and never more than 1', () => {
    expect(
      withoutFailures(parallelEvent([failing(0.25, gaussian), failing(0.5, gaussian)]), 'zero-out'),
    ).toEqual({ event: parallelEvent([gaussian, gaussian]), delta: 0.5 });
    expect(withoutFailures(repeatedEvent(approximate(1, 0.25), 9), 'zero-out').delta).toBe(1);
  });

  it('multiplies failures in a sample by the probability of taking part, where it is known', () => {
    expect(withoutFailures(poisson(0.25, failing(0.5, gaussian)), 'add-remove')).toEqual({
      event: poisson(0.25, gaussian),
      delta: 0.125,
    });
    expect(withoutFailures(poisson(0.25, failing(0.5, gaussian)), 'replace-one').delta).toBe(0.125);
    expect(() => withoutFailures(poisson(0.25, approximate(1, 0.5)), 'replace-one')).toThrow(Unsupported);
    expect(withoutFailures(poisson(1, failing(0.5, gaussian)), 'replace-one').delta).toBe(0.5);
    expect(withoutFailures(poisson(0.25, gaussian), 'replace-one')).toEqual({
      event: poisson(0.25, gaussian),
      delta: 0,
    });
  });

  it('refuses stated guarantees in samples where several batches have to be compared', () => {
    const fixed = (size: number, replacement: boolean, event: PrivacyEvent): PrivacyEvent =>
      sampledEvent({ kind: 'core/fixed-size', n: 4, size, replacement }, event);
    const truncated = (event: PrivacyEvent): PrivacyEvent =>
      sampledEvent({ kind: 'core/truncated-poisson', n: 4, rate: 0.5, most: 2 }, event);
    expect(withoutFailures(fixed(1, false, failing(0.5, gaussian)), 'zero-out').delta).toBe(0.125);
    expect(withoutFailures(fixed(1, false, approximate(1, 0.5)), 'replace-one').delta).toBe(0.125);
    expect(withoutFailures(fixed(4, false, failing(0.5, gaussian)), 'zero-out').delta).toBe(0.5);
    expect(withoutFailures(truncated(failing(0.5, gaussian)), 'zero-out').delta).toBe(0.25);
    expect(() => withoutFailures(fixed(2, true, approximate(1, 0.5)), 'replace-one')).toThrow(
      /with replacement/u,
    );
    for (const adjacency of ['replace-one', 'add-remove'] as const)
      expect(() => withoutFailures(truncated(approximate(1, 0.5)), adjacency)).toThrow(/truncated/u);
    // Another record takes the place of one that is left out, so that in the inner sample two may fail apart.
    expect(withoutFailures(poisson(0.25, approximate(1, 0.5)), 'zero-out').delta).toBe(0.125);
    expect(() => withoutFailures(fixed(2, false, poisson(0.25, approximate(1, 0.5))), 'zero-out')).toThrow(
      /Poisson/u,
    );
    expect(withoutFailures(fixed(2, false, poisson(0.25, failing(0.5, gaussian))), 'zero-out').delta).toBe(
      0.0625,
    );
    expect(withoutFailures(fixed(4, false, poisson(0.25, failing(0.5, gaussian))), 'zero-out').delta).toBe(
      0.125,
    );
  });

  it('changes nothing else, and not its argument', () => {
    const event = composedEvent([
      plain({ kind: 'core/filtered', v: 1, limit: approximate(1, 0.5) }),
      plain({ kind: 'acme/other', v: 3 }),
      approximate(1, 0),
    ]);
    const before = JSON.stringify(event);
    expect(withoutFailures(event, 'zero-out')).toEqual({
      event: composedEvent([
        plain({ kind: 'core/filtered', v: 1, limit: approximate(1, 0) }),
        plain({ kind: 'acme/other', v: 3 }),
        approximate(1, 0),
      ]),
      delta: 0.5,
    });
    expect(JSON.stringify(event)).toBe(before);
  });
});

describe('assumptionsOf', () => {
  it('finds real-valued noise at any nesting', () => {
    const integer = plain({ kind: 'core/discrete-gaussian', v: 1, sigma: 1, sensitivity: {} });
    expect(assumptionsOf(composedEvent([integer, pure(1)]))).toEqual([]);
    for (const wrap of [
      (e: PrivacyEvent) => poisson(0.5, e),
      (e: PrivacyEvent) => failing(0, e),
      (e: PrivacyEvent) => parallelEvent([integer, e]),
      (e: PrivacyEvent) => plain({ kind: 'core/filtered', v: 1, limit: e }),
      (e: PrivacyEvent) => plain({ kind: 'core/selection', v: 1, base: e, stopProbability: 1, cap: 1 }),
      (e: PrivacyEvent) => composedEvent([e, e]),
    ]) {
      expect(assumptionsOf(wrap(gaussian))).toEqual(['real-arithmetic']);
    }
  });

  it('names events of plugins that nothing vouches for', () => {
    const schema = z.looseObject({ kind: z.literal('acme/told'), v: z.literal(1) });
    const told = {
      name: 'acme/told',
      version: 1,
      summary: 'One event.',
      source: { id: 'test', item: 'none' },
      claims: [],
      schema,
      characterise: { pure: () => 1 },
    };
    const event = composedEvent([plain({ kind: 'acme/told', v: 1 }), pure(1)]);
    expect(assumptionsOf(event, [defineEvent<typeof schema>(told)])).toEqual(['numbers-of acme/told']);
    const realised = { ...told, realise: [{ draw: () => [0] }] };
    expect(assumptionsOf(event, [defineEvent<typeof schema>(realised)])).toEqual([]);
    const refusing = {
      ...told,
      realise: [
        {
          draw: () => {
            throw new Unsupported('no mechanism', {});
          },
        },
      ],
    };
    expect(assumptionsOf(event, [defineEvent<typeof schema>(refusing)])).toEqual(['numbers-of acme/told']);
  });
});
