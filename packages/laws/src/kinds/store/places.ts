import type { Store } from '@lethe/core';
import type { Subject } from '../../law/subject.js';

let opened = 0;

/** A new place in this process. */
export const freshPlace = (): string => `place-${++opened}`;

/** Closes a store if it has a close function: files are locked by their writer. */
export function leave(store: Store): void {
  (store as Store & { readonly close?: () => void }).close?.();
}

/** The same place as in a later process. */
export function reopened({ open }: Subject<'store'>, place: string, store: Store): Store {
  leave(store);
  return open(place);
}

/** Opens a fresh place, uses it, and closes it also after an error. */
export function withStore<T>(
  { open }: Subject<'store'>,
  use: (store: Store, place: string) => { readonly store: Store; readonly value: T },
): T {
  const place = freshPlace();
  let held = open(place);
  try {
    const { store, value } = use(held, place);
    held = store;
    return value;
  } finally {
    try {
      leave(held);
    } catch {
      /* It was left before. */
    }
  }
}

/** Bytes as text: the first few and their number. */
export const named = (bytes: Uint8Array): string =>
  `[${Array.from(bytes.subarray(0, 12)).join(' ')}${bytes.length > 12 ? ` …] (${bytes.length} bytes)` : ']'}`;

export const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
