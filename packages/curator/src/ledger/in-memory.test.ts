import { memoryStore } from '@lethe/core';
import { InvalidParameter, seededRandom, Unsupported } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { ledgerInMemory, openLedger, type Ledger, type LedgerOptions } from './index.js';
import type { Effect } from './effect.js';
import { rootPartition } from './tally.js';

const digest = '0'.repeat(32);
const event = { kind: 'core/pure', v: 1, epsilon: 0.5 };
const charge: Effect = { charge: { on: { space: rootPartition, from: 0, to: 9 }, event } };
const charged = (ledger: Ledger) => {
  const { entries } = ledger.openRun('run', seededRandom('run'));
  for (let index = 0; index < 300; index++) ledger.append({ run: 'run', index, digest, effect: charge });
  ledger.endRun('run');
  return { entries: [...entries], total: ledger.total(), standing: ledger.standing('run') };
};

test('a ledger in memory charges as one that is stored', () => {
  const options = { adjacency: 'zero-out' } as const;
  const inMemory = charged(ledgerInMemory(options));
  expect(inMemory).toEqual(charged(openLedger(options)));
  expect(inMemory).toEqual(charged(openLedger({ ...options, store: memoryStore() })));
});

test('a ledger in memory refuses a store, and leaves it as it is', () => {
  const store = memoryStore();
  const options: LedgerOptions = { adjacency: 'zero-out', store };
  expect(() => ledgerInMemory(options)).toThrow(Unsupported);
  expect(store.read()).toHaveLength(0);
  expect(() => ledgerInMemory({ adjacency: 'none' as never })).toThrow(InvalidParameter);
});
