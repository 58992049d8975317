import type {
  Adjacency,
  CoreEvent,
  CoreEventKind,
  PrivacyEvent,
  CharacterisationKind,
  Characterisations,
} from '@lethe/core';

/** Characterisations of one event without derivation; each entry may throw `Unsupported`. */
export type Knowledge = { readonly [C in CharacterisationKind]?: () => Characterisations[C] };

/** Resolves an event nested in another; `step` is its path there, for messages. */
export interface NestedResolver {
  /** @throws {Unsupported} for an event without such a characterisation. */
  <C extends CharacterisationKind>(
    event: PrivacyEvent,
    want: C,
    adjacency: Adjacency,
    step: string,
  ): Characterisations[C];
  /** The same, or `undefined`; no error is made. */
  known<C extends CharacterisationKind>(
    event: PrivacyEvent,
    want: C,
    adjacency: Adjacency,
    step: string,
  ): Characterisations[C] | undefined;
}

/** Characterisations of a core event kind. */
export type Knower<K extends CoreEventKind> = (
  event: CoreEvent<K>,
  adjacency: Adjacency,
  nested: NestedResolver,
) => Knowledge;
