import {
  parseEvent,
  type AccountingContext,
  type CharacterisationKind,
  type Characterisations,
  type PrivacyEvent,
} from '@lethe/core';
import { attempt } from './attempt.js';
import { checkedPairs, trustPairs } from './checked-pairs.js';
import { derivedPairs } from './derive.js';
import { knowers } from './kinds/index.js';
import { resolverOf } from './resolver.js';

/**
 * A resolver with a cache of characterisations and of Rényi divergences by order. Create one per query.
 *
 * @param kinds - Event kinds beyond core's. The resolver expects events as returned by `parseEvent`.
 */
export const createResolver = resolverOf({
  knowers,
  pairs: { derive: derivedPairs, checked: checkedPairs, trust: trustPairs },
});

/**
 * Characterisation of an event under an adjacency, as an upper bound for both directions.
 *
 * @throws {Unsupported} naming the sub-event without a suitable characterisation.
 * @throws {InvalidParameter} when the event is malformed.
 * @throws {IncompatiblePlugins} when a plugin returns an invalid characterisation. Its privacy-loss
 * distributions throw it later, when one of their answers is invalid.
 */
export function resolveEvent<C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  { adjacency, kinds }: AccountingContext,
): Characterisations[C] {
  return createResolver(kinds)(parseEvent(event, kinds), want, adjacency);
}

const all = [
  'pure',
  'approximate',
  'zcdp',
  'tcdp',
  'rdp',
  'gdp',
  'pair',
] as const satisfies readonly CharacterisationKind[];

/** Names of the characterisations of an event under an adjacency. */
export function characterisationsOf(
  event: PrivacyEvent,
  { adjacency, kinds }: AccountingContext,
): readonly CharacterisationKind[] {
  const resolve = createResolver(kinds);
  const parsed = parseEvent(event, kinds);
  return all.filter((want) => attempt(() => resolve(parsed, want, adjacency)) !== undefined);
}
