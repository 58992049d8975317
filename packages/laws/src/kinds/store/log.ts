import { Corrupt, openLog, type Log } from '@lethe/core';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { shown } from '../../law/report.js';
import type { Subject } from '../../law/subject.js';
import { named, reopened, same, withStore } from './places.js';

const magic = 'lethe-laws';
const records = fc.array(
  fc.oneof(
    fc.constantFrom<unknown>(null, true, 'a line', { answer: 'x' }),
    fc.integer().map((n) => ({ n, values: Float64Array.of(n, -0, 0.1) })),
    fc.string({ maxLength: 40 }),
  ),
  { minLength: 1, maxLength: 5 },
);
const text = (value: unknown): string => shown(value, 4000);
const isPrefix = (shorter: readonly unknown[], whole: readonly unknown[]): boolean =>
  shorter.length <= whole.length && shorter.every((record, i) => text(record) === text(whole[i]));

/** The records of a log, or `Corrupt`. */
function opened(read: () => Log): readonly unknown[] | 'Corrupt' {
  try {
    return read().records;
  } catch (error) {
    if (error instanceof Corrupt) return 'Corrupt';
    throw error;
  }
}

/** A log of `lines` in this store, and the number of bytes after each. */
function written(
  subject: Subject<'store'>,
  lines: readonly unknown[],
): { readonly bytes: Uint8Array; readonly ends: readonly number[] } | Violation {
  return withStore(
    subject,
    (
      store,
    ): { store: typeof store; value: { readonly bytes: Uint8Array; readonly ends: readonly number[] } } => {
      const log = openLog(store, { magic });
      const ends = lines.map((line) => {
        log.append(line);
        return store.read().length;
      });
      return { store, value: { bytes: store.read(), ends } };
    },
  );
}

export const logCut = defineLaw<'store'>({
  id: 'store/log-cut',
  kind: 'store',
  tier: 'search',
  statement: 'a log truncated anywhere opens with its complete records, and appends continue from there',
  power: 'a lost, invented or damaged record at 1 of 60 cuts',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ lines: records, at: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ({ lines, at }) => {
        const log = written(subject, lines);
        if ('what' in log) return log;
        const cut = Math.round(at * log.bytes.length);
        const complete = log.ends.filter((end) => end <= cut).length;
        return withStore<Violation | undefined>(subject, (store, place) => {
          if (cut > 0) store.append(log.bytes.subarray(0, cut));
          const again = reopened(subject, place, store);
          const resumed = openLog(again, { magic });
          if (resumed.count !== complete || !isPrefix(resumed.records, lines))
            return {
              store: again,
              value: {
                what:
                  `cut after ${cut} of ${log.bytes.length} bytes it opens to ${resumed.count} records; ` +
                  `${complete} were complete`,
                measured: resumed.count,
                allowed: complete,
              },
            };
          for (const line of lines.slice(complete)) resumed.append(line);
          const now = again.read();
          return {
            store: again,
            value: same(now, log.bytes)
              ? undefined
              : {
                  what:
                    `cut after ${cut} bytes and continued, it holds ${named(now)}; ` +
                    `without the cut ${named(log.bytes)}`,
                  measured: now.length,
                  allowed: log.bytes.length,
                },
          };
        });
      },
      {
        runs: 40,
        examples: [
          { lines: ['a', 'b'], at: 0 },
          { lines: ['a', 'b'], at: 0.9 },
          { lines: ['a'], at: 1 },
        ],
      },
    ),
});

export const logDamage = defineLaw<'store'>({
  id: 'store/log-damage',
  kind: 'store',
  tier: 'search',
  statement: 'a log with a changed byte is Corrupt, or shows only records before the change',
  power: 'a record that was never written, at 1 of 60 changed bits',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ lines: records, at: fc.double({ min: 0, max: 1, noNaN: true }), bit: fc.nat(7) }),
      ({ lines, at, bit }) => {
        const log = written(subject, lines);
        if ('what' in log) return log;
        const where = Math.min(log.bytes.length - 1, Math.floor(at * log.bytes.length));
        const changed = log.bytes.slice();
        changed[where] ^= 1 << bit;
        return withStore<Violation | undefined>(subject, (store, place) => {
          store.replace(changed);
          const again = reopened(subject, place, store);
          const found = opened(() => openLog(again, { magic }));
          return {
            store: again,
            value:
              found === 'Corrupt'
                ? undefined
                : {
                    what:
                      `bit ${bit} of byte ${where} was changed, ` +
                      `and the log opens to ${text(found)}; expected Corrupt`,
                    measured: found.length,
                    input: { lines, at, bit },
                  },
          };
        });
      },
      { runs: 40 },
    ),
});

export const logSurvives = defineLaw<'store'>({
  id: 'store/log-survives',
  kind: 'store',
  tier: 'search',
  statement: 'an appended record and all earlier ones are there at the next opening of the log',
  power: 'a lost record among 5, on 1 of 12 logs',
  check: (subject, { forAll }) =>
    forAll(
      records,
      (lines) =>
        withStore<Violation | undefined>(subject, (first, place) => {
          let store = first;
          for (const [i, line] of lines.entries()) {
            openLog(store, { magic }).append(line);
            store = reopened(subject, place, store);
            const found = opened(() => openLog(store, { magic }));
            const expected = lines.slice(0, i + 1);
            if (found === 'Corrupt' || text(found) !== text(expected))
              return {
                store,
                value: {
                  what: `after ${i + 1} records it opens to ${text(found)}; expected ${text(expected)}`,
                },
              };
          }
          return { store, value: undefined };
        }),
      { runs: 10 },
    ),
});
