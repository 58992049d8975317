import {
  memoryStore,
  sameEvent,
  type Adjacency,
  type AffordQuery,
  type Batch,
  type PrivacyEvent,
  type Query,
} from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, unlessRefused } from './outcomes.js';
import { poisson } from './stand-ins/index.js';
import { release, unitsUnder, unitFixture, type Units } from './units.js';
import { observedFixture } from './observed-fixture.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const afford = (query: AffordQuery['query']): Query => ({ ask: 'afford', query });
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9;

export const held = defineLaw({
  id: 'curator/held',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-10',
  statement:
    'A run with its own filter costs the limit of the filter from its opening, whatever its charges; a ' +
    'query beyond the filter is refused with nothing charged, read or ended; it can be resumed only with ' +
    'the same filter, and its reservation counts against the limit of the data set.',
  power: 'certain, for releases of one and half a unit in runs with filters of three',
  cells: underEach,
  check: (subject, env) => firstOf(heldRuns(subject, defined(env.cell.adjacency))),
});

function* heldRuns(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const units = unitsUnder(subject, adjacency);
  const filter = units.held(3);
  const store = memoryStore();
  const seen = observedFixture(subject, adjacency, { store, limit: units.limit(5), held: filter });
  const { fixture, actions } = seen;
  const { ledger, run, curator } = fixture;
  const compared = (after: string, charged: number): Violation | undefined => {
    if (!sameEvent(curator.spent(), filter.limit) || !sameEvent(ledger.total(), filter.limit))
      return {
        what: `${after}, a run held to three units has spent ${JSON.stringify(
          curator.spent(),
        )}, and all runs ${JSON.stringify(ledger.total())}; both are the filter's limit`,
      };
    return near(units.of(ledger.chargedBy(run)), charged)
      ? undefined
      : {
          what: `${after}, the charge is ${units.of(ledger.chargedBy(run))} units; expected ${charged}`,
          measured: units.of(ledger.chargedBy(run)),
          allowed: charged,
        };
  };
  yield compared('before its first query', 0);
  yield curator.facts.reserved !== undefined && sameEvent(curator.facts.reserved, filter.limit)
    ? undefined
    : { what: 'the facts of a run with a filter lack the limit of the filter', input: curator.facts };
  let charged = 0;
  for (const scale of [1, 2, 1]) {
    yield fixture.ask<boolean>(afford(release(fixture.allRecords, scale)))
      ? undefined
      : { what: `after ${charged} of 3 units it cannot afford ${1 / scale} more` };
    yield compared('after an afford query', charged);
    yield seen.answered('the afford query', release(fixture.allRecords, scale));
    yield compared('after a release', (charged += 1 / scale));
  }
  yield seen.refused(
    'a release of one unit with half of one left',
    release(fixture.allRecords),
    'budget-exceeded',
  );
  yield compared('after a refusal', charged);
  yield seen.refused(
    'an afford query about an afford query',
    afford(afford(release(fixture.allRecords)) as never),
    'invalid-parameter',
  );
  yield fixture.ask<boolean>(afford(release(fixture.allRecords))) === false && actions.length === 0
    ? undefined
    : { what: 'afford is true for a unit with half of one left, or the query reads records or draws noise' };
  yield seen.answered('the last half of a unit, after a refusal,', release(fixture.allRecords, 2));
  yield compared('used up', 3);
  yield unlessRefused(
    'a second run with a filter of three units under a limit of five',
    () => openFixture(subject, unitFixture(adjacency, { ledger, run: 'b', held: units.held(3) })).allRecords,
    ['budget-exceeded'],
  );
  yield ledger.runs().includes('b')
    ? { what: 'a run whose filter exceeded the limit is in the ledger' }
    : undefined;
  yield unlessRefused(
    'a run with both a plan and a filter',
    () => openFixture(subject, unitFixture(adjacency, { held: filter, planned: units.event() })).allRecords,
    ['invalid-parameter'],
  );
  const free = observedFixture(subject, adjacency);
  yield free.refused(
    'an afford query in a run without a filter',
    afford(release(free.fixture.allRecords)),
    'unsupported',
  );
  const again = (change: object): Fixture =>
    openFixture(
      subject,
      unitFixture(adjacency, {
        ledger: openLedger({ adjacency, store: memoryStore(store.read()), limit: units.limit(5) }),
        ...change,
      }),
    );
  for (const [what, change] of [
    ['without its filter', {}],
    ['with a filter of another size', { held: units.held(4) }],
    ['with a filter of another rule', { held: units.held(3, 'laws/another') }],
    ['with a plan', { planned: units.event() }],
  ] as const) {
    yield unlessRefused(`a run with a filter, resumed ${what}`, () => again(change).allRecords, [
      'invalid-parameter',
    ]);
  }
  const resumed = again({ held: units.held(3) });
  for (const scale of [1, 2, 1]) {
    yield resumed.ask<boolean>(afford(release(resumed.allRecords, scale)))
      ? undefined
      : { what: 'after a crash the answer to an afford query differs' };
    resumed.ask(release(resumed.allRecords, scale));
  }
  yield near(units.of(resumed.ledger.chargedBy(run)), 3)
    ? undefined
    : { what: 'a replay of a run with a filter is charged again' };
}

