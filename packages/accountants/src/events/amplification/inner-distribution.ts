import {
  type Adjacency, type Sensitivity, sensitivityUnder, type PrivacyEvent, type CharacterisationKind,
  type Characterisations, type Direction, type DominatingPair, type PrivacyLossDistribution,
} from '@lethe/core';
import { attempt } from '../attempt.js';
import { eventsWithin } from '../events-within.js';
import { withoutFailures } from '../failures.js';
import type { NestedResolver } from '../knowledge.js';
import { distributionOfAtoms } from '../pairs/atomic.js';
import { approximateLossDistribution, failingLossDistribution, gaussianLossDistribution, unprotectedLossDistribution } from '../pairs/index.js';

/** Two equal distributions. */
export const nothingLearnt: PrivacyLossDistribution = distributionOfAtoms({ losses: Float64Array.of(0), p: Float64Array.of(1), q: Float64Array.of(1) }, 0);

/** The law of Gaussian privacy with parameter `mu`. */
export const lossDistributionOfCurve = (mu: number): PrivacyLossDistribution => (mu === 0 ? nothingLearnt : mu < Infinity ? gaussianLossDistribution(mu) : unprotectedLossDistribution);

/**
 * One law of loss that bounds the event in a direction. What is sampled is seen through a mixture, for which a product of laws would
 * have to be one law: Gaussians together are, and others are bounded by one. Ways to fail are part of it.
 *
 * @throws {Unsupported} where nothing is known of the event.
 */
export function innerLossDistribution(event: PrivacyEvent, adjacency: Adjacency, nested: NestedResolver, direction: Direction): PrivacyLossDistribution {
  const ask = <C extends CharacterisationKind>(want: C): Characterisations[C] => nested(event, want, adjacency, 'event');
  const curve = attempt(() => ask('gdp'));
  if (curve?.exact === true) return lossDistributionOfCurve(curve.mu);
  const pairs = attempt(() => ask('pair'))?.filter((pair) => direction === 'symmetric' || pair.direction === direction || pair.direction === 'symmetric') ?? [];
  const distribution = pairs.length === 1 ? soleLossDistribution(pairs[0]!) : undefined;
  if (distribution !== undefined) return distribution;
  const { event: sound, delta } = withoutFailures(event, adjacency);
  if (delta > 0) return failingLossDistribution(delta, innerLossDistribution(sound, adjacency, nested, direction));
  const epsilon = attempt(() => ask('pure'));
  if (epsilon !== undefined && epsilon < Infinity) return approximateLossDistribution(epsilon, 0);
  if (curve !== undefined) return lossDistributionOfCurve(curve.mu);
  const bound = ask('approximate');
  return approximateLossDistribution(bound.epsilon, bound.delta);
}

/** The law of a pair that is a single one. */
export function soleLossDistribution({ factors }: DominatingPair): PrivacyLossDistribution | undefined {
  if (factors.length === 0) return nothingLearnt;
  return factors.length === 1 && factors[0]!.count === 1 ? factors[0]!.distribution : undefined;
}

/**
 * The event with a sensitivity under replace-one that covers null records: where a record leaves a batch of fixed size another takes its
 * place, and either may be the null record, which need not lie in the range of the others.
 *
 * @throws {Unsupported} under zero-out where the event does not tell how far a null record may be.
 */
export const coveringNulls = (event: PrivacyEvent, adjacency: Adjacency): PrivacyEvent => covered(event, adjacency) as PrivacyEvent;

function covered(value: unknown, adjacency: Adjacency): unknown {
  if (Array.isArray(value)) return value.map((one) => covered(one, adjacency));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => {
    if (key !== 'sensitivity' || typeof inner !== 'object' || inner === null) return [key, covered(inner, adjacency)];
    const { 'replace-one': replaced, 'zero-out': emptied } = inner as Sensitivity;
    if (adjacency === 'zero-out') sensitivityUnder(inner, adjacency, 'an event in a batch of fixed size');
    return [key, replaced !== undefined && emptied !== undefined ? { ...inner, 'replace-one': Math.max(replaced, emptied) } : inner];
  }));
}

const messages: ReadonlySet<string> = new Set(['core/randomized-response', 'core/shuffled', 'core/shuffled-local']);

/** Whether a record that is drawn sends a message even when it is null, so that its presence shows. */
export function sendsMessages(event: PrivacyEvent): boolean {
  for (const { kind } of eventsWithin(event)) if (messages.has(kind)) return true;
  return false;
}
