import {
  type AccountingContext,
  failingEvent,
  type FilterMaker,
  parseEvent,
  parseOrThrow,
  type PrivacyEvent,
  type PrivacyFilter,
  renyiEvent,
} from '@lethe/core';
import { divideDown } from '@lethe/numerics';
import * as z from 'zod/mini';
import { createResolver } from '../events/resolve.js';
import type { CreateResolver } from '../events/resolver.js';
import { approximateLimit, bestOrder, orderFor, renyiBudgets, withoutShare } from './limits.js';
import { createPriceList, soundPartBy } from './pricing.js';
import { type FailureOptions, parsedShare, requestWithDelta, reserveOf, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

const ordersSchema = z.array(z.number().check(z.gt(1), z.maximum(2 ** 40))).check(
  z.minLength(1),
  z.maxLength(64),
  z.refine((orders) => new Set(orders).size === orders.length, { message: 'no order is given twice' }),
);
const keepsSchema = z.enum(['every', 'some']);

/** Schema of the parameters of a Rényi filter. */
export const renyiSpecSchema = z.strictObject({
  rule: z.literal('renyi'),
  ...specFields,
  orders: ordersSchema,
  keeps: keepsSchema,
});

/** Options of {@link renyiLimit}. */
export interface RenyiLimitOptions extends FailureOptions {
  /**
   * Rényi orders above 1, fixed before the first answer. @defaultValue
   * the one order at which most Gaussian noise fits
   */
  readonly orders?: readonly number[];
  /**
   * The most common event: without `orders`, the filter uses the order at which most of these fit.
   * @defaultValue Gaussian noise
   */
  readonly usual?: PrivacyEvent;
  /**
   * Rule for several orders. `every`: all orders must stay within their budgets, and the limit composes with
   * others by Rényi divergences. `some`: one order is enough, each has an equal share of δ, more is admitted,
   * and the limit is an (ε, δ). @defaultValue 'every'
   */
  readonly keeps?: 'every' | 'some';
}

/**
 * Limits by sums of Rényi divergences at orders fixed in advance; they use amplification by sampling.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @throws {Unsupported} in the maker, when the `usual` event has no Rényi divergences.
 * @see Feldman, Zrnic 2021; Lécuyer 2021.
 */
export const renyiLimit = (options: RenyiLimitOptions = {}): FilterMaker =>
  renyiLimitBy(createResolver, options);

/** The same, by resolvers of this maker. */
export function renyiLimitBy(create: CreateResolver, options: RenyiLimitOptions = {}): FilterMaker {
  const share = parsedShare(options.failureShare, 'renyiLimit');
  const orders =
    options.orders === undefined
      ? undefined
      : parseOrThrow(ordersSchema, options.orders, 'the orders of renyiLimit');
  const keeps = parseOrThrow(keepsSchema, options.keeps ?? 'every', "'keeps' of renyiLimit");
  const { usual } = options;
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = requestWithDelta(request, 'renyiLimit');
    const failures = reserveOf(delta, share);
    const sound = { epsilon, delta: withoutShare(delta, failures) };
    const context = kinds === undefined ? { adjacency } : { adjacency, kinds };
    const chosen = orders?.toSorted((a, b) => a - b) ?? [
      usual === undefined
        ? bestOrder(sound)
        : orderFor(soundPartBy(create, parseEvent(usual, kinds), 'rdp', context).known, sound),
    ];
    return renyiFilterBy(
      create,
      {
        rule: 'renyi',
        epsilon,
        delta,
        adjacency,
        failures,
        orders: chosen,
        keeps: chosen.length === 1 ? 'every' : keeps,
      },
      kinds,
    );
  };
}

/** The filter with the parameters of a spec. */
export const renyiOfSpec = (
  spec: z.output<typeof renyiSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter => renyiFilterBy(createResolver, spec, kinds);

function renyiFilterBy(
  create: CreateResolver,
  spec: z.output<typeof renyiSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter {
  const { epsilon, delta, adjacency, failures, orders, keeps } = spec;
  const sound = withoutShare(delta, failures);
  const share = keeps === 'every' ? sound : divideDown(sound, orders.length);
  const budgets = renyiBudgets({ epsilon, delta: share }, orders, keeps);
  const stated = renyiEvent(orders.map((order, i) => ({ order, divergence: budgets[i] })));
  const prices = createPriceList((event) => {
    const { known, failure } = soundPartBy(
      create,
      event,
      'rdp',
      kinds === undefined ? { adjacency } : { adjacency, kinds },
    );
    return { costs: orders.map(known), failure };
  }, kinds);
  const limitOf = () => {
    if (keeps === 'some') return approximateLimit({ epsilon, delta });
    return failures === 0 ? stated : failingEvent(failures, stated);
  };
  return privacyFilterOf({
    name: spec.rule,
    spec,
    budgets,
    keeps,
    mayFail: failures,
    prices,
    limit: limitOf(),
  });
}
