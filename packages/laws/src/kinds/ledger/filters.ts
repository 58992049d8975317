import type { FilterMaker, PrivacyEvent, PrivacyFilter } from '@lethe/core';
import type { Limit } from '@lethe/curator';
import { pureOf } from './model.js';

/**
 * A filter for pure differential privacy, where ε adds up
 * under adaptive composition. `rule` is only its name.
 */
export const pureFilter =
  (rule = 'laws/pure'): FilterMaker =>
  ({ epsilon, delta }): PrivacyFilter => ({
    rule,
    spec: { rule, epsilon, delta },
    limit: { kind: 'core/filtered', v: 1, limit: { kind: 'core/pure', v: 1, epsilon } } as PrivacyEvent,
    admits: (event) => pureOf(event) <= epsilon,
    share: (event) => pureOf(event) / epsilon,
  });

/** A filter for a single run. */
export const pureFilterOf = (epsilon: number, rule?: string): PrivacyFilter =>
  pureFilter(rule)({ epsilon, delta: 0, adjacency: 'zero-out' });

/** An accountant with the same answer for every event. */
export const saying = (
  upper: number,
  certificate: 'certified' | 'estimate' = 'certified',
): Limit['accountant'] => ({
  epsilon: () => ({ lower: 0, upper, estimate: 0, certificate, method: 'constant', assumptions: [] }),
});
