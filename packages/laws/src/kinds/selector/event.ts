import { adjacencies, type Adjacency, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { claimIfKnown, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import {
  claimsAt,
  epsilons,
  kindsOf,
  moves,
  onlyDeclared,
  probabilitiesOf,
  choicesOf,
  type Choice,
  type SelectorSubject,
} from './choices.js';

const levels = [0, 0.1, 0.25, 0.5, 0.9, 1];
const orders = [1.1, 1.5, 2, 4, 8, 32];
/** Smaller probabilities are too inaccurate for a logarithm accurate to 10⁻¹². */
const telling = 1e-6;

/**
 * All ways to move each of a few utilities down, up or not at all;
 * for more, one against all others and halves against halves.
 */
function patterns(count: number): readonly (readonly number[])[] {
  if (count > 5) {
    const all = Array.from({ length: count }, (_, i) => i);
    const alone = count > 40 ? [0, count >> 1, count - 1] : all;
    return [
      ...alone.flatMap((i) => [1, -1].map((sign) => all.map((j) => (j === i ? sign : -sign)))),
      ...[1, -1].map((sign) => all.map((j) => (j % 2 === 0 ? sign : -sign))),
    ];
  }
  let found: readonly (readonly number[])[] = [[]];
  for (let i = 0; i < count; i++)
    found = found.flatMap((pattern) => [1, -1, 0].map((step) => [...pattern, step]));
  return found;
}

/** `Σ max(0, p − e^ε q)`. */
const hockeyStick = (p: Float64Array, q: Float64Array, epsilon: number): number =>
  p.reduce((sum, x, i) => sum + Math.max(0, x - Math.exp(epsilon) * q[i]), 0);

/** A lower bound on the Rényi divergence: from outcomes with accurate probabilities only. */
function renyi(p: Float64Array, q: Float64Array, alpha: number): number {
  const sum = p.reduce(
    (total, x, i) =>
      x > telling && q[i] > telling
        ? total + Math.exp(alpha * Math.log(x) - (alpha - 1) * Math.log(q[i]))
        : total,
    0,
  );
  return Math.log(sum) / (alpha - 1) - (2 * alpha * 1e-12) / telling / (alpha - 1);
}

function worst(subject: SelectorSubject, candidates: Choice, share: number): Violation | undefined {
  const { utilities, epsilon } = candidates;
  const here = defined(probabilitiesOf(subject, candidates));
  for (const { adjacency, profile, renyi: allowedRenyi } of claimsAt(subject, epsilon)) {
    const claims = levels
      .map((level) => level * epsilon * moves[adjacency])
      .map((at) => ({ at, delta: profile.delta(at) }));
    const divergences = orders.map((alpha) => ({ alpha, allowed: allowedRenyi(alpha) }));
    for (const pattern of patterns(utilities.length)) {
      const moved = utilities.map((utility, i) => utility + share * moves[adjacency] * pattern[i]);
      const there = defined(probabilitiesOf(subject, { ...candidates, utilities: moved }));
      for (const [from, to, p, q] of [
        [utilities, moved, here, there],
        [moved, utilities, there, here],
      ] as const) {
        for (const { at, delta } of claims) {
          const measured = hockeyStick(p, q, at);
          if (!(measured <= delta + 1e-12 * utilities.length * (1 + Math.exp(at))))
            return {
              what:
                `under ${adjacency}, utilities that move by ${moves[adjacency]} have ` +
                `δ(${at}) = ${measured}; the event claims ${delta}`,
              measured,
              allowed: delta,
              input: { from, to, epsilon },
            };
        }
        for (const { alpha, allowed } of divergences) {
          const measured = renyi(p, q, alpha);
          if (measured > allowed * (1 + 1e-9) + 1e-12)
            return {
              what:
                `under ${adjacency}, utilities that move by ${moves[adjacency]} have a Rényi divergence ` +
                `of order ${alpha} of at least ${measured}; the event claims ${allowed}`,
              measured,
              allowed,
              input: { from, to, epsilon },
            };
        }
      }
    }
  }
  return undefined;
}

/**
 * Utilities with the largest losses of the usual selectors: equal
 * ones, one far ahead, one far behind; nearly equal ones off any grid.
 */
const telltale: readonly { readonly candidates: Choice; readonly share: number }[] = [
  ...[1, 8, 1e-6].flatMap((epsilon) =>
    [
      [0, 0],
      [2, 0],
      [0, 0, 0],
      [2, 0, 0, 0],
      [0, 2, 2],
      [-20, 0, 2, 2],
      [0, ...Array.from({ length: 30 }, () => 2)],
      [0, ...Array.from({ length: 64 }, () => 2)],
      [0, ...Array.from({ length: 1024 }, () => 2)],
    ].map((steps) => ({ candidates: { epsilon, utilities: steps.map((step) => step / epsilon) }, share: 1 })),
  ),
  ...[0, 7, 13, 29, 41].map((step) => ({ candidates: { epsilon: 0.01, utilities: [0, step] }, share: 1 })),
  // Behind by so much that the probability is small, but no rounding: a cut-off shows between neighbours.
  ...Array.from({ length: 17 }, (_, i) => ({
    candidates: { epsilon: 1, utilities: [0, 16 + 2 * i] },
    share: 1,
  })),
];

export const event = defineLaw<'selector'>({
  id: 'selector/event',
  kind: 'selector',
  tier: 'search',
  exempt: onlyDeclared,
  statement:
    'between utilities that each move by at most the sensitivity, the declared probabilities satisfy the ' +
    'claims of the event, in δ and in Rényi divergence, under every adjacency',
  power:
    'an ε too small by 1 %, for a selector that attains its bound at equal utilities; ' +
    'choices among up to 5 in all directions, among 31 in 64, and among 65 and 1025 in eight',
  check: (subject, env) =>
    env.forAll(
      fc.record({ candidates: choicesOf(4), share: fc.constantFrom(1, 1, 0.3) }),
      ({ candidates, share }) => worst(subject, candidates, share),
      { runs: 40, examples: telltale },
    ),
});

/** The claims of the event under an adjacency; `undefined` if unknown. */
const claimOf = (
  subject: SelectorSubject,
  released: PrivacyEvent,
  adjacency: Adjacency,
): ClaimedProfile | undefined => claimIfKnown(released, adjacency, kindsOf(subject));

export const assumptions = defineLaw<'selector'>({
  id: 'selector/assumptions',
  kind: 'selector',
  tier: 'search',
  statement:
    'the event of a choice has a claim at every ε, none under an adjacency without a sensitivity, ' +
    'and the assumption of real arithmetic unless the numerics are exact',
  power: 'certain',
  check: (subject, env) =>
    env.forAll(
      fc.record({ epsilon: epsilons, only: fc.constantFrom(...adjacencies) }),
      ({ epsilon, only }): Violation | undefined => {
        const { plugin, params } = subject;
        const released = plugin.event(params, epsilon, { [only]: 1 });
        // A choice that does not depend on utilities is private between any two data sets.
        const isFree = claimOf(subject, released, only)?.delta(0) === 0;
        for (const adjacency of adjacencies) {
          const claim = claimOf(subject, released, adjacency);
          if (adjacency !== only) {
            if (claim !== undefined && claim.delta(0) < 1 && !isFree)
              return {
                what:
                  `the sensitivity is given under ${only} alone, ` +
                  `but under ${adjacency} the event claims δ(0) = ${claim.delta(0)}`,
              };
            continue;
          }
          if (claim === undefined) return { what: `under ${only} its event claims nothing` };
          if (plugin.numerics === 'idealised' && !claim.assumptions.includes('real-arithmetic'))
            return {
              what:
                'its numerics are idealised, and a certificate for it assumes ' +
                `[${claim.assumptions.join(', ')}]: real-arithmetic is missing`,
            };
        }
        return undefined;
      },
      { runs: 20 },
    ),
});
