import type { Adjacency, CharacterisationKind, Characterisations, PrivacyEvent } from '@lethe/core';
import type { NestedResolver } from '../../knowledge.js';

/** Characterisations of the inner event when one record is present or absent. */
export interface Inside {
  <C extends CharacterisationKind>(want: C): Characterisations[C];
  /** The same, or `undefined` without one. */
  known<C extends CharacterisationKind>(want: C): Characterisations[C] | undefined;
  /** The event, what resolves it, and the adjacencies, in order of preference. */
  readonly inner: {
    readonly event: PrivacyEvent;
    readonly nested: NestedResolver;
    readonly under: readonly Adjacency[];
  };
}

/** Characterisations of an event under the first adjacency, in order of preference, that has them. */
export function insideOf(event: PrivacyEvent, nested: NestedResolver, under: readonly Adjacency[]): Inside {
  const known = <C extends CharacterisationKind>(want: C): Characterisations[C] | undefined => {
    for (const presence of under) {
      const found = nested.known(event, want, presence, 'event');
      if (found !== undefined) return found;
    }
    return undefined;
  };
  // Where all adjacencies are unsupported, the error is that of the first.
  const ask = <C extends CharacterisationKind>(want: C): Characterisations[C] =>
    known(want) ?? nested(event, want, under[0], 'event');
  return Object.assign(ask, { known, inner: { event, nested, under } });
}
