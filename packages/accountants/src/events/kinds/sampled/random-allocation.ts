import {
  type Adjacency,
  type DominatingPair,
  dominatingPair,
  type PrivacyEvent,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  allocatedLossDistributions,
  allocatedWitnesses,
  allocationRenyi,
  innerLossDistribution,
  sendsMessages,
} from '../../amplification/index.js';
import { chainedRenyi } from '../../group/chain.js';
import type { NestedResolver } from '../../knowledge.js';
import { atMost } from './all-records.js';
import { attainedAlone } from './present-witness.js';
import type { SampledBy } from './sampler-distribution.js';

/**
 * Replacing a record removes it and adds another one, in the same batch: the lesser of the bound without
 * amplification and that of these two steps.
 */
function replaced(steps: number, event: PrivacyEvent, nested: NestedResolver): (alpha: number) => number {
  const whole = nested.known(event, 'rdp', 'replace-one', 'event');
  const present =
    nested.known(event, 'rdp', 'zero-out', 'event') ?? nested.known(event, 'rdp', 'add-remove', 'event');
  if (present === undefined) return whole ?? nested(event, 'rdp', 'replace-one', 'event');
  const chain = chainedRenyi(allocationRenyi(steps, present), 2);
  return (alpha) => Math.min(whole?.(alpha) ?? Infinity, chain(alpha));
}

/**
 * What one batch shows of a record that is replaced by one that contributes nothing. `undefined` where
 * records are closer to each other than to null, so that there may be none.
 */
function nulledAlone(event: PrivacyEvent, nested: NestedResolver): PrivacyLossDistribution | undefined {
  const moved = (adjacency: Adjacency): number =>
    nested.known(event, 'gdp', adjacency, 'event')?.mu ??
    nested.known(event, 'pure', adjacency, 'event') ??
    0;
  return moved('replace-one') >= moved('zero-out') ? attainedAlone(event, 'zero-out', nested) : undefined;
}

/**
 * A record is in exactly one batch, so its cost is at most that of one batch. If absence from a batch reveals
 * nothing else, the batch is also secret: the pair is `P` in one batch against `Q` in all. It dominates,
 * since the post-processing of the pair of one batch may depend on all earlier batches.
 */
export const randomAllocation: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const known = atMost(event, adjacency, nested);
  if (sendsMessages(event)) return known;
  const { steps } = sampler;
  const witnessed = (pairs: readonly DominatingPair[]): readonly DominatingPair[] => {
    const alone =
      adjacency === 'replace-one' ? nulledAlone(event, nested) : attainedAlone(event, adjacency, nested);
    const witnesses = alone && allocatedWitnesses(alone, steps);
    if (witnesses === undefined) return pairs;
    return pairs.flatMap((pair) =>
      (['remove', 'add'] as const)
        .filter((direction) => [direction, 'symmetric'].includes(pair.direction))
        .map((direction) => ({
          ...pair,
          direction,
          witness: [{ distribution: witnesses[direction], count: 1 }],
        })),
    );
  };
  if (adjacency === 'replace-one')
    return {
      ...known,
      rdp: () => replaced(steps, event, nested),
      pair: () => witnessed(defined(known.pair)()),
    };
  return {
    ...known,
    rdp: () => allocationRenyi(steps, nested(event, 'rdp', adjacency, 'event')),
    pair: () => {
      const distributions = allocatedLossDistributions(
        innerLossDistribution(event, adjacency, nested, 'remove'),
        steps,
      );
      return witnessed(
        distributions === undefined
          ? defined(known.pair)()
          : (['remove', 'add'] as const).map((direction) =>
              dominatingPair(direction, distributions[direction]),
            ),
      );
    },
  };
};
