import { assertOptions, type Adjacency, type EventKind, parseOrThrow } from '@lethe/core';
import { divideDown, subtractDown } from '@lethe/numerics';
import * as z from 'zod';
import { type Filter, filterOf } from './filter.js';
import {
  approximateLimit,
  type ApproximateLimit,
  bestOrder,
  parsedLimit,
  renyiBudgets,
  withoutShare,
} from './limits.js';
import type { SavedMeter } from './meter.js';
import { createPriceList, parsedAdjacency, soundPart } from './pricing.js';

const ordersSchema = z
  .array(
    z
      .number()
      .gt(1)
      .max(2 ** 40),
  )
  .min(1)
  .max(1024);

/** Options of {@link renyiFilter}. */
export interface RenyiFilterOptions {
  /** Privacy limit of the whole interaction. */
  readonly limit: ApproximateLimit;
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
  /**
   * Rényi orders above 1, chosen before the first answer. The filter admits events while at least one order
   * is within its budget; each order has an equal share of δ. @defaultValue the one order at which most
   * Gaussian noise fits
   */
  readonly orders?: readonly number[];
  /** Part of δ for events that may fail. @defaultValue 0 */
  readonly failures?: number;
}

/** Totals of a Rényi filter by order. */
export interface RenyiSpent {
  /** Divergence at each order; it may exceed the budget of an order that no longer counts. */
  readonly orders: readonly { readonly order: number; readonly divergence: number }[];
  readonly failures: number;
}

/**
 * A filter by sums of Rényi divergences at orders fixed in advance.
 *
 * At one order, an interaction whose sum never exceeds B has divergence at most B, for every adaptive choice
 * (Feldman, Zrnic). For several orders, consider for each order the transcripts that end within its budget.
 * There the interaction equals the one under that order's own filter, which is (ε, δᵢ)-DP, and the δᵢ sum to
 * δ.
 *
 * @throws {InvalidParameter} for options that are not valid, or a limit that no order can imply.
 * @see Feldman, Zrnic 2021; Lécuyer 2021.
 */
export function renyiFilter(options: RenyiFilterOptions, saved?: SavedMeter): Filter<RenyiSpent> {
  assertOptions(options, 'renyiFilter');
  const { kinds, failures = 0 } = options;
  const adjacency = parsedAdjacency(options.adjacency);
  const limit = parsedLimit(options.limit, 'a Rényi filter');
  const delta = withoutShare(limit.delta, failures);
  const orders = parseOrThrow(
    ordersSchema,
    options.orders ?? [bestOrder({ ...limit, delta })],
    'the orders of a Rényi filter',
  );
  const share = divideDown(delta, orders.length);
  const budgets = renyiBudgets({ epsilon: limit.epsilon, delta: share }, orders, 'some');
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(
      event,
      'rdp',
      kinds === undefined ? { adjacency } : { adjacency, kinds },
    );
    return { costs: orders.map(known), failure };
  }, kinds);
  const at = (divergence: (i: number) => number, left: number): RenyiSpent => ({
    orders: orders.map((order, i) => ({ order, divergence: divergence(i) })),
    failures: left,
  });
  return filterOf(
    {
      kind: 'renyi-filter',
      options: { limit, adjacency, orders, failures },
      budgets,
      mayFail: failures,
      prices,
      limit: approximateLimit(limit),
      spent: (meter) => at(meter.total, meter.failures()),
      remaining: (meter) =>
        at(
          (i) => Math.max(0, subtractDown(budgets[i], meter.total(i))),
          subtractDown(failures, meter.failures()),
        ),
    },
    saved,
  );
}
