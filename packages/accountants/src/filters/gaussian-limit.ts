import {
  type AccountingContext, failingEvent, type FilterMaker, gaussianEvent, type PrivacyFilter,
} from '@lethe/core';
import { divideDown, divideUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import { z } from 'zod';
import { gaussianBudget, withoutShare } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedShare, requestWithDelta, setAside, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

/** What fixes a filter of squared μ. */
export const gaussianSpecSchema = z.strictObject({ rule: z.literal('gaussian'), ...specFields });

/**
 * Limits that add up the squared μ of Gaussian differential privacy: nothing is given away for Gaussian noise, and what lies above a
 * Gaussian curve is admitted at its μ.
 *
 * A release that is μ-Gaussian private is computed from one draw of N(μ, 1) or N(0, 1), whichever the data set, and so from the
 * increment of a Brownian motion with that drift over a time μ². Times chosen answer by answer that add up to at most B² leave
 * the interaction a function of the path up to B², which is B-Gaussian private.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @see Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2022.
 */
export function gaussianLimit(options: FailureOptions = {}): FilterMaker {
  const share = parsedShare(options.failureShare, 'gaussianLimit');
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = requestWithDelta(request, 'gaussianLimit');
    return gaussianOfSpec({ rule: 'gaussian', epsilon, delta, adjacency, failures: setAside(delta, share) }, kinds);
  };
}

/** The filter that a spec fixes. */
export function gaussianOfSpec(spec: z.output<typeof gaussianSpecSchema>, kinds: AccountingContext['kinds']): PrivacyFilter {
  const { epsilon, delta, adjacency, failures } = spec;
  const sigma = divideUp(1, gaussianBudget({ epsilon, delta: withoutShare(delta, failures) })), mu = divideDown(1, sigma);
  const sound = gaussianEvent(sigma, { [adjacency]: 1 });
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(event, 'gdp', kinds === undefined ? { adjacency } : { adjacency, kinds });
    return { costs: [multiplyUp(known.mu, known.mu)], failure };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule, spec, budgets: [multiplyDown(mu, mu)], keeps: 'every', mayFail: failures, prices, limit: failures === 0 ? sound : failingEvent(failures, sound),
  });
}
