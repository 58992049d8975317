import type { Store } from '@lethe/core';
import type { Subject } from '../../law/subject.js';

let opened = 0;

/** A place that nothing has been written to, in this process. */
export const freshPlace = (): string => `place-${++opened}`;

/** Gives a store back, where it has to be: files are locked by who writes to them. */
export function leave(store: Store): void {
  (store as Store & { readonly close?: () => void }).close?.();
}

/** The same place as a later process finds it. */
export function reopened({ open }: Subject<'store'>, place: string, store: Store): Store {
  leave(store);
  return open(place);
}

/** Opens a fresh place, uses it, and leaves it whatever happens. */
export function withStore<T>({ open }: Subject<'store'>, use: (store: Store, place: string) => { readonly store: Store; readonly value: T }): T {
  const place = freshPlace();
  let held = open(place);
  try {
    const { store, value } = use(held, place);
    held = store;
    return value;
  } finally {
    try { leave(held); } catch { /* It was left before. */ }
  }
}

/** Bytes for people: the first few and how many. */
export const named = (bytes: Uint8Array): string => `[${Array.from(bytes.subarray(0, 12)).join(' ')}${bytes.length > 12 ? ` …] (${bytes.length} bytes)` : ']'}`;

export const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
