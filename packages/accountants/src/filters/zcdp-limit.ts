import {
  type AccountingContext,
  failingEvent,
  type FilterMaker,
  type PrivacyEvent,
  type PrivacyFilter,
} from '@lethe/core';
import * as z from 'zod';
import { withoutShare, zcdpBudget } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedShare, requestWithDelta, reserveOf, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

/** Schema of the parameters of a filter by ρ. */
export const zcdpSpecSchema = z.strictObject({ rule: z.literal('zcdp'), ...specFields });

/**
 * Limits by sums of ρ of zero-concentrated differential privacy: all Rényi orders at once, without
 * amplification by sampling.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @see Whitehouse, Ramdas, Rogers, Wu 2023; Feldman, Zrnic 2021.
 */
export function zcdpLimit(options: FailureOptions = {}): FilterMaker {
  const share = parsedShare(options.failureShare, 'zcdpLimit');
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = requestWithDelta(request, 'zcdpLimit');
    return zcdpOfSpec({ rule: 'zcdp', epsilon, delta, adjacency, failures: reserveOf(delta, share) }, kinds);
  };
}

/** The filter with the parameters of a spec. */
export function zcdpOfSpec(
  spec: z.output<typeof zcdpSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter {
  const { epsilon, delta, adjacency, failures } = spec;
  const rho = zcdpBudget({ epsilon, delta: withoutShare(delta, failures) });
  const sound: PrivacyEvent & { readonly rho: number } = { kind: 'core/zcdp', v: 1, rho };
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(
      event,
      'zcdp',
      kinds === undefined ? { adjacency } : { adjacency, kinds },
    );
    return { costs: [known], failure };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule,
    spec,
    budgets: [rho],
    keeps: 'every',
    mayFail: failures,
    prices,
    limit: failures === 0 ? sound : failingEvent(failures, sound),
  });
}
