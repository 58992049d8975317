import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Corrupt, InvalidParameter } from '@lethe/numerics';
import { openLog } from './log.js';
import { memoryStore, type Store } from './store.js';

const magic = 'lethe-test';
const key = Uint8Array.from({ length: 16 }, (_, i) => i * 7);
const records: readonly unknown[] = [
  { heading: 'x' },
  { index: 0, answer: Float64Array.of(1, -0, 3e-300) },
  null,
  'a longer line of text, beyond one block',
  [1, 2, { three: 3 }],
  { index: 1, digest: 'ab' },
];

function written(
  options: { key?: Uint8Array; magic?: string } = {},
  lines: readonly unknown[] = records,
): { readonly bytes: Uint8Array; readonly ends: readonly number[] } {
  const store = memoryStore();
  const log = openLog(store, { magic, ...options });
  const ends = lines.map((line) => {
    log.append(line);
    return store.read().length;
  });
  return { bytes: store.read(), ends };
}
const reopen = (bytes: Uint8Array, options: { key?: Uint8Array; magic?: string } = {}): readonly unknown[] =>
  openLog(memoryStore(bytes), { magic, ...options }).records;

describe.each([
  ['without a key', {}],
  ['with a key', { key }],
] as const)('a log %s', (_, options) => {
  const { bytes, ends } = written(options);

  it('returns its records', () => {
    const log = openLog(memoryStore(bytes), { magic, ...options });
    expect(log.records).toStrictEqual(records);
    expect(log.count).toBe(records.length);
    log.forget();
    expect(log.records).toStrictEqual([]);
    expect(log.count).toBe(records.length);
  });

  it('truncated at any byte keeps the complete records and accepts the others again', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const store = memoryStore(bytes.subarray(0, cut));
      const log = openLog(store, { magic, ...options });
      const complete = ends.filter((end) => end <= cut).length;
      expect(log.records).toStrictEqual(records.slice(0, complete));
      expect(store.read()).toHaveLength(cut);
      for (const line of records.slice(complete)) log.append(line);
      expect(store.read()).toStrictEqual(bytes);
    }
  });

  it('detects every flipped bit', () => {
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = bytes.slice();
        changed[at] ^= 1 << bit;
        expect(() => reopen(changed, options)).toThrow(Corrupt);
      }
    }
  });

  it('detects a flipped bit in a truncated log, or does not return the damaged record', () =>
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(), fc.nat(7), (cut, where, bit) => {
        const changed = bytes.slice(0, cut);
        if (cut === 0) return;
        changed[where % cut] ^= 1 << bit;
        let got: readonly unknown[];
        try {
          got = reopen(changed, options);
        } catch (error) {
          expect(error).toBeInstanceOf(Corrupt);
          return;
        }
        expect(got).toStrictEqual(records.slice(0, ends.filter((end) => end <= cut).length));
      }),
      { numRuns: 500 },
    ));

  it('refuses a tail of zeros from 4 bytes on', () => {
    for (const zeros of [4, 7, 8, 24, 4096])
      expect(() => reopen(new Uint8Array([...bytes, ...new Uint8Array(zeros)]), options)).toThrow(
        /padded with zeros/u,
      );
  });

  it('refuses records that were deleted, duplicated, swapped or copied from another log', () => {
    const frames = ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
    const other = written(options, [
      ...records.slice(0, 1),
      { index: 0, answer: 'other' },
      ...records.slice(2),
    ]);
    const variants = [[0, 2, 3, 4, 5], [0, 1, 1, 2], [0, 2, 1], [1]].map((order) =>
      order.map((i) => frames[i]),
    );
    variants.push([frames[0], frames[1], other.bytes.slice(other.ends[1], other.ends[2])]);
    for (const variant of variants)
      expect(() => reopen(Uint8Array.from(variant.flatMap((frame) => [...frame])), options)).toThrow(Corrupt);
  });

  it('replaces all records and accepts further ones', () => {
    const store = memoryStore(bytes);
    const log = openLog(store, { magic, ...options });
    log.rewrite(['a', 'b']);
    expect(log.count).toBe(2);
    log.append('c');
    expect(store.read()).toStrictEqual(written(options, ['a', 'b', 'c']).bytes);
    log.rewrite([]);
    log.append('d');
    expect(reopen(store.read(), options)).toStrictEqual(['d']);
  });
});

