import { deepFreeze, filteredEvent, type Json, type PrivacyEvent, type PrivacyFilter } from '@lethe/core';
import { divideUp } from '@lethe/numerics';
import { costOf } from './cost.js';
import type { PriceList } from './pricing.js';

/** What makes one kind of privacy filter: what is added up, and how far. */
export interface Rule {
  readonly name: string;
  readonly spec: Json;
  /** What the whole interaction costs. */
  readonly limit: PrivacyEvent;
  /** Of each currency, at most. */
  readonly budgets: readonly number[];
  /** Whether all budgets have to be kept, or some one of them. */
  readonly keeps: 'every' | 'some';
  /** Probability, at most, that any event fails. */
  readonly mayFail: number;
  readonly prices: PriceList;
}

/** The privacy filter of a rule. */
export function privacyFilterOf({ name, spec, limit, budgets, keeps, mayFail, prices }: Rule): PrivacyFilter {
  const least = keeps === 'every' ? Math.max : Math.min;
  const share = (event: PrivacyEvent): number => {
    const { costs, failure } = costOf(event, prices);
    return Math.max(part(failure, mayFail), least(...budgets.map((budget, i) => part(costs[i] ?? 0, budget))));
  };
  return {
    rule: name, spec: deepFreeze(spec), limit: deepFreeze(filteredEvent(limit)),
    // A quotient rounded up is above 1 exactly where the cost is above the budget.
    admits: (event) => share(event) <= 1,
    share,
  };
}

/** The part of `budget` that `cost` takes, rounded up. */
function part(cost: number, budget: number): number {
  return cost === 0 ? 0 : cost === Infinity || budget === 0 ? Infinity : divideUp(cost, budget);
}
