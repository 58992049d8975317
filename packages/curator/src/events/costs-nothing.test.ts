import type { PrivacyEvent } from '@lethe/core';
import { expect, it } from 'vitest';
import { costsNothing } from './costs-nothing.js';

const core = (kind: string, of: object = {}): PrivacyEvent =>
  ({ kind: `core/${kind}`, v: 1, ...of }) as PrivacyEvent;
const free = core('free');
const some = core('pure', { epsilon: 1e-9 });
/** Each kind that may say by its numbers that nothing depends on records, and how it says the contrary. */
const kinds: readonly (readonly [nothing: PrivacyEvent, ...something: readonly PrivacyEvent[]])[] = [
  [core('pure', { epsilon: 0 }), some],
  [
    core('approximate', { epsilon: 0, delta: 0 }),
    core('approximate', { epsilon: 0, delta: 1e-9 }),
    core('approximate', { epsilon: 1, delta: 0 }),
  ],
  [core('zcdp', { rho: 0 }), core('zcdp', { rho: 1e-9 })],
  [
    core('renyi', { orders: [2, 3].map((order) => ({ order, divergence: order - 2 })) }),
    core('renyi', { orders: [{ order: 2, divergence: 1e-9 }] }),
  ],
  [
    core('gaussian-mixture', { sigma: 1, shifts: [0, 0], probabilities: [0.5, 0.5] }),
    core('gaussian-mixture', { sigma: 1, shifts: [0, 1], probabilities: [0.5, 0.5] }),
  ],
  [
    core('gaussian-mixture-pair', { sigma: 1, first: { means: [2, 2] }, second: { means: [2] } }),
    core('gaussian-mixture-pair', { sigma: 1, first: { means: [2, 2] }, second: { means: [2, 1] } }),
    core('gaussian-mixture-pair', { sigma: 1, first: { means: [2, 3] }, second: { means: [2] } }),
  ],
  [
    core('shuffled', { epsilon: 0, delta: 0, honestUsers: 9 }),
    core('shuffled', { epsilon: 0, delta: 1e-9, honestUsers: 9 }),
    core('shuffled', { epsilon: 1, delta: 0, honestUsers: 9 }),
  ],
  [core('shuffled-local', { epsilon: 0, users: 9 }), core('shuffled-local', { epsilon: 1, users: 9 })],
  [
    core('compose', { parts: [free, free].map((event) => ({ event, count: 2 })) }),
    core('compose', { parts: [free, some].map((event) => ({ event, count: 2 })) }),
  ],
  [core('parallel', { parts: [free, free] }), core('parallel', { parts: [free, some] })],
  ...['sampled', 'group', 'selection', 'negative-binomial-selection', 'poisson-selection'].map((kind) => {
    const inside = kind.endsWith('selection') ? 'base' : 'event';
    return [core(kind, { [inside]: free }), core(kind, { [inside]: some })] as const;
  }),
  [
    core('failing', { delta: 0, event: free }),
    core('failing', { delta: 1e-9, event: free }),
    core('failing', { delta: 0, event: some }),
  ],
  [core('filtered', { limit: free }), core('filtered', { limit: some })],
];

it('a release costs nothing only where every number of its event says so', () => {
  expect(costsNothing(free)).toBe(true);
  for (const [nothing, ...something] of kinds) {
    expect(costsNothing(nothing), JSON.stringify(nothing)).toBe(true);
    for (const event of something) expect(costsNothing(event), JSON.stringify(event)).toBe(false);
  }
  for (const event of [core('gaussian', { sigma: 1 }), core('unprotected'), { kind: 'own/event', v: 1 }])
    expect(costsNothing(event as PrivacyEvent)).toBe(false);
});
