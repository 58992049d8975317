import { basicLimit, bestOf, rdp, renyiLimit, zcdp, withoutFailures } from '@lethe/accountants';
import {
  type CoreEvent,
  type FilterMaker,
  parallelEvent,
  type PrivacyEvent,
  type PrivacyFilter,
  Unsupported,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, countedOnce, mapped } from './plant.js';

const source = 'generic: a limit that is not a filter';

/** A filter that decides on another event than the one in the request. */
const misread =
  (make: FilterMaker, read: (event: PrivacyEvent) => PrivacyEvent): FilterMaker =>
  (request) => {
    const filter = make(request);
    return { ...filter, admits: (event) => filter.admits(mapped(event, read)) };
  };

export const largestOfAll = defineMutant({
  id: 'accountant/filter-takes-largest-came-one-after-another',
  kind: 'accountant',
  title: 'a filter takes the maximum over sequential events',
  source,
  killedBy: ['accountant/filter-sums'],
  within: 1,
  plant: () =>
    changed(rdp, {
      filter: misread(defined(rdp.filter), (event) => {
        const core = event as CoreEvent;
        return core.kind === 'core/compose' ? parallelEvent(core.parts.map((part) => part.event)) : event;
      }),
    }),
});

export const filterForgetsCounts = defineMutant({
  id: 'accountant/filter-counts-equal-releases-once',
  kind: 'accountant',
  title: 'a filter counts equal releases once',
  source,
  killedBy: ['accountant/filter-sums'],
  within: 1,
  plant: () =>
    changed(zcdp, {
      filter: misread(
        defined(zcdp.filter),
        countedOnce(['core/pure', 'core/gaussian', 'core/compose', 'core/approximate']),
      ),
    }),
});

export const ordersAfterwards = defineMutant({
  id: 'accountant/limit-decided-whichever-order-suits-asked',
  kind: 'accountant',
  title: 'a limit is decided by the best Rényi order after the fact',
  source: 'what limits of data sets were before 0025',
  killedBy: ['accountant/filter-adaptive'],
  within: 44,
  plant: () =>
    changed(rdp, {
      filter: (request) => ({
        ...defined(rdp.filter)(request),
        admits: (event) =>
          rdp.epsilon(event, { adjacency: request.adjacency, delta: request.delta }).upper <= request.epsilon,
      }),
    }),
});

export const leastOfAccountants = defineMutant({
  id: 'accountant/limit-decided-least-two-accountants',
  kind: 'accountant',
  title: 'a limit is decided by the smaller of two accountants',
  source: 'what limits of data sets were before 0025',
  killedBy: ['accountant/filter-adaptive'],
  within: 44,
  plant: () => {
    const best = bestOf([zcdp, rdp]);
    return changed(rdp, {
      filter: (request) => ({
        ...defined(rdp.filter)(request),
        admits: (event) =>
          best.epsilon(event, { adjacency: request.adjacency, delta: request.delta }).upper <=
          request.epsilon,
      }),
    });
  },
});

/** A union of filters that admits while one of them does, each with the full δ. */
const withoutShares =
  (makers: readonly FilterMaker[]): FilterMaker =>
  (request) => {
    const filters = makers.flatMap((make): readonly PrivacyFilter[] => [make(request)]);
    return {
      ...filters[0],
      admits: (event) =>
        filters.some((filter) => {
          try {
            return filter.admits(event);
          } catch (error) {
            if (error instanceof Unsupported) return false;
            throw error;
          }
        }),
    };
  };

export const noShares = defineMutant({
  id: 'accountant/filter-goes-one-two-orders-sum-epsilon',
  kind: 'accountant',
  title: 'a filter admits while one of two orders, or the sum of ε and δ, does, each with the full δ',
  source,
  killedBy: ['accountant/filter-adaptive'],
  within: 44,
  plant: () =>
    changed(rdp, {
      filter: withoutShares([renyiLimit({ orders: [6] }), renyiLimit({ orders: [20] }), basicLimit()]),
    }),
});

export const freeFailures = defineMutant({
  id: 'accountant/filter-prices-failures-nothing',
  kind: 'accountant',
  title: 'a filter ignores failure probabilities',
  source,
  killedBy: ['accountant/filter-sums'],
  within: 1,
  plant: () =>
    changed(rdp, {
      filter: (request) => {
        const filter = defined(rdp.filter)(request);
        return {
          ...filter,
          admits: (event) => filter.admits(withoutFailures(event, request.adjacency).event),
        };
      },
    }),
});
