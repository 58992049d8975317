import type { Adjacency, Batch, Query, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits } from './outcomes.js';
import { clipTo, meanOf, noiseOf, probesUnder, radius, membershipQuery, type Probe } from './probes.js';
import { ball, exactly, fixedSize, meanOfItsOwn, poisson, trouble } from './stand-ins/index.js';
import { oneHot, openFixture, under, underEach, type Fixture } from './fixture.js';

const rows: Data = [
  [0.5, 0.25, 0],
  [0.25, 0, -0.5],
  [0, 1, 2],
];
const bad = 1;
const at = Float64Array.of(1, 0, 0);

/** Queries for exact means and values, on every path of a gradient. */
const exactMeans = (batch: Batch, fixed: boolean): readonly (readonly [string, Query])[] => [
  ['a mean', meanOf(batch, 'silent', { at })],
  [
    'a mean of a certified gradient',
    meanOf(batch, 'silent', { at, bound: { by: 'certificate', fact: 'lipschitz' } }),
  ],
  [
    'a mean of two points',
    meanOf(batch, 'silent', {
      at,
      of: {
        terms: [
          { weight: 2, at },
          { weight: -1, at: at.map((x) => -x) },
        ],
      },
    }),
  ],
  [
    'a mean of some coordinates',
    meanOf(batch, 'silent', {
      at,
      of: { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(2, 0) },
      bound: { by: 'clip', clip: ball(radius, 'opaque-ball') },
    }),
  ],
  ...(fixed
    ? [
        [
          'a mean by its own code',
          {
            ask: 'mean',
            of: { terms: [{ weight: 1, at }] },
            batch,
            mean: meanOfItsOwn('silent', radius),
            target: { noiseMultiplier: 1 },
          },
        ] as const,
      ]
    : []),
  [
    'a gradient norm',
    {
      ask: 'value',
      statistic: { of: 'gradient-norm', bound: clipTo() },
      at,
      batch,
      noise: noiseOf('silent'),
    },
  ],
];

export const oneBadRecord = defineLaw({
  id: 'curator/one-bad-record',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'A record with a gradient that is not finite contributes zero, without an error, ' +
    'a count or a message; a NaN loss is clipped to its range. Error messages of a plugin about a record ' +
    'stay with the data owner.',
  power:
    'an observable effect of a record whose gradient is NaN, infinite or overflows; ' +
    'a message that quotes a record',
  cells: underEach,
  check: (subject, env) => firstOf(troubles(subject, defined(env.cell.adjacency))),
});

