import type { CoreEvent, CoreEventKind, PrivacyEvent } from '@lethe/core';

type Costless = { readonly [K in CoreEventKind]?: (event: CoreEvent<K>) => boolean };

/** Whether an event of a kind says, by its numbers, that a release has one distribution on all data. */
const costless: Costless = {
  'core/free': () => true,
  'core/pure': ({ epsilon }) => epsilon === 0,
  'core/approximate': ({ epsilon, delta }) => epsilon === 0 && delta === 0,
  'core/zcdp': ({ rho }) => rho === 0,
  // A divergence of 0 at one order is one of 0 at all.
  'core/renyi': ({ orders }) => orders.some(({ divergence }) => divergence === 0),
  'core/gaussian-mixture': ({ shifts }) => shifts.every((shift) => shift === 0),
  'core/gaussian-mixture-pair': ({ first, second }) =>
    [...first.means, ...second.means].every((mean) => mean === first.means[0]),
  'core/shuffled': ({ epsilon, delta }) => epsilon === 0 && delta === 0,
  'core/shuffled-local': ({ epsilon }) => epsilon === 0,
  'core/compose': ({ parts }) => parts.every(({ event }) => costsNothing(event)),
  'core/parallel': ({ parts }) => parts.every(costsNothing),
  'core/sampled': ({ event }) => costsNothing(event),
  'core/selection': ({ base }) => costsNothing(base),
  'core/negative-binomial-selection': ({ base }) => costsNothing(base),
  'core/poisson-selection': ({ base }) => costsNothing(base),
  'core/group': ({ event }) => costsNothing(event),
  'core/failing': ({ delta, event }) => delta === 0 && costsNothing(event),
  'core/filtered': ({ limit }) => costsNothing(limit),
};

/**
 * Whether a core event is that of a release that does not depend on records; of another kind it is not known.
 */
export function costsNothing(event: PrivacyEvent): boolean {
  const of = Object.hasOwn(costless, event.kind) ? costless[event.kind as CoreEventKind] : undefined;
  return of !== undefined && (of as (event: PrivacyEvent) => boolean)(event);
}
