import { type AccountingContext, type FilterMaker, multiplyDown, multiplyUp, type PrivacyFilter, Unsupported } from '@lethe/core';
import { z } from 'zod';
import { basicOfSpec } from './basic-limit.js';
import { approximateLimit, bestOrder, gaussianBudget, renyiBudget, withoutShare } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedRequest, parsedShare, setAside, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

const share = z.number().positive().max(1);
/** What fixes a filter that goes on by the best of several rules. */
export const bestSpecSchema = z.strictObject({
  rule: z.literal('best'), ...specFields, gaussian: share, renyi: z.array(z.strictObject({ order: z.number().gt(1).max(2 ** 40), share })).min(1).max(64),
}).refine(({ gaussian, renyi }) => renyi.reduce((sum, one) => sum + one.share, gaussian) <= 1, { message: 'the shares of δ add up to at most 1' });

/** Shares of δ by rule, and where the orders are: between 1 and the order at which most Gaussian noise fits. */
const gaussianShare = 0.375;
const orders = [{ place: 0.375, share: 0.25 }, { place: 0.875, share: 0.375 }];

/**
 * Limits that go on while at least one of several rules does: squared μ of Gaussian privacy, Rényi divergence at one of two orders, or
 * the sum of pure ε. Each has a share of δ, but for the last, which needs none. With δ = 0 it is {@link basicLimit}.
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
    const middle = bestOrder({ epsilon, delta });
    return bestOfSpec({
      rule: 'best', epsilon, delta, adjacency, failures: setAside(delta, failureShare), gaussian: gaussianShare,
      renyi: orders.map(({ place, share: of }) => ({ order: Number((1 + (middle - 1) * place).toPrecision(4)), share: of })).filter(({ order }) => order > 1),
    }, kinds);
  };
}

/** The filter that a spec fixes. */
export function bestOfSpec(spec: z.output<typeof bestSpecSchema>, kinds: AccountingContext['kinds']): PrivacyFilter {
  const { epsilon, delta, adjacency, failures, gaussian, renyi } = spec, sound = withoutShare(delta, failures);
  const limitOf = (of: number): { readonly epsilon: number; readonly delta: number } => ({ epsilon, delta: multiplyDown(sound, of) });
  const most = gaussianBudget(limitOf(gaussian));
  const prices = createPriceList((event) => {
    const context = kinds === undefined ? { adjacency } : { adjacency, kinds };
    // What has a μ or an ε has Rényi divergences, so where these are not known nothing is.
    const { known: curve, failure } = soundPart(event, 'rdp', context);
    const mu = knownOr(() => soundPart(event, 'gdp', context).known.mu), pure = knownOr(() => soundPart(event, 'pure', context).known);
    return { costs: [multiplyUp(mu, mu), ...renyi.map(({ order }) => curve(order)), pure], failure };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule, spec, budgets: [multiplyDown(most, most), ...renyi.map(({ order, share: of }) => renyiBudget(limitOf(of), order)), epsilon], keeps: 'some', mayFail: failures, prices,
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