function* troubles(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const open = (data: Data, label: number): Fixture =>
    openFixture(subject, {
      rows: data,
      adjacency,
      loss: 'troubled',
      labels: rows.map((_, i) => (i === bad ? label : trouble.fine)),
    });
  const numbers = (answer: unknown): ArrayLike<number> =>
    typeof answer === 'number' ? [answer] : (answer as Vector);
  const expected = open(rows.with(bad, null), trouble.fine);
  const values: readonly Query[] = [
    { ask: 'value', statistic: { of: 'risk' }, at, batch: expected.allRecords, noise: noiseOf('silent') },
    {
      ask: 'value',
      statistic: { of: 'risk-difference', reference: at.map((x) => -x) },
      at,
      batch: expected.allRecords,
      noise: noiseOf('silent'),
    },
  ];
  for (const name of ['notANumber', 'infinite', 'overflows'] as const) {
    const spoilt = open(rows, trouble[name]);
    for (const [what, query] of exactMeans(expected.allRecords, adjacency !== 'add-remove')) {
      const reference = open(rows.with(bad, null), trouble.fine);
      const wanted = outcomeOf(() => reference.ask(query));
      const found = outcomeOf(() => spoilt.ask(query));
      if ('refused' in found) {
        yield {
          what: `${what} fails because of one record whose gradient is ${name}: ${found.message}`,
          input: { what, name },
        };
        continue;
      }
      yield 'value' in wanted && sameBits(numbers(wanted.value), numbers(found.value))
        ? undefined
        : {
            what: `${what} differs between a record whose gradient is ${name} and a null record`,
            input: {
              answer: found.value,
              'with a null record': 'value' in wanted ? wanted.value : wanted.message,
            },
          };
    }
    for (const query of values) {
      const other = open(rows.with(bad, null), trouble.fine);
      const found = outcomeOf(() => spoilt.ask<number>(query));
      if ('refused' in found) {
        yield { what: `a value fails because of one record whose loss is ${name}: ${found.message}` };
        continue;
      }
      const moved = Math.abs(exactly(found.value) - exactly(other.ask<number>(query)));
      yield moved <= (1 / rows.length) * (1 + 2 ** -40)
        ? undefined
        : {
            what: `one record whose loss is ${name} moves a value by more than its range allows`,
            measured: moved,
            allowed: 1 / rows.length,
          };
    }
  }
  for (const [what, query] of [
    ...exactMeans(expected.allRecords, adjacency !== 'add-remove'),
    ...values.map((value) => ['a value', value] as const),
  ]) {
    const fixture = open(rows, trouble.throws);
    const failed = outcomeOf(() => fixture.ask(query));
    if ('value' in failed) continue;
    const said =
      `${failed.message} ` +
      `${JSON.stringify((failed.error as { readonly details?: unknown }).details ?? null)}`;
    yield failed.refused === 'untyped'
      ? { what: `the error message of a loss reaches the optimizer: ${failed.message}` }
      : undefined;
    yield /secret|0\.25 0 -0\.5|label 4/u.test(said)
      ? { what: `the error of ${what} quotes a record: ${said}` }
      : undefined;
    yield fixture.curator.spent().kind === 'core/free'
      ? { what: `${what} failed while it read records, and the charge was undone` }
      : undefined;
  }
}

export const nullRecords = defineLaw({
  id: 'curator/null-records',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-9',
  statement:
    'A null record contributes exactly 0 to sums of gradients and of losses, occupies a slot, ' +
    'counts in the normaliser and takes part in splits and draws.',
  power: 'a null record that is dropped, not counted, moved or has the loss of a zero record',
  cells: underEach,
  check: (subject, env) => firstOf(nulls(subject, defined(env.cell.adjacency))),
});

