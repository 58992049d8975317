import { arrayKind, doublesOf } from '@lethe/numerics';
import type { Vector } from './basics.js';

const key: unique symbol = Symbol('room for the answer');

/** The new query object, with the array that `input.into` gives for its answer, if it gives one. */
export function withRoom<Q extends object>(query: Q, input: unknown): Q {
  const room = (input as { readonly into?: Vector } | null | undefined)?.into;
  if (room !== undefined) (query as { [key]?: Vector })[key] = room;
  return query;
}

/** Fewest entries from which an answer costs less in existing memory. */
const longAnswer = 4096;

/**
 * The array that an optimizer gave for the answer to a query, where it is long and not shared with other
 * threads, which would read it before it is an answer. It is no part of the query: digests, transcripts
 * and encoded queries do not have it, and a curator may ignore it. Only the answer may be written to it.
 *
 * @param least - Shorter arrays are not used. @defaultValue 4096
 */
export function roomOf(query: unknown, least = longAnswer): Vector | null {
  const room = (query as { readonly [key]?: unknown } | null | undefined)?.[key];
  if (room === undefined || arrayKind(room) !== 'Float64Array') return null;
  if ((room as Vector).length < least) return null;
  const memory = doublesOf(room as Vector);
  return memory.length >= least && memory.buffer instanceof ArrayBuffer ? memory : null;
}
