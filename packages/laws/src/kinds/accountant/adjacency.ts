import {
  adjacencies,
  Unsupported,
  type PrivacyEvent,
  type Sensitivity,
  composedEvent,
  parallelEvent,
  repeatedEvent,
} from '@lethe/core';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { atLeast, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import { deltas, events, failing, filtered, json, poisson, tenTo } from './events.js';

/** The events of core with a sensitivity, by scale. */
const moved: readonly ((scale: number, sensitivity: Sensitivity) => PrivacyEvent)[] = [
  (sigma, sensitivity) => json({ kind: 'core/gaussian', v: 1, sigma, sensitivity }),
  (scale, sensitivity) => json({ kind: 'core/laplace', v: 1, scale, sensitivity }),
  (sigma, sensitivity) => json({ kind: 'core/discrete-gaussian', v: 1, sigma, sensitivity }),
  (scale, sensitivity) => json({ kind: 'core/discrete-laplace', v: 1, scale, sensitivity }),
  (scale, sensitivity) => json({ kind: 'core/exponential', v: 1, epsilon: 1 / scale, sensitivity }),
  (sigma, sensitivity) =>
    json({
      kind: 'core/prefix-sum',
      v: 1,
      sigma,
      sensitivity,
      factorisation: 'laws/identity',
      steps: 4,
      participation: { times: 1, gap: 1 },
      columnNorm: 1.5,
    }),
];
const settings = fc.record({
  make: fc.constantFrom(...moved.keys()),
  scale: tenTo(-0.3, 1.2),
  by: fc.constantFrom(2, 1, 4),
  n: fc.integer({ min: 1, max: 20 }),
  delta: deltas,
  adjacency: fc.constantFrom(...adjacencies),
});

export const adjacencyHonoured = defineLaw<'accountant'>({
  id: 'accountant/adjacency',
  kind: 'accountant',
  tier: 'search',
  statement:
    'the cost depends on the sensitivity under the adjacency of the query alone: ' +
    'sensitivity 2 to replacement costs the same as sensitivity 2 to zero-out, for any other entries',
  power: `a cost with an error of 1e-6 on 1 of 60 events; a factor 2 at the first; ${sparing}`,
  check: ({ plugin }, { forAll }) =>
    forAll(
      settings,
      ({ make, scale, by, n, delta, adjacency }): Violation | undefined => {
        const event = moved[make];
        const decoys = Object.fromEntries(
          adjacencies.map((a, i) => [a, a === adjacency ? by : by / (2 + i)]),
        ) as Sensitivity;
        const expected = adjacencies.map((a) =>
          epsilonOf(plugin, repeatedEvent(event(scale, { [a]: by }), n), { adjacency: a, delta }),
        );
        const found = epsilonOf(plugin, repeatedEvent(event(scale, decoys), n), { adjacency, delta });
        const mixed = found?.upper;
        for (const [i, answer] of expected.entries()) {
          const cost = answer?.upper;
          if (cost === undefined || mixed === undefined || near(cost, mixed, widthOf(answer, found)))
            continue;
          return {
            what:
              `sensitivity ${by} costs ε = ${mixed} under ${adjacency} with smaller sensitivities under ` +
              `other adjacencies, and ε = ${cost} under ${adjacencies[i]} alone, at δ = ${delta}`,
            measured: mixed,
            allowed: cost,
            input: repeatedEvent(event(scale, decoys), n),
          };
        }
        return undefined;
      },
      {
        runs: runsFor(plugin, 50),
        examples: moved.map((_, make) => ({
          make,
          scale: 1,
          by: 2,
          n: 1,
          delta: 1e-5,
          adjacency: 'replace-one' as const,
        })),
      },
    ),
});

export const missingAdjacency = defineLaw<'accountant'>({
  id: 'accountant/missing-adjacency',
  kind: 'accountant',
  tier: 'search',
  statement:
    'an event without a sensitivity under the adjacency of the query is Unsupported, ' +
    'also when nested; sensitivities under other adjacencies are not substituted',
  power: 'certain for any kind of event with a sensitivity',
  check: ({ plugin }, { forAll }) =>
    forAll(
      settings,
      ({ make, scale, by, n, delta, adjacency }): Violation | undefined => {
        const others = Object.fromEntries(
          adjacencies.filter((a) => a !== adjacency).map((a) => [a, by]),
        ) as Sensitivity;
        const without = moved[make](scale, others);
        for (const event of [
          without,
          repeatedEvent(without, n),
          composedEvent([without, without]),
          parallelEvent([without]),
          failing(1e-9, without),
          filtered(without),
        ]) {
          for (const ask of [
            () => plugin.epsilon(event, { adjacency, delta }),
            () => plugin.delta(event, { adjacency, epsilon: 1 }),
          ]) {
            try {
              const { upper } = ask();
              return {
                what:
                  `the event has no sensitivity under ${adjacency}; ` +
                  `expected Unsupported, got the cost ${upper}`,
                measured: upper,
                input: event,
              };
            } catch (error) {
              if (!(error instanceof Unsupported)) throw error;
            }
          }
        }
        return undefined;
      },
      {
        runs: 20,
        examples: moved.map((_, make) => ({
          make,
          scale: 1,
          by: 2,
          n: 2,
          delta: 1e-5,
          adjacency: 'replace-one' as const,
        })),
      },
    ),
});

export const replacing = defineLaw<'accountant'>({
  id: 'accountant/replacing',
  kind: 'accountant',
  tier: 'search',
  statement:
    'replace-one costs at least as much as add-remove and zero-out for an event whose sensitivity to ' +
    'replacement is twice as large',
  power: `a cost lower by 1e-6 on 1 of 40 events; ${sparing}`,
  check: ({ plugin }, { forAll }) =>
    forAll(
      fc.record({
        event: fc.oneof(
          events,
          events.map((event) => poisson(1, event)),
        ),
        delta: deltas,
      }),
      ({ event, delta }) => {
        const whole = epsilonOf(plugin, event, { adjacency: 'replace-one', delta });
        const replaced = whole?.upper;
        if (replaced === undefined) return undefined;
        for (const adjacency of ['add-remove', 'zero-out'] as const) {
          const answer = epsilonOf(plugin, event, { adjacency, delta });
          const cost = answer?.upper;
          if (cost !== undefined && !atLeast(replaced, cost, widthOf(answer, whole)))
            return {
              what: `ε is ${replaced} under replace-one, ${cost} under ${adjacency}, at δ = ${delta}`,
              measured: replaced,
              allowed: cost,
              input: event,
            };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 30) },
    ),
});
