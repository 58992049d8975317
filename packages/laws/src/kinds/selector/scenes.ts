import { eventKindsOf, adjacencies, type Adjacency, type EventKind, type RandomSource } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { claimedProfile, type ClaimedProfile, claimedRenyi } from '../../divergence/claimed-profile.js';
import type { Subject } from '../../law/subject.js';

/** A selector at given parameters. */
export type SelectorSubject = Subject<'selector'>;

/** A choice to be made. */
export interface Scene { readonly utilities: readonly number[]; readonly epsilon: number }

/** The position it chooses. */
export const chosen = ({ plugin, params }: SelectorSubject, { utilities, epsilon }: Scene, random: RandomSource): number =>
  plugin.choose(params as never, Float64Array.from(utilities), epsilon, random);

/** The probabilities it declares. */
export const probabilitiesOf = ({ plugin, params }: SelectorSubject, { utilities, epsilon }: Scene): Float64Array | null =>
  plugin.probabilities(params as never, Float64Array.from(utilities), epsilon);

/** Why laws about declared probabilities say nothing of it. */
export const onlyDeclared = (subject: SelectorSubject): string | undefined =>
  (probabilitiesOf(subject, { utilities: [0, 1], epsilon: 1 }) === null ? 'it declares no probabilities; judged by selector/audit' : undefined);

/** How far the declared probabilities may be off. */
export const accuracy = 1e-12;

/** Utilities that moved by at most 1 make an event of unit sensitivity, by half of that or twice under other adjacencies. */
export const moves: Readonly<Record<Adjacency, number>> = { 'replace-one': 1, 'add-remove': 2, 'zero-out': 0.5 };

/** Event kinds beyond core's that its events may be of. */
export const kindsOf = ({ registry }: SelectorSubject): readonly EventKind[] => eventKindsOf(registry);

/** What an event claims under one adjacency. */
export interface Claim { readonly adjacency: Adjacency; readonly profile: ClaimedProfile; readonly renyi: (alpha: number) => number }

/** What the event of one choice claims under each adjacency, with utilities that move by {@link moves} there. */
export function claimsAt(subject: SelectorSubject, epsilon: number): readonly Claim[] {
  const kinds = kindsOf(subject), event = subject.plugin.event(subject.params as never, epsilon, moves);
  return adjacencies.map((adjacency) => ({ adjacency, profile: claimedProfile(event, adjacency, kinds), renyi: renyiOf(() => claimedRenyi(event, adjacency, kinds)) }));
}

function renyiOf(claimed: () => (alpha: number) => number): (alpha: number) => number {
  try {
    return claimed();
  } catch {
    // Nothing is claimed of Rényi divergences.
    return () => Infinity;
  }
}

/** ε from 1/64 to 16. */
export const epsilons: Arbitrary<number> = fc.integer({ min: -6, max: 4 }).map((k) => 2 ** k);

/** Choices among a few, with ties, near misses and lone favourites; distances in the unit `1/ε`, exact in doubles. */
export const scenesOf = (most: number): Arbitrary<Scene> => fc.record({
  epsilon: epsilons,
  steps: fc.array(fc.oneof(fc.constantFrom(0, 0, 16, -16), fc.integer({ min: -80, max: 80 })), { minLength: 1, maxLength: most }),
}, { noNullPrototype: true }).map(({ epsilon, steps }) => ({ epsilon, utilities: steps.map((step) => step / 16 / epsilon) }));

/** Choices as far off as doubles go. */
export const extremeScenes: Arbitrary<Scene> = fc.record({
  epsilon: fc.constantFrom(1, 5e-324, 1e-300, 1e-9, 1e9, 1e300),
  utilities: fc.array(fc.constantFrom(0, -0, 1, 5e-324, -5e-324, 1e-9, 1e16, -1e16, 1e300, -1e300, Number.MAX_VALUE, -Number.MAX_VALUE), { minLength: 1, maxLength: 5 }),
}, { noNullPrototype: true });
