import { type Adjacency, type PrivacyEvent, dominatingPair, type PrivacyLossDistribution } from '@lethe/core';
import { defined, divideDown, divideUp, multiplyUp, Unsupported } from '@lethe/numerics';
import {
  amplifiedPure,
  coveringNulls,
  drawnLossDistribution,
  drawnPure,
  innerLossDistribution,
  lossDistributionOfCurve,
  soleLossDistribution,
  subsetRenyi,
} from '../../amplification/index.js';
import { attempt } from '../../attempt.js';
import { drawnAtAll } from '../../drawn-at-all.js';
import { eventsWithin } from '../../events-within.js';
import type { Knowledge, NestedResolver } from '../../knowledge.js';
import { presentInPoisson, pureLossDistribution, splicedLossDistribution } from '../../pairs/index.js';
import { atMost, allRecords } from './all-records.js';
import { attainedAlone, drawnWitness, presentWitness } from './present-witness.js';
import type { SampledBy } from './sampler-distribution.js';

/**
 * A uniform batch of public size. A batch without the record contains another one in its place, so the inner
 * event must be private under replace-one, for every adjacency.
 */
export const fixedSize: SampledBy<'core/fixed-size'> = (sampler, event, adjacency, nested) => {
  if (adjacency === 'add-remove') {
    throw new Unsupported(
      'a sample of fixed size reveals the number of records, so it has no add-remove guarantee; ' +
        'use replace-one or zero-out, or Poisson sampling',
      { sampler: sampler.kind, adjacency },
    );
  }
  const { n, size, replacement } = sampler;
  if (replacement) return drawn({ n, size }, event, adjacency, nested);
  return size === n
    ? allRecords(event, adjacency, nested)
    : subset({ least: divideDown(size, n), most: divideUp(size, n) }, event, adjacency, nested);
};

/** A uniform subset with a share `γ` of the records. */
function subset(
  { least, most: share }: { readonly least: number; readonly most: number },
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  const covering = coveringNulls(event, adjacency);
  // Both distributions are mixtures over the same batches, so the cost is at most that of the inner event.
  const { pair: _, ...known } = atMost(event, adjacency, nested);
  const pure = (): number =>
    Math.min(
      amplifiedPure(share, nested(covering, 'pure', 'replace-one', 'event')),
      attempt(() => defined(known.pure)()) ?? Infinity,
    );
  return {
    ...known,
    pure,
    approximate: () => {
      const { epsilon, delta } = nested(covering, 'approximate', 'replace-one', 'event');
      return { epsilon: amplifiedPure(share, epsilon), delta: multiplyUp(share, delta) };
    },
    rdp: () => {
      const amplified = subsetRenyi(
        share,
        nested(covering, 'rdp', 'replace-one', 'event'),
        nested.known(covering, 'pure', 'replace-one', 'event') ?? Infinity,
      );
      const unsampled = attempt(() => defined(known.rdp)()) ?? (() => Infinity);
      return (alpha) => Math.min(amplified(alpha), unsampled(alpha));
    },
    pair: () => {
      const distribution = spliced(
        innerLossDistribution(covering, 'replace-one', nested, 'symmetric'),
        share,
      );
      const alone = attainedAlone(event, adjacency, nested);
      return (['remove', 'add'] as const).map((direction) => ({
        ...dominatingPair(direction, distribution),
        ...presentWitness(alone, least, direction),
      }));
    },
  };
}

/** `size` draws with replacement from `n` records. */
function drawn(
  { n, size }: { readonly n: number; readonly size: number },
  given: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  const event = coveringNulls(given, adjacency);
  const ofGroup = (k: number): PrivacyLossDistribution => {
    if (k === 1) return innerLossDistribution(event, 'replace-one', nested, 'symmetric');
    const curve = nested.known(event, 'gdp', 'replace-one', 'event');
    if (curve?.exact !== true) {
      const group: PrivacyEvent & { readonly size: number; readonly event: PrivacyEvent } = {
        kind: 'core/group',
        v: 1,
        size: k,
        event,
      };
      const pairs = nested.known(group, 'pair', 'replace-one', 'event') ?? [];
      const distribution = pairs.length === 1 ? soleLossDistribution(pairs[0]) : undefined;
      if (distribution !== undefined) return distribution;
      const epsilon = nested.known(event, 'pure', 'replace-one', 'event');
      if (epsilon !== undefined && epsilon < Infinity) return pureLossDistribution(multiplyUp(k, epsilon));
    }
    return lossDistributionOfCurve(multiplyUp(k, (curve ?? nested(event, 'gdp', 'replace-one', 'event')).mu));
  };
  return {
    pure: () => drawnPure(n, size, nested(event, 'pure', 'replace-one', 'event')),
    pair: () => {
      const distribution = spliced(drawnLossDistribution(n, size, ofGroup), drawnAtAll(n, size));
      // Shifts by several occurrences of a record add up in core's noise; a plugin's kind need not say so.
      const addsUp = [...eventsWithin(given)].every(({ kind }) => kind.startsWith('core/'));
      const curve = addsUp ? nested.known(given, 'gdp', adjacency, 'event') : undefined;
      return (['remove', 'add'] as const).map((direction) => ({
        ...dominatingPair(direction, distribution),
        ...drawnWitness(curve, { n, size }, direction),
      }));
    },
  };
}

/**
 * Dominating pair of a batch that contains the record with probability `γ`, at every ε: `(1 − γ)Q + γP`
 * against `Q` above 0, and `P` against `(1 − γ)P + γQ` below.
 * @see Balle, Barthe, Gaboardi 2018, Theorem 2; Zhu, Dong, Wang 2022, on subsets without replacement.
 */
const spliced = (distribution: PrivacyLossDistribution, share: number): PrivacyLossDistribution =>
  share === 1
    ? distribution
    : splicedLossDistribution(
        presentInPoisson(distribution, share, 'remove'),
        presentInPoisson(distribution, share, 'add'),
      );
