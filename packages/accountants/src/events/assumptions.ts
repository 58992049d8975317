import { adjacencies, LetheError, seededRandom, type EventKind, type PrivacyEvent } from '@lethe/core';
import { eventsWithin } from './events-within.js';

/** Event kinds with real-valued noise: certificates assume that floating-point noise is as private. */
const idealised: ReadonlySet<string> = new Set([
  'core/gaussian',
  'core/gaussian-mixture',
  'core/gaussian-mixture-pair',
  'core/laplace',
  'core/exponential',
  'core/prefix-sum',
  // The events under a filter may be of any of these kinds, and so may what a curve was computed for.
  'core/filtered',
  'core/renyi',
  'core/verified',
]);

/**
 * Assumptions of a certificate about `event`, sorted and without duplicates.
 *
 * @param event - As returned by `parseEvent`.
 */
export function assumptionsOf(event: PrivacyEvent, kinds: readonly EventKind[] = []): readonly string[] {
  const found = new Set<string>();
  for (const part of eventsWithin(event)) {
    const { kind: name, v } = part;
    if (idealised.has(name)) found.add('real-arithmetic');
    // The guarantee needs the stated number of users to follow the protocol.
    if (name === 'core/shuffled' || name === 'core/shuffled-local') found.add('honest-users');
    const plugin = kinds.find((kind) => kind.name === name && kind.version === v);
    for (const assumption of plugin?.assumptions ?? []) found.add(assumption);
    // Its author's word: no mechanism is known whose outputs could be compared with its numbers.
    if (plugin !== undefined && !isRealised(part, plugin)) found.add(`numbers-of ${name}`);
  }
  return [...found].toSorted();
}

/** Whether a mechanism draws outputs for these very numbers, under some adjacency. */
function isRealised(part: PrivacyEvent, { realise = [] }: EventKind): boolean {
  return realise.some((realisation) =>
    adjacencies.some((adjacency) => {
      try {
        realisation.draw(part, adjacency, 0, seededRandom('realised'));
        return true;
      } catch (error) {
        if (error instanceof LetheError) return false;
        throw error;
      }
    }),
  );
}
