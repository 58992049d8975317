import type {
  Adjacency,
  Characterisations,
  Direction,
  DominatingPair,
  PrivacyEvent,
  PrivacyLossDistribution,
} from '@lethe/core';
import { lossDistributionOfCurve, occurrencesOf, soleLossDistribution } from '../../amplification/index.js';
import type { NestedResolver } from '../../knowledge.js';
import { gaussianMixtureLossDistribution, presentInPoisson, replacedInPoisson } from '../../pairs/index.js';

/*
 * Pairs that some neighbours come to, beside a pair that bounds them: of noise on a sum of records, in which
 * shifts add up.
 */

type Curve = Characterisations['gdp'] | undefined;
type Witness = Pick<DominatingPair, 'witness'>;
type OneWay = Exclude<Direction, 'symmetric'>;

/** How far some record moves the release; `undefined` if that is not known, or everything is told. */
const movedBy = (curve: Curve): number | undefined =>
  curve?.exact === true && curve.lower > 0 && curve.lower < Infinity ? curve.lower : undefined;

/** What the release of one batch shows of a record in it, where that is known from below. */
export function attainedAlone(
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): PrivacyLossDistribution | undefined {
  const mu = movedBy(nested.known(event, 'gdp', adjacency, 'event'));
  if (mu !== undefined) return lossDistributionOfCurve(mu);
  const [pair] = event.kind === 'core/laplace' ? (nested.known(event, 'pair', adjacency, 'event') ?? []) : [];
  return pair?.attained === true ? soleLossDistribution(pair) : undefined;
}

const witnessOf = (distribution: PrivacyLossDistribution): Witness => ({
  witness: [{ distribution, count: 1 }],
});

/**
 * All other records contribute what the second record does: the record is in the batch with probability
 * `rate`, and otherwise the release is that of the neighbour.
 *
 * @param alone - What the batch then shows, by {@link attainedAlone}.
 * @param rate - Probability that the record is in the batch, rounded down.
 */
export const presentWitness = (
  alone: PrivacyLossDistribution | undefined,
  rate: number,
  direction: OneWay,
): Witness =>
  alone === undefined || !(rate > 0 && rate < 1) ? {} : witnessOf(presentInPoisson(alone, rate, direction));

/**
 * All other records contribute nothing, and two records that replace each other move the release in opposite
 * directions.
 *
 * @param curve - Of the presence of one record.
 * @param apart - Of the replacement.
 */
export function replacedWitness(curve: Curve, apart: Curve, rate: number): Witness {
  const mu = movedBy(curve);
  const both = movedBy(apart);
  return mu === undefined || both === undefined || both < 2 * mu || !(rate > 0 && rate < 1)
    ? {}
    : witnessOf(replacedInPoisson(rate, mu));
}

/** All other records contribute what the second record does; each occurrence of the record moves a sum. */
export function drawnWitness(
  curve: Curve,
  { n, size }: { readonly n: number; readonly size: number },
  direction: OneWay,
): Witness {
  const mu = movedBy(curve);
  const mixture = mu === undefined ? undefined : occurrencesOf(n, size, mu);
  return mixture === undefined
    ? {}
    : witnessOf(gaussianMixtureLossDistribution(mixture.means, mixture.probabilities, direction));
}
