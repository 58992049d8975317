import {
  type AccountingContext,
  type Adjacency,
  adjacencySchema,
  canonicalJson,
  type CharacterisationKind,
  type Characterisations,
  normalEvent,
  parseEvent,
  parseOrThrow,
  type PrivacyEvent,
  type Resolver,
  Unsupported,
} from '@lethe/core';
import { assumptionsOf } from '../events/assumptions.js';
import { createResolver } from '../events/resolve.js';
import type { CreateResolver } from '../events/resolver.js';
import { longestName } from './remembered.js';
import { watched } from './watched.js';

/** A validated query: event, adjacency, resolver, and the assumptions of the answer. */
export interface Understood {
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
  readonly resolve: Resolver;
  readonly assumptions: readonly string[];
}

/**
 * Adjacency and normal form of an event as text, by which answers are remembered. Empty where plugins define
 * a part of it, or it is too long.
 */
export function nameOf(event: PrivacyEvent, { adjacency, kinds = [] }: AccountingContext): string {
  if (kinds.length > 0) return '';
  const text = `${adjacency} ${canonicalJson(normalEvent(event))}`;
  return text.length <= longestName ? text : '';
}

/** @throws {InvalidParameter} for an event or an adjacency outside its schema. */
export const understand = (input: PrivacyEvent, context: AccountingContext): Understood =>
  understoodBy(createResolver, input, context);

/** The same, by a resolver of this maker. */
export function understoodBy(
  create: CreateResolver,
  input: PrivacyEvent,
  { adjacency: given, kinds }: AccountingContext,
): Understood {
  const adjacency = parseOrThrow(adjacencySchema, given, 'adjacency');
  const event = parseEvent(input, kinds);
  return { event, adjacency, resolve: create(kinds), assumptions: assumptionsOf(event, kinds) };
}

/**
 * Characterisation of an event, resolved from its normal form, which is faster. Each use of it checks the
 * query's signal.
 *
 * @param create - Makes a resolver that explains an error.
 * @param resolve - One of its resolvers, which keeps what it resolves.
 * @throws {Unsupported} with the path in the original event.
 */
export function characterised<C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  { adjacency, kinds, signal }: Pick<AccountingContext, 'adjacency' | 'kinds' | 'signal'>,
  create: CreateResolver,
  resolve = create(kinds),
): Characterisations[C] {
  signal?.throwIfAborted();
  const known = orExplain(
    () => resolve(normalEvent(event), want, adjacency),
    () => create(kinds)(event, want, adjacency),
  );
  return signal === undefined ? known : watched(known, want, signal);
}

/**
 * `compute()`, or `explain()` when that throws `Unsupported`: errors then name paths in the caller's event.
 */
export function orExplain<T>(compute: () => T, explain: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsupported) return explain();
    throw error;
  }
}
