import { bestOf, type TimeOptions } from '@lethe/accountants';
import type { Accountant, EventKind } from '@lethe/core';

/**
 * The best of accountants, asked again where an answer is just above a round number, which may be the budget
 * that the event was planned for: near a budget an answer is narrower.
 *
 * @param time - For both questions together.
 */
export function nearRound(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
  time?: TimeOptions,
): Pick<Accountant, 'epsilon' | 'delta'> {
  const best = bestOf(accountants, kinds, time);
  return {
    delta: best.delta,
    epsilon(event, query) {
      const begun = time?.now() ?? 0;
      const found = best.epsilon(event, query);
      const round = Number(found.upper.toPrecision(3));
      if (query.near !== undefined || !(found.lower <= round && round < found.upper)) return found;
      const left = time && { ...time, seconds: time.seconds - (time.now() - begun) };
      if (left !== undefined && !(left.seconds > 0)) return found;
      const again = bestOf(accountants, kinds, left).epsilon(event, { ...query, near: round });
      // Cut short by the time it may be wider.
      return again.upper < found.upper
        ? { ...again, lower: Math.min(again.upper, Math.max(found.lower, again.lower)) }
        : found;
    },
  };
}
