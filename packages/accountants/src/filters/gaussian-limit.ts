import {
  type AccountingContext,
  failingEvent,
  type FilterMaker,
  gaussianEvent,
  type PrivacyFilter,
} from '@lethe/core';
import { divideDown, divideUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { gaussianBudget, withoutShare } from './limits.js';
import { createPriceList, soundPart } from './pricing.js';
import { type FailureOptions, parsedShare, requestWithDelta, reserveOf, specFields } from './request.js';
import { privacyFilterOf } from './rule.js';

/** Schema of the parameters of a filter by squared μ. */
export const gaussianSpecSchema = z.strictObject({ rule: z.literal('gaussian'), ...specFields });

/**
 * Limits by the sum of squared μ of Gaussian differential privacy. This is tight for Gaussian noise; an event
 * whose trade-off curve lies above a Gaussian one counts with that μ.
 *
 * Proof: a μ-Gaussian private release is a function of one draw from N(μ, 1) or N(0, 1), depending on the
 * data set, and so of the increment of a Brownian motion with drift 1 or 0 over time μ². If adaptively chosen
 * times sum to at most B², the interaction is a function of the path up to B², which is B-Gaussian private.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @see Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2022.
 */
export function gaussianLimit(options: FailureOptions = {}): FilterMaker {
  const share = parsedShare(options.failureShare, 'gaussianLimit');
  return (request) => {
    const { epsilon, delta, adjacency, kinds } = requestWithDelta(request, 'gaussianLimit');
    return gaussianOfSpec(
      { rule: 'gaussian', epsilon, delta, adjacency, failures: reserveOf(delta, share) },
      kinds,
    );
  };
}

/** The filter with the parameters of a spec. */
export function gaussianOfSpec(
  spec: z.output<typeof gaussianSpecSchema>,
  kinds: AccountingContext['kinds'],
): PrivacyFilter {
  const { epsilon, delta, adjacency, failures } = spec;
  const sigma = divideUp(1, gaussianBudget({ epsilon, delta: withoutShare(delta, failures) }));
  const mu = divideDown(1, sigma);
  const sound = gaussianEvent(sigma, { [adjacency]: 1 });
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(
      event,
      'gdp',
      kinds === undefined ? { adjacency } : { adjacency, kinds },
    );
    return { costs: [multiplyUp(known.mu, known.mu)], failure };
  }, kinds);
  return privacyFilterOf({
    name: spec.rule,
    spec,
    budgets: [multiplyDown(mu, mu)],
    keeps: 'every',
    mayFail: failures,
    prices,
    limit: failures === 0 ? sound : failingEvent(failures, sound),
  });
}
