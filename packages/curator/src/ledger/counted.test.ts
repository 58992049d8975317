import { memoryStore, openLog, type Store } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  append,
  deeds,
  digestOf,
  entriesOf,
  expectSame,
  expectSkipsNothingOpen,
  fits,
  keyOf,
  linesOf,
  names,
  open,
  steps,
  type Model,
} from '../../test/counted-ledgers.js';
import { defined, InvalidParameter, encode } from '@lethe/numerics';
import type { Line } from './check-line.js';
import { compact } from './compact.js';
import { openLedger } from './ledger.js';

describe('a ledger that stores equal steps once', () => {
  test('agrees with a plain list of entries, for all sequences of compactions and reopenings', () => {
    let counted = 0;
    let written = 0;
    fc.assert(
      fc.property(deeds, fc.boolean(), (sequence, kept) => {
        const store = memoryStore();
        const model: Model = new Map();
        const ended = new Set<string>();
        let ledger = openLedger({ adjacency: 'zero-out', ...(kept && { store }) });
        for (const { plays, after } of sequence) {
          for (const { run } of plays)
            if (!model.has(names[run])) {
              ledger.openRun(names[run], keyOf(names[run]));
              model.set(names[run], []);
            }
          for (const entry of entriesOf(model, plays)) {
            if (ended.has(entry.run) || !fits(model, entry)) continue;
            ledger.append(entry);
            defined(model.get(entry.run)).push(entry);
          }
          if (after === 'reopen' && kept) {
            // Also checks the ledger compacted at this point.
            const lines = [...openLog(store, { magic: 'lethe-ledger' }).records] as Line[];
            const merged = compact(lines).lines.map(({ line }) => line);
            const anew = memoryStore();
            openLog(anew, { magic: 'lethe-ledger' }).rewrite(merged);
            expectSame(openLedger({ adjacency: 'zero-out', store: anew }), model);
            expect(encode(compact(merged).lines.map(({ line }) => line))).toEqual(encode(merged));
            counted += lines.length - merged.length;
            written += lines.length;
            ledger = openLedger({ adjacency: 'zero-out', store });
          }
          if (after === 'end')
            for (const run of model.keys())
              if (defined(model.get(run)).every(({ effect }) => effect.space === undefined)) {
                ledger.endRun(run);
                ended.add(run);
              }
          expectSame(ledger, model, after === 'ask' || after === 'reopen');
          for (const [run, entries] of model)
            expectSkipsNothingOpen(
              ledger.openRun(run, undefined as never),
              entries,
              Math.floor(entries.length * 0.9),
            );
        }
      }),
      { numRuns: 60, seed: 14 },
    );
    expect(counted).toBeGreaterThan(written / 3);
  });
});

describe('a long run', () => {
  const count = 3000;
  /** The store before and after each replacement. */
  const replaced: { readonly before: Uint8Array; readonly after: Uint8Array }[] = [];
  const inner = memoryStore();
  const store: Store = {
    ...inner,
    replace(bytes) {
      replaced.push({ before: inner.read(), after: bytes.slice() });
      inner.replace(bytes);
    },
  };
  const ledger = open(store);
  const all = steps('a', 0, count);
  ledger.openRun('a', keyOf('a'));
  append(ledger, all);

  test('takes 16 bytes a query on disk, apart from the part not compacted yet', () => {
    expect(replaced.length).toBeGreaterThan(3);
    expect(store.read().length).toBeLessThan(1.6 * 16 * all.length + 2 ** 16);
  });

  test('opens with all appended entries, before and after every compaction', () => {
    for (const { before, after } of replaced) {
      const [old, fresh] = [before, after].map(
        (bytes) => open(memoryStore(bytes)).openRun('a', undefined as never).entries,
      );
      expect(fresh.length).toBe(old.length);
      const model: Model = new Map([['a', all.slice(0, old.length)]]);
      expectSame(open(memoryStore(before)), model);
      expectSame(open(memoryStore(after)), model);
    }
  });

  test('stores at each compaction the last code of the replaced log, so no two logs are equal', () => {
    for (const { before, after } of replaced) {
      const [header] = linesOf(memoryStore(after));
      expect(header).toMatchObject({
        v: 2,
        compacted: { times: replaced.findIndex((one) => one.after === after) + 1, code: before.slice(-16) },
      });
    }
  });

  test('reads digests from the store only on access', () => {
    let reads = 0;
    const counting: Store = {
      ...memoryStore(replaced[replaced.length - 1].after),
      read() {
        reads++;
        return memoryStore(replaced[replaced.length - 1].after).read();
      },
    };
    const again = open(counting);
    const { entries } = again.openRun('a', undefined as never);
    reads = 0;
    expect(entries.afterSteps(0, entries.length)).toBeGreaterThan(entries.length - 3);
    expect(reads).toBe(0);
    expect([0, 1, 1000].map((index) => entries.entry(index).digest)).toEqual([0, 1, 1000].map(digestOf));
    expect(reads).toBe(1);
  });

  test('refuses an index beyond its entries', () => {
    const { entries } = ledger.openRun('a', undefined as never);
    for (const index of [-1, entries.length, 0.5, Number.NaN])
      expect(() => entries.entry(index)).toThrow(InvalidParameter);
  });
});
