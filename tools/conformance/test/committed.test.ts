import { basic } from '@lethe/accountants';
import { BudgetExceeded, memoryStore, seededRandom, type PrivacyEvent } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const pure = (parts: number): PrivacyEvent =>
  ({ kind: 'core/pure', v: 1, epsilon: parts / 64 }) as PrivacyEvent;
const on = { space: 'all', from: 0, to: 9 };
const adjacency = 'zero-out';
const limit = { epsilon: 1, delta: 0, accountant: basic };

type Action =
  | { readonly do: 'open'; readonly run: number; readonly planned: number | null }
  | { readonly do: 'charge'; readonly run: number; readonly parts: number }
  | { readonly do: 'afford'; readonly parts: number }
  | { readonly do: 'end'; readonly run: number }
  | { readonly do: 'reopen' };
const run = fc.nat(2);
const parts = fc.integer({ min: 1, max: 16 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('open' as const), run, planned: fc.option(fc.integer({ min: 4, max: 30 })) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('charge' as const), run, parts }) },
  fc.record({ do: fc.constant('afford' as const), parts }),
  fc.record({ do: fc.constant('end' as const), run }),
  fc.record({ do: fc.constant('reopen' as const) }),
);
interface Known {
  readonly name: string;
  readonly planned: number | null;
  spent: number;
  length: number;
  ended: boolean;
}

it('what runs have set aside and spent adds up to the limit and no more, whatever ends and is opened again', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 10, maxLength: 24 }), (actions) => {
      const store = memoryStore();
      let ledger = openLedger({ adjacency, store, limit });
      const runs = new Map<string, Known>();
      /** In parts of the limit, of which there are 64. */
      const committed = (but?: Known): number =>
        [...runs.values()].reduce(
          (sum, one) => (one === but ? sum : sum + (one.ended ? one.spent : (one.planned ?? one.spent))),
          0,
        );
      const is = (admitted: boolean, attempt: () => void): boolean => {
        if (admitted) attempt();
        else expect(attempt).toThrow(BudgetExceeded);
        return admitted;
      };
      /** Names of the runs that are open, by number: one that has ended gives way to another. */
      const names = new Map<number, string>();
      const opened = (number: number, planned: number | null): Known | undefined => {
        const name = names.get(number) ?? `run ${runs.size}`;
        const before = runs.get(name);
        if (before !== undefined) return before;
        const reservation = planned === null ? undefined : { planned: pure(planned) };
        const fits = committed() + (planned ?? 0) <= 64;
        if (!is(fits, () => ledger.openRun(name, seededRandom(name), reservation))) return undefined;
        const known = { name, planned, spent: 0, length: 0, ended: false };
        runs.set(name, known);
        names.set(number, name);
        return known;
      };
      for (const one of actions) {
        if (one.do === 'reopen') {
          ledger = openLedger({ adjacency, store, limit });
          continue;
        }
        if (one.do === 'afford') {
          is(committed() + one.parts <= 64, () => ledger.assertAffordable(pure(one.parts)));
          continue;
        }
        const known = opened(one.run, one.do === 'open' ? one.planned : null);
        if (known === undefined || one.do === 'open') continue;
        if (one.do === 'end') {
          ledger.endRun(known.name);
          known.ended = true;
          names.delete(one.run);
          continue;
        }
        // The part of a plan is one event: a planned run charges all of it, or nothing.
        const asked = known.planned ?? one.parts;
        const fits =
          known.planned === null ? committed(known) + known.spent + asked <= 64 : known.spent === 0;
        const effect = { charge: { on, event: pure(asked) } };
        const entry = { run: known.name, index: known.length, digest: '0'.repeat(32), effect };
        if (!is(fits, () => ledger.append(entry))) continue;
        known.spent += asked;
        known.length++;
      }
      const spent = [...runs.values()].reduce((sum, one) => sum + one.spent, 0);
      expect(basic.epsilon(ledger.total(), { adjacency, delta: 0 }).upper * 64).toBeCloseTo(spent, 9);
    }),
    { numRuns: 120 },
  );
});
