import {
  Unsupported,
  type Accountant,
  type Adjacency,
  type EventKind,
  type PrivacyEvent,
  type PrivacyFilter,
} from '@lethe/core';

/** How many times more a limit may count than a certificate before a release warns of it. */
const tolerated = 2;

interface Spending {
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
  readonly accountant: Pick<Accountant, 'epsilon' | 'filter'>;
  readonly kinds?: readonly EventKind[];
}

/**
 * A warning where the filter of a limit counts much more for a run than its certificate says; `null` where it
 * does not. A filter adds up Rényi divergences, which are loose for some samples, such as those of fixed
 * size.
 */
export function looseLimit(
  limit: { readonly epsilon: number; readonly delta: number },
  { event, adjacency, accountant, kinds = [] }: Spending,
): string | null {
  const filter = accountant.filter?.({ ...limit, adjacency, kinds });
  if (filter === undefined) return null;
  const share = shareOf(filter, event);
  const { upper } = accountant.epsilon(event, { adjacency, delta: limit.delta, kinds });
  if (!(share > tolerated * (upper / limit.epsilon) && share > 0.05)) return null;
  const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`;
  return (
    `this run takes ${percent(share)} of the limit, and by its certificate alone it would be ` +
    `${percent(upper / limit.epsilon)} of its epsilon: limits add up Rényi divergences, which are loose ` +
    'for ' +
    'this event. With Poisson samples in place of samples of fixed size, more runs fit into a limit.'
  );
}

/** The share of a limit; 0 for an event that the filter cannot add up, which the ledger judges by itself. */
function shareOf(filter: PrivacyFilter, event: PrivacyEvent): number {
  try {
    return filter.share(event);
  } catch (error) {
    if (error instanceof Unsupported) return 0;
    throw error;
  }
}
