import { composedEvent, memoryStore, type PrivacyEvent, type Store } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  append,
  digestOf,
  expectSame,
  keyOf,
  linesOf,
  names,
  open,
  push,
  steps,
  within,
  written,
} from '../../test/counted-ledgers.js';
import { BudgetExceeded, Corrupt, defined } from '@lethe/numerics';
import { compact } from './compact.js';
import type { Entry } from './effect.js';
import { openLedger } from './ledger.js';
import { foldedAtOnce } from './steps.js';

describe('a stored ledger', () => {
  test('of steps alone has answered, so that its filter alone decides on more', () => {
    const store = memoryStore();
    const ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    steps('a', 0, 44).forEach((entry) => ledger.append(entry));
    const lines = compact(linesOf(store)).lines.map(({ line }) => line);
    const folded = lines.filter(({ t }) => t !== 'entry' && t !== 'again');
    expect(folded.some(({ t }) => t === 'steps')).toBe(true);
    const event = { kind: 'core/pure', v: 1, epsilon: 1 } as PrivacyEvent;
    const limit = {
      epsilon: 1,
      delta: 0,
      accountant: {
        epsilon: () =>
          ({ lower: 0, upper: 0, certificate: 'certified', method: 'm', assumptions: [] }) as const,
      },
      filter: () => ({ rule: 'none', spec: null, limit: event, admits: () => false, share: () => 2 }),
    };
    const { adjacency } = ledger;
    const fresh = openLedger({ adjacency, store: memoryStore(), limit });
    expect(() => fresh.assertAffordable(event)).not.toThrow();
    const opened = openLedger({ adjacency, store: written(folded), limit });
    expect(() => opened.assertAffordable(event)).toThrow(BudgetExceeded);
  });

  test('truncated at any byte opens with the complete entries', () => {
    const store = memoryStore();
    const ledger = open(store);
    const all = steps('a', 0, 44);
    ledger.openRun('a', keyOf('a'));
    const ends = all.map((entry) => {
      ledger.append(entry);
      return store.read().length;
    });
    const folded = compact(linesOf(store)).lines.map(({ line }) => line);
    const short = written(folded);
    const rest = open(short);
    const more = steps('a', all.length, 3);
    const moreEnds = more.map((entry) => {
      rest.append(entry);
      return short.read().length;
    });
    const check = (
      bytes: Uint8Array,
      from: number,
      complete: (cut: number) => number,
      next: readonly Entry[],
    ): void => {
      for (let cut = from; cut <= bytes.length; cut++) {
        const at = memoryStore(bytes.subarray(0, cut));
        const opened = open(at);
        if (opened.runs().length === 0) continue;
        const { entries } = opened.openRun('a', undefined as never);
        expect(entries.length).toBe(complete(cut));
        const { length } = entries;
        if (length < next.length) opened.append(next[length]);
        expect(open(at).openRun('a', undefined as never).entries.length).toBe(
          Math.min(length + 1, next.length),
        );
      }
    };
    check(store.read(), ends[foldedAtOnce], (cut) => ends.filter((end) => end <= cut).length, all);
    const whole = short.read();
    check(
      whole,
      0,
      (cut) => {
        const done = moreEnds.filter((end) => end <= cut).length;
        if (done > 0) return all.length + done;
        return cut >= written(folded).read().length ? all.length : 0;
      },
      [...all, ...more],
    );
  });

  test('with a flipped bit is Corrupt, compacted or not', () => {
    const store = memoryStore();
    const ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    append(ledger, steps('a', 0, 60));
    for (const bytes of [
      store.read(),
      written(compact(linesOf(store)).lines.map(({ line }) => line)).read(),
    ]) {
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
          const changed = bytes.slice();
          changed[at] ^= 1 << bit;
          expect(() => open(memoryStore(changed))).toThrow(Corrupt);
        }),
        { numRuns: 500 },
      );
    }
  });

  test('of version 1 is accepted, and compaction writes version 2', () => {
    const store = memoryStore();
    const ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    const [header, run] = linesOf(store);
    const all = steps('a', 0, 400);
    const old = written([
      { ...header, v: 1 },
      run,
      ...all.slice(0, 50).map((entry) => ({ t: 'entry', ...entry })),
    ]);
    const again = open(old);
    expect(linesOf(old)[0]).toMatchObject({ v: 1 });
    append(again, all.slice(50));
    again.endRun('a');
    expect(linesOf(old)[0]).toMatchObject({ v: 2, compacted: {} });
    expectSame(open(old), new Map([['a', [...all]]]));
    expect(() => open(written([{ ...header, v: 3 }, run]))).toThrow(
      /version 3; this release reads versions 1 to 2/u,
    );
  });

  test('below the size threshold is not compacted', () => {
    const store = memoryStore();
    const ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    append(ledger, steps('a', 0, 10));
    ledger.endRun('a');
    const before = store.read();
    open(store);
    expect(store.read()).toEqual(before);
  });

  test('keeps the charge when a compaction fails, and refuses entries until it is opened again', () => {
    const inner = memoryStore();
    const full = new Error('no space left');
    const store: Store = {
      ...inner,
      replace() {
        throw full;
      },
    };
    const ledger = open(store);
    const all = steps('a', 0, 1000);
    ledger.openRun('a', keyOf('a'));
    let done = 0;
    expect(() =>
      all.forEach((entry) => {
        ledger.append(entry);
        done++;
      }),
    ).toThrow(full);
    expect(() => ledger.append(all[done + 1])).toThrow(Corrupt);
    expectSame(open(memoryStore(inner.read())), new Map([['a', all.slice(0, done + 1)]]));
  });
});

