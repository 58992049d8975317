import {
  type AccountingContext,
  adjacencySchema,
  canonicalJson,
  type EventKind,
  InvalidParameter,
  parseEvent,
  parseOrThrow,
  type PrivacyEvent,
  type Adjacency,
  type CharacterisationKind,
  type Characterisations,
} from '@lethe/core';
import { withoutFailures } from '../events/failures.js';
import { createResolver } from '../events/resolve.js';
import type { CreateResolver } from '../events/resolver.js';
import { characterised } from '../accountant/understand.js';
import type { Price } from './meter.js';

/** Price of an event, with a cache. */
export type PriceList = (event: PrivacyEvent) => Price;

/** Maximum size of the text cache, for runs whose events never repeat. */
const mostTexts = 4096;

/**
 * Prices events by `price` and caches the prices, by identity and by text. Events are frozen on first use,
 * which makes the cache by identity sound.
 *
 * @param price - Receives an event as returned by `parseEvent`.
 */
export function createPriceList(
  price: (event: PrivacyEvent) => Price,
  kinds: readonly EventKind[] | undefined,
): PriceList {
  const byIdentity = new WeakMap<PrivacyEvent, Price>();
  const byText = new Map<string, Price>();
  return (event) => {
    if (typeof event === 'object' && event !== null) {
      const known = byIdentity.get(event);
      if (known !== undefined) return known;
    }
    const parsed = parseEvent(event, kinds);
    const text = canonicalJson(parsed);
    let found = byText.get(text);
    if (found === undefined) {
      found = price(parsed);
      if (byText.size >= mostTexts) byText.clear();
      byText.set(text, found);
    }
    freezeThrough(event);
    byIdentity.set(event, found);
    return found;
  };
}

/** Deep freeze, also below objects that are already frozen. */
function freezeThrough(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeThrough(inner);
}

/** Characterisation of an event without its failures, and the failure probability. */
export interface SoundPart<C extends CharacterisationKind> {
  readonly known: Characterisations[C];
  readonly failure: number;
}

/**
 * Removes the failures from `event` and resolves the rest. @throws {Unsupported} with the path in the
 * original event.
 */
export const soundPart = <C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  context: AccountingContext,
): SoundPart<C> => soundPartBy(createResolver, event, want, context);

/** The same, by resolvers of this maker. */
export function soundPartBy<C extends CharacterisationKind>(
  create: CreateResolver,
  event: PrivacyEvent,
  want: C,
  { adjacency, kinds }: AccountingContext,
): SoundPart<C> {
  const { event: sound, delta } = withoutFailures(event, adjacency);
  const context = kinds === undefined ? { adjacency } : { adjacency, kinds };
  return { known: characterised(sound, want, context, create), failure: delta };
}

/** @throws {InvalidParameter} unless `count` is a positive whole number. */
export function assertCount(count: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw new InvalidParameter(`count is ${String(count)}; it must be a positive whole number`, { count });
}

/** @throws {InvalidParameter} */
export const parsedAdjacency = (adjacency: unknown): Adjacency =>
  parseOrThrow(adjacencySchema, adjacency, 'adjacency');
