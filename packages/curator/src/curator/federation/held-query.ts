import type { Query, Vector } from '@lethe/core';
import { Unsupported } from '@lethe/numerics';

/** Points that a query is about: all of it that a server chooses. */
export const pointsOf = (query: Query): readonly Vector[] => {
  if (query.ask === 'localUpdate') return [query.from];
  return query.ask === 'push' || query.ask === 'mean' ? query.of.terms.map(({ at }) => at) : [];
};

/**
 * Checks that a silo can hold a server to a query: it works out all of it but means and increments at a
 * point, or at two.
 *
 * @throws {Unsupported} for another.
 */
export function assertHeld(query: Query): void {
  const points = pointsOf(query).length;
  const { ask } = query;
  if (points <= 2 && ask !== 'value' && ask !== 'minimiser' && ask !== 'descend') return;
  const of = points > 2 ? ` about ${points} points` : '';
  throw new Unsupported(
    `a run with '${ask}' queries${of} cannot be agreed to: silos hold a server to means and increments at ` +
      'one point, or at two. Take an optimizer, or parameters, that ask nothing else',
    { ask },
  );
}
