import {
  boundedMean,
  clipBound,
  defineMean,
  freeEvent,
  repeatedEvent,
  type Adjacency,
  type CentralMean,
  type Plugin,
  type PrivacyEvent,
  type Sensitivity,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under, type Fixture, type FixtureOptions } from './fixture.js';
import { firstOf, outcomeOf, refusals, sameBits, unlessRefused } from './outcomes.js';
import { multiplier } from './probes.js';
import { none, plain } from './stand-ins/common.js';
import { ball, exactly, mechanismNamed, type MechanismName } from './stand-ins/index.js';

type Own = Omit<CentralMean<typeof none>, 'kind'>;
type Lie = Partial<Own>;

const dimension = 3;
const rows = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const clip = ball(1);

/** A correct mean: of records clipped to the unit ball, as a linear form. */
const linear: Own = {
  ...plain,
  name: 'laws/own-linear',
  params: none,
  privacyRestsOn: 'clip',
  ...boundedMean((_params, shape) => clipBound(shape, clip)),
  mechanism: () => mechanismNamed('gaussian'),
  biasBound: () => Infinity,
  varianceBound: () => Infinity,
};
/** The same, record by record. */
const { linear: _linear, ...byRecord } = linear;

const named = (name: MechanismName): Lie => ({ mechanism: () => mechanismNamed(name) });
const costing = (event: unknown): Lie => ({ event: () => event as PrivacyEvent });
const moved = (sensitivity: unknown): Lie => ({
  sensitivity: () =>
    ({ 'replace-one': sensitivity, 'add-remove': sensitivity, 'zero-out': sensitivity }) as Sensitivity,
});
const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
/** A mean whose run is changed. */
const running = (change: (run: ReturnType<Own['begin']>) => Partial<ReturnType<Own['begin']>>): Lie => ({
  begin(params, shape, random) {
    const run = byRecord.begin(params, shape, random);
    return { ...run, ...change(run) };
  },
});

/** Means that a curator can see to be wrong from what they declare. */
const lies: readonly (readonly [what: string, base: Own, lie: Lie])[] = [
  ['whose event is free', byRecord, costing(freeEvent)],
  ['whose event is pure at ε = 0', byRecord, costing(pure(0))],
  ['whose event is three releases that cost nothing', byRecord, costing(repeatedEvent(pure(0), 3))],
  ['whose event is undefined', byRecord, costing(undefined)],
  ['whose event has no kind', byRecord, costing({ v: 1 })],
  ['without a sensitivity under this adjacency', byRecord, { sensitivity: () => ({}) }],
  ...[0, -1, Number.NaN, Infinity, '1'].map(
    (value) => [`whose sensitivity is ${String(value)}`, byRecord, moved(value)] as const,
  ),
  ['whose records move it by more than its sensitivity', linear, moved(1 / 6)],
  ['bounded in another norm than that of its noise', byRecord, { norm: () => 'linf' }],
  [
    'whose answer has one entry too many',
    byRecord,
    running(() => ({ finish: (noised) => new Float64Array(noised.length + 1) })),
  ],
  ['whose answer has one entry too few', byRecord, running(() => ({ finish: (noised) => noised.slice(1) }))],
];

const openWith = (
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  mean: Plugin,
  data: FixtureOptions['rows'] = rows,
): Fixture => openFixture(subject, { rows: data, adjacency, plugins: [mean] });
const ask = (fixture: Fixture, name: string): Vector =>
  fixture.ask<Vector>({
    ask: 'mean',
    of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
    batch: fixture.allRecords,
    mean: { kind: 'mean', name, params: {} },
    target: { noiseMultiplier: multiplier },
  });

/** A curator does not take the word of a mean where it can check it. */
export const lyingMeans = defineLaw({
  id: 'curator/lying-means',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A mean of one’s own is refused before its charge when its event costs nothing or is none, ' +
    'its sensitivity is no positive finite number or is below that of its linear form, ' +
    'its norm is not that of its noise, or its answer has another length than gradients; ' +
    'a value whose length depends on records is no signal.',
  power:
    `an answer or a charge for any of ${lies.length} means; a value that is longer where a record is. ` +
    'An event below the cost of the noise, but above nothing, is left to mean/event',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(wrongs(subject, defined(env.cell.adjacency))),
});

function* wrongs(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const honest of [linear, byRecord]) {
    const outcome = outcomeOf(() => ask(openWith(subject, adjacency, defineMean(honest)), honest.name));
    if ('refused' in outcome) yield { what: `a correct mean of one’s own is refused: ${outcome.message}` };
  }
  for (const [what, base, lie] of lies) {
    const fixture = openWith(subject, adjacency, defineMean({ ...base, ...lie }));
    yield unlessRefused(`a mean ${what}`, () => ask(fixture, base.name), refusals);
    yield fixture.curator.spent().kind === 'core/free'
      ? undefined
      : { what: `a mean ${what} is charged`, input: fixture.curator.spent() };
  }
  yield differently(subject, adjacency);
}

/** The answer of a mean whose value is longer if a record has a first feature. */
function differently(subject: Subject<'curator'>, adjacency: Adjacency): Violation | undefined {
  const longer = defineMean({
    ...byRecord,
    ...named('silent'),
    begin: (_params, shape) => {
      let extra = 0;
      return {
        add(_slot, gradient) {
          if (gradient[0] !== 0) extra = 1;
        },
        value: () => new Float64Array(shape.dimension + extra),
        finish: (noised) => noised,
      };
    },
  });
  const answers = [rows, [[0, 1, 0], ...rows.slice(1)]].map((data) =>
    outcomeOf(() => exactly(ask(openWith(subject, adjacency, longer, data), byRecord.name))),
  );
  const [here, there] = answers.map((outcome) => ('value' in outcome ? outcome.value : null));
  if (here !== null && there !== null && sameBits(here, there)) return undefined;
  return {
    what:
      'a value that is longer where a record has a first feature tells that record: without noise ' +
      'the answers differ, or one of them is an error',
    compare: {
      here: here === null ? 'an error' : Array.from(here),
      there: there === null ? 'an error' : Array.from(there),
    },
  };
}
