import {
  adjacencies,
  composedEvent,
  countedEvent,
  freeEvent,
  parallelEvent,
  repeatedEvent,
  unprotectedEvent,
  type Adjacency,
  type PrivacyEvent,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { atLeast, deltaOf, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import {
  adjacencyCells,
  deltas,
  epsilons,
  families,
  leaves,
  poisson,
  samples,
  gaussian,
  laplace,
  pure,
} from './events.js';

type Context = { readonly adjacency: 'replace-one' | 'add-remove' | 'zero-out'; readonly delta: number };

/** Compares the costs of equivalent events. */
function sameCost(
  { plugin }: Subject<'accountant'>,
  ways: Readonly<Record<string, PrivacyEvent>>,
  context: Context,
): Violation | undefined {
  const costs = Object.entries(ways).map(([name, event]) => {
    const answer = epsilonOf(plugin, event, context);
    return { name, event, answer, cost: answer?.upper };
  });
  const [first, ...others] = costs;
  const other = others.find(
    ({ cost, answer }) =>
      (cost === undefined) !== (first.cost === undefined) ||
      (cost !== undefined && !near(cost, defined(first.cost), widthOf(answer, first.answer))),
  );
  if (other === undefined) return undefined;
  const said = (cost: number | undefined): string => (cost === undefined ? 'refused' : `ε = ${cost}`);
  return {
    what:
      `two equivalent events have different costs: ${first.name} is ${said(first.cost)}, ` +
      `${other.name} is ${said(other.cost)}, at δ = ${context.delta} under ${context.adjacency}`,
    ...(other.cost === undefined ? {} : { measured: other.cost }),
    ...(first.cost === undefined ? {} : { allowed: first.cost }),
    input: { [first.name]: first.event, [other.name]: other.event },
  };
}

/**
 * One event of each kind with count 7, each under one adjacency: counting does not depend on the adjacency.
 */
const countedOnce = families.map(({ make }) => ({ event: make(1), count: 7, delta: 1e-5 }));
const countedUnder = (adjacency: Adjacency): typeof countedOnce =>
  countedOnce.filter((_, i) => adjacencies[i % adjacencies.length] === adjacency);

export const count = defineLaw<'accountant'>({
  id: 'accountant/count',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a list of n equal events, the event with count n, and nested counts with product n have equal costs',
  power:
    'a difference of 1e-6 between the forms, on 1 of 30 events or on ' +
    `any kind of event with count 7; ${sparing}`,
  cells: adjacencyCells,
  check: (subject, { cell, forAll }) =>
    forAll(
      fc.record({ event: leaves, count: fc.integer({ min: 1, max: 12 }), delta: deltas }),
      ({ event, count: n, delta }) =>
        sameCost(
          subject,
          {
            counted: repeatedEvent(event, 2 * n),
            listed: composedEvent(Array.from({ length: 2 * n }, () => structuredClone(event))),
            nested: repeatedEvent(repeatedEvent(event, 2), n),
            mixed: composedEvent([repeatedEvent(event, n), ...Array.from({ length: n }, () => event)]),
          },
          { adjacency: defined(cell.adjacency), delta },
        ),
      { runs: runsFor(subject.plugin, 20), examples: countedUnder(defined(cell.adjacency)) },
    ),
});

export const regrouping = defineLaw<'accountant'>({
  id: 'accountant/regrouping',
  kind: 'accountant',
  tier: 'search',
  statement: 'the cost is invariant under reordering, regrouping, free parts and parallel copies',
  power: `a difference of 1e-6 between the forms, on 1 of 40 triples of events; ${sparing}`,
  cells: adjacencyCells,
  check: (subject, { cell, forAll }) =>
    forAll(
      fc.record({ a: leaves, b: leaves, c: leaves, n: fc.integer({ min: 1, max: 5 }), delta: deltas }),
      ({ a, b, c, n, delta }) =>
        sameCost(
          subject,
          {
            flat: countedEvent([
              { event: a, count: n },
              { event: b, count: 1 },
              { event: c, count: 1 },
            ]),
            reversed: countedEvent([
              { event: c, count: 1 },
              { event: b, count: 1 },
              { event: a, count: n },
            ]),
            'bracketed left': composedEvent([composedEvent([repeatedEvent(a, n), b]), c]),
            'bracketed right': composedEvent([repeatedEvent(a, n), composedEvent([b, c])]),
            'with free parts': composedEvent([
              freeEvent,
              repeatedEvent(a, n),
              composedEvent([b, freeEvent, composedEvent([])]),
              repeatedEvent(freeEvent, 9),
              c,
            ]),
            'each in parallel with itself': composedEvent([
              repeatedEvent(parallelEvent([a, a]), n),
              parallelEvent([b, b, freeEvent]),
              c,
            ]),
          },
          { adjacency: defined(cell.adjacency), delta },
        ),
      { runs: runsFor(subject.plugin, 25) },
    ),
});

export const parallel = defineLaw<'accountant'>({
  id: 'accountant/parallel',
  kind: 'accountant',
  tier: 'search',
  statement:
    'parallel events on disjoint slots cost at least each of them and at most their composition; ' +
    'if one costs more than the other at every ε, they cost as much as that one',
  power: `a cost with an error of 1e-6 on 1 of 40 pairs; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    const pairs = fc.oneof(
      fc
        .constantFrom(...families)
        .chain(({ make, numbers }) =>
          fc.tuple(numbers, numbers).map(([x, y]) => ({ a: make(x), b: make(y), ordered: true })),
        ),
      fc.tuple(leaves, leaves).map(([a, b]) => ({ a, b, ordered: false })),
    );
    return forAll(
      fc.record({ pair: pairs, delta: deltas }),
      ({ pair: { a, b, ordered }, delta }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        const answers = [a, b, parallelEvent([a, b]), composedEvent([a, b])].map((event) =>
          epsilonOf(plugin, event, context),
        );
        const width = widthOf(...answers);
        const [alone, other, apart, together] = answers.map((answer) => answer?.upper);
        if (alone === undefined || other === undefined) return undefined;
        const most = Math.max(alone, other);
        if (apart === undefined)
          return {
            what: `the accountant answers for each event, but refuses them on disjoint slots`,
            input: { a, b },
          };
        const at = `at δ = ${delta}`;
        if (!atLeast(apart, most, width))
          return {
            what: `on disjoint slots they cost ε = ${apart} ${at}, less than the larger cost alone, ${most}`,
            measured: apart,
            allowed: most,
            input: { a, b },
          };
        if (ordered && !atLeast(most, apart, width))
          return {
            what: `on disjoint slots they cost ε = ${apart} ${at}, the larger cost alone is only ${most}`,
            measured: apart,
            allowed: most,
            input: { a, b },
          };
        if (together !== undefined && !atLeast(together, apart, width))
          return {
            what: `on disjoint slots they cost ε = ${apart} ${at}, on the same slots only ${together}`,
            measured: apart,
            allowed: together,
            input: { a, b },
          };
        return undefined;
      },
      { runs: runsFor(plugin, 30) },
    );
  },
});

export const free = defineLaw<'accountant'>({
  id: 'accountant/free',
  kind: 'accountant',
  tier: 'search',
  statement:
    'free events have a cost, also sampled, repeated or in parallel, and ε = 0 at every δ and δ = 0 at ' +
    'every ε where the accountant claims it',
  power: 'certain',
  cells: adjacencyCells,
  check: ({ plugin, claims }, { cell, forAll }) => {
    const claimsNothing = claims.some(({ property }) => property === 'free');
    const most = claimsNothing ? 1e-12 : Infinity;
    return forAll(
      fc.record({
        delta: fc.constantFrom(1e-5, 0, 1e-300, 0.5, 1),
        epsilon: fc.constantFrom(1, 0, 1e-9, 30, 1e6),
      }),
      ({ delta, epsilon }) => {
        const adjacency = defined(cell.adjacency);
        for (const event of [
          freeEvent,
          composedEvent([]),
          parallelEvent([]),
          repeatedEvent(freeEvent, 1000),
          poisson(0.3, freeEvent),
          composedEvent([freeEvent, parallelEvent([freeEvent])]),
        ]) {
          const cost = epsilonOf(plugin, event, { adjacency, delta })?.upper;
          const slack = deltaOf(plugin, event, { adjacency, epsilon })?.upper;
          if (cost === undefined || slack === undefined)
            return { what: 'the accountant refuses a free event', input: event };
          if (!(cost >= 0 && cost <= most))
            return {
              what: `a free event costs ε = ${cost} at δ = ${delta}`,
              measured: cost,
              allowed: most,
              input: event,
            };
          if (!(slack >= 0 && slack <= Math.min(1, most)))
            return {
              what: `a free event costs δ = ${slack} at ε = ${epsilon}`,
              measured: slack,
              allowed: Math.min(1, most),
              input: event,
            };
        }
        return undefined;
      },
      { runs: 8 },
    );
  },
});

export const unprotected = defineLaw<'accountant'>({
  id: 'accountant/unprotected',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a release without noise has ε = ∞ at every δ below 1 and δ = 1 at every finite ε, alone, ' +
    'repeated, in parallel or in a composition; in a Poisson sample, δ is at least the rate',
  power: 'certain',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        other: leaves,
        delta: fc.oneof(deltas, fc.constantFrom(0, 0.9, 1 - 2 ** -40)),
        epsilon: fc.oneof(epsilons, fc.constantFrom(0, 700, 1e6)),
        rate: fc.constantFrom(0.5, 0.01),
      }),
      ({ other, delta, epsilon, rate }) => {
        const adjacency = defined(cell.adjacency);
        const refused = epsilonOf(plugin, other, { adjacency, delta }) === undefined;
        for (const event of [
          unprotectedEvent,
          repeatedEvent(unprotectedEvent, 3),
          ...(refused
            ? []
            : [composedEvent([other, unprotectedEvent]), parallelEvent([unprotectedEvent, other])]),
        ]) {
          const cost = epsilonOf(plugin, event, { adjacency, delta })?.upper;
          const slack = deltaOf(plugin, event, { adjacency, epsilon })?.upper;
          if (cost !== undefined && cost !== Infinity)
            return {
              what: `a release without noise costs ε = ${cost} at δ = ${delta}`,
              measured: cost,
              allowed: Infinity,
              input: event,
            };
          if (slack !== undefined && !(slack >= 1))
            return {
              what: `a release without noise has δ = ${slack} at ε = ${epsilon}`,
              measured: slack,
              allowed: 1,
              input: event,
            };
        }
        const drawn = deltaOf(plugin, poisson(rate, unprotectedEvent), { adjacency, epsilon })?.upper;
        if (drawn !== undefined && !(drawn >= rate * (1 - 1e-9)))
          return {
            what:
              'a record released in the clear with probability ' +
              `${rate} has δ = ${drawn} at ε = ${epsilon}`,
            measured: drawn,
            allowed: rate,
            input: poisson(rate, unprotectedEvent),
          };
        return undefined;
      },
      { runs: 15 },
    ),
});

export const withMore = defineLaw<'accountant'>({
  id: 'accountant/more-costs-more',
  kind: 'accountant',
  tier: 'search',
  statement: 'a composition costs at least as much as each part',
  power: `a cost lower by 1e-6 on 1 of 45 pairs; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ event: fc.oneof(leaves, fc.constantFrom(...samples)), more: leaves, delta: deltas }),
      ({ event, more, delta }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        const one = epsilonOf(plugin, event, context);
        const two = epsilonOf(plugin, composedEvent([event, more]), context);
        const [alone, both] = [one?.upper, two?.upper];
        if (alone === undefined || both === undefined || atLeast(both, alone, widthOf(one, two)))
          return undefined;
        return {
          what:
            `an event costs ε = ${alone} at δ = ${delta}, ` +
            `its composition with another event only ${both}`,
          measured: both,
          allowed: alone,
          input: { event, more },
        };
      },
      {
        runs: runsFor(plugin, 25),
        examples: [
          [gaussian(1), pure(0.1)],
          [laplace(1), gaussian(5)],
        ].map(([event, more]) => ({ event: event, more: more, delta: 1e-5 })),
      },
    ),
});
