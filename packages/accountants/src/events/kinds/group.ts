import {
  adjacencies,
  type Adjacency,
  type Sensitivity,
  type CoreEvent,
  type PrivacyEvent,
  type CharacterisationKind,
  type Characterisations,
  type GaussianCurve,
} from '@lethe/core';
import { defined, multiplyDown, multiplyUp } from '@lethe/numerics';
import { attempt } from '../attempt.js';
import { chainedApproximate, chainedRenyi } from '../group/chain.js';
import { groupInPoisson } from '../group/poisson-pairs.js';
import type { Knower, Knowledge, NestedResolver } from '../knowledge.js';
import { noPairs } from '../pairs/index.js';
import { pureRenyi } from '../renyi/index.js';
import { allRecords } from './sampled/all-records.js';
import { upperOnly } from '../pairs/witness.js';

/**
 * Cost of `event` for a group of at most `size` records that differ together: all present or absent
 * (`add-remove`), all null or not (`zero-out`), all replaced (`replace-one`).
 */
export const group: Knower<'core/group'> = (grouped, adjacency, nested): Knowledge => {
  const { size } = grouped;
  const event = grouped.event as CoreEvent;
  if (size === 1) return allRecords(event, adjacency, nested);
  switch (event.kind) {
    case 'core/free':
    case 'core/unprotected':
      return allRecords(event, adjacency, nested);
    case 'core/group':
      return allRecords({ ...event, size: size * event.size } as PrivacyEvent, adjacency, nested);
    // All parts read the same two data sets, so the group distance applies to each part.
    case 'core/compose':
      return allRecords(
        {
          ...event,
          parts: event.parts.map((part) => ({ ...part, event: groupOf(size, part.event) })),
        } as PrivacyEvent,
        adjacency,
        nested,
      );
    case 'core/gaussian':
    case 'core/laplace':
    case 'core/discrete-gaussian':
    case 'core/discrete-laplace':
    case 'core/prefix-sum':
    case 'core/exponential':
      return moved(event, size, adjacency, nested);
    case 'core/sampled':
      return inSample(event, size, adjacency, nested);
    default:
      return chained(event, size, adjacency, nested);
  }
};

const groupOf = (
  size: number,
  event: PrivacyEvent,
): PrivacyEvent & { readonly size: number; readonly event: PrivacyEvent } => ({
  kind: 'core/group',
  v: 1,
  size,
  event,
});

/** Noise on a value with `size` times the sensitivity, which sums of records attain. */
function moved(
  event: PrivacyEvent & { readonly sensitivity: Sensitivity },
  size: number,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  const sensitivity = Object.fromEntries(
    adjacencies.flatMap((one) => {
      const value = event.sensitivity[one];
      return value === undefined ? [] : [[one, multiplyUp(size, value)]];
    }),
  );
  const further: PrivacyEvent & { readonly sensitivity: Sensitivity } = { ...event, sensitivity };
  const known = allRecords(further, adjacency, nested);
  const single = event.sensitivity[adjacency];
  const exact = single !== undefined && multiplyDown(size, single) === sensitivity[adjacency];
  return exact
    ? known
    : {
        ...known,
        gdp: () => ({
          ...defined(known.gdp)(),
          lower: multiplyDown(size, nested(event, 'gdp', adjacency, 'event').lower),
        }),
        pair: () => defined(known.pair)().map(upperOnly),
      };
}

/** Bounds for any event, by a chain of neighbours. */
function chained(event: PrivacyEvent, size: number, adjacency: Adjacency, nested: NestedResolver): Knowledge {
  const of = <C extends CharacterisationKind>(want: C): Characterisations[C] =>
    nested(event, want, adjacency, 'event');
  const times = (value: number): number => (value === 0 ? 0 : multiplyUp(size, value));
  const pure = (): number => times(of('pure'));
  const zcdp = (): number => times(times(of('zcdp')));
  return {
    pure,
    approximate: () => chainedApproximate(of('approximate'), size),
    zcdp,
    gdp: (): GaussianCurve => {
      const { lower, mu } = of('gdp');
      return { lower, mu: times(mu), exact: mu === 0 };
    },
    rdp: () => {
      const chain = chainedRenyi(of('rdp'), size);
      const [epsilon, rho] = [attempt(pure), attempt(zcdp)];
      const response = epsilon === undefined ? () => Infinity : pureRenyi(epsilon);
      return (alpha) =>
        Math.min(chain(alpha), response(alpha), rho === undefined ? Infinity : multiplyUp(rho, alpha));
    },
  };
}

/**
 * Group inside a sample: the smaller of the bound by a chain of neighbours and the bound without sampling.
 * The second holds if the sample does not depend on the records' values: both sides are then mixtures, with
 * equal weights, over the drawn part of the group.
 */
function inSample(
  event: CoreEvent<'core/sampled'>,
  size: number,
  adjacency: Adjacency,
  nested: NestedResolver,
): Knowledge {
  const { sampler } = event;
  if (sampler.kind === 'core/poisson' && sampler.rate === 1)
    return allRecords(groupOf(size, event.event), adjacency, nested);
  const outside = chained(event, size, adjacency, nested);
  const independent =
    sampler.kind === 'core/poisson' ||
    (sampler.kind === 'core/fixed-size' && !sampler.replacement && adjacency !== 'add-remove');
  if (!independent) return outside;
  const inside = <C extends CharacterisationKind>(want: C): Characterisations[C] | undefined =>
    nested.known(groupOf(size, event.event), want, adjacency, 'event');
  const least = (want: 'pure' | 'zcdp') => (): number => {
    const within = inside(want);
    return within === undefined
      ? defined(outside[want])()
      : Math.min(within, attempt(defined(outside[want])) ?? Infinity);
  };
  const known: Knowledge = {
    pure: least('pure'),
    zcdp: least('zcdp'),
    approximate: defined(outside.approximate),
    gdp: () => {
      const within = inside('gdp');
      return within === undefined
        ? defined(outside.gdp)()
        : { lower: 0, mu: within.mu, exact: within.mu === 0 };
    },
    rdp: () => {
      const [within, chain] = [inside('rdp'), attempt(defined(outside.rdp))];
      if (within === undefined && chain === undefined) return defined(outside.rdp)();
      return (alpha) => Math.min(within?.(alpha) ?? Infinity, chain?.(alpha) ?? Infinity);
    },
  };
  if (sampler.kind !== 'core/poisson') return known;
  return {
    ...known,
    pair: () => {
      // Makes the checks for a group of one, such as refusing events that reveal whether a record was drawn.
      nested(event, 'pair', adjacency, 'event');
      const replaced = adjacency === 'replace-one';
      const curve =
        nested.known(event.event, 'gdp', replaced ? 'zero-out' : adjacency, 'event') ??
        nested(event.event, 'gdp', 'add-remove', 'event');
      if (curve.mu === 0) return noPairs;
      const apart = replaced ? nested.known(event.event, 'gdp', 'replace-one', 'event') : undefined;
      const attained =
        curve.exact && (!replaced || (apart?.exact === true && apart.lower >= 2 * curve.lower));
      return groupInPoisson({ curve, attained, replaced }, sampler.rate, size);
    },
  };
}
