import { memoryStore, repeatedEvent, sameEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { BudgetExceeded, seededRandom } from '@lethe/numerics';
import { linesOf, written } from '../../test/counted-ledgers.js';
import type { Effect } from './effect.js';
import { openLedger } from './ledger.js';
import { rootPartition } from './tally.js';

const root = { space: rootPartition, from: 0, to: 9 };
const digest = '0'.repeat(32);
const pure = (epsilon: number) => ({ kind: 'core/pure', v: 1, epsilon });
const half = { kind: 'core/poisson', rate: 0.5 } as const;

/** A run with the reservation `planned`, used step by step: draw, charge, close. */
function opened(planned: PrivacyEvent) {
  const ledger = openLedger({ adjacency: 'zero-out' });
  const { entries } = ledger.openRun('run', seededRandom('run'), { planned });
  const append = (effect: Effect): void => {
    ledger.append({ run: 'run', index: entries.length, digest, effect });
  };
  let scope = '';
  return {
    ledger,
    draw(sampler: { readonly kind: 'core/poisson'; readonly rate: number }): void {
      scope = `run/${entries.length}`;
      append({
        space: {
          id: scope,
          how: 'sample',
          parent: 'everyone',
          within: root,
          sampler,
          recipe: { by: 'permutation' },
        },
      });
    },
    charge: (event: PrivacyEvent): void => {
      append({ charge: { on: { space: scope, from: 0, to: 1 }, event } });
    },
    close: (): void => {
      append({ closes: [scope] });
    },
  };
}

describe('a run with a plan', () => {
  test.each([3, 300])('of %d steps is charged its plan and no more', (steps) => {
    const planned = repeatedEvent(sampledEvent(half, pure(0.1)), steps);
    const { ledger, draw, charge, close } = opened(planned);
    for (let step = 0; step < steps; step++) {
      draw(half);
      charge(pure(0.1));
      close();
    }
    expect(sameEvent(ledger.spentBy('run'), planned)).toBe(true);
    draw(half);
    expect(() => {
      charge(pure(0.1));
    }).toThrow(BudgetExceeded);
    expect(sameEvent(ledger.spentBy('run'), planned)).toBe(true);
  });

  test.each([1, 200])(
    'compares the current value of each charge, after %d steps with the same object',
    (steps) => {
      const { ledger, draw, charge, close } = opened(repeatedEvent(sampledEvent(half, pure(0.1)), steps + 1));
      const event = pure(0.1);
      const sampler = { kind: 'core/poisson' as const, rate: 0.5 };
      for (let step = 0; step < steps; step++) {
        draw(sampler);
        charge(event);
        close();
      }
      const spent = ledger.spentBy('run');
      draw(sampler);
      event.epsilon = 100;
      expect(() => {
        charge(event);
      }).toThrow(BudgetExceeded);
      event.epsilon = 0.1;
      sampler.rate = 1;
      charge(event);
      close();
      draw(sampler);
      expect(() => {
        charge(event);
      }).toThrow(BudgetExceeded);
      expect(sameEvent(spent, repeatedEvent(sampledEvent(half, pure(0.1)), steps))).toBe(true);
      expect(sameEvent(ledger.spentBy('run'), repeatedEvent(sampledEvent(half, pure(0.1)), steps + 1))).toBe(
        true,
      );
    },
  );

  test.each([true, false])(
    'that ends counts with its charges, unless a sample hides them: %s',
    (isSampled) => {
      const step = isSampled ? sampledEvent(half, pure(0.1)) : pure(0.1);
      const ledger = openLedger({ adjacency: 'zero-out' });
      const planned = repeatedEvent(step, 3);
      ledger.openRun('run', seededRandom('run'), { planned });
      const append = (effect: Effect): void => {
        ledger.append({
          run: 'run',
          index: ledger.openRun('run', seededRandom('run')).entries.length,
          digest,
          effect,
        });
      };
      if (isSampled) {
        const sample = {
          how: 'sample',
          parent: 'everyone',
          sampler: half,
          recipe: { by: 'permutation' },
        } as const;
        append({ space: { id: 'run/0', within: root, ...sample } });
        append({ charge: { on: { space: 'run/0', from: 0, to: 1 }, event: pure(0.1) } });
      } else append({ charge: { on: root, event: pure(0.1) } });
      ledger.endRun('run');
      const { reserved, counts } = ledger.standing('run');
      expect(reserved === null).toBe(!isSampled);
      expect(sameEvent(counts, isSampled ? planned : step)).toBe(true);
      expect(() => append({ charge: { on: root, event: pure(0.1) } })).toThrow(/has ended/u);
    },
  );

  test.each([false, true])(
    'whose end does not say so gave its reservation back before the first answer alone: %s',
    (isAnswered) => {
      const store = memoryStore();
      const ledger = openLedger({ adjacency: 'zero-out', store });
      ledger.openRun('first', seededRandom('first'));
      const answer = { run: 'first', index: 0, digest, effect: { charge: { on: root, event: pure(1) } } };
      if (isAnswered) ledger.append(answer);
      ledger.openRun('run', seededRandom('run'), { planned: pure(2) });
      ledger.endRun('run');
      const lines = linesOf(store).map((line) => (line.t === 'end' ? { t: line.t, run: line.run } : line));
      const { ended, reserved } = openLedger({ adjacency: 'zero-out', store: written(lines) }).standing(
        'run',
      );
      expect(ended).toBe(true);
      expect(reserved).toEqual(isAnswered ? pure(2) : null);
    },
  );
});