describe('lines of another program', () => {
  const store = memoryStore();
  const ledger = open(store);
  const all = steps('a', 0, 60);
  ledger.openRun('a', keyOf('a'));
  append(ledger, all);
  const lines = compact(linesOf(store)).lines.map(({ line }) => line);
  const stepLine = defined(lines.find((line) => line.t === 'steps'));
  const changed = (change: object): readonly unknown[] =>
    lines.map((line) => (line === stepLine ? { ...line, ...change } : line));

  test('are accepted when valid', () => expectSame(open(written(lines)), new Map([['a', [...all]]])));
  test.each([
    ['a count too small by one', changed({ times: stepLine.times - 1 })],
    ['a count too large by one', changed({ times: stepLine.times + 1 })],
    ['one digest missing', changed({ digests: stepLine.digests.slice(16) })],
    ['a truncated digest', changed({ digests: stepLine.digests.slice(1) })],
    [
      'a step that leaves its scope open',
      changed({
        effects: stepLine.effects.slice(0, 2),
        digests: stepLine.digests.slice(0, 2 * 16 * stepLine.times),
      }),
    ],
    ['a step without queries', changed({ effects: [], digests: new Uint8Array() })],
    [
      'a step with a push',
      changed({ effects: [push('', '')], digests: stepLine.digests.slice(0, 16 * stepLine.times) }),
    ],
    ['steps out of order', changed({ index: stepLine.index + 1 })],
    ['steps of an unknown run', changed({ run: 'b' })],
    ['steps with count zero', changed({ times: 0, digests: new Uint8Array() })],
    [
      'a repetition without a previous step',
      [...lines.slice(0, 2), { t: 'again', run: 'a', period: 3, at: 0, digest: new Uint8Array(16) }],
    ],
    [
      'a query beyond the end of its step',
      [...lines, { t: 'again', run: 'a', period: 3, at: 3, digest: new Uint8Array(16) }],
    ],
    [
      'a query with a short digest',
      [...lines, { t: 'again', run: 'a', period: 3, at: 0, digest: new Uint8Array(15) }],
    ],
  ])('%s', (_, wrong) => expect(() => open(written(wrong))).toThrow(Corrupt));

  test('cannot charge a partition of another run', () => {
    const two = open(memoryStore());
    for (const run of names) two.openRun(run, keyOf(run));
    append(two, steps('a', 0, 1).slice(0, 1));
    expect(() =>
      two.append({ run: 'b', index: 0, digest: digestOf(0), effect: within(1)('', 'a/0') }),
    ).toThrow(/not open in this run/u);
    expect(canonicalEvent(two.total())).toBe(canonicalEvent(composedEvent([])));
  });
});
