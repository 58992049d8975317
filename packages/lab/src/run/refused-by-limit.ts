import { BudgetExceeded, type EventKind } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { deltaText, roundOutward } from '../report/format.js';
import { accountOf } from './ledger-account.js';

/** Why a share of a limit is not the ratio of two epsilons. */
export const sharesText = 'shares of runs add up to 100 %, their epsilons do not';

/** What a user changes for a smaller cost: `--epsilon`, or a key of an experiment file. */
export type Smaller = '--epsilon' | 'budget.epsilon' | "the operator's budget.epsilon";

const askFor: Readonly<Record<Smaller, string>> = {
  '--epsilon': 'Give --epsilon',
  'budget.epsilon': 'Give budget.epsilon',
  "the operator's budget.epsilon": 'Ask the operator of the server for a budget.epsilon of',
};

/**
 * Does what a limit may refuse, and says a refusal in numbers, with what to change.
 *
 * @param path - Of the ledger, for messages.
 * @throws {BudgetExceeded} that names the limit, the share that is taken, and the epsilon that still fits.
 */
export function refusedBy<Result>(
  path: string,
  ledger: Ledger,
  kinds: readonly EventKind[],
  act: () => Result,
  smaller: Smaller = '--epsilon',
): Result {
  try {
    return act();
  } catch (error) {
    throw inPlainWords(error, { path, ledger, kinds, smaller });
  }
}

/** The error of {@link refusedBy} for a refusal by a limit; any other error as it is. */
export function inPlainWords(
  error: unknown,
  {
    path,
    ledger,
    kinds,
    smaller,
  }: {
    readonly path: string;
    readonly ledger: Ledger;
    readonly kinds: readonly EventKind[];
    readonly smaller: Smaller;
  },
): unknown {
  if (!(error instanceof BudgetExceeded) || typeof error.details['share'] !== 'number') return error;
  const { limit } = accountOf(ledger, { delta: 0, kinds });
  if (limit === null) return error;
  const percent = (share: number): string => `${roundOutward(100 * share, 'upper', 3)} %`;
  return new BudgetExceeded(
    `all runs on these records together may spend epsilon ${limit.epsilon} at delta ` +
      `${deltaText(limit.delta)} (the limit in ${path}). ` +
      (limit.share === null ? '' : `${percent(limit.share)} of it is taken, and `) +
      `this run would take it to ${percent(error.details['share'])} (${sharesText}). Nothing was spent. ` +
      (limit.left > 0
        ? `${askFor[smaller]} ${roundOutward(limit.left, 'lower', 2)} or less; that is about what still fits.`
        : 'Nothing is left of it.'),
    error.details,
    { cause: error },
  );
}
