import { type AccountingContext, type FilterMaker, type PrivacyFilter, Unsupported } from '@lethe/core';
import { multiplyDown } from '@lethe/numerics';
import { z } from 'zod';
import { basicOfSpec } from './basic-limit.js';
import { approximateLimit, bestOrder, renyiBudget, withoutShare } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedRequest, parsedShare, setAside, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

const share = z.number().positive().max(1);
/** What fixes a filter that goes on by the best of several rules. */
export const bestSpecSchema = z.strictObject({
  rule: z.literal('best'), ...specFields, orders: z.array(z.strictObject({ order: z.number().gt(1).max(2 ** 40), share })).min(1).max(64),
}).refine(({ orders }) => orders.reduce((sum, one) => sum + one.share, 0) <= 1, { message: 'the shares of δ add up to at most 1' });

/**
 * Where the orders are between 1 and the one at which most Gaussian noise fits, and their shares of δ. The first is for most of what
 * is asked; samples at low rates have infinite or huge divergences there, and fit at a lower one.
 */
const places = [{ place: 0.95, share: 0.875 }, { place: 0.7, share: 0.03125 }, { place: 0.5, share: 0.03125 }, { place: 0.35, share: 0.03125 }, { place: 0.25, share: 0.03125 }];

/**
 * Limits that go on while at least one of several rules does: Rényi divergence at one of five orders, which have shares of δ; or
 * the sum of pure ε, which needs none. With δ = 0 it is {@link basicLimit}.
 *
 * Take the transcripts by the first rule that is still kept at the end. There the interaction is the one which that rule's
 * own filter would have let happen, which is (ε, δᵢ)-DP; and the δᵢ add up to δ.
 *
 * @throws {InvalidParameter} for options that are not valid.
 */
export function bestLimit(options: FailureOptions = {}): FilterMaker {
  const failureShare = parsedShare(options.failureShare, 'bestLimit');
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = parsedRequest(request, 'bestLimit');
    if (delta === 0) return basicOfSpec({ rule: 'basic', epsilon, delta, adjacency }, kinds);
    const highest = bestOrder({ epsilon, delta });
    const orders = places.map(({ place, share: of }) => ({ order: Number((1 + (highest - 1) * place).toPrecision(4)), share: of })).filter(({ order }) => order > 1);
    return bestOfSpec({ rule: 'best', epsilon, delta, adjacency, failures: setAside(delta, failureShare), orders }, kinds);
  };
}

/** The filter that a spec fixes. */
export function bestOfSpec(spec: z.output<typeof bestSpecSchema>, kinds: AccountingContext['kinds']): PrivacyFilter {
  const { epsilon, delta, adjacency, failures, orders } = spec, sound = withoutShare(delta, failures);
  const prices = createPriceList((event) => {
    const context = kinds === undefined ? { adjacency } : { adjacency, kinds };
    // What has an ε has Rényi divergences, so where these are not known nothing is.
    const { known, failure } = soundPart(event, 'rdp', context);
    return { costs: [...orders.map(({ order }) => known(order)), knownOr(() => soundPart(event, 'pure', context).known)], failure };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule, spec, budgets: [...orders.map(({ order, share: of }) => renyiBudget({ epsilon, delta: multiplyDown(sound, of) }, order)), epsilon], keeps: 'some', mayFail: failures, prices,
    limit: approximateLimit({ epsilon, delta }),
  });
}

/** A number that is known, or Infinity. */
function knownOr(compute: () => number): number {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsupported) return Infinity;
    throw error;
  }
}
