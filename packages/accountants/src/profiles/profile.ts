import type { Accountant, AccountingContext, Interval, PrivacyEvent } from '@lethe/core';
import type { Bounds } from '@lethe/numerics';

/** δ(ε) for ε from 0, between bounds; it falls, and is convex in `e^ε`. */
export type Profile = (epsilon: number) => Bounds;

/**
 * δ(ε) of an event as a function, which remembers what it was asked.
 *
 * @param context - The adjacency, and kinds beyond core's.
 */
export function profileOf(accountant: Pick<Accountant, 'delta'>, event: PrivacyEvent, context: AccountingContext): (epsilon: number) => Interval {
  const seen = new Map<number, Interval>();
  return (epsilon) => {
    const known = seen.get(epsilon) ?? accountant.delta(event, { ...context, epsilon });
    seen.set(epsilon, known);
    return known;
  };
}

/** δ at each of many ε: a curve to plot. */
export const profileAt = (accountant: Pick<Accountant, 'delta'>, event: PrivacyEvent, context: AccountingContext, epsilons: Iterable<number>): readonly Interval[] => Array.from(epsilons, profileOf(accountant, event, context));
