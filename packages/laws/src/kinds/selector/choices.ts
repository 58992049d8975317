import { eventKindsOf, adjacencies, type Adjacency, type EventKind, type RandomSource } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { claimedProfile, type ClaimedProfile, claimedRenyi } from '../../divergence/claimed-profile.js';
import type { Subject } from '../../law/subject.js';

/** A selector at given parameters. */
export type SelectorSubject = Subject<'selector'>;

/** A choice: candidates' utilities and ε. */
export interface Choice {
  readonly utilities: readonly number[];
  readonly epsilon: number;
}

/** The chosen position. */
export const chosen = (
  { plugin, params }: SelectorSubject,
  { utilities, epsilon }: Choice,
  random: RandomSource,
): number => plugin.choose(params, Float64Array.from(utilities), epsilon, random);

/** The declared probabilities. */
export const probabilitiesOf = (
  { plugin, params }: SelectorSubject,
  { utilities, epsilon }: Choice,
): Float64Array | null => plugin.probabilities(params, Float64Array.from(utilities), epsilon);

/** The reason why laws about declared probabilities do not apply. */
export const onlyDeclared = (subject: SelectorSubject): string | undefined =>
  probabilitiesOf(subject, { utilities: [0, 1], epsilon: 1 }) === null
    ? 'it declares no probabilities; see selector/audit'
    : undefined;

/** Tolerance of declared probabilities. */
export const accuracy = 1e-12;

/** Moves of utilities for an event of unit sensitivity; half or twice as much under other adjacencies. */
export const moves: Readonly<Record<Adjacency, number>> = {
  'replace-one': 1,
  'add-remove': 2,
  'zero-out': 0.5,
};

/** Event kinds of the selector's events besides those of core. */
export const kindsOf = ({ registry }: SelectorSubject): readonly EventKind[] => eventKindsOf(registry);

/** The claims of an event under one adjacency. */
export interface Claim {
  readonly adjacency: Adjacency;
  readonly profile: ClaimedProfile;
  readonly renyi: (alpha: number) => number;
}

/** The claims for one choice under each adjacency, with utilities that move by {@link moves} there. */
export function claimsAt(subject: SelectorSubject, epsilon: number): readonly Claim[] {
  const kinds = kindsOf(subject);
  const event = subject.plugin.event(subject.params, epsilon, moves);
  return adjacencies.map((adjacency) => ({
    adjacency,
    profile: claimedProfile(event, adjacency, kinds),
    renyi: renyiOf(() => claimedRenyi(event, adjacency, kinds)),
  }));
}

function renyiOf(claimed: () => (alpha: number) => number): (alpha: number) => number {
  try {
    return claimed();
  } catch {
    // The event has no Rényi characterisation.
    return () => Infinity;
  }
}

/** ε from 1/64 to 16. */
export const epsilons: Arbitrary<number> = fc.integer({ min: -6, max: 4 }).map((k) => 2 ** k);

/**
 * Choices among a few candidates, with ties, close ones and
 * clear leaders; distances in the unit `1/ε`, exact in doubles.
 */
export const choicesOf = (most: number): Arbitrary<Choice> =>
  fc
    .record(
      {
        epsilon: epsilons,
        steps: fc.array(fc.oneof(fc.constantFrom(0, 0, 16, -16), fc.integer({ min: -80, max: 80 })), {
          minLength: 1,
          maxLength: most,
        }),
      },
      { noNullPrototype: true },
    )
    .map(({ epsilon, steps }) => ({ epsilon, utilities: steps.map((step) => step / 16 / epsilon) }));

/** Choices at extreme doubles. */
export const extremeChoices: Arbitrary<Choice> = fc.record(
  {
    epsilon: fc.constantFrom(1, 5e-324, 1e-300, 1e-9, 1e9, 1e300),
    utilities: fc.array(
      fc.constantFrom(
        0,
        -0,
        1,
        5e-324,
        -5e-324,
        1e-9,
        1e16,
        -1e16,
        1e300,
        -1e300,
        Number.MAX_VALUE,
        -Number.MAX_VALUE,
      ),
      { minLength: 1, maxLength: 5 },
    ),
  },
  { noNullPrototype: true },
);
