import { accountants, bestOf } from '@lethe/accountants';
import { repeatedEvent, type PrivacyEvent } from '@lethe/core';
import { expect, test } from 'vitest';
import { nearRound } from './near-round.js';

test('an event planned for a round budget is within it, and other answers are as before', () => {
  const planned = (scale: number): PrivacyEvent =>
    repeatedEvent(
      { kind: 'core/laplace', v: 1, scale, sensitivity: { 'add-remove': 1 } } as PrivacyEvent,
      100,
    );
  const query = { adjacency: 'add-remove', delta: 1e-5 } as const;
  const best = bestOf(accountants);
  // Calibrated for ε = ½.
  const event = planned(69.52131742092868);
  expect(best.epsilon(event, query).upper).toBeGreaterThan(0.5);
  const answer = nearRound(best).epsilon(event, query);
  expect([answer.lower > 0.4999, answer.upper <= 0.5]).toEqual([true, true]);
  expect(nearRound(best).epsilon(planned(60), query)).toEqual(best.epsilon(planned(60), query));
});
