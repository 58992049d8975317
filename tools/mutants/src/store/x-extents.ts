import { memoryStore, type Store } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';

/** Stores by place, each with changed methods. */
function planted(change: (store: Store) => Partial<Store>): Subject<'store'> {
  const places = new Map<string, Store>();
  return {
    kind: 'store',
    name: 'planted',
    claims: [],
    open(place) {
      const store = memoryStore();
      const whole = places.get(place) ?? { ...store, ...change(store) };
      places.set(place, whole);
      return whole;
    },
  };
}
const mutant = (id: string, title: string, change: (store: Store) => Partial<Store>) =>
  defineMutant({
    id: `store/${id}`,
    title,
    kind: 'store',
    source: 'generic',
    killedBy: ['store/extents'],
    within: 4100,
    plant: () => planted(change),
  });

export const zerosTrimmed = mutant(
  'zeros-at-end-trimmed',
  'zeros at the end of the content are padding',
  ({ read }) => ({
    read() {
      const all = read();
      return all.slice(0, all.findLastIndex((byte) => byte !== 0) + 1);
    },
  }),
);
export const lineEnds = mutant(
  'line-ends-normalised',
  'a carriage return before a line feed is dropped',
  ({ append }) => ({
    append: (bytes) => append(bytes.filter((byte, i) => !(byte === 13 && bytes[i + 1] === 10))),
  }),
);
export const oneBuffer = mutant(
  'append-larger-than-buffer-cut',
  'of an append the first 64 KiB are written',
  ({ append }) => ({ append: (bytes) => append(bytes.subarray(0, 65_536)) }),
);
export const hundredth = mutant(
  'every-hundredth-append-lost',
  'every hundredth append is lost',
  ({ append }) => {
    let count = 0;
    return {
      append(bytes) {
        if (++count % 100 > 0) append(bytes);
      },
    };
  },
);

export const thousandthLost = mutant(
  'thousandth-append-lost',
  'every thousandth append is lost',
  ({ append }) => {
    let count = 0;
    return { append: (bytes) => (++count % 1000 === 0 ? undefined : append(bytes)) };
  },
);
