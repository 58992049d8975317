import type { FilterMaker, Limit, PrivacyEvent, PrivacyFilter } from '@lethe/core';
import { pureOf } from './model.js';

/** A filter by pure differential privacy, whose ε add up whatever is asked next. `rule` names it, and fixes nothing else. */
export const pureFilter = (rule = 'laws/pure'): FilterMaker => ({ epsilon, delta }): PrivacyFilter => ({
  rule, spec: { rule, epsilon, delta },
  limit: { kind: 'core/filtered', v: 1, limit: { kind: 'core/pure', v: 1, epsilon } } as PrivacyEvent,
  admits: (event) => pureOf(event) <= epsilon,
  share: (event) => pureOf(event) / epsilon,
});

/** A filter of a run of its own. */
export const heldTo = (epsilon: number, rule?: string): PrivacyFilter => pureFilter(rule)({ epsilon, delta: 0, adjacency: 'zero-out' });

/** What an accountant says of every event alike. */
export const saying = (upper: number, certificate: 'certified' | 'estimate' = 'certified'): Limit['accountant'] =>
  ({ epsilon: () => ({ lower: 0, upper, estimate: 0, certificate, method: 'constant', assumptions: [] }) });
