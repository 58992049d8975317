import { deepFreeze, filteredEvent, type Json, type PrivacyEvent, type PrivacyFilter } from '@lethe/core';
import { divideUp } from '@lethe/numerics';
import { costOf } from './cost.js';
import type { PriceList } from './pricing.js';

/** Definition of one kind of privacy filter: its currencies and budgets. */
export interface Rule {
  readonly name: string;
  readonly spec: Json;
  /** Cost of the whole interaction. */
  readonly limit: PrivacyEvent;
  /** Maximum total in each currency. */
  readonly budgets: readonly number[];
  /** Whether every total must be within its budget, or at least one. */
  readonly keeps: 'every' | 'some';
  /** Maximum probability that any event fails. */
  readonly mayFail: number;
  readonly prices: PriceList;
}

/** The privacy filter of a rule. */
export function privacyFilterOf({ name, spec, limit, budgets, keeps, mayFail, prices }: Rule): PrivacyFilter {
  const least = keeps === 'every' ? Math.max : Math.min;
  const share = (event: PrivacyEvent): number => {
    const { costs, failure } = costOf(event, prices);
    return Math.max(
      part(failure, mayFail),
      least(...budgets.map((budget, i) => part(costs[i] ?? 0, budget))),
    );
  };
  return {
    rule: name,
    spec: deepFreeze(spec),
    limit: deepFreeze(filteredEvent(limit)),
    // A quotient rounded up is above 1 exactly when the cost is above the budget.
    admits: (event) => share(event) <= 1,
    share,
  };
}

/** `cost / budget`, rounded up. */
function part(cost: number, budget: number): number {
  if (cost === 0) return 0;
  return cost === Infinity || budget === 0 ? Infinity : divideUp(cost, budget);
}
