import { accountants, totalHolds, type TotalHolds } from '@lethe/accountants';
import {
  BudgetExceeded,
  clippedMeanEvent,
  composedEvent,
  Unsupported,
  type Adjacency,
  type EventKind,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { trainingOf } from '@lethe/train';
import { nearRound } from './near-round.js';

/** Privacy cost of one run of a ledger, with what belongs to it, such as the private quantile of its clip. */
export interface RunAccount {
  readonly run: string;
  readonly ended: boolean;
  /** Cost of the run: its charges, or the limit of its filter. */
  readonly spent: Interval;
  /** Open reservation of the run; `null` for none. */
  readonly reserved: Interval | null;
}

/** Spending of a data set, and what is left of its limit. */
export interface LedgerAccount {
  readonly adjacency: Adjacency;
  /** Set where all that one owner has is protected. @defaultValue one record */
  readonly unit?: 'owner';
  readonly delta: number;
  readonly spent: Interval;
  readonly holds: TotalHolds;
  readonly limit: {
    readonly epsilon: number;
    readonly delta: number;
    /**
     * Share of the limit that its filter counts as taken, reservations included, rounded up; `null` where the
     * filter does not support an event.
     */
    readonly share: number | null;
    /** ε, at the limit's δ, of the largest Gaussian release that the limit has room for, rounded down. */
    readonly left: number;
  } | null;
  readonly runs: readonly RunAccount[];
}

/**
 * Accounts for a ledger at a δ. What is left follows from the rule that admits runs.
 *
 * @param delta - δ for a ledger without a limit; a limit has its own.
 */
export function accountOf(
  ledger: Ledger,
  { delta: wanted, kinds }: { readonly delta: number; readonly kinds: readonly EventKind[] },
): LedgerAccount {
  const { adjacency, limit } = ledger;
  const delta = limit?.delta ?? wanted;
  const accountant = nearRound(accountants, kinds);
  const near = limit === null ? {} : { near: limit.epsilon };
  const epsilon = (event: PrivacyEvent): Interval => accountant.epsilon(event, { adjacency, delta, ...near });
  const all = ledger.runs();
  const names = [...new Set(all.map(trainingOf))];
  return {
    adjacency,
    ...(ledger.unit?.() === 'owner' ? { unit: 'owner' as const } : {}),
    delta,
    spent: epsilon(ledger.total()),
    holds: totalHolds(ledger, () => epsilon(ledger.total()).upper),
    limit:
      limit === null
        ? null
        : {
            epsilon: limit.epsilon,
            delta,
            share: shareOf(ledger, kinds),
            left: leftOf(ledger, (event) => epsilon(event).lower),
          },
    runs: names.map((run): RunAccount => {
      const parts = all.filter((one) => trainingOf(one) === run);
      const standings = parts.map((part) => ledger.standing(part));
      const reserved = standings.flatMap((one) => (one.ended ? [] : (one.reserved ?? [])));
      return {
        run,
        ended: standings.every((one) => one.ended),
        spent: epsilon(together(parts.map((part) => ledger.spentBy(part)))),
        reserved: reserved.length === 0 ? null : epsilon(together(reserved)),
      };
    }),
  };
}

const together = (events: readonly PrivacyEvent[]): PrivacyEvent =>
  events.length === 1 ? events[0] : composedEvent(events);

function shareOf(ledger: Ledger, kinds: readonly EventKind[]): number | null {
  const { limit, adjacency } = ledger;
  const make = limit?.filter ?? limit?.accountant.filter;
  if (limit === null || make === undefined) return null;
  try {
    return make({ epsilon: limit.epsilon, delta: limit.delta, adjacency, kinds }).share(
      composedEvent(ledger.runs().map((run) => ledger.standing(run).counts)),
    );
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** Bracket of the noise multiplier in the search for what is left. */
const leastNoise = 1e-3;
const mostNoise = 1e9;
const halvings = 60;

function leftOf(ledger: Ledger, epsilon: (event: PrivacyEvent) => number): number {
  const fits = (noise: number): boolean => {
    try {
      ledger.assertAffordable(clippedMeanEvent(noise, ledger.adjacency));
      return true;
    } catch (error) {
      if (error instanceof BudgetExceeded || error instanceof Unsupported) return false;
      throw error;
    }
  };
  if (!fits(mostNoise)) return 0;
  let tooLittle = Math.log(leastNoise);
  let enough = Math.log(mostNoise);
  for (let i = 0; i < halvings; i++) {
    const middle = (tooLittle + enough) / 2;
    if (fits(Math.exp(middle))) enough = middle;
    else tooLittle = middle;
  }
  return epsilon(clippedMeanEvent(Math.exp(enough), ledger.adjacency));
}
