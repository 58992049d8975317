import type { Accountant } from '@lethe/core';

/**
 * Asks again where an answer is just above a round number, which may be the budget that the event was planned
 * for: near a budget an answer is narrower.
 *
 * @param accountant - Answers that start from the query's `near` are at most as wide as those without.
 */
export const nearRound = ({
  epsilon,
  delta,
}: Pick<Accountant, 'epsilon' | 'delta'>): Pick<Accountant, 'epsilon' | 'delta'> => ({
  delta,
  epsilon(event, query) {
    const found = epsilon(event, query);
    const round = Number(found.upper.toPrecision(3));
    return query.near === undefined && found.lower <= round && round < found.upper
      ? epsilon(event, { ...query, near: round })
      : found;
  },
});
