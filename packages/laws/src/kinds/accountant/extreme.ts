import { LetheError, repeatedEvent, type PrivacyEvent, type Interval } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { eventOf } from '../../arbitraries/events.js';
import { defineLaw } from '../../law/law.js';
import { adjacencyCells, gaussian, laplace, poisson, pure } from './events.js';
import { runsFor, sparing } from './ask.js';
import { malformed } from './intervals.js';

const corners: readonly PrivacyEvent[] = [
  gaussian(1e-300),
  gaussian(1e300),
  gaussian(5e-324),
  laplace(1e-300),
  laplace(1e300),
  pure(1e308),
  pure(5e-324),
  repeatedEvent(gaussian(1), 2 ** 52),
  repeatedEvent(gaussian(1e150), 2 ** 52),
  repeatedEvent(pure(1e-300), 2 ** 50),
  poisson(5e-324, gaussian(1e-3)),
  poisson(1 - 2 ** -53, gaussian(1e-3)),
  poisson(1e-12, laplace(1e-6)),
  poisson(0.5, gaussian(1e200)),
  repeatedEvent(poisson(1e-9, gaussian(0.01)), 2 ** 40),
];
const ends = [0, 5e-324, 1e-300, 1e-16, 0.5, 1 - 2 ** -53, 1];

export const extremes = defineLaw<'accountant'>({
  id: 'accountant/extremes',
  kind: 'accountant',
  tier: 'search',
  statement:
    'for extreme parameters the answer is an interval or a typed error, without NaN or untyped errors',
  power: `a malformed answer or an untyped error at 1 of 85 queries; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: fc.oneof(eventOf({ parameters: 'extreme', depth: 2 }), fc.constantFrom(...corners)),
        at: fc.oneof(
          fc.constantFrom(...ends).map((delta) => ({ delta })),
          fc.constantFrom(0, 5e-324, 1e-9, 1, 709.8, 1e6, 1e308, Infinity).map((epsilon) => ({ epsilon })),
        ),
      }),
      ({ event, at }) => {
        const adjacency = defined(cell.adjacency);
        let answer: Interval;
        try {
          answer =
            'delta' in at
              ? plugin.epsilon(event, { adjacency, ...at })
              : plugin.delta(event, { adjacency, ...at });
        } catch (error) {
          return error instanceof LetheError
            ? undefined
            : { what: `it throws an error without a type: ${String(error)}`, cause: error };
        }
        return malformed(answer, { event, at });
      },
      {
        runs: runsFor(plugin, 60),
        examples: corners.flatMap((event) => [
          { event, at: { delta: 1e-16 } },
          { event, at: { epsilon: 1 } },
        ]),
      },
    ),
});
