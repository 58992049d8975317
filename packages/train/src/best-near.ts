import { bestOf } from '@lethe/accountants';
import {
  Unsupported,
  type Accountant,
  type AccountingContext,
  type EventKind,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';

/** Part of the budget above it within which all accountants are asked: answers are narrower. */
const near = 0.01;

/**
 * The best of several accountants. The first narrow answer may lie just above a budget that another
 * accountant shows is kept, the one by which noise was calibrated: then the least upper end is the answer.
 */
export function bestNear(
  budget: { readonly epsilon: number; readonly delta: number },
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
): Pick<Accountant, 'epsilon'> {
  const best = bestOf(accountants, kinds);
  return {
    epsilon(event, query) {
      const first = best.epsilon(event, query);
      const isNear =
        query.delta === budget.delta &&
        first.upper > budget.epsilon &&
        first.upper < (1 + near) * budget.epsilon;
      if (!isNear) return first;
      return accountants.reduce<Interval>((least, accountant) => {
        const own = answerOf(accountant, kinds, event, query);
        return own !== undefined && own.upper < least.upper ? own : least;
      }, first);
    },
  };
}

function answerOf(
  accountant: Accountant,
  kinds: readonly EventKind[],
  event: PrivacyEvent,
  query: AccountingContext & { readonly delta: number },
): Interval | undefined {
  try {
    return bestOf([accountant], kinds).epsilon(event, query);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}
