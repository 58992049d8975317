import { type AccountingContext, type FilterMaker, type PrivacyEvent, type PrivacyFilter } from '@lethe/core';
import { createResolver } from '../events/index.js';
import * as z from 'zod';
import { approximateLimit } from './limits.js';
import { createPriceList } from './pricing.js';
import { parsedRequest, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

/** Schema of the parameters of a filter by sums of ε and δ. */
export const basicSpecSchema = z.strictObject({
  rule: z.literal('basic'),
  epsilon: specFields.epsilon,
  delta: specFields.delta,
  adjacency: specFields.adjacency,
});

/**
 * Limits by the sum of ε and the sum of δ. With δ = 0 the limit is pure differential privacy.
 *
 * @see Rogers, Roth, Ullman, Vadhan 2016.
 */
export function basicLimit(): FilterMaker {
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = parsedRequest(request, 'basicLimit');
    return basicOfSpec({ rule: 'basic', epsilon, delta, adjacency }, kinds);
  };
}

/** The filter with the parameters of a spec. */
export function basicOfSpec(
  spec: z.output<typeof basicSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter {
  const { epsilon, delta, adjacency } = spec;
  const pure: PrivacyEvent & { readonly epsilon: number } = { kind: 'core/pure', v: 1, epsilon };
  const prices = createPriceList((event) => {
    const known = createResolver(kinds)(event, 'approximate', adjacency);
    return { costs: [known.epsilon], failure: known.delta };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule,
    spec,
    budgets: [epsilon],
    keeps: 'every',
    mayFail: delta,
    prices,
    limit: delta === 0 ? pure : approximateLimit({ epsilon, delta }),
  });
}
