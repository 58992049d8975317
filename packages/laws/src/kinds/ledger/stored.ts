import { Corrupt, memoryStore, type Store } from '@lethe/core';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { equal, pureOf } from './model.js';
import {
  actions,
  keyOf,
  newFixture,
  noise,
  opened,
  performAll,
  twoReleases,
  type Action,
} from './fixture.js';
import { recordOf } from './run-record.js';
import { records } from './totals.js';

/** Costs by run and number of entries of a ledger opened from bytes, or `Corrupt`. */
function openedTo(
  { open }: Subject<'ledger'>,
  bytes: Uint8Array,
): { readonly spent: number; readonly entries: number } | 'Corrupt' {
  try {
    const ledger = open({ adjacency: 'zero-out', store: memoryStore(bytes) });
    return {
      spent: pureOf(ledger.total()),
      entries: ledger.runs().reduce((sum, run) => sum + recordOf(ledger, run).entries.length, 0),
    };
  } catch (error) {
    if (error instanceof Corrupt) return 'Corrupt';
    throw error;
  }
}

interface History {
  readonly bytes: Uint8Array;
  readonly after: readonly { readonly size: number; readonly spent: number; readonly entries: number }[];
}

/** The bytes of a ledger, and its state at each size. */
function historyOf(subject: Subject<'ledger'>, sequence: readonly Action[]): History {
  const after: { size: number; spent: number; entries: number }[] = [];
  let bytes = new Uint8Array();
  performAll(subject, sequence, ({ ledger, store, model }) => {
    bytes = store.read() as Uint8Array<ArrayBuffer>;
    after.push({
      size: bytes.length,
      spent: pureOf(ledger.total()),
      entries: [...model.runs.values()].reduce((sum, { entries }) => sum + entries.length, 0),
    });
    return undefined;
  });
  return { bytes, after };
}

export const survives = defineLaw<'ledger'>({
  id: 'ledger/survives',
  kind: 'ledger',
  tier: 'search',
  statement:
    'appended charges survive: truncated bytes open with at ' +
    'least all entries complete at the cut, or are Corrupt',
  power: 'a lost charge at 1 of 60 cuts, or after any action',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ sequence: actions, at: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ({ sequence, at }): Violation | undefined => {
        const { bytes, after } = historyOf(subject, sequence);
        const cut = Math.round(at * bytes.length);
        const found = openedTo(subject, bytes.subarray(0, cut));
        const complete = after.findLast(({ size }) => size <= cut) ?? { spent: 0, entries: 0 };
        if (found === 'Corrupt')
          return cut === bytes.length ? { what: 'its own bytes are reported as Corrupt' } : undefined;
        if (found.entries < complete.entries)
          return {
            what:
              `cut after ${cut} of ${bytes.length} bytes it opens with ${found.entries} entries; ` +
              `${complete.entries} are complete there`,
            measured: found.entries,
            allowed: complete.entries,
          };
        // An entry between the two sizes may be included; it does not lower the cost.
        return found.spent >= complete.spent * (1 - 1e-9)
          ? undefined
          : {
              what:
                `cut after ${cut} of ${bytes.length} bytes its total is ε = ${found.spent}; ` +
                `the entries complete there cost ${complete.spent}`,
              measured: found.spent,
              allowed: complete.spent,
            };
      },
      {
        runs: 40,
        examples: [
          { sequence: twoReleases, at: 1 },
          { sequence: twoReleases.slice(0, 2), at: 1 },
          { sequence: twoReleases, at: 0.8 },
        ],
      },
    ),
});

