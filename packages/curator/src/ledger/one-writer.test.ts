import { memoryStore, openLog, type Store } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { Corrupt, seededRandom } from '@lethe/numerics';
import { openLedger, type Ledger } from './index.js';

const open = (store: Store) => openLog(store, { magic: 'test' });

describe('several logs on one store', () => {
  test('the first writer may continue, and writes of the others are refused', () => {
    const store = memoryStore();
    const first = open(store);
    const second = open(store);
    second.append('b');
    const bytes = store.read();
    expect(() => first.append('a')).toThrow(Corrupt);
    expect(() => first.rewrite(['a'])).toThrow(/another log or ledger .* nothing was written/u);
    expect(store.read()).toEqual(bytes);
    second.append('c');
    expect(open(store).records).toEqual(['b', 'c']);
  });

  test('an abandoned log is refused when it writes after its successor', () => {
    const store = memoryStore();
    const first = open(store);
    first.append('a');
    const second = open(store);
    second.append('b');
    expect(() => first.append('late')).toThrow(Corrupt);
    expect(open(store).records).toEqual(['a', 'b']);
  });

  test('readers do not block the writer', () => {
    const store = memoryStore();
    const writer = open(store);
    writer.append('a');
    expect(open(store).records).toEqual(['a']);
    writer.append('b');
    expect(open(store).records).toEqual(['a', 'b']);
  });

  test('a failed write counts as a write, since the stored bytes are unknown', () => {
    const inner = memoryStore();
    let fails = true;
    const store: Store = {
      ...inner,
      append(bytes) {
        inner.append(bytes.subarray(0, 5));
        if (fails) throw new Error('disk full');
        inner.append(bytes.subarray(5));
      },
    };
    const first = open(store);
    const second = open(store);
    expect(() => first.append('a')).toThrow('disk full');
    fails = false;
    expect(() => second.append('b')).toThrow(Corrupt);
    open(store).append('c');
    expect(open(store).records).toEqual(['c']);
  });
});

test('only one of two ledgers on one store can spend', () => {
  const store = memoryStore();
  const [first, second] = [0, 1].map(() => openLedger({ adjacency: 'replace-one', store })) as [
    Ledger,
    Ledger,
  ];
  const spend = (ledger: Ledger, run: string): void => {
    ledger.openRun(run, seededRandom(run));
  };
  expect(() => spend(first, 'one')).not.toThrow();
  expect(() => spend(second, 'two')).toThrow(Corrupt);
  expect(openLedger({ adjacency: 'replace-one', store }).runs()).toEqual(['one']);
});
