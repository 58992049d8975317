import { expect, test } from 'vitest';
import { totalHolds } from './total-holds.js';

const limit = { epsilon: 1, delta: 1e-6, accountant: {} } as never;
const pure = (epsilon: number) => ({ kind: 'core/pure', v: 1, epsilon });
const ledger = (count: number, has: boolean, spent = 1) => ({
  runs: () => Array.from({ length: count }, (_, i) => `run ${i}`),
  limit: has ? limit : null,
  spentBy: () => pure(spent),
  standing: () => ({ ended: true, reserved: null, planned: pure(1), counts: pure(spent) }),
});

test.each([
  ['one run', 1, false, 9, 1, 'one run'],
  ['a training and its quantile', 2, true, 0.5, 2, 'one run'],
  ['a training, its quantile and an earlier run', 3, false, 0.5, 2, 'fixed in advance'],
  ['runs without a limit', 2, false, 0.5, 1, 'fixed in advance'],
  ['runs within a limit', 2, true, 1, 1, 'limit'],
  ['runs beyond a limit that was set later', 2, true, 1.01, 1, 'fixed in advance'],
] as const)('%s', (_, count, has, epsilon, parts, when) => {
  expect(totalHolds(ledger(count, has), () => epsilon, parts).when).toBe(when);
});

test('a run that ended before its plan is certified by when it ends, which may depend on its answers', () => {
  expect(totalHolds(ledger(1, false, 0.5), () => 0.5).when).toBe('fixed in advance');
  expect(totalHolds(ledger(1, true, 0.5), () => 0.5)).toMatchObject({ when: 'limit', epsilon: 1 });
});

test('a run that ended before it was charged anything told nothing, so that its end depended on nothing', () => {
  const free = { ...ledger(1, false), spentBy: () => ({ kind: 'core/free', v: 1 }) };
  expect(totalHolds(free, () => 0).when).toBe('one run');
});
