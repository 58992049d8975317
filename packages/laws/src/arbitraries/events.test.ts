import { adjacencies, parseEvent, type CoreEvent, type PrivacyEvent } from '@lethe/core';
import { coreEventSchemas } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventOf,
  eventsInside,
  leafEventKinds,
  nestingEventKinds,
  samplerSpecOf,
  sensitivityOf,
  type EventShape,
} from './events.js';

const sample = (shape: EventShape = {}, numRuns = 4000): readonly PrivacyEvent[] =>
  fc.sample(eventOf(shape), { seed: 9, numRuns });
const inside = (event: PrivacyEvent): readonly PrivacyEvent[] => [
  event,
  ...eventsInside(event).flatMap(inside),
];
const depth = (event: PrivacyEvent): number => {
  const below = inside(event).slice(1);
  return below.length === 0
    ? Number((nestingEventKinds as readonly string[]).includes(event.kind))
    : 1 + Math.max(...below.map(depth));
};
const smallest = (shape: EventShape, fine: (event: PrivacyEvent) => boolean, seed = 2): PrivacyEvent =>
  defined(fc.check(fc.property(eventOf(shape), fine), { seed, numRuns: 2000 }).counterexample)[0];

describe('events', () => {
  it.each([{}, { depth: 1 }, { depth: 6 }, { parameters: 'realistic' }] satisfies EventShape[])(
    'of shape %j parse, as they are',
    (shape) => {
      for (const event of sample(shape, shape.depth === 6 ? 300 : 1500))
        expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
    },
  );
  it('are of every kind, at the top and inside', () => {
    const tops = new Set(sample().map(({ kind }) => kind));
    const all = sample().flatMap((event) =>
      inside(event)
        .slice(1)
        .map(({ kind }) => kind),
    );
    expect([...tops].toSorted()).toEqual(Object.keys(coreEventSchemas).toSorted());
    for (const kind of [...leafEventKinds, ...nestingEventKinds])
      expect(all.filter((k) => k === kind).length).toBeGreaterThan(50);
  });
  it('are as deep as they may be, and no deeper', () => {
    expect(Math.max(...sample().map(depth))).toBe(3);
    expect(sample({ depth: 0 }, 100).every((event) => depth(event) === 0)).toBe(true);
  });
  it('have counts, and numbers that are ordinary or at the ends', () => {
    const all = sample().flatMap(inside) as readonly CoreEvent[];
    const sigmas = all.flatMap((event) => (event.kind === 'core/gaussian' ? [event.sigma] : []));
    const counts = all.flatMap((event) =>
      event.kind === 'core/compose' ? event.parts.map(({ count }) => count) : [],
    );
    expect(sigmas.filter((sigma) => sigma >= 0.5 && sigma <= 20).length / sigmas.length).toBeGreaterThan(0.6);
    for (const end of [5e-324, Number.MAX_VALUE]) expect(sigmas).toContain(end);
    expect(counts.filter((count) => count > 1).length / counts.length).toBeGreaterThan(0.5);
    expect(Math.max(...counts)).toBe(50_000);
  });
  it('realistic ones keep away from the ends', () => {
    const numbers = defined(JSON.stringify(sample({ parameters: 'realistic' })).match(/[-+.\de]*\d/gu))
      .map((text) => Math.abs(Number(text)))
      .filter((x) => x !== 0);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(1e-10);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(1e6);
  });
  it('are of the requested kinds only', () => {
    const own = fc.constant<PrivacyEvent>({ kind: 'own/noise', v: 1 });
    const kinds = new Set(
      sample({ leaves: ['core/zcdp'], nesting: ['core/compose'], others: [own] }, 500)
        .flatMap(inside)
        .map(({ kind }) => kind),
    );
    expect(kinds).toEqual(new Set(['core/zcdp', 'core/compose', 'own/noise']));
  });
  it('shrink to readable values', () => {
    expect(smallest({}, () => false)).toEqual({
      kind: 'core/gaussian',
      v: 1,
      sigma: 1,
      sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
    });
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(
        smallest({}, (event) => inside(event).every(({ kind }) => kind !== 'core/sampled'), seed),
      ).toEqual({
        kind: 'core/sampled',
        v: 1,
        sampler: { kind: 'core/poisson', rate: 0.1 },
        event: {
          kind: 'core/gaussian',
          v: 1,
          sigma: 1,
          sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
        },
      });
    }
    expect(inside(smallest({}, (event) => inside(event).length < 3)).length).toBeLessThanOrEqual(4);
  });
});

it('sensitivities have the required entries, and sometimes others', () => {
  const all = fc.sample(sensitivityOf({ adjacencies: ['zero-out'] }), { seed: 1, numRuns: 500 });
  expect(all.every((sensitivity) => (sensitivity['zero-out'] ?? Number.NaN) > 0)).toBe(true);
  for (const adjacency of adjacencies)
    expect(all.some((sensitivity) => sensitivity[adjacency] === undefined)).toBe(adjacency !== 'zero-out');
});
it('samplers are of every kind, small and whole', () => {
  const all = fc.sample(samplerSpecOf(), { seed: 1, numRuns: 500 });
  expect(all.some((sampler) => sampler.kind === 'core/poisson' && sampler.rate === 1)).toBe(true);
  for (const replacement of [true, false])
    expect(
      all.some(
        (sampler) =>
          sampler.kind === 'core/fixed-size' &&
          sampler.replacement === replacement &&
          sampler.size === sampler.n,
      ),
    ).toBe(true);
});
