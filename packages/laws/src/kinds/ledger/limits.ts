import { BudgetExceeded, InvalidParameter, memoryStore, Unsupported } from '@lethe/core';
import type { Limit, LedgerOptions } from '@lethe/curator';
import fc from 'fast-check';
import { judge, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { addEntry, pureOf, spentOf, tried } from './model.js';
import {
  actions,
  end,
  entryOf,
  keyOf,
  nameOf,
  newFixture,
  noise,
  opened,
  pureAccountant,
  twoReleases,
} from './fixture.js';

const limitOf = (epsilon: number, delta = 0): Limit => ({ epsilon, delta, accountant: pureAccountant });
const state = (bytes: Uint8Array, total: number): string => `${keyOf(bytes)} ${total}`;

export const limit = defineLaw<'ledger'>({
  id: 'ledger/limit',
  kind: 'ledger',
  tier: 'search',
  statement:
    'a charge is accepted exactly when the composition of all runs with it stays within the limit; ' +
    'a charge beyond it throws BudgetExceeded with nothing written or charged, ' +
    'and smaller charges are accepted afterwards',
  power:
    'a charge accepted beyond the limit by 1e-9 of it, ' +
    'or refused within it, in 14 steps, on 1 of 60 sequences',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ sequence: actions, most: fc.constantFrom(1, 0.5, 2, 3.5, 1 - 1e-8, 2 - 1e-8) }),
      ({ sequence, most }): Violation | undefined => {
        const fixture = newFixture(subject, { limit: limitOf(most) });
        for (const [i, action] of sequence.entries()) {
          if (action.do === 'reopen') {
            fixture.ledger = subject.open(fixture.options);
            continue;
          }
          opened(fixture, nameOf(action.run));
          if (action.do === 'end') {
            end(fixture, nameOf(action.run));
            continue;
          }
          const entry = entryOf(fixture, action);
          if (entry === undefined) continue;
          const before = state(fixture.store.read(), pureOf(fixture.ledger.total()));
          const would = tried(fixture.model, entry, () => spentOf(fixture.model));
          const at =
            `action ${i + 1} of ${sequence.length}, ` +
            `with which the total would be ε = ${would} of ${most}`;
          try {
            fixture.ledger.append(entry);
            addEntry(fixture.model, entry);
            if (entry.effect.charge !== undefined && !(would <= most * (1 + 1e-9)))
              return { what: `${at}, is accepted`, measured: would, allowed: most };
          } catch (error) {
            if (!(error instanceof BudgetExceeded)) throw error;
            if (would <= most * (1 - 1e-9))
              return { what: `${at}, is refused: ${error.message}`, measured: would, allowed: most };
            if (state(fixture.store.read(), pureOf(fixture.ledger.total())) !== before)
              return { what: `${at}, is refused, but something was written or charged` };
          }
        }
        const spent = Math.max(pureOf(fixture.ledger.total()), spentOf(fixture.model));
        return spent <= most * (1 + 1e-9)
          ? undefined
          : {
              what: `the total is ε = ${spent} at the end, beyond the limit of ${most}`,
              measured: spent,
              allowed: most,
            };
      },
      {
        runs: 50, // Includes limits just below a round total.
        examples: [
          { sequence: twoReleases, most: 1 },
          { sequence: twoReleases, most: 0.5 },
          ...[0.5, 1, 2].map((total) => ({ sequence: twoReleases, most: total - 1e-8 })),
        ],
      },
    ),
});

export const affordable = defineLaw<'ledger'>({
  id: 'ledger/affordable',
  kind: 'ledger',
  tier: 'search',
  statement:
    'assertAffordable throws BudgetExceeded exactly when the plan and all earlier costs exceed the ' +
    'limit, and writes nothing',
  power: 'a plan accepted beyond the limit by 1e-9 of it, on 1 of 30',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({
        spends: fc.array(fc.constantFrom(1, 2, 4, 8), { maxLength: 5 }),
        plan: fc.constantFrom(0.5, 1, 3, 10, 100),
        most: fc.constantFrom(1, 2, 5),
      }),
      ({ spends, plan, most }) => {
        const fixture = newFixture(subject, { limit: limitOf(most) });
        opened(fixture, 'run-0');
        let index = 0;
        for (const scale of spends) {
          try {
            fixture.ledger.append({
              run: 'run-0',
              index,
              digest: 'd',
              effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event: noise(scale) } },
            });
            index++;
          } catch (error) {
            if (!(error instanceof BudgetExceeded)) throw error;
          }
        }
        const before = state(fixture.store.read(), pureOf(fixture.ledger.total()));
        const would = pureOf(fixture.ledger.total()) + 1 / plan;
        let refused = false;
        try {
          fixture.ledger.assertAffordable(noise(plan));
        } catch (error) {
          if (!(error instanceof BudgetExceeded)) throw error;
          refused = true;
        }
        if (refused ? would <= most * (1 - 1e-9) : !(would <= most * (1 + 1e-9)))
          return {
            what:
              `a plan with which the total would be ε = ${would} of ${most} is ` +
              `${refused ? 'refused' : 'accepted'}`,
            measured: would,
            allowed: most,
          };
        return state(fixture.store.read(), pureOf(fixture.ledger.total())) === before
          ? undefined
          : { what: 'assertAffordable wrote or charged something' };
      },
      { runs: 20 },
    ),
});

