import { composedEvent, repeatedEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { BudgetExceeded } from '@lethe/numerics';
import type { Charge, Partition } from '../ledger/index.js';
import { createPrepaid, type Prepaid } from './prepaid.js';

const unit = { kind: 'core/pure', v: 1, epsilon: 1 } as PrivacyEvent;
const rest = { kind: 'core/pure', v: 1, epsilon: 0.5 } as PrivacyEvent;
const half = { kind: 'core/poisson', rate: 0.5 } as const;
const space = (id: string, within: string): Partition => ({
  id,
  how: 'sample',
  parent: 'everyone',
  within: { space: within, from: 0, to: 1 },
  sampler: half,
  recipe: { by: 'permutation' as const },
});
const on = (id: string, event = unit): Charge => ({ on: { space: id, from: 0, to: 1 }, event });
/** A scope that stated these costs. */
const opened = (costs: PrivacyEvent): Prepaid => {
  const prepaid = createPrepaid();
  prepaid.apply({ space: space('a', 'all'), charge: on('a', costs) });
  return prepaid;
};

describe('scopes that stated their costs', () => {
  test('cover their own slots, and those of spaces below, until they are forgotten', () => {
    const prepaid = opened(unit);
    prepaid.apply({ space: space('b', 'a') });
    prepaid.apply({ space: space('c', 'all') });
    expect(['a', 'b', 'c', 'all'].map((id) => prepaid.covers(id))).toEqual([true, true, false, false]);
    prepaid.forget('a');
    expect(prepaid.covers('a')).toBe(false);
  });

  test('have room for what was stated, once', () => {
    const prepaid = opened(composedEvent([unit, unit, rest]));
    for (const event of [unit, rest, unit]) {
      expect(prepaid.hasRoom(on('a', event))).toBe(true);
      expect(prepaid.hasRoom(on('a', event))).toBe(true);
      prepaid.apply({ prepaid: on('a', event) });
    }
    for (const event of [unit, rest]) expect(prepaid.hasRoom(on('a', event))).toBe(false);
    expect(() => {
      prepaid.assertRoom(on('a'));
    }).toThrow(BudgetExceeded);
  });

  test('compare a release in a draw from the draw amplified, open or closed', () => {
    const prepaid = opened(sampledEvent(half, repeatedEvent(unit, 2)));
    prepaid.apply({ space: space('b', 'a') });
    expect(prepaid.hasRoom(on('a'))).toBe(false);
    for (let k = 0; k < 2; k++) prepaid.apply({ prepaid: on('b') });
    expect(prepaid.hasRoom(on('b'))).toBe(false);
    prepaid.apply({ closes: ['b'], space: space('c', 'a') });
    expect(prepaid.hasRoom(on('c'))).toBe(false);
  });
});
