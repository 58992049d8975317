import type { Ledger } from '@lethe/core';

/**
 * When the ε of a data set in all is true. Of several runs it holds only if what they ask was fixed before
 * the first of them, unless a limit is kept: then the limit itself holds, however each run was chosen.
 */
export type TotalHolds =
  | { readonly when: 'one run' }
  | { readonly when: 'fixed in advance' }
  | { readonly when: 'limit'; readonly epsilon: number; readonly delta: number };

/** @param epsilonAt - ε at most of all runs, at a δ. */
export function holdsOf(
  { runs, limit }: Pick<Ledger, 'runs' | 'limit'>,
  epsilonAt: (delta: number) => number,
): TotalHolds {
  if (runs().length === 1) return { when: 'one run' };
  // A limit that was set below what was spent holds for nothing.
  return limit === null || epsilonAt(limit.delta) > limit.epsilon * (1 + 2 ** -20)
    ? { when: 'fixed in advance' }
    : { when: 'limit', epsilon: limit.epsilon, delta: limit.delta };
}

/** The condition of the total in words; empty without one. */
export function holdsText(holds: TotalHolds | undefined): string {
  switch (holds?.when) {
    case 'one run':
      return '';
    case 'limit':
      return (
        `if what these runs ask was fixed in advance; epsilon ${holds.epsilon} at delta ${holds.delta}, ` +
        'the limit of the data set, holds in any case'
      );
    default:
      return 'if what these runs ask was fixed in advance';
  }
}
