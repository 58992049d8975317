import type { Accountant, AccountingContext, Interval, PrivacyEvent } from '@lethe/core';
import type { Bounds } from '@lethe/numerics';

/** Bounds on δ(ε) for ε at or above 0. δ(ε) does not increase, and is convex in `e^ε`. */
export type Profile = (epsilon: number) => Bounds;

/**
 * δ(ε) of an event as a function that caches its values.
 *
 * @param context - The adjacency, and event kinds other than those of core.
 */
export function profileOf(
  accountant: Pick<Accountant, 'delta'>,
  event: PrivacyEvent,
  context: AccountingContext,
): (epsilon: number) => Interval {
  const cache = new Map<number, Interval>();
  return (epsilon) => {
    const value = cache.get(epsilon) ?? accountant.delta(event, { ...context, epsilon });
    cache.set(epsilon, value);
    return value;
  };
}

/** δ at each of several ε, for instance to plot a curve. */
export const profileAt = (
  accountant: Pick<Accountant, 'delta'>,
  event: PrivacyEvent,
  context: AccountingContext,
  epsilons: Iterable<number>,
): readonly Interval[] => Array.from(epsilons, profileOf(accountant, event, context));
