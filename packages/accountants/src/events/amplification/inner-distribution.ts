import {
  type Adjacency,
  type Sensitivity,
  sensitivityUnder,
  type PrivacyEvent,
  type CharacterisationKind,
  type Characterisations,
  type Direction,
  type DominatingPair,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { eventsWithin } from '../events-within.js';
import { withoutFailures } from '../failures.js';
import type { NestedResolver } from '../knowledge.js';
import { distributionOfAtoms } from '../pairs/atomic.js';
import {
  approximateLossDistribution,
  failingLossDistribution,
  gaussianLossDistribution,
  unprotectedLossDistribution,
} from '../pairs/index.js';

/** Privacy-loss distribution of two equal distributions. */
export const nothingLearnt: PrivacyLossDistribution = distributionOfAtoms(
  { losses: Float64Array.of(0), p: Float64Array.of(1), q: Float64Array.of(1) },
  0,
);

/** Privacy-loss distribution of `mu`-Gaussian privacy. */
export const lossDistributionOfCurve = (mu: number): PrivacyLossDistribution => {
  if (mu === 0) return nothingLearnt;
  return mu < Infinity ? gaussianLossDistribution(mu) : unprotectedLossDistribution;
};

/**
 * A single privacy-loss distribution that dominates the event in one direction, with its failures. Sampling
 * mixes the whole event, so it needs one distribution rather than a product: a product of Gaussians is one,
 * other products are bounded by one.
 *
 * @throws {Unsupported} when the event has no suitable characterisation.
 */
export function innerLossDistribution(
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
  direction: Direction,
): PrivacyLossDistribution {
  const known = <C extends CharacterisationKind>(want: C): Characterisations[C] | undefined =>
    nested.known(event, want, adjacency, 'event');
  const curve = known('gdp');
  if (curve?.exact === true) return lossDistributionOfCurve(curve.mu);
  const pairs =
    known('pair')?.filter(
      (pair) => direction === 'symmetric' || pair.direction === direction || pair.direction === 'symmetric',
    ) ?? [];
  // Pairs of both directions may have one distribution, and differ in their witnesses.
  const [distribution, ...others] = new Set(pairs.map(soleLossDistribution));
  if (distribution !== undefined && others.length === 0) return distribution;
  const { event: sound, delta } = withoutFailures(event, adjacency);
  if (delta > 0)
    return failingLossDistribution(delta, innerLossDistribution(sound, adjacency, nested, direction));
  const epsilon = known('pure');
  if (epsilon !== undefined && epsilon < Infinity) return approximateLossDistribution(epsilon, 0);
  if (curve !== undefined) return lossDistributionOfCurve(curve.mu);
  const bound = nested(event, 'approximate', adjacency, 'event');
  return approximateLossDistribution(bound.epsilon, bound.delta);
}

/** The distribution of a pair with at most one factor of count 1, else `undefined`. */
export function soleLossDistribution({ factors }: DominatingPair): PrivacyLossDistribution | undefined {
  if (factors.length === 0) return nothingLearnt;
  return factors.length === 1 && factors[0].count === 1 ? factors[0].distribution : undefined;
}

/**
 * The event with a replace-one sensitivity that also covers null records. In a batch of fixed size another
 * record takes the place of an omitted one, and either may be the null record, which may lie outside the
 * range of the others.
 *
 * @throws {Unsupported} under zero-out, when the event has no zero-out sensitivity.
 */
export const coveringNulls = (event: PrivacyEvent, adjacency: Adjacency): PrivacyEvent =>
  covered(event, adjacency) as PrivacyEvent;

function covered(value: unknown, adjacency: Adjacency): unknown {
  if (Array.isArray(value)) return value.map((one) => covered(one, adjacency));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== 'sensitivity' || typeof inner !== 'object' || inner === null)
        return [key, covered(inner, adjacency)];
      const { 'replace-one': replaced, 'zero-out': emptied } = inner as Sensitivity;
      if (adjacency === 'zero-out') sensitivityUnder(inner, adjacency, 'an event in a batch of fixed size');
      return [
        key,
        replaced !== undefined && emptied !== undefined
          ? { ...inner, 'replace-one': Math.max(replaced, emptied) }
          : inner,
      ];
    }),
  );
}

const messages: ReadonlySet<string> = new Set([
  'core/randomized-response',
  'core/shuffled',
  'core/shuffled-local',
]);

/** Whether a drawn record sends a message even when it is null, which reveals its presence. */
export function sendsMessages(event: PrivacyEvent): boolean {
  for (const { kind } of eventsWithin(event)) if (messages.has(kind)) return true;
  return false;
}
