import {
  type AccountingContext, type Adjacency, adjacencySchema, type CharacterisationKind, type Characterisations,
  normalEvent, parseEvent, parseOrThrow, type PrivacyEvent, type Resolver, Unsupported,
} from '@lethe/core';
import { assumptionsOf, createResolver, resolveEvent } from '../events/index.js';
import { watched } from './watched.js';

/** A question taken in: the event and the adjacency checked, and what the answer will assume. */
export interface Understood { readonly event: PrivacyEvent; readonly adjacency: Adjacency; readonly resolve: Resolver; readonly assumptions: readonly string[] }

/** @throws {InvalidParameter} for an event or an adjacency outside its schema. */
export function understand(input: PrivacyEvent, { adjacency: given, kinds }: AccountingContext): Understood {
  const adjacency = parseOrThrow(adjacencySchema, given, 'adjacency');
  const event = parseEvent(input, kinds);
  return { event, adjacency, resolve: createResolver(kinds), assumptions: assumptionsOf(event, kinds) };
}

/**
 * A characterisation of an event, in the normal form that is quick to resolve. It looks at the signal of the question whenever it is used.
 *
 * @throws {Unsupported} naming the place in the event as it was given.
 */
export function characterised<C extends CharacterisationKind>(event: PrivacyEvent, want: C, adjacency: Adjacency, { kinds, signal }: Pick<AccountingContext, 'kinds' | 'signal'>, resolve: Resolver): Characterisations[C] {
  signal?.throwIfAborted();
  const known = orExplain(() => resolve(normalEvent(event), want, adjacency), () => resolveEvent(event, want, kinds === undefined ? { adjacency } : { adjacency, kinds }));
  return signal === undefined ? known : watched(known, want, signal);
}

/** `compute()`, or where that is `Unsupported` what `explain` says: the event as it was given has the paths its author knows. */
export function orExplain<T>(compute: () => T, explain: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsupported) return explain();
    throw error;
  }
}