export const goesOn = defineLaw<'ledger'>({
  id: 'ledger/goes-on',
  kind: 'ledger',
  tier: 'search',
  statement: 'after a cut in the middle of an entry, the ledger accepts that entry again and stores it',
  power: 'a lost entry on 1 of 20 cuts',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ count: fc.integer({ min: 1, max: 4 }), back: fc.integer({ min: 1, max: 40 }) }),
      ({ count, back }) => {
        const charge = (index: number) => ({
          run: 'run-0',
          index,
          digest: 'd',
          effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event: noise(1) } },
        });
        const fixture = newFixture(subject);
        opened(fixture, 'run-0');
        for (let i = 0; i < count; i++) fixture.ledger.append(charge(i));
        const bytes = fixture.store.read();
        const store = memoryStore(bytes.subarray(0, bytes.length - back));
        const again = subject.open({ adjacency: 'zero-out', store });
        const found = again.openRun('run-0', recordOf(fixture.ledger, 'run-0').random);
        for (let i = found.entries.length; i < count; i++) again.append(charge(i));
        const later = openedTo(subject, store.read());
        return later !== 'Corrupt' && equal(later.spent, count)
          ? undefined
          : {
              what:
                `${back} bytes were cut and the entries appended again; then the ledger ` +
                `${later === 'Corrupt' ? 'is Corrupt' : `has ε = ${later.spent}`}, expected ε = ${count}`,
            };
      },
      { runs: 15 },
    ),
});

export const damage = defineLaw<'ledger'>({
  id: 'ledger/damage',
  kind: 'ledger',
  tier: 'search',
  statement: 'a ledger with a changed byte is Corrupt: it never opens with another total',
  power: 'an undetected change at 1 of 60 bits',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ sequence: actions, at: fc.double({ min: 0, max: 1, noNaN: true }), bit: fc.nat(7) }),
      ({ sequence, at, bit }) => {
        const { bytes } = historyOf(subject, sequence);
        const where = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
        const changed = bytes.slice();
        if (bytes.length === 0) return undefined;
        changed[where] ^= 1 << bit;
        const found = openedTo(subject, changed);
        return found === 'Corrupt'
          ? undefined
          : {
              what:
                `bit ${bit} of byte ${where} of ${bytes.length} was changed, and the ledger opens with ` +
                `${found.entries} entries and ε = ${found.spent}; expected Corrupt`,
              measured: found.spent,
            };
      },
      { runs: 40 },
    ),
});

export const unwritten = defineLaw<'ledger'>({
  id: 'ledger/written-first',
  kind: 'ledger',
  tier: 'search',
  statement: 'append throws if the store fails, and the stored bytes then open with all earlier charges',
  power: 'certain',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ before: fc.nat(3), part: fc.nat(30) }),
      ({ before, part }) => {
        const inner = memoryStore();
        let broken = false;
        const store: Store = {
          ...inner,
          append(bytes) {
            if (!broken) {
              inner.append(bytes);
              return;
            }
            inner.append(bytes.subarray(0, Math.min(part, bytes.length - 1)));
            throw new Error('no space left');
          },
        };
        const fixture = newFixture(subject, { store });
        opened(fixture, 'run-0');
        const charge = (index: number) => ({
          run: 'run-0',
          index,
          digest: 'd',
          effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event: noise(1) } },
        });
        for (let i = 0; i < before; i++) fixture.ledger.append(charge(i));
        broken = true;
        let threw = false;
        try {
          fixture.ledger.append(charge(before));
        } catch {
          threw = true;
        }
        if (!threw) return { what: 'the store failed, and append returned without an error' };
        const found = openedTo(subject, inner.read());
        return found !== 'Corrupt' && equal(found.spent, before)
          ? undefined
          : {
              what:
                `the store failed at charge ${before + 1}; ` +
                `what it holds ${found === 'Corrupt' ? 'is Corrupt' : `opens to ε = ${found.spent}`}, ` +
                `expected ε = ${before}`,
            };
      },
      { runs: 12 },
    ),
});

