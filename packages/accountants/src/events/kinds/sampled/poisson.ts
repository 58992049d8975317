import type { Adjacency, PrivacyEvent } from '@lethe/core';
import {
  Unsupported,
  addUp,
  expm1Down,
  expm1Up,
  log1pDown,
  log1pUp,
  multiplyDown,
  multiplyUp,
  subtractUp,
} from '@lethe/numerics';
import { attempt } from '../../attempt.js';
import { eventsWithin } from '../../events-within.js';
import type { Knowledge, NestedResolver } from '../../knowledge.js';
import { presenceRenyi, pureRenyi, replacementRenyi } from '../../renyi/index.js';
import { insideOf } from './inside.js';
import { presentPairs, replacedPairs } from './poisson-pairs.js';

/**
 * Adjacencies under which the event inside a Poisson sample must be private, in order of preference.
 * Replacing a record changes the presence of one record or of the other, so presence counts: zero-out,
 * because a null record adds nothing, or add-remove.
 */
const innerAdjacencies: { readonly [A in Adjacency]: readonly Adjacency[] } = {
  'add-remove': ['add-remove'],
  'zero-out': ['zero-out', 'add-remove'],
  'replace-one': ['zero-out', 'add-remove'],
};

/** Characterisations of an event on a Poisson sample with `rate < 1`. */
export function poisson(
  rate: number,
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  const inner = insideOf(event, nested, innerAdjacencies[adjacency]);
  return {
    ...poissonCurves(rate, event, adjacency, nested),
    pair: () =>
      adjacency === 'replace-one'
        ? replacedPairs(rate, inner, () => nested(event, 'gdp', 'replace-one', 'event'))
        : presentPairs(rate, inner),
  };
}

/** The same but for pairs. */
export function poissonCurves(
  rate: number,
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  for (const { kind } of eventsWithin(event)) {
    if (kind === 'core/randomized-response' || kind === 'core/shuffled' || kind === 'core/shuffled-local') {
      throw new Unsupported(
        `'${kind}' in a Poisson sample cannot be accounted: every record that is drawn sends a message, ` +
          'a null record too, so it differs from an absent one',
        { kind, adjacency },
      );
    }
  }
  const inner = insideOf(event, nested, innerAdjacencies[adjacency]);
  const pure = (): number =>
    adjacency === 'replace-one' ? replacedPure(rate, inner('pure')) : presentPure(rate, inner('pure'));
  const fromGaussian = (): ((alpha: number) => number) => {
    const { mu } = inner('gdp');
    if (mu === 0) return () => 0;
    return (adjacency === 'replace-one' ? replacementRenyi : presenceRenyi)({ rate, mu });
  };
  const known: Knowledge = {
    pure,
    rdp: () => {
      const gaussian = fromGaussian();
      const epsilon = attempt(pure);
      if (epsilon === undefined || epsilon === Infinity) return gaussian;
      const response = pureRenyi(epsilon);
      // Both distributions are mixtures with equal weights, so the cost without sampling is a bound (van
      // Erven, Harremoës 2014, Theorem 13).
      const unsampled = nested.known(event, 'rdp', adjacency, 'event') ?? (() => Infinity);
      return (alpha) => Math.min(gaussian(alpha), response(alpha), unsampled(alpha));
    },
  };
  if (adjacency === 'replace-one') return known;
  return {
    ...known,
    approximate: () => {
      const { epsilon, delta } = inner('approximate');
      return { epsilon: presentPure(rate, epsilon), delta: multiplyUp(rate, delta) };
    },
  };
}

/** `log(1 + q(e^ε − 1))`. @see Balle, Barthe, Gaboardi 2018, Theorem 8. */
function presentPure(rate: number, epsilon: number): number {
  if (epsilon > 700) return epsilon;
  return Math.min(epsilon, log1pUp(multiplyUp(rate, expm1Up(epsilon))));
}

/** Worst case: a set likely with one record and unlikely with the other: `log((1−q+q e^ε)/(1−q+q e^−ε))`. */
function replacedPure(rate: number, epsilon: number): number {
  const without = log1pDown(Math.max(-1, multiplyDown(rate, expm1Down(-epsilon))));
  return without === -Infinity
    ? addUp(epsilon, epsilon)
    : Math.min(addUp(epsilon, epsilon), subtractUp(presentPure(rate, epsilon), without));
}
