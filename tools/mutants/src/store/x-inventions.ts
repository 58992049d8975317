import { memoryStore, type Claim, type Store } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';

const fencedClaim: Claim = { property: 'fenced', statement: 'One writer.' };
/** Stores by place, each with changed methods. */
function planted(change: (store: Store) => Partial<Store>, claims: readonly Claim[] = []): Subject<'store'> {
  const places = new Map<string, Store>();
  return {
    kind: 'store',
    name: 'planted',
    claims,
    open: (place) => {
      const known = places.get(place);
      if (known !== undefined) return known;
      const store = memoryStore();
      const whole = { ...store, ...change(store) };
      places.set(place, whole);
      return whole;
    },
  };
}

export const cutFills = defineMutant({
  id: 'store/cut-beyond-end-fills-zeros',
  kind: 'store',
  title: 'a truncation beyond the end appends zeros',
  source: 'ftruncate(2)',
  killedBy: ['store/contents'],
  within: 30,
  plant: () =>
    planted((store) => ({
      truncate: (to) => {
        const held = store.read();
        if (to <= held.length) store.truncate(to);
        else store.append(new Uint8Array(Math.min(to, 1e6) - held.length));
      },
    })),
});
export const ownBytes = defineMutant({
  id: 'store/read-stores-own-memory',
  kind: 'store',
  title: "read returns the store's own memory",
  source: 'generic',
  killedBy: ['store/copies'],
  within: 3,
  plant: () => {
    const views = new WeakMap<Store, Uint8Array>();
    return planted((store) => ({
      read: () => {
        const now = store.read();
        const view = views.get(store);
        if (view?.length === now.length) return view;
        views.set(store, now);
        return now;
      },
    }));
  },
});
export const keptBack = defineMutant({
  id: 'store/last-append-written-next-one-others-open',
  kind: 'store',
  title: 'each append is written at the next one only',
  source: 'generic',
  killedBy: ['store/log-survives', 'store/contents'],
  within: 10,
  plant: () => {
    const disks = new Map<string, Store>();
    return {
      kind: 'store',
      name: 'planted',
      claims: [],
      open: (place) => {
        const disk = disks.get(place) ?? memoryStore();
        const mine = memoryStore(disk.read());
        disks.set(place, disk);
        let late: (() => void) | undefined;
        const write = (now: () => void): void => {
          late?.();
          late = now;
        };
        return {
          read: () => mine.read(),
          append: (bytes) => {
            const copy = bytes.slice();
            mine.append(copy);
            write(() => disk.append(copy));
          },
          truncate: (to) => {
            mine.truncate(to);
            write(() => disk.truncate(to));
          },
          replace: (bytes) => {
            const copy = bytes.slice();
            mine.replace(copy);
            write(() => disk.replace(copy));
          },
        };
      },
    };
  },
});
export const wholeBuffer = defineMutant({
  id: 'store/whole-buffer-behind-view-written',
  kind: 'store',
  title: 'the whole buffer behind a view is written',
  source: 'generic',
  killedBy: ['store/contents', 'store/log-cut'],
  within: 5,
  plant: () => planted((store) => ({ append: (bytes) => store.append(new Uint8Array(bytes.buffer)) })),
});
export const twoWriters = defineMutant({
  id: 'store/two-writers-one-place-overwrite-each-others',
  kind: 'store',
  title: "two writers at one place overwrite each other's bytes",
  source: 'generic',
  killedBy: ['store/fenced'],
  within: 3,
  plant: () => planted(() => ({}), [fencedClaim]),
});
export const replacedInPlace = defineMutant({
  id: 'store/shorter-replacement-leaves-end-longer-one',
  kind: 'store',
  title: 'a shorter replacement leaves the end of the longer one',
  source: 'generic',
  killedBy: ['store/contents'],
  within: 40,
  plant: () =>
    planted((store) => ({
      replace: (bytes) => {
        const rest = store.read().subarray(bytes.length);
        store.replace(bytes);
        store.append(rest);
      },
    })),
});
export const newHandles = defineMutant({
  id: 'store/each-opening-handle-own-same-bytes-two',
  kind: 'store',
  title: 'each opening is a new handle on the same bytes, so that two logs can write',
  source: 'red team 13: memoryStore',
  killedBy: ['store/one-log'],
  within: 3,
  plant: () => {
    const { open } = planted(() => ({}));
    return { kind: 'store', name: 'planted', claims: [], open: (place) => ({ ...open(place) }) };
  },
});
