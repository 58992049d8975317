import type { PluginKind, Ref } from './plugin.js';

const settled = new WeakSet<Ref>();

/**
 * Marks a reference that can never say anything else, so that
 * it is resolved once for a registry that is frozen.
 *
 * @param ref - A copy by `ownCopy`: an object that is only frozen may hold accessors.
 */
export function settleRef<K extends PluginKind>(ref: Ref<K>): Ref<K> {
  settled.add(ref);
  return ref;
}

/** Whether {@link settleRef} marked it. */
export const isSettled = (ref: Ref): boolean => settled.has(ref);
