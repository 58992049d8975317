import {
  type Adjacency,
  gaussianEvent,
  InvalidParameter,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
} from '@lethe/core';
import { resolveEvent } from '../events/index.js';
import { describe, expect, it } from 'vitest';
import { gdp } from '../gaussian/gdp.js';
import { groupEpsilon } from './group.js';
import { rdp } from '../renyi/rdp.js';

const adjacency = 'add-remove';
const noise = gaussianEvent(1, { 'add-remove': 1 });
const delta = 1e-6;
const group = (size: number, event: PrivacyEvent): PrivacyEvent =>
  ({ kind: 'core/group', v: 1, size, event }) as PrivacyEvent;

describe('ε of a group, from one record to the next', () => {
  it('is at most the published cost of user-level training', () => {
    // 10 000 examples in batches of 64 over 5 epochs at noise 2, of which microbatches leave half: sampled,
    // or in an order that may put all of a user's in one batch.
    const sampled = repeatedEvent(
      sampledEvent({ kind: 'core/poisson', rate: 64 / 10_000 }, noise),
      Math.ceil((5 * 10_000) / 64),
    );
    const ordered = repeatedEvent(noise, 5);
    expect(rdp.epsilon(group(3, ordered), { delta, adjacency }).upper).toBeLessThan(56.2245);
    expect(gdp.epsilon(group(2, ordered), { delta, adjacency }).upper).toBeCloseTo(30.579, 3);
    expect(groupEpsilon(rdp, sampled, { size: 3, delta, adjacency }).upper).toBeLessThan(6.4255);
    // The same with a grid of orders, each converted in closed form, as they had it.
    const curve = resolveEvent(sampled, 'rdp', { adjacency });
    const orders = [
      ...Array.from({ length: 99 }, (_, i) => 1.1 + i / 10),
      ...Array.from({ length: 53 }, (_, i) => 11 + i),
    ];
    const theirs = (epsilon: number): number =>
      Math.min(1, ...orders.map((a) => Math.exp((a - 1) * (curve(a) - epsilon + Math.log1p(-1 / a))) / a));
    const grid = {
      epsilon: rdp.epsilon,
      delta: (event: PrivacyEvent, query: { readonly adjacency: Adjacency; readonly epsilon: number }) => ({
        ...rdp.delta(event, query),
        upper: theirs(query.epsilon),
      }),
    };
    expect(groupEpsilon(grid, sampled, { size: 3, delta, adjacency }).upper).toBeCloseTo(6.425, 3);
  });

  it('is met by the δ of its construction, and by hardly less', () => {
    for (const size of [2, 5]) {
      const { upper } = groupEpsilon(gdp, noise, { size, delta, adjacency });
      const met = (epsilon: number): number =>
        (gdp.delta(noise, { adjacency, epsilon: epsilon / size }).upper * Math.expm1(epsilon)) /
        Math.expm1(epsilon / size);
      expect(met(upper)).toBeLessThanOrEqual(delta * (1 + 1e-9));
      expect(met(upper * (1 - 1e-6))).toBeGreaterThan(delta);
    }
  });

  it('is never below that of the event for the group', () => {
    for (const size of [1, 2, 4]) {
      expect(gdp.epsilon(group(size, noise), { adjacency, delta }).lower).toBeLessThanOrEqual(
        groupEpsilon(gdp, noise, { size, delta, adjacency }).upper,
      );
    }
    expect(groupEpsilon(gdp, noise, { size: 1, delta, adjacency })).toEqual(
      gdp.epsilon(noise, { adjacency, delta }),
    );
  });

  it('has its extremes', () => {
    expect(groupEpsilon(gdp, noise, { size: 3, delta: 0, adjacency }).upper).toBe(Infinity);
    expect(groupEpsilon(gdp, noise, { size: 3, delta: 1, adjacency }).upper).toBe(0);

    expect(
      groupEpsilon(gdp, { kind: 'core/unprotected', v: 1 } as PrivacyEvent, { size: 3, delta, adjacency })
        .upper,
    ).toBe(Infinity);
    expect(
      groupEpsilon(gdp, { kind: 'core/free', v: 1 } as PrivacyEvent, { size: 3, delta, adjacency }).upper,
    ).toBe(0);
    for (const size of [0, 1.5, -1, NaN])
      expect(() => groupEpsilon(gdp, noise, { size, delta, adjacency })).toThrow(InvalidParameter);
  });
});
