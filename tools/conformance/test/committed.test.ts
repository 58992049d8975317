import { basic } from '@lethe/accountants';
import {
  BudgetExceeded,
  composedEvent,
  InvalidParameter,
  memoryStore,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  seededRandom,
  type PrivacyEvent,
} from '@lethe/core';
import { openLedger, type Ledger, type Reservation } from '@lethe/curator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

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

describe('a reservation', () => {
  const open = (ledger: Ledger, name: string, reservation?: Reservation) =>
    ledger.openRun(name, seededRandom(name), reservation);
  /** The first charge of a run. */
  const charge = (ledger: Ledger, name: string, event: PrivacyEvent): void =>
    ledger.append({ run: name, index: 0, digest: '0'.repeat(32), effect: { charge: { on, event } } });
  const held = (epsilon: number) => basic.filter?.({ epsilon, delta: 0, adjacency }) as never;

  it('that is made for a run that has ended counts from then on', () => {
    const ledger = openLedger({ adjacency, limit });
    open(ledger, 'run');
    charge(ledger, 'run', pure(4));
    ledger.endRun('run', { keepReserved: true });
    ledger.assertAffordable(pure(60));
    open(ledger, 'run', { planned: composedEvent([pure(4), pure(40)]) });
    ledger.assertAffordable(pure(20));
    expect(() => ledger.assertAffordable(pure(21))).toThrow(BudgetExceeded);
  });

  it('goes on counting where filters do not admit all that is set aside', () => {
    const epsilon = () =>
      ({ lower: 0, upper: 1, certificate: 'certified', method: 'all', assumptions: [] }) as const;
    const ledger = openLedger({ adjacency, limit: { ...limit, accountant: { ...basic, epsilon } } });
    const planned = repeatedEvent(pure(20), 2);
    for (const name of ['first', 'second']) open(ledger, name, { planned });
    charge(ledger, 'first', pure(20));
    ledger.endRun('first');
    expect(ledger.standing('first').reserved).not.toBeNull();
    expect(sameEvent(ledger.standing('first').counts, planned)).toBe(true);
  });

  it('of a filter goes on counting after a charge, and not where there was none', () => {
    const ledger = openLedger({ adjacency, limit });
    open(ledger, 'nothing', { held: held(0.25) });
    ledger.endRun('nothing');
    expect(ledger.total().kind).toBe('core/free');
    open(ledger, 'something', { held: held(0.25) });
    charge(ledger, 'something', pure(1));
    ledger.endRun('something');
    expect(ledger.standing('something').reserved).not.toBeNull();
    expect(basic.epsilon(ledger.total(), { adjacency, delta: 0 }).upper).toBe(0.25);
  });

  it('covers what the run has charged before, and is that of the first opening', () => {
    const ledger = openLedger({ adjacency, limit });
    const record = open(ledger, 'run');
    charge(ledger, 'run', pure(4));
    expect(() => open(ledger, 'run', { planned: pure(8) })).toThrow(InvalidParameter);
    expect(() => open(ledger, 'run', { held: held(0.5) })).toThrow(InvalidParameter);
    expect(() => record.uses('plugins', 'mark', { always: true })).toThrow(/began with another plugins/u);
    open(ledger, 'held', { held: held(0.25) });
    const other = { ...(held(0.25) as object), spec: { rule: 'another' } } as never;
    expect(() => open(ledger, 'held', { held: other })).toThrow(/opened for another event/u);
  });

  it('of a sample has room for one query that draws it and answers', () => {
    const ledger = openLedger({ adjacency, limit });
    const sampler = { kind: 'core/poisson', rate: 0.5 } as const;
    open(ledger, 'run', { planned: sampledEvent(sampler, pure(4)) });
    const space = {
      id: 'run/0',
      how: 'sample',
      parent: 'everyone',
      within: on,
      sampler,
      recipe: { by: 'permutation' },
    } as const;
    const query = (event: PrivacyEvent) => () =>
      ledger.append({
        run: 'run',
        index: 0,
        digest: '0'.repeat(32),
        effect: { space, charge: { on: { space: 'run/0', from: 0, to: 1 }, event }, closes: [] },
      });
    expect(query(pure(5))).toThrow(BudgetExceeded);
    query(pure(4))();
    expect(sameEvent(ledger.total(), sampledEvent(sampler, pure(4)))).toBe(true);
  });
});
