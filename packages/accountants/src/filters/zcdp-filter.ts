import { assertOptions, type Adjacency, type EventKind, parseOrThrow, type PrivacyEvent } from '@lethe/core';
import { subtractDown } from '@lethe/numerics';
import * as z from 'zod';
import { type Filter, filterOf } from './filter.js';
import {
  approximateLimit,
  approximateLimitSchema,
  withoutShare,
  zcdpBudget,
  type ApproximateLimit,
} from './limits.js';
import type { SavedMeter } from './meter.js';
import { createPriceList, parsedAdjacency, soundPart } from './pricing.js';

const probability = z.number().min(0).lt(1);
const limitSchema = z.union([z.strictObject({ rho: z.number().positive() }), approximateLimitSchema]);

/** Options of {@link zcdpFilter}. */
export interface ZcdpFilterOptions {
  /**
   * Limit of the whole interaction: ρ of zero-concentrated privacy, or an (ε, δ), converted to the largest
   * sufficient ρ.
   */
  readonly limit: { readonly rho: number } | ApproximateLimit;
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
  /** Probability reserved for failing events; part of the limit's δ if it has one. @defaultValue 0 */
  readonly failures?: number;
}

/** Total ρ of zero-concentrated privacy, and total failure probability. */
export interface ZcdpSpent {
  readonly rho: number;
  readonly failures: number;
}

/**
 * A filter by sums of ρ of zero-concentrated differential privacy. Except with probability `failures`, the
 * interaction is ρ-zCDP.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @see Whitehouse, Ramdas, Rogers, Wu 2023; Feldman, Zrnic 2021.
 */
export function zcdpFilter(options: ZcdpFilterOptions, saved?: SavedMeter): Filter<ZcdpSpent> {
  assertOptions(options, 'zcdpFilter');
  const { kinds } = options;
  const adjacency = parsedAdjacency(options.adjacency);
  const limit = parseOrThrow(limitSchema, options.limit, 'the limit of a zCDP filter');
  const failures = parseOrThrow(
    probability,
    options.failures ?? 0,
    'the probability of failure of a zCDP filter',
  );
  const budget =
    'rho' in limit ? limit.rho : zcdpBudget({ ...limit, delta: withoutShare(limit.delta, failures) });
  const sound: PrivacyEvent & { rho: number } = { kind: 'core/zcdp', v: 1, rho: budget };
  const concentrated: PrivacyEvent =
    failures === 0 ? sound : ({ kind: 'core/failing', v: 1, delta: failures, event: sound } as PrivacyEvent);
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(
      event,
      'zcdp',
      kinds === undefined ? { adjacency } : { adjacency, kinds },
    );
    return { costs: [known], failure };
  }, kinds);
  return filterOf(
    {
      kind: 'zcdp-filter',
      options: { limit, adjacency, failures },
      budgets: [budget],
      mayFail: failures,
      prices,
      limit: 'rho' in limit ? concentrated : approximateLimit(limit),
      spent: (meter) => ({ rho: meter.total(0), failures: meter.failures() }),
      remaining: (meter) => ({
        rho: subtractDown(budget, meter.total(0)),
        failures: subtractDown(failures, meter.failures()),
      }),
    },
    saved,
  );
}
