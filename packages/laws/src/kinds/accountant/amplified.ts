import fc from 'fast-check';
import { composedEvent, repeatedEvent, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { trueDelta } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { deltaOf, epsilonOf, runsFor, sparing } from './ask.js';
import {
  adjacencyCells,
  allocation,
  amplified,
  approximate,
  fixedSize,
  gaussian,
  group,
  mixture,
  mixturePairOf,
  negativeBinomial,
  poisson,
  poissonRuns,
  pure,
  selection,
  shuffledLocal,
  truncated,
} from './events.js';
import { againstTruth } from './truth.js';

/**
 * One event of each kind, at parameters where approximations fail: little noise in an allocation, large
 * groups with δ, few users in a shuffle.
 */
const telling: readonly PrivacyEvent[] = [
  fixedSize(10, 5, false, gaussian(1)),
  fixedSize(10, 1, false, gaussian(0.5)),
  fixedSize(2, 1, false, gaussian(0.3)),
  fixedSize(10, 10, true, gaussian(1)),
  fixedSize(10, 5, true, gaussian(0.5)),
  fixedSize(2, 2, true, gaussian(0.3)),
  allocation(2, gaussian(0.3)),
  allocation(2, gaussian(1)),
  allocation(3, gaussian(0.5)),
  allocation(4, gaussian(0.25)),
  allocation(4, gaussian(0.5), 2),
  allocation(3, gaussian(1), 2),
  truncated(10, 0.5, 2, gaussian(0.3)),
  truncated(10, 0.5, 5, gaussian(1)),
  truncated(2, 0.9, 1, gaussian(0.3)),
  group(2, gaussian(1)),
  group(10, approximate(0.5, 1e-5)),
  group(3, approximate(1, 1e-3)),
  group(2, approximate(0.25, 0.01)),
  group(5, pure(0.2)),
  group(2, poisson(0.5, gaussian(1))),
  group(10, poisson(0.1, gaussian(2))),
  mixture(1, [0, 1], [0.5, 0.5]),
  mixture(0.5, [0, 1, 2], [0.9, 0.05, 0.05]),
  mixturePairOf(
    1,
    { means: [0, 1], probabilities: [0.5, 0.5] },
    { means: [0, -1, -2], probabilities: [0.8, 0.1, 0.1] },
  ),
  selection(pure(0.5), 0.01, 10_000),
  selection(pure(0.1), 0.1, 100),
  selection(gaussian(2), 0.01, 10_000),
  selection(gaussian(5), 0.5, 3),
  selection(approximate(0, 1e-3), 1e-3, 10_000),
  negativeBinomial(pure(0.5), 0, 0.01),
  negativeBinomial(gaussian(2), 3, 0.1),
  poissonRuns(pure(0.5), 10),
  poissonRuns(gaussian(2), 20),
  shuffledLocal(1, 10),
  shuffledLocal(2, 3),
  shuffledLocal(4, 40),
  shuffledLocal(0.5, 2),
];

export const amplifiedTruth = defineLaw<'accountant'>({
  id: 'accountant/amplified',
  kind: 'accountant',
  tier: 'search',
  statement:
    'δ of sampling with or without replacement, truncated samples, random allocation, groups, ' +
    'mixtures, selections and shuffles is at least the δ of some neighbours, ' +
    'by enumeration of small cases; the accountant may refuse such events',
  power:
    'a δ below the enumerated value by 1e-6 at 1 of 114 fixed points: a squared rate, ' +
    'a δ not multiplied, an allocation charged as independent samples',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: fc.oneof(...amplified.map(({ events }) => events)),
        epsilon: fc.constantFrom(0.5, 0, 0.1, 1, 2, 4, 8),
      }),
      ({ event, epsilon }) => againstTruth(plugin, { event, adjacency: defined(cell.adjacency) }, epsilon),
      {
        runs: 12,
        examples: telling.flatMap((event) => [0.5, 0.05, 2].map((epsilon) => ({ event, epsilon }))),
      },
    ),
});

/** Laplace noise on a sum is ε-private, and a group of k moves the sum k times as far. */
export const groups = defineLaw<'accountant'>({
  id: 'accountant/groups',
  kind: 'accountant',
  tier: 'exact',
  statement:
    'a group of k records costs kε where a record costs ε, for releases of which only ε is known; an ' +
    'accountant may refuse groups',
  power: 'an ε too small by 1e-9, for k of 2 to 100',
  cells: adjacencyCells,
  check({ plugin }, { cell }) {
    let asked = 0;
    for (const size of [2, 3, 7, 100])
      for (const epsilon of [1e-3, 0.2, 3]) {
        const event = group(size, pure(epsilon));
        const upper = epsilonOf(plugin, event, { adjacency: defined(cell.adjacency), delta: 0 })?.upper;
        if (upper === undefined) continue;
        asked++;
        if (!(upper >= size * epsilon * (1 - 1e-9)))
          return fails(asked, {
            what: `${size} records of ε = ${epsilon} each cost ε = ${upper} together`,
            measured: upper,
            allowed: size * epsilon,
            input: event,
          });
      }
    return asked === 0 ? skipped('it refuses groups, or has no ε at δ = 0') : holds(asked);
  },
});

export const amplifiedMore = defineLaw<'accountant'>({
  id: 'accountant/amplified-more',
  kind: 'accountant',
  tier: 'search',
  statement:
    'two runs of such a release, or one beside another release, cost at least as much as one run, ' +
    'and at least the enumerated δ of two runs',
  power: `a δ lower by 1e-6 on 1 of 30 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: fc.oneof(...amplified.map(({ events }) => events)),
        epsilon: fc.constantFrom(0.5, 0.1, 1, 3),
      }),
      ({ event, epsilon }): Violation | undefined => {
        const adjacency = defined(cell.adjacency);
        const once = deltaOf(plugin, event, { adjacency, epsilon })?.upper;
        for (const more of [repeatedEvent(event, 2), composedEvent([event, gaussian(3)])]) {
          const both = deltaOf(plugin, more, { adjacency, epsilon });
          if (both === undefined) continue;
          if (once !== undefined && !(both.upper >= once * (1 - 1e-6)))
            return {
              what: `one run has δ = ${once} at ε = ${epsilon}, the composition only ${both.upper}`,
              measured: both.upper,
              allowed: once,
              input: more,
            };
          const least = trueDelta(more, adjacency, epsilon)?.lower;
          if (least !== undefined && both.certificate !== 'estimate' && !(both.upper >= least * (1 - 1e-6)))
            return {
              what: `some neighbours have δ = ${least} at ε = ${epsilon}; the upper bound is ${both.upper}`,
              measured: both.upper,
              allowed: least,
              input: more,
            };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 8) },
    ),
});