/** A query in numbers: on all records, on a draw, or a release in a draw. */
type Ask =
  | { readonly ask: 'release'; readonly scale: number; readonly drawn: boolean }
  | { readonly ask: 'draw'; readonly rate: number; readonly count: number };
const asks = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        ask: fc.constant('release' as const),
        scale: fc.constantFrom(1, 2, 4),
        drawn: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ask: fc.constant('draw' as const),
        rate: fc.constantFrom(0.5, 1),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 10 },
);

/** A filter used up to the last half; a draw with more releases than it declared. */
const examples: readonly (readonly Ask[])[] = [
  [1, 1, 1, 2].map((scale) => ({ ask: 'release', scale, drawn: false })),
  [
    { ask: 'draw', rate: 0.5, count: 2 },
    ...[1, 2, 2, 1].map((scale): Ask => ({ ask: 'release', scale, drawn: true })),
    { ask: 'draw', rate: 1, count: 3 },
    { ask: 'release', scale: 1, drawn: false },
  ],
];

/** For every query, whether it is affordable and its outcome; with the remaining charge in the ledger. */
function decisions(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  units: Units,
  sequence: readonly Ask[],
  records: Data,
  randomness: string,
): readonly string[] {
  const fixture = openFixture(
    subject,
    unitFixture(adjacency, {
      rows: records,
      held: units.held(2),
      randomness,
      ...(adjacency === 'add-remove' ? { publicSlots: 4 } : {}),
    }),
  );
  let drawn: Batch | undefined;
  return sequence.map((one): string => {
    const query: AffordQuery['query'] =
      one.ask === 'release'
        ? release((one.drawn ? drawn : undefined) ?? fixture.allRecords, one.scale)
        : {
            ask: 'draw',
            sampler: poisson(one.rate),
            from: fixture.allRecords,
            costs: {
              kind: 'core/compose',
              v: 1,
              parts: [{ event: units.event(), count: one.count }],
            } as PrivacyEvent,
          };
    const before = canonicalEvent(fixture.ledger.chargedBy('run'));
    const decision = outcomeOf(() => fixture.ask<boolean>(afford(query)));
    const between = canonicalEvent(fixture.ledger.chargedBy('run'));
    const came = outcomeOf(() => fixture.ask<unknown>(query));
    const after = canonicalEvent(fixture.ledger.chargedBy('run'));
    if (one.ask === 'draw' && 'value' in came) drawn = came.value as Batch;
    return JSON.stringify({
      decision: 'value' in decision ? decision.value : decision.message,
      came: 'value' in came ? 'answered' : came.refused,
      asking: before !== between,
      refusal: 'refused' in came && between !== after,
      after,
    });
  });
}

export const affords = defineLaw({
  id: 'curator/afford',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-10',
  statement:
    'The answer to an afford query agrees with the later decision, for releases, draws that declare their ' +
    'costs and releases in them; afford queries and refusals cost nothing; all decisions are equal on ' +
    'neighbouring records with other randomness.',
  power:
    'an answer that differs from the decision, or depends on records or ' +
    'randomness, in 10 queries, on 1 of 30 sequences',
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const units = unitsUnder(subject, adjacency);
    return env.forAll(
      asks,
      (sequence): Violation | undefined => {
        const [here, there] = [
          decisions(
            subject,
            adjacency,
            units,
            sequence,
            [
              [1, 0],
              [0, 1],
              [3, 3],
              [0, 0],
            ],
            'a',
          ),
          decisions(
            subject,
            adjacency,
            units,
            sequence,
            [[1, 0], adjacency === 'replace-one' ? [9, -9] : null, [3, 3], [0, 0]],
            'b',
          ),
        ];
        const differ = here.findIndex((line, i) => line !== there[i]);
        if (differ >= 0)
          return {
            what:
              `query ${differ} of a run with a filter, or the afford query about it, is decided ` +
              'differently on a neighbouring data set',
            witness: `${here[differ]} and ${there[differ]}`,
          };
        for (const [i, line] of here.entries()) {
          const { decision, came, asking, refusal } = JSON.parse(line) as {
            decision: unknown;
            came: string;
            asking: boolean;
            refusal: boolean;
          };
          if (asking) return { what: `the afford query about query ${i} is charged` };
          if (refusal) return { what: `query ${i} is refused and charged` };
          if (typeof decision !== 'boolean') continue;
          if (decision !== (came === 'answered'))
            return {
              what: `query ${i} is said to be ${
                decision ? 'affordable' : 'not affordable'
              }, and then it is ${came}`,
            };
          if (!decision && came !== 'budget-exceeded')
            return { what: `query ${i} is beyond the filter and refused as ${came}` };
        }
        return undefined;
      },
      { runs: 20, examples },
    );
  },
});
