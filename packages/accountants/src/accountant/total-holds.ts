import { sameEvent, type PrivacyEvent } from '@lethe/core';

/** What a ledger says of its runs: `Ledger` of `@lethe/curator` does. */
export interface LedgerRuns {
  /** Names of all runs. */
  runs(): readonly string[];
  readonly limit: { readonly epsilon: number; readonly delta: number } | null;
  /** Event of what a run was charged. */
  spentBy(run: string): PrivacyEvent;
  /** Event of what a run reserved when it opened; `null` for none. */
  standing(run: string): { readonly planned: PrivacyEvent | null };
}

/**
 * When the ε of all runs of a ledger is valid. Of several runs, and of one that stopped before the end of
 * its plan, it is valid if what they ask was fixed before the first of them: who stops by the answers
 * chooses what is added up. Under a limit that is kept, the limit itself is valid however each run was
 * chosen.
 */
export type TotalHolds =
  | { readonly when: 'one run' }
  | { readonly when: 'fixed in advance' }
  | { readonly when: 'limit'; readonly epsilon: number; readonly delta: number };

/** Share by which a limit may be passed by rounding. */
const slack = 2 ** -20;

/**
 * When the total of a ledger is valid.
 *
 * @param epsilonAt - Upper bound of ε of all runs, at a δ.
 * @param parts - Runs of the ledger that were planned together as one: a training and its private quantile.
 */
export function totalHolds(
  { runs, limit, spentBy, standing }: LedgerRuns,
  epsilonAt: (delta: number) => number,
  parts = 1,
): TotalHolds {
  // One that was charged nothing has told nothing by which it could have been stopped.
  const isCut = (run: string): boolean => {
    const { planned } = standing(run);
    const spent = spentBy(run);
    return planned !== null && spent.kind !== 'core/free' && !sameEvent(spent, planned);
  };
  if (runs().length <= parts && !runs().some(isCut)) return { when: 'one run' };
  // A limit that was set below what was spent holds for nothing.
  const isKept = limit !== null && epsilonAt(limit.delta) <= limit.epsilon * (1 + slack);
  return isKept
    ? { when: 'limit', epsilon: limit.epsilon, delta: limit.delta }
    : { when: 'fixed in advance' };
}
