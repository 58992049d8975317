import { repeatedEvent, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { atLeast, deltaOf, epsilonOf, runsFor, sparing, widthOf } from './ask.js';
import {
  adjacencyCells,
  deltas,
  epsilons,
  events,
  families,
  gaussian,
  json,
  laplace,
  poisson,
  rates,
  tenTo,
} from './events.js';

export const monotoneInDelta = defineLaw<'accountant'>({
  id: 'accountant/monotone-in-delta',
  kind: 'accountant',
  tier: 'search',
  statement: 'ε(δ) is non-increasing, also for very close δ',
  power: `any rise by 1e-6 between neighbouring or doubled δ on 1 of 40 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: events,
        delta: fc.oneof(deltas, fc.constantFrom(1e-5, 0.5, 0)),
        step: fc.constantFrom(2, 1 + 1e-9, 10),
      }),
      ({ event, delta, step }) => {
        const adjacency = defined(cell.adjacency);
        const wider = Math.min(1, delta === 0 ? 1e-9 : delta * step);
        const narrow = epsilonOf(plugin, event, { adjacency, delta });
        const wide = epsilonOf(plugin, event, { adjacency, delta: wider });
        const [less, more] = [narrow?.upper, wide?.upper];
        if (less === undefined || more === undefined || atLeast(less, more, widthOf(narrow, wide)))
          return undefined;
        return {
          what: `ε is ${less} at δ = ${delta} and larger, ${more}, at δ = ${wider}`,
          measured: more,
          allowed: less,
          input: event,
        };
      },
      { runs: runsFor(plugin, 30) },
    ),
});

export const monotoneInEpsilon = defineLaw<'accountant'>({
  id: 'accountant/monotone-in-epsilon',
  kind: 'accountant',
  tier: 'search',
  statement: 'δ(ε) is non-increasing, also around integer ε',
  power:
    'any rise by 1e-6 of δ between neighbouring or larger ε on 1 of 40 events, ' +
    `and a drop at an integer; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: events,
        epsilon: fc.oneof(epsilons, fc.integer({ min: 0, max: 12 })),
        step: fc.constantFrom(1e-9, 0.01, 1),
      }),
      ({ event, epsilon, step }) => {
        const adjacency = defined(cell.adjacency);
        const wider = epsilon + step;
        const narrow = deltaOf(plugin, event, { adjacency, epsilon });
        const wide = deltaOf(plugin, event, { adjacency, epsilon: wider });
        const [less, more] = [narrow?.upper, wide?.upper];
        // Only the ends of an interval are certified: a rise of the
        // upper bound within its width is no contradiction.
        if (
          less === undefined ||
          more === undefined ||
          more <= less * (1 + 1e-6) + 1e-300 + Math.min(widthOf(narrow, wide), 0.05 * less)
        )
          return undefined;
        return {
          what: `δ is ${less} at ε = ${epsilon} and larger, ${more}, at ε = ${wider}`,
          measured: more,
          allowed: less,
          input: event,
        };
      },
      {
        runs: runsFor(plugin, 30),
        examples: [1, 2, 5].map((epsilon) => ({ event: gaussian(1), epsilon, step: 1e-9 })),
      },
    ),
});

/**
 * Pairs of events where the second clearly costs more, so that
 * discretisation errors cannot reverse the order.
 */
