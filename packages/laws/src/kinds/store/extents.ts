import type { Store } from '@lethe/core';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { named, reopened, same, withStore } from './places.js';

const text = (letters: string): Uint8Array => new TextEncoder().encode(letters);

/** Bytes that text, terminals or padded blocks treat in a way of their own, and every value there is. */
const pieces: readonly Uint8Array[] = [
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
  text('\r\n\n\r\r\n\0\u001a\ufeff'),
  text(' \t \n'),
  new Uint8Array(9),
];
/** More than fits the buffers and blocks of media. */
const large = Uint8Array.from({ length: 2 ** 20 + 4099 }, (_, i) => (i * 31 + (i >> 8)) % 256);
/** More than a writer keeps back, counts in twelve bits, or writes before it turns to another file. */
const many = 4100;

/** Contents of every value, size and number of appends. */
export const extents = defineLaw<'store'>({
  id: 'store/extents',
  kind: 'store',
  tier: 'exact',
  statement:
    'a store holds bytes of every value, those at its end too, appends of any size, and any number of them',
  power: `certain for 256 values, line ends, zeros at the end, a megabyte at once, and ${many} appends`,
  check: (subject) => {
    const violation = withStore(subject, (first, place) => {
      let store: Store = first;
      let expected = new Uint8Array(0);
      const wrong = (what: string): Violation | undefined => {
        const now = store.read();
        return same(now, expected)
          ? undefined
          : {
              what: `after ${what} it holds ${named(now)}; expected ${named(expected)}`,
              measured: now.length,
              allowed: expected.length,
            };
      };
      const added = (bytes: Uint8Array): void => {
        store.append(bytes);
        const both = new Uint8Array(expected.length + bytes.length);
        both.set(expected);
        both.set(bytes, expected.length);
        expected = both;
      };
      for (const piece of [...pieces, large]) {
        added(piece);
        const written = wrong(`appending ${named(piece)}`);
        store = reopened(subject, place, store);
        const value = written ?? wrong(`appending ${named(piece)} and opening again`);
        if (value !== undefined) return { store, value };
      }
      for (const piece of [large, ...pieces]) {
        store.replace(piece);
        expected = piece.slice();
        const value = wrong(`replacing everything by ${named(piece)}`);
        if (value !== undefined) return { store, value };
      }
      const before = expected;
      expected = new Uint8Array(before.length + many);
      expected.set(before);
      for (let i = 0; i < many; i++) {
        const one = Uint8Array.of(i % 251);
        store.append(one);
        expected.set(one, before.length + i);
      }
      return { store, value: wrong(`${many} appends of one byte`) };
    });
    return violation === undefined ? holds(many) : fails(many, violation);
  },
});
