import type { PrivacyEvent, EventKind } from '@lethe/core';
import { eventsWithin } from './events-within.js';

/** Kinds whose noise is real-valued: what floating point makes of it is taken to be as private. */
const idealised: ReadonlySet<string> = new Set([
  'core/gaussian', 'core/gaussian-mixture', 'core/laplace', 'core/exponential', 'core/prefix-sum',
  // A filter does not say what it let through, which may have been any of these.
  'core/filtered',
]);

/**
 * What a certificate about `event` takes for granted, without repetition and sorted.
 *
 * @param event - As `parseEvent` returns it.
 */
export function assumptionsOf(event: PrivacyEvent, kinds: readonly EventKind[] = []): readonly string[] {
  const found = new Set<string>();
  for (const { kind: name, v } of eventsWithin(event)) {
    if (idealised.has(name)) found.add('real-arithmetic');
    // As many as the event says follow the protocol.
    if (name === 'core/shuffled' || name === 'core/shuffled-local') found.add('honest-users');
    for (const assumption of kinds.find((kind) => kind.name === name && kind.version === v)?.assumptions ?? []) found.add(assumption);
  }
  return [...found].toSorted();
}