describe('opening', () => {
  const { bytes } = written({ key });

  it('does not write', () => {
    const store: Store = {
      ...memoryStore(bytes.subarray(0, bytes.length - 3)),
      append: () => expect.unreachable(),
      truncate: () => expect.unreachable(),
      replace: () => expect.unreachable(),
    };
    expect(openLog(store, { magic, key }).count).toBe(records.length - 1);
  });

  it.each([
    ['another key', () => reopen(bytes, { key: new Uint8Array(16) }), /key is another one/u],
    ['no key', () => reopen(bytes), /key is another one/u],
    [
      'another kind of log',
      () => reopen(bytes, { key, magic: 'lethe-other' }),
      /kind 'lethe-test', not 'lethe-other'/u,
    ],
    ['another format version', () => reopen(bytes.with(8, 2), { key }), /format version 2/u],
    ['another file format', () => reopen(new TextEncoder().encode('{"a": 1}')), /not a log of Lethe/u],
    ['zeros only', () => reopen(new Uint8Array(3)), /not a log of Lethe/u],
  ])('refuses %s, with the reason', (_, open, message) => {
    expect(open).toThrow(Corrupt);
    expect(open).toThrow(message);
  });

  it('names the byte and the remedy in the error', () => {
    const end = written({ key }, records.slice(0, 1)).bytes.length;
    const changed = bytes.slice();
    changed[end + 12] ^= 1;
    expect(() => reopen(changed, { key })).toThrow(
      new RegExp(`record 1 is damaged \\(byte ${end} of ${bytes.length}\\)\\. Restore`, 'u'),
    );
  });

  it.each([
    [{ magic: '' }],
    [{ magic: 'é' }],
    [{ magic: 'x'.repeat(65) }],
    [{ magic, key: new Uint8Array(15) }],
  ])('refuses %j', (options) => expect(() => openLog(memoryStore(), options)).toThrow(InvalidParameter));

  it('accepts arbitrary bytes or throws Corrupt', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (tail, behind) => {
        try {
          openLog(memoryStore(behind ? new Uint8Array([...bytes, ...tail]) : tail), { magic, key });
        } catch (error) {
          expect(error).toBeInstanceOf(Corrupt);
        }
      }),
      { numRuns: 1000 },
    ));
});

describe('writing', () => {
  it('writes nothing when the record is not plain data', () => {
    const store = memoryStore();
    const log = openLog(store, { magic });
    log.append(1);
    const before = store.read();
    expect(() => log.append(() => 0)).toThrow(InvalidParameter);
    expect(() => log.rewrite([1, () => 0])).toThrow(InvalidParameter);
    expect(store.read()).toStrictEqual(before);
    log.append(2);
    expect(reopen(store.read())).toStrictEqual([1, 2]);
  });

  it('refuses all writes after a partial write; opening again recovers', () => {
    const inner = memoryStore();
    const full = new Error('no space left');
    let room = Infinity;
    const store: Store = {
      ...inner,
      append(bytes) {
        inner.append(bytes.subarray(0, room));
        if (bytes.length > room) throw full;
      },
    };
    const log = openLog(store, { magic });
    log.append('first');
    room = 10;
    expect(() => log.append('second')).toThrow(full);
    room = Infinity;
    expect(() => log.append('third')).toThrow(Corrupt);
    expect(log.count).toBe(1);
    const again = openLog(store, { magic });
    expect(again.records).toStrictEqual(['first']);
    again.append('third');
    expect(reopen(store.read())).toStrictEqual(['first', 'third']);
  });

  it('copies a record, so later changes do not reach the store', () => {
    const store = memoryStore();
    const log = openLog(store, { magic });
    const vector = Float64Array.of(1, 2);
    log.append(vector);
    vector.fill(0);
    log.append(vector);
    expect(reopen(store.read())).toStrictEqual([Float64Array.of(1, 2), Float64Array.of(0, 0)]);
  });
});
