import { composedEvent, parallelEvent, repeatedEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { asks, begun, outcome, refusing } from './asked.js';
import { saying } from './filters.js';
import { noise } from './fixture.js';

const leaf = fc.constantFrom(1, 2, 4).map(noise);
const { event: trees } = fc.letrec<{ event: PrivacyEvent }>((tie) => ({
  event: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('event'), { minLength: 1, maxLength: 3 }).map(parallelEvent),
    fc.array(tie('event'), { minLength: 1, maxLength: 3 }).map(composedEvent),
    fc
      .tuple(tie('event'), fc.integer({ min: 1, max: 3 }))
      .map(([event, count]) => repeatedEvent(event, count)),
    tie('event').map((event) => sampledEvent({ kind: 'core/poisson', rate: 0.5 }, event)),
    tie('event').map((event) => ({ kind: 'core/failing', v: 1, delta: 0, event }) as PrivacyEvent),
    tie('event').map(
      (base) => ({ kind: 'core/selection', v: 1, base, stopProbability: 0.5, cap: 2 }) as PrivacyEvent,
    ),
  ),
})) as { event: Arbitrary<PrivacyEvent> };

interface Tree extends PrivacyEvent {
  readonly event?: Tree;
  readonly base?: Tree;
  readonly parts?: readonly Tree[];
  readonly count?: number;
}
/** All paths from the event inwards: `c` for a repetition, `p` for one of several parallel parts. */
function* waysInto(tree: Tree, distinct: boolean, way = ''): Generator<string> {
  const { kind, parts = [], event, base } = tree;
  if (kind === 'core/compose') {
    const repeats = parts.length > 1 || parts.some(({ count }) => (count ?? Number.NaN) > 1);
    for (const part of parts) yield* waysInto(defined(part.event), distinct, repeats ? `${way}c` : way);
  } else if (kind === 'core/parallel') {
    const many = (distinct ? new Set(parts.map((part) => canonicalEvent(part))).size : parts.length) > 1;
    for (const part of parts) yield* waysInto(part, distinct, many ? `${way}p` : way);
  } else if (base !== undefined) yield* waysInto(base, distinct, `${way}c`);
  else if (event !== undefined) yield* waysInto(event, distinct, way);
  else yield way;
}
const choosesInside = (event: PrivacyEvent, distinct: boolean): boolean =>
  [...waysInto(JSON.parse(canonicalEvent(event)) as Tree, distinct)].some((way) => /c.*p/u.test(way));

const two = parallelEvent([noise(1), noise(2)]);

export const fixedInAdvance = defineLaw<'ledger'>({
  id: 'ledger/fixed-in-advance',
  kind: 'ledger',
  tier: 'search',
  statement:
    'in an event with different parallel alternatives inside a composition, an answer may choose the ' +
    'alternative: such an event is never fixed in advance, and only the filter can admit it; every other ' +
    'event is, as long as there was no answer',
  power:
    'any alternative below two levels of composition, parallel parts, ' +
    'samples, failures or selections, on 1 of 100 events',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ event: trees, what: fc.constantFrom(...Object.keys(asks)) }),
      ({ event, what }): Violation | undefined => {
        const { ledger } = begun(
          subject,
          0,
          { epsilon: 1, delta: 0, accountant: saying(0), filter: refusing },
          false,
        );
        const refused = outcome(() => asks[what](ledger, event, 0));
        if (refused === undefined && choosesInside(event, true))
          return {
            what:
              `${what} is accepted by the accountant alone although an ` +
              'answer may choose among its alternatives',
            input: event,
          };
        return refused === undefined || choosesInside(event, false)
          ? undefined
          : {
              what:
                `${what} without alternatives, before the first answer and certified at 0, is ` +
                `refused: ${refused.message}`,
              input: event,
            };
      },
      {
        runs: 80,
        examples: Object.keys(asks).flatMap((what) =>
          [
            repeatedEvent(two, 2),
            composedEvent([two, noise(4)]),
            sampledEvent({ kind: 'core/poisson', rate: 0.5 }, repeatedEvent(two, 2)),
            two,
            parallelEvent([repeatedEvent(noise(1), 2), noise(2)]),
          ].map((event) => ({ event, what })),
        ),
      },
    ),
});
