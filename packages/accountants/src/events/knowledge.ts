import type {
  Adjacency,
  CoreEvent,
  CoreEventKind,
  PrivacyEvent,
  CharacterisationKind,
  Characterisations,
  DominatingPair,
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

/** Core's kinds of events that a resolver knows. */
export type Knowers = { readonly [K in CoreEventKind]?: Knower<K> };

/** Another characterisation of the same event, or `undefined`. */
export type Sibling = <C extends CharacterisationKind>(want: C) => Characterisations[C] | undefined;

/** What a resolver does with dominating pairs beyond those that kinds of events have. */
export interface PairRules {
  /** Sound pairs from other characterisations. */
  derive(known: Sibling): readonly DominatingPair[] | undefined;
  /** Validates the pairs of a plugin, as `checkedPairs`. */
  checked(kind: string, pairs: readonly DominatingPair[]): readonly DominatingPair[];
  /** Marks resolved pairs as valid. */
  trust(pairs: readonly DominatingPair[]): void;
}

/** What a resolver knows. An event of another kind, and a pair without rules for pairs, is refused. */
export interface EventKnowledge {
  readonly knowers: Knowers;
  /** `null`: the resolver has no dominating pairs. */
  readonly pairs: PairRules | null;
}