function* nulls(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  // With labels of 4, the loss of a zero record is 8 at any point,
  // far from the 0 of a null record. Features stay inside the bound.
  const domain = { featureNorm: 8, labelBound: 4, iterateNorm: 1 };
  for (const name of ['square', 'linear', 'plain', 'offset'] as const) {
    for (let mask = 1; mask < 8; mask++) {
      const some: Data = rows.map((row, i) => ((mask >> i) % 2 === 1 ? null : row));
      const [whole, held] = [rows, some].map((data) =>
        openFixture(subject, {
          rows: data,
          adjacency,
          dimension: 3,
          loss: name,
          labels: [4, 4, 4],
          domain,
          publicSlots: adjacency === 'add-remove' ? 3 : null,
        }),
      ) as [Fixture, Fixture];
      yield held.allRecords.normaliser === 3
        ? undefined
        : {
            what:
              'for 3 slots with null records the normaliser of the token is ' +
              `${held.allRecords.normaliser}`,
          };
      // Contribution of each record: alone in a data set of its own, with a third of the weight.
      const singles = rows.map((row) =>
        openFixture(subject, {
          rows: [row],
          adjacency,
          loss: name,
          labels: [4],
          domain,
          publicSlots: adjacency === 'add-remove' ? 1 : null,
        }),
      );
      const value = (fixture: Fixture): Query => ({
        ask: 'value',
        statistic: { of: 'risk' },
        at,
        batch: fixture.allRecords,
        noise: noiseOf('silent'),
      });
      const mean = (fixture: Fixture): Query =>
        meanOf(fixture.allRecords, 'silent', { at, bound: clipTo(100) });
      const two = (fixture: Fixture): Query =>
        meanOf(fixture.allRecords, 'silent', {
          at,
          of: {
            terms: [
              { weight: 0.75, at },
              { weight: 0.25, at: at.map((x) => x / 2) },
            ],
          },
          bound: clipTo(100),
        });
      for (const [what, query] of [
        ['mean', mean],
        ['mean of two points', two],
        ...(name === 'square' || name === 'offset' ? [['risk', value] as const] : []),
      ] as const) {
        const answer = (fixture: Fixture): number[] => {
          const answered = fixture.curator.answer(fixture.curator.recorded(), query(fixture)).answer;
          return typeof answered === 'number' ? [exactly(answered)] : Array.from(exactly(answered as Vector));
        };
        const found = answer(held);
        const parts = singles.map(answer);
        const wanted = found.map((_, j) =>
          parts.reduce((sum, part, i) => sum + ((mask >> i) % 2 === 1 ? 0 : part[j] / 3), 0),
        );
        const size = answer(whole).reduce((sum, x) => sum + Math.abs(x), 1);
        const wrong = found.findIndex((x, j) => !(Math.abs(x - wanted[j]) <= 2 ** -44 * size));
        yield wrong < 0
          ? undefined
          : {
              what:
                `the ${what} over records with null records is not the sum of ` +
                'the other contributions over three slots',
              measured: found[wrong],
              allowed: wanted[wrong],
              input: { rows: some, loss: name },
            };
      }
    }
  }
  if (adjacency === 'add-remove') return;
  const slotted = openFixture(subject, { rows: oneHot(6).with(1, null).with(2, null), adjacency });
  const parts = slotted.ask<readonly Batch[]>({
    ask: 'split',
    of: slotted.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: [2, 2, 2] },
  });
  for (const [k, part] of parts.entries()) {
    const present = Array.from(slotted.ask<Vector>(membershipQuery(part, 6)), (x, i) =>
      x > 0 ? i : -1,
    ).filter((i) => i >= 0);
    const wanted = [0, 1].map((i) => 2 * k + i).filter((i) => i !== 1 && i !== 2);
    yield present.join() === wanted.join()
      ? undefined
      : {
          what:
            `part ${k} of a stored split into twos has the records ${present.join(' ')}; ` +
            `with null records in their slots it has ${wanted.join(' ')}`,
        };
  }
  for (const [what, sampler] of [
    ['of one', fixedSize(1)],
    ['by independent draws', poisson(0.5)],
  ] as const) {
    let chosen = 0;
    for (let k = 0; k < 40; k++) {
      const fixture = openFixture(subject, { rows: [[1], null], adjacency, randomness: `null ${k}` });
      if (
        fixture.ask<Vector>(
          membershipQuery(fixture.ask<Batch>({ ask: 'draw', sampler, from: fixture.allRecords }), 1),
        )[0] > 0
      )
        chosen++;
    }
    yield chosen > 0 && chosen < 40
      ? undefined
      : {
          what:
            `in 40 draws ${what} from a record and a null record the record was in ${chosen}: ` +
            'null records must be drawn like others',
          measured: chosen,
        };
  }
}

export const adjacencyRatio = defineLaw({
  id: 'curator/adjacency-ratio',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-9',
  statement:
    'The sensitivity to replacement is between one and two times the sensitivity to zero-out, ' +
    'and so is the ratio of the scales under the two adjacencies.',
  power: 'a release scaled for the other adjacency',
  cells: under('replace-one'),
  check: (subject) =>
    firstOf(
      probesUnder('replace-one')
        .filter(({ under: all }) => all.includes('zero-out'))
        .map((probe) => ratio(subject, probe)),
    ),
});

function ratio(subject: Subject<'curator'>, probe: Probe): Violation | undefined {
  const [replaced, nulled] = (['replace-one', 'zero-out'] as const).map((adjacency) =>
    Math.max(
      ...Array.from(
        probe.release(
          openFixture(subject, {
            ...probe.fixture,
            rows: [
              [0, 0, 0],
              [0, 0, 0],
            ],
            adjacency,
          }),
          'ruler',
        ),
      ),
    ),
  ) as [number, number];
  const times = replaced / nulled;
  return times >= 1 - 1e-12 && times <= 2 * (1 + 1e-12)
    ? undefined
    : {
        what:
          `the scale of "${probe.name}" under replace-one is ` +
          `${times.toPrecision(6)} times that under zero-out`,
        measured: times,
        allowed: 2,
      };
}