/** Whether the ledger opens; `InvalidParameter` is the only way not to. */
function opens(open: (options: LedgerOptions) => unknown, options: LedgerOptions): boolean {
  try {
    open(options);
    return true;
  } catch (error) {
    if (error instanceof InvalidParameter) return false;
    throw error;
  }
}

export const limitKept = defineLaw<'ledger'>({
  id: 'ledger/limit-kept',
  kind: 'ledger',
  tier: 'search',
  statement:
    'a stored limit is permanent: a later opening must give a limit, and a looser ε or δ only with ' +
    'raiseLimit; a tighter limit is stored in turn',
  power: 'certain',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({
        first: fc.record({ epsilon: fc.constantFrom(1, 2), delta: fc.constantFrom(0, 1e-6) }),
        second: fc.record({
          epsilon: fc.constantFrom(0.5, 1, 2, 4),
          delta: fc.constantFrom(0, 1e-9, 1e-6, 1e-3),
        }),
        raiseLimit: fc.boolean(),
      }),
      ({ first, second, raiseLimit }) => {
        const store = memoryStore();
        const given = (epsilon: number, delta: number): LedgerOptions => ({
          adjacency: 'zero-out',
          store,
          limit: limitOf(epsilon, delta),
        });
        open(given(first.epsilon, first.delta));
        if (opens(open, { adjacency: 'zero-out', store }))
          return { what: `a ledger with a limit of ε = ${first.epsilon} opens without any` };
        if (opens(open, { adjacency: 'zero-out', store, raiseLimit: true }))
          return { what: `a ledger with a limit of ε = ${first.epsilon} opens without any with raiseLimit` };
        const looser = second.epsilon > first.epsilon || second.delta > first.delta;
        const did = opens(open, { ...given(second.epsilon, second.delta), raiseLimit });
        if (did !== (!looser || raiseLimit))
          return {
            what:
              `a limit of ε = ${first.epsilon} at δ = ${first.delta} is followed by ` +
              `ε = ${second.epsilon} at δ = ${second.delta}${raiseLimit ? ' with raiseLimit' : ''}: ` +
              `it is ${did ? 'accepted' : 'refused'}`,
          };
        const kept = did ? second : first;
        if (opens(open, given(kept.epsilon * 2, kept.delta)))
          return {
            what:
              `after that a limit of ε = ${kept.epsilon * 2} is ` +
              `accepted; the stored limit is ${kept.epsilon}`,
          };
        return opens(open, given(kept.epsilon, kept.delta))
          ? undefined
          : { what: `the stored limit, ε = ${kept.epsilon} at δ = ${kept.delta}, is refused` };
      },
      { runs: 40 },
    ),
});

export const limitValid = defineLaw<'ledger'>({
  id: 'ledger/options',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'a limit that is not a positive finite ε with δ in [0, 1), an unknown adjacency, and an adjacency ' +
    'other than the stored one throw InvalidParameter; a limit without a filter throws Unsupported',
  power: 'certain',
  check: ({ open }) => {
    const wrong: readonly (readonly [string, LedgerOptions])[] = [
      ...[0, -1, NaN, Infinity].map(
        (epsilon) =>
          [`a limit of ε = ${epsilon}`, { adjacency: 'zero-out', limit: limitOf(epsilon) }] as const,
      ),
      ...[-1e-9, 1, NaN, 2].map(
        (delta) => [`a limit at δ = ${delta}`, { adjacency: 'zero-out', limit: limitOf(1, delta) }] as const,
      ),
      ...['nearby', undefined, null].map(
        (adjacency) =>
          [`the adjacency ${String(adjacency)}`, { adjacency: adjacency as 'zero-out' }] as const,
      ),
    ];
    for (const [what, options] of wrong)
      if (opens(open, options))
        return judge(wrong.length, { what: `a ledger opens with ${what}; expected InvalidParameter` });
    const store = memoryStore();
    open({ adjacency: 'zero-out', store });
    for (const adjacency of ['replace-one', 'add-remove'] as const)
      if (opens(open, { adjacency, store }))
        return judge(wrong.length, {
          what: `a ledger stored under zero-out opens under ${adjacency}; expected InvalidParameter`,
        });
    let refusal: unknown;
    try {
      open({
        adjacency: 'zero-out',
        limit: { epsilon: 1, delta: 0, accountant: { epsilon: pureAccountant.epsilon } },
      });
    } catch (error) {
      refusal = error;
    }
    if (!(refusal instanceof Unsupported))
      return judge(wrong.length, {
        what:
          `a limit without a filter is ${refusal === undefined ? 'accepted' : String(refusal)}; ` +
          'expected Unsupported, as it does not hold for adaptive analysts',
      });
    return judge(wrong.length + 3, undefined);
  },
});
