import { accountants, bestOf, pld } from '@lethe/accountants';
import { repeatedEvent, type Accountant, type PrivacyEvent } from '@lethe/core';
import { expect, test } from 'vitest';
import { nearRound } from './near-round.js';

const planned = (scale: number): PrivacyEvent =>
  repeatedEvent({ kind: 'core/laplace', v: 1, scale, sensitivity: { 'add-remove': 1 } } as PrivacyEvent, 100);
const query = { adjacency: 'add-remove', delta: 1e-5 } as const;
// Calibrated for ε = ½.
const event = planned(69.52131742092868);

test('an event planned for a round budget is within it, and other answers are as before', () => {
  const best = bestOf(accountants);
  expect(best.epsilon(event, query).upper).toBeGreaterThan(0.5);
  const near = nearRound(accountants, []);
  const answer = near.epsilon(event, query);
  expect([answer.lower > 0.4999, answer.upper <= 0.5]).toEqual([true, true]);
  expect(near.epsilon(planned(60), query)).toEqual(best.epsilon(planned(60), query));
});

test('both questions share the time of one', () => {
  let now = 0;
  let asked = 0;
  // Each answer takes 4 s, which are over where the signal says so.
  const slow: Accountant = {
    ...pld,
    epsilon(given, { signal, ...asks }) {
      asked += 1;
      now += 4;
      signal?.throwIfAborted();
      return pld.epsilon(given, asks);
    },
  };
  const within = (seconds: number): number => {
    [now, asked] = [0, 0];
    const { upper } = nearRound([slow], [], { seconds, now: () => now }).epsilon(event, query);
    expect(now).toBeLessThanOrEqual(seconds + 4);
    return upper;
  };
  expect([within(14) > 0.5, asked]).toEqual([true, 4]);
  expect([within(20) <= 0.5, asked]).toEqual([true, 4]);
});