const ordered: fc.Arbitrary<{
  readonly change: string;
  readonly cheap: PrivacyEvent;
  readonly dear: PrivacyEvent;
}> = fc.oneof(
  fc
    .constantFrom(...families)
    .chain(({ name, make, numbers, cost }) =>
      numbers.map((x) =>
        cost === 'falls'
          ? { change: `more noise: ${name}`, cheap: make(1.5 * x), dear: make(x) }
          : { change: `a larger guarantee: ${name}`, cheap: make(x), dear: make(1.5 * x) },
      ),
    ),
  fc
    .tuple(
      fc.constantFrom(...families).chain(({ make, numbers }) => numbers.map(make)),
      fc.integer({ min: 1, max: 50 }),
    )
    .map(([event, n]) => ({
      change: `${n} instead of ${2 * n} times`,
      cheap: repeatedEvent(event, n),
      dear: repeatedEvent(event, 2 * n),
    })),
  fc
    .tuple(rates, tenTo(-0.3, 1), fc.constantFrom(gaussian, laplace), fc.integer({ min: 1, max: 100 }))
    .map(([rate, x, make, n]) => ({
      change: `half the rate ${rate}`,
      cheap: repeatedEvent(poisson(rate / 2, make(x)), n),
      dear: repeatedEvent(poisson(rate, make(x)), n),
    })),
  fc
    .tuple(tenTo(-0.5, 1), fc.constantFrom('core/gaussian', 'core/discrete-gaussian'))
    .map(([sigma, kind]) => {
      const moved = (by: number): PrivacyEvent =>
        json({ kind, v: 1, sigma, sensitivity: { 'replace-one': 2 * by, 'add-remove': by, 'zero-out': by } });
      return { change: 'half the sensitivity', cheap: moved(1), dear: moved(2) };
    }),
);

export const monotoneInCost = defineLaw<'accountant'>({
  id: 'accountant/monotone-in-cost',
  kind: 'accountant',
  tier: 'search',
  statement:
    'more noise, fewer runs, a smaller sampling rate and a smaller sensitivity never increase the cost',
  power:
    'a cost that changes in the wrong direction by 1e-6 when noise, count, ' +
    `rate or sensitivity change by half, on 1 of 80 pairs; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ pair: ordered, delta: deltas }),
      ({ pair: { change, cheap, dear }, delta }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        const [low, high] = [epsilonOf(plugin, cheap, context), epsilonOf(plugin, dear, context)];
        const [less, more] = [low?.upper, high?.upper];
        if (less === undefined || more === undefined || atLeast(more, less, widthOf(low, high)))
          return undefined;
        return {
          what: `${change} costs more: ε = ${less} instead of ${more}, at δ = ${delta}`,
          measured: more,
          allowed: less,
          input: { cheap, dear },
        };
      },
      { runs: runsFor(plugin, 50) },
    ),
});

export const conversion = defineLaw<'accountant'>({
  id: 'accountant/conversion',
  kind: 'accountant',
  tier: 'search',
  onClaim: true,
  statement:
    'ε(δ) and δ(ε) are inverse to each other where the accountant claims it; approximately so for ' +
    'accountants that compose privacy losses, which bound every answer separately',
  power:
    'a difference of 1e-5 at 1 of 40 points; of a fifth of δ or a hundredth of ε for accountants that ' +
    `compose privacy losses; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    // Accountants that compose privacy losses bound every answer separately.
    const isSeparate = plugin.wants.includes('pair');
    const grain = isSeparate ? 1e-2 : 1e-5;
    const share = isSeparate ? 0.2 : 1e-5;
    return forAll(
      fc.record({ event: events, delta: deltas, epsilon: epsilons }),
      ({ event, delta, epsilon }) => {
        const adjacency = defined(cell.adjacency);
        const cost = epsilonOf(plugin, event, { adjacency, delta });
        const needed = cost?.upper;
        if (needed !== undefined && needed < Infinity) {
          const slack = deltaOf(plugin, event, { adjacency, epsilon: needed * (1 + 1e-9) + 1e-12 });
          const back = slack?.upper;
          if (back !== undefined && !(back <= delta * (1 + share) + Math.min(widthOf(slack), 0.05 * delta)))
            return {
              what: `the answer at δ = ${delta} is ε = ${needed}, but δ at that ε is ${back}`,
              measured: back,
              allowed: delta,
              input: event,
            };
        }
        const given = deltaOf(plugin, event, { adjacency, epsilon });
        const left = given?.upper;
        if (left !== undefined && left > 1e-300 && left < 1) {
          const second = epsilonOf(plugin, event, { adjacency, delta: Math.min(1, left * (1 + 1e-9)) });
          const again = second?.upper;
          if (again !== undefined && !(again <= epsilon * (1 + grain) + grain / 100 + widthOf(second)))
            return {
              what: `the answer at ε = ${epsilon} is δ = ${left}, but ε at that δ is ${again}`,
              measured: again,
              allowed: epsilon,
              input: event,
            };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 30) },
    );
  },
});
