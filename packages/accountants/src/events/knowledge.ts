import type {
  Adjacency, CoreEvent, CoreEventKind, PrivacyEvent, CharacterisationKind, Characterisations,
} from '@lethe/core';

/** What is known of one event without derivation; each entry may throw `Unsupported`. */
export type Knowledge = { readonly [C in CharacterisationKind]?: () => Characterisations[C] };

/** Resolves an event nested in another; `step` is its place there, for messages. */
export type NestedResolver = <C extends CharacterisationKind>(event: PrivacyEvent, want: C, adjacency: Adjacency, step: string) => Characterisations[C];

/** What a core kind knows. */
export type Knower<K extends CoreEventKind> = (event: CoreEvent<K>, adjacency: Adjacency, nested: NestedResolver) => Knowledge;
