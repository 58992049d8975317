import { type CoreEvent, type Characterisations, type DominatingPair, dominatingPair } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { nothingLearnt } from '../../amplification/index.js';
import { attempt } from '../../attempt.js';
import { withoutFailures } from '../../failures.js';
import {
  approximatePairs,
  failingLossDistribution,
  gaussianPairs,
  presentInPoisson,
  replacedInPoisson,
  replacedResponseLossDistribution,
  symmetricPairs,
} from '../../pairs/index.js';
import { insideOf, type Inside } from './inside.js';

type Pairs = readonly DominatingPair[];
/** An inner event without its failures. */
interface Sound {
  readonly inside: Inside;
  readonly delta: number;
  /** Whether there is a single kind of failure, so that its probability is exact. */
  readonly exact: boolean;
}

/** The inner event without failures, with the failure probability; `undefined` if it has no failures. */
function soundOf({ inner: { event, nested, under } }: Inside): Sound | undefined {
  for (const presence of under) {
    const rest = attempt(() => withoutFailures(event, presence));
    const core = event as CoreEvent;
    // Failures removed under one adjacency are removed under that one only.
    const inside =
      rest !== undefined && rest.delta > 0 ? insideOf(rest.event, nested, [presence]) : undefined;
    if (inside !== undefined && attempt(() => pairsInside(inside)) !== undefined)
      return {
        inside,
        delta: defined(rest).delta,
        exact: core.kind === 'core/failing' && core.delta === defined(rest).delta,
      };
  }
  return undefined;
}

/** Pairs under add-remove and zero-out: one record is present in the sample or absent. */
export function presentPairs(rate: number, inner: Inside): Pairs {
  return (['remove', 'add'] as const).flatMap((direction) =>
    pairsInside(inner)
      .filter((pair) => pair.direction === direction || pair.direction === 'symmetric')
      .map((pair): DominatingPair => ({
        direction,
        factors: pair.factors.map(({ distribution, count }) => ({
          distribution: presentInPoisson(distribution, rate, direction),
          count,
        })),
        attained: pair.attained,
      })),
  );
}

/**
 * Pairs with one privacy-loss distribution each. Releases from one batch are amplified together: Gaussian
 * releases as one Gaussian, others by one bound for all. An event with failures becomes one distribution that
 * includes them.
 */
function pairsInside(inner: Inside): Pairs {
  const curve = inner.known('gdp');
  if (curve?.exact === true) return gaussianPairs(curve);
  const pairs = inner.known('pair');
  if (
    pairs?.every(
      ({ factors }) => factors.length === 0 || (factors.length === 1 && factors[0].count === 1),
    ) === true
  )
    return pairs;
  if (curve !== undefined) return gaussianPairs(curve);
  const bound = inner.known('approximate');
  const rest = bound === undefined ? soundOf(inner) : undefined;
  if (rest !== undefined) {
    return pairsInside(rest.inside).map(({ direction, factors, attained }) =>
      dominatingPair(
        direction,
        failingLossDistribution(rest.delta, factors[0]?.distribution ?? nothingLearnt),
        rest.exact && attained,
      ),
    );
  }
  // No characterisation: throws the error of the pair, or else of the (ε, δ) bound.
  return bound === undefined && pairs === undefined
    ? inner('pair')
    : approximatePairs(bound ?? inner('approximate'), false);
}

/**
 * Pairs under replace-one: on either side, a record may be present or absent. The Gaussian pair is attained
 * if two records move the release in opposite directions.
 */
export function replacedPairs(rate: number, inner: Inside, replaced: () => Characterisations['gdp']): Pairs {
  const curve = inner.known('gdp');
  if (curve?.exact === true) {
    const apart = attempt(replaced);
    return replacedBy(rate, curve.mu, apart?.exact === true && apart.lower >= 2 * curve.lower);
  }
  const epsilon = inner.known('pure');
  if (epsilon !== undefined && epsilon < Infinity)
    return symmetricPairs(epsilon, (size) => replacedResponseLossDistribution(rate, size), false);
  return replacedBy(rate, inner('gdp').mu, false);
}

/** For infinite μ, the two sides are distinguished whenever a record is present, with probability `rate`. */
const replacedBy = (rate: number, mu: number, attained: boolean): Pairs =>
  mu === Infinity
    ? approximatePairs({ epsilon: 0, delta: rate }, attained)
    : symmetricPairs(mu, (size) => replacedInPoisson(rate, size), attained);
