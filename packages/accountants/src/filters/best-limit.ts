import { type AccountingContext, type FilterMaker, type PrivacyFilter, Unsupported } from '@lethe/core';
import { multiplyDown } from '@lethe/numerics';
import * as z from 'zod';
import { basicOfSpec } from './basic-limit.js';
import { approximateLimit, bestOrder, renyiBudget, withoutShare } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedRequest, parsedShare, reserveOf, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

const share = z.number().positive().max(1);
/** Schema of the parameters of a filter by the best of several rules. */
export const bestSpecSchema = z
  .strictObject({
    rule: z.literal('best'),
    ...specFields,
    orders: z
      .array(
        z.strictObject({
          order: z
            .number()
            .gt(1)
            .max(2 ** 40),
          share,
        }),
      )
      .min(1)
      .max(64),
  })
  .refine(({ orders }) => orders.reduce((sum, one) => sum + one.share, 0) <= 1, {
    message: 'the shares of δ add up to at most 1',
  });

/**
 * Positions of the orders between 1 and the order at which most Gaussian noise fits, with their shares of δ.
 * The first suits most events. Samples at low rates have very large or infinite divergences there and need
 * lower orders.
 */
const places = [
  { place: 0.95, share: 0.875 },
  { place: 0.7, share: 0.03125 },
  { place: 0.5, share: 0.03125 },
  { place: 0.35, share: 0.03125 },
  { place: 0.25, share: 0.03125 },
];

/**
 * Limits that admit an event if at least one of several rules does: Rényi divergence at one of five orders,
 * each with a share of δ, or the sum of pure ε, which needs no δ. With δ = 0 it is {@link basicLimit}.
 *
 * Proof: partition the transcripts by the first rule that still holds at the end. On each part the
 * interaction equals the one under that rule's own filter, which is (ε, δᵢ)-DP, and the δᵢ sum to δ.
 *
 * @throws {InvalidParameter} for options that are not valid.
 */
export function bestLimit(options: FailureOptions = {}): FilterMaker {
  const failureShare = parsedShare(options.failureShare, 'bestLimit');
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = parsedRequest(request, 'bestLimit');
    if (delta === 0) return basicOfSpec({ rule: 'basic', epsilon, delta, adjacency }, kinds);
    const highest = bestOrder({ epsilon, delta });
    const orders = places
      .map(({ place, share: of }) => ({
        order: Number((1 + (highest - 1) * place).toPrecision(4)),
        share: of,
      }))
      .filter(({ order }) => order > 1);
    return bestOfSpec(
      { rule: 'best', epsilon, delta, adjacency, failures: reserveOf(delta, failureShare), orders },
      kinds,
    );
  };
}

/** The filter with the parameters of a spec. */
export function bestOfSpec(
  spec: z.output<typeof bestSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter {
  const { epsilon, delta, adjacency, failures, orders } = spec;
  const sound = withoutShare(delta, failures);
  const prices = createPriceList((event) => {
    const context = kinds === undefined ? { adjacency } : { adjacency, kinds };
    // An event with pure ε has Rényi divergences, so an error here means that the event is not supported.
    const { known, failure } = soundPart(event, 'rdp', context);
    return {
      costs: [
        ...orders.map(({ order }) => known(order)),
        orInfinity(() => soundPart(event, 'pure', context).known),
      ],
      failure,
    };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule,
    spec,
    budgets: [
      ...orders.map(({ order, share: of }) =>
        renyiBudget({ epsilon, delta: multiplyDown(sound, of) }, order),
      ),
      epsilon,
    ],
    keeps: 'some',
    mayFail: failures,
    prices,
    limit: approximateLimit({ epsilon, delta }),
  });
}

/** `compute()`, or Infinity when that is unsupported. */
function orInfinity(compute: () => number): number {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsupported) return Infinity;
    throw error;
  }
}