export const bound = defineLaw<'ledger'>({
  id: 'ledger/bind',
  kind: 'ledger',
  tier: 'search',
  statement:
    'a ledger belongs to the data of its first binding, in later processes too: other data are Corrupt; ' +
    'the fingerprint key has 16 bytes, the same at every opening and another in every ledger; data ' +
    'by owner and by record are other data, whatever their fingerprints, and the ledger says which it has',
  power: 'certain',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({
        mark: fc.array(fc.nat(255), { minLength: 16, maxLength: 16 }),
        at: fc.nat(15),
        reopen: fc.boolean(),
      }),
      ({ mark, at, reopen }) => {
        const store = memoryStore();
        const keys: string[] = [];
        let ledger = open({ adjacency: 'zero-out', store });
        const attach = (bytes: readonly number[], unit?: 'record' | 'owner'): unknown => {
          try {
            ledger.bind((key) => {
              keys.push(`${key.length}:${keyOf(key)}`);
              return Uint8Array.from(bytes);
            }, unit);
            return undefined;
          } catch (error) {
            return error ?? new Error('undefined');
          }
        };
        const first = attach(mark);
        if (first !== undefined) return { what: `a new ledger refuses its first data: ${String(first)}` };
        if (reopen) ledger = open({ adjacency: 'zero-out', store });
        const same = attach(mark);
        const other = attach(mark.map((byte, i) => (i === at ? byte ^ 1 : byte)));
        if (same !== undefined)
          return {
            what: `the ledger's own data are refused${reopen ? ' after opening again' : ''}: ${String(same)}`,
          };
        if (!(other instanceof Corrupt))
          return {
            what:
              `data whose fingerprint differs in byte ${at} are ` +
              `${other === undefined ? 'accepted' : `refused by ${String(other)}`}; expected Corrupt`,
          };
        if (new Set(keys).size !== 1 || !keys[0].startsWith('16:'))
          return {
            what:
              "the fingerprint's keys at three bindings are of " +
              `${keys.map((key) => key.split(':')[0]).join(', ')} ` +
              `bytes${new Set(keys).size > 1 ? ' and differ' : ''}`,
          };
        const [mine] = keys;
        const shared = memoryStore();
        ledger = open({ adjacency: 'zero-out', store: shared });
        const units = at % 2 === 0 ? (['owner', 'record'] as const) : (['record', 'owner'] as const);
        const unbound = ledger.unit?.();
        attach(mark, units[0]);
        const later = ledger.unit?.();
        if (unbound !== undefined || !(later === undefined || later === units[0]))
          return {
            what:
              `before data by ${units[0]} are bound the ledger adds up ${String(unbound)}, ` +
              `and ${String(later)} after it`,
          };
        if (reopen) ledger = open({ adjacency: 'zero-out', store: shared });
        const again = attach(mark, units[0]);
        const mixed = attach(mark, units[1]);
        if (again !== undefined || !(mixed instanceof Corrupt))
          return {
            what:
              again === undefined
                ? `a ledger of data by ${units[0]} accepts them by ${units[1]}`
                : `a ledger refuses its own data by ${units[0]}: ${String(again)}`,
          };
        ledger = open({ adjacency: 'zero-out', store: memoryStore() });
        attach(mark);
        return keys.at(-1) === mine
          ? {
              what:
                'two ledgers fingerprint data under the same key, ' +
                'so the fingerprints reveal whether the data are equal',
            }
          : undefined;
      },
      { runs: 12 },
    ),
});

export const forgetful = defineLaw<'ledger'>({
  id: 'ledger/in-memory',
  kind: 'ledger',
  tier: 'search',
  statement: 'a ledger without a store has the same totals within the process',
  power: 'a difference from a stored ledger within 14 steps, on 1 of 15 sequences',
  check: (subject, { forAll }) =>
    forAll(
      actions,
      (sequence) => {
        const kept = sequence.filter((action) => action.do !== 'reopen');
        const withoutStore: Subject<'ledger'> = {
          ...subject,
          open: ({ adjacency }) => subject.open({ adjacency }),
        };
        return performAll(withoutStore, kept, records);
      },
      { runs: 15 },
    ),
});
