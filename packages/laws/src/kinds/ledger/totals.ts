import { canonicalJson, Corrupt, LetheError, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { costOf, equal, pureOf, renyiOf } from './model.js';
import {
  actions,
  drawnTwice,
  drawnWithin,
  keyOf,
  performAll,
  rootOf,
  twoReleases,
  type Fixture,
} from './fixture.js';
import { shown } from '../../law/report.js';

/** Compares the cost of a run, or of all runs, with the model. */
export function costs({ ledger, model }: Fixture, after: string, run?: string): Violation | undefined {
  const event = run === undefined ? ledger.total() : ledger.spentBy(run);
  const expected = costOf(model, run);
  for (const [name, measure] of [
    ['ε', pureOf],
    ['Rényi divergence of order 3', renyiOf],
  ] as const) {
    const measured = measure(event);
    const allowed = measure(expected);
    if (equal(measured, allowed)) continue;
    return {
      what:
        `${after}, ${run === undefined ? 'all runs have' : `${run} has`} spent ` +
        `${name} = ${allowed} slot by slot; the ledger has ${measured}, ` +
        `${measured < allowed ? 'too little' : 'too much'}: ${shown(event, 300)}`,
      measured,
      allowed,
    };
  }
  return undefined;
}

export const total = defineLaw<'ledger'>({
  id: 'ledger/total',
  kind: 'ledger',
  tier: 'search',
  invariant: 'I-0',
  statement:
    'the total is the maximum over slots of the composition of all charges on ranges that contain the ' +
    'slot; nested partitions count with their own cost, amplified by their sampler',
  power:
    'an error of 1e-9 in a cost within 14 steps, ' +
    'on 1 of 60 sequences; two releases charged once at the first',
  check: (subject, { forAll }) =>
    forAll(actions, (sequence) => performAll(subject, sequence, costs), {
      runs: 50,
      examples: [twoReleases, drawnTwice, drawnWithin],
    }),
});

export const spentBy = defineLaw<'ledger'>({
  id: 'ledger/spent-by',
  kind: 'ledger',
  tier: 'search',
  statement: 'the cost of one run is that of its own charges alone; an unknown run is Corrupt',
  power: 'an error of 1e-9 in a cost within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) =>
    forAll(
      actions,
      (sequence) =>
        performAll(subject, sequence, (fixture, after) => {
          for (const run of fixture.model.runs.keys()) {
            const violation = costs(fixture, after, run);
            if (violation) return violation;
          }
          try {
            return {
              what:
                'an unknown run has spent ' +
                `${shown(fixture.ledger.spentBy('a run that never was'))}; expected Corrupt`,
            };
          } catch (error) {
            return error instanceof Corrupt
              ? undefined
              : { what: `an unknown run: expected Corrupt, it throws ${String(error)}` };
          }
        }),
      { runs: 30, examples: [twoReleases, drawnTwice, drawnWithin] },
    ),
});

export const growing = defineLaw<'ledger'>({
  id: 'ledger/never-less',
  kind: 'ledger',
  tier: 'search',
  statement: 'the total never decreases, also not by closing, ending or reopening',
  power: 'a decrease by 1e-9 within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) =>
    forAll(
      actions,
      (sequence) => {
        let most = 0;
        return performAll(subject, sequence, ({ ledger }, after) => {
          const now = pureOf(ledger.total());
          if (!(now >= most * (1 - 1e-9)))
            return {
              what: `${after} the total is ε = ${now}; it was ${most} before`,
              measured: now,
              allowed: most,
            };
          most = Math.max(most, now);
          return undefined;
        });
      },
      { runs: 30, examples: [twoReleases, drawnTwice, drawnWithin] },
    ),
});

/** Compares runs, their order, keys, entries and ends with the model. */
export function records({ ledger, model }: Fixture, after: string): Violation | undefined {
  const names = [...model.runs.keys()];
  if (shown(ledger.runs()) !== shown(names))
    return { what: `${after} its runs are ${shown(ledger.runs())}; expected ${shown(names)}` };
  for (const [name, { entries, key, ended }] of model.runs) {
    const found = ledger.openRun(name, rootOf('another root'));
    if (keyOf(found.random.key()) !== key) return { what: `${after} ${name}, reopened, has another key` };
    if (found.ended() !== ended)
      return {
        what:
          `${after} ${name} is ` +
          `${found.ended() ? 'ended although it is open' : 'open although it was ended'}`,
      };
    if (canonicalJson([...found.entries]) !== canonicalJson(entries))
      return {
        what:
          `${after} the entries of ${name} are ${shown([...found.entries], 300)}; ` +
          `expected ${shown(entries, 300)}`,
      };
  }
  return undefined;
}

export const recorded = defineLaw<'ledger'>({
  id: 'ledger/records',
  kind: 'ledger',
  tier: 'search',
  statement:
    'a reopened run, in this process or a later one, has its key, its entries in order and its state ' +
    '(open or ended); runs are listed in the order of their opening',
  power: 'any difference within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) =>
    forAll(actions, (sequence) => performAll(subject, sequence, records), {
      runs: 30,
      examples: [twoReleases, drawnTwice, drawnWithin],
    }),
});

export const refused = defineLaw<'ledger'>({
  id: 'ledger/order',
  kind: 'ledger',
  tier: 'search',
  statement:
    'an entry with a wrong index, of an unopened run, or about an unknown partition is Corrupt, ' +
    'and nothing is written or charged; the correct entry is accepted afterwards',
  power: 'certain for each kind of wrong entry',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({
        sequence: actions,
        wrong: fc.constantFrom(
          'skipped',
          'repeated',
          'negative',
          'unknown run',
          'unknown space',
          'closed twice',
          'opened twice',
        ),
      }),
      ({ sequence, wrong }) => {
        let last: Fixture | undefined;
        const violation = performAll(
          subject,
          [
            { do: 'charge', run: 0, space: 0, from: 0, length: 8, scale: 1 },
            { do: 'open a partition', run: 0, space: 0, from: 0, length: 8, rate: 0.5 },
            ...sequence.filter((action) => action.do !== 'end' && action.do !== 'close a partition'),
          ],
          (fixture) => {
            last = fixture;
            return undefined;
          },
        );
        if (violation) return violation;
        const fixture = defined(last);
        const { entries } = defined(fixture.model.runs.get('run-0'));
        const next = entries.length;
        const before = keyOf(fixture.store.read());
        const spent = pureOf(fixture.ledger.total());
        const on = { space: wrong === 'unknown space' ? 'nowhere' : 'all', from: 0, to: 1 };
        const charge = { on, event: { kind: 'core/pure', v: 1, epsilon: 1 } as PrivacyEvent };
        const first = defined(defined(entries.find(({ effect }) => effect.space !== undefined)).effect.space);
        const indexOf = () => {
          if (wrong === 'skipped') return next + 1;
          if (wrong === 'repeated') return next - 1;
          return wrong === 'negative' ? -1 : next;
        };
        const effectOf = () => {
          if (wrong === 'closed twice') return { closes: ['nowhere'] };
          return wrong === 'opened twice' ? { space: first } : { charge };
        };
        const entry = {
          run: wrong === 'unknown run' ? 'never opened' : 'run-0',
          index: indexOf(),
          digest: 'wrong',
          effect: effectOf(),
        };
        try {
          fixture.ledger.append(entry);
          return { what: `an entry that is ${wrong} is accepted; expected Corrupt`, input: entry };
        } catch (error) {
          if (!(error instanceof LetheError))
            return {
              what: `an entry that is ${wrong}: expected Corrupt, it throws ${String(error)}`,
              input: entry,
            };
          if (!(error instanceof Corrupt))
            return {
              what: `an entry that is ${wrong}: expected Corrupt, it says ${error.name}: ${error.message}`,
              input: entry,
            };
        }
        if (keyOf(fixture.store.read()) !== before)
          return { what: `an entry that is ${wrong} was refused, but written`, input: entry };
        if (!equal(pureOf(fixture.ledger.total()), spent))
          return {
            what: `an entry that is ${wrong} was refused, but charged`,
            input: entry,
            measured: pureOf(fixture.ledger.total()),
            allowed: spent,
          };
        fixture.ledger.append({ run: 'run-0', index: next, digest: 'right', effect: {} });
        fixture.ledger = subject.open(fixture.options);
        return undefined;
      },
      {
        runs: 20,
        examples: (
          [
            'skipped',
            'repeated',
            'negative',
            'unknown run',
            'unknown space',
            'closed twice',
            'opened twice',
          ] as const
        ).map((wrong) => ({ sequence: [{ do: 'reopen' as const }], wrong })),
      },
    ),
});
