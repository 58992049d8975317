import {
  defineClip,
  defineMechanism,
  memoryStore,
  type Adjacency,
  type Answered,
  type Clip,
  type Mechanism,
  type Plugin,
  type Query,
  type Registry,
  type Vector,
  findPlugin,
} from '@lethe/core';
import { openLedger, type Ledger } from '@lethe/curator';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits, unlessRefused } from './outcomes.js';
import { meanOf } from './probes.js';
import { standIns } from './stand-ins/index.js';
import { dimension, rows } from './units.js';
import { openFixture, under, type Fixture, type FixtureOptions } from './fixture.js';

const named = <P extends Plugin>(kind: P['kind'], name: string): P => ({
  ...findPlugin<P>(standIns(), kind, name),
});
const mechanism = (change: (plugin: Mechanism) => Partial<Mechanism>): Registry => {
  const plugin = named<Mechanism>('mechanism', 'laws/gaussian');
  return [defineMechanism({ ...plugin, ...change(plugin) })];
};
/** Clips with equal source text that differ in a closure variable. */
const clipTimes = (factor: number): Registry => [
  defineClip({
    ...named<Clip>('clip', 'laws/ball'),
    params: z.strictObject({ radius: z.number().positive().default(1) }),
    examples: [{ radius: 1 }],
    factor: null,
    isProjection: false,
    clipInPlace: (_params, vector) => {
      for (let j = 0; j < vector.length; j++) vector[j] *= factor / 100;
    },
  }),
];

/** A ledger as written by another version of Lethe, or by one without version entries. */
const writtenBy = (ledger: Ledger, version: string | null): Ledger => ({
  ...ledger,
  openRun: (run, random, reservation) => {
    const record = ledger.openRun(run, random, reservation);
    return {
      ...record,
      uses: (what, mark, options) => {
        if (version !== null) record.uses(what, what.includes('Lethe') ? version : mark, options);
      },
    };
  },
});

export const versions = defineLaw({
  id: 'curator/versions',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A run can be resumed only with its original plugins, version of Lethe and `uses` of its options: ' +
    'a used plugin with other code, another declaration or a closure with other behaviour is refused as ' +
    'Corrupt before anything is charged or read, with a message that gives the fix.',
  power: 'certain for a mechanism, a clip, a package and the version',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(exchanged(subject, defined(env.cell.adjacency))),
});

function* exchanged(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const query = (fixture: Fixture): Query =>
    meanOf(fixture.allRecords, 'gaussian', { at: new Float64Array(dimension) });
  const cases: readonly (readonly [string, Registry, Registry])[] = [
    [
      'other code',
      mechanism(({ addNoise }) => ({
        addNoise: (params, value, scale, random) => {
          addNoise(params, value, scale, random);
        },
      })),
      mechanism(({ addNoise }) => ({
        addNoise: (params, value, scale, random) => {
          addNoise(params, value, scale * 1e-9, random);
        },
      })),
    ],
    ['another declaration', [], mechanism(() => ({ summary: 'A newer one.' }))],
    ['a closure with other behaviour', clipTimes(10), clipTimes(20)],
  ];
  for (const [what, before, after] of cases)
    for (const replayed of [false, true]) {
      const store = memoryStore();
      const options: FixtureOptions = { rows, adjacency, store, plugins: before };
      const first = openFixture(subject, options);
      const { digest, answer } = first.curator.answer(0, query(first));
      const bytes = (): string => store.read().join();
      const reads: unknown[] = [];
      const ledger = openLedger({ adjacency, store });
      const fixture = openFixture(subject, {
        ...options,
        ledger,
        plugins: after,
        observe: (action) => {
          reads.push(action);
        },
      });
      const stored = bytes();
      reads.length = 0;
      if (replayed) fixture.curator.replay(0, query(fixture), digest);
      const outcome = outcomeOf(() => fixture.curator.answer(replayed ? 1 : 0, query(fixture)));
      yield 'refused' in outcome && outcome.refused === 'corrupt'
        ? undefined
        : {
            what:
              `a run resumes with ${what} under the name of a used ` +
              `plugin${replayed ? ', after its answers were replayed' : ''}`,
            witness: 'refused' in outcome ? outcome.message : 'answered',
          };
      yield 'refused' in outcome &&
      /start a new run/u.test(outcome.message) &&
      reads.length === 0 &&
      bytes() === stored
        ? undefined
        : { what: `a run with ${what} is refused after reading or writing, or without a fix in the message` };
      const same = outcomeOf(() =>
        openFixture(subject, { ...options, store: memoryStore(store.read()) }).curator.answer(
          0,
          query(first),
        ),
      );
      yield 'value' in same && sameBits((same.value as Answered).answer as Vector, answer as Vector)
        ? undefined
        : { what: `the run cannot be resumed with its original plugins after others were refused` };
    }
  yield* otherPackages(subject, adjacency);
  for (const [what, version] of [
    ['another version of Lethe', '0.0.0-laws'],
    ['a version of Lethe without version entries', null],
  ] as const) {
    const store = memoryStore();
    const began = openFixture(subject, {
      rows,
      adjacency,
      ledger: writtenBy(openLedger({ adjacency, store }), version),
    });
    began.ask(query(began));
    const before = store.read().join();
    const later = openLedger({ adjacency, store: memoryStore(store.read()) });
    yield unlessRefused(
      `a run started by ${what}`,
      () => {
        const fixture = openFixture(subject, { rows, adjacency, ledger: later });
        return fixture.ask(query(fixture));
      },
      ['corrupt'],
    );
    yield store.read().join() === before
      ? undefined
      : { what: `a run started by ${what} is refused, but written to` };
  }
}

/** Versions in the options of a curator, besides plugins. */
function* otherPackages(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const store = memoryStore();
  const openedWith = (uses: Readonly<Record<string, string>>): Fixture =>
    openFixture(
      { ...subject, open: (options) => subject.open({ ...options, uses }) },
      { rows, adjacency, ledger: openLedger({ adjacency, store }) },
    );
  const own = { 'version of my-clip': '1.0.0' };
  const first = openedWith(own);
  const query = meanOf(first.allRecords, 'gaussian', { at: new Float64Array(dimension) });
  const answer = first.ask<Vector>(query);
  const stored = store.read().join();
  yield unlessRefused(
    'a run that another version of a package began',
    () => openedWith({ 'version of my-clip': '1.0.1' }),
    ['corrupt'],
  );
  yield store.read().join() === stored
    ? undefined
    : { what: 'a run that another version of a package began is written to' };
  const again = outcomeOf(() => openedWith(own).ask<Vector>(query));
  yield 'value' in again && sameBits(again.value, answer)
    ? undefined
    : { what: 'with the packages that it began with a run does not go on' };
}

export const ended = defineLaw({
  id: 'curator/ended',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'An ended run replays its recorded answers bit for bit without a charge, ' +
    'in the current curator and in a later one; other queries are refused.',
  power: 'certain for two means',
  cells: under('replace-one', 'add-remove', 'zero-out'),
  check: (subject, env) => firstOf(endedRuns(subject, defined(env.cell.adjacency))),
});

function* endedRuns(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const store = memoryStore();
  const ledger = openLedger({ adjacency, store });
  const options: FixtureOptions = { rows, adjacency, ledger };
  const first = openFixture(subject, options);
  const queries = [0, 1].map((x): Query =>
    meanOf(first.allRecords, 'gaussian', { at: new Float64Array(dimension).fill(x) }),
  );
  const answers = queries.map((query) => first.ask<Vector>(query));
  ledger.endRun(first.run);
  const stored = store.read().join();
  const total = canonicalEvent(ledger.total());
  for (const [where, ends] of [
    ['in the same process', ledger],
    ['in a later process', openLedger({ adjacency, store: memoryStore(store.read()) })],
  ] as const) {
    const fixture = openFixture(subject, { ...options, ledger: ends });
    for (const [k, query] of queries.entries()) {
      const again = outcomeOf(() => fixture.ask<Vector>(query));
      yield 'value' in again && sameBits(again.value, answers[k])
        ? undefined
        : {
            what: `${where} an ended run gives another answer ${k}, or none`,
            witness: 'refused' in again ? again.message : again.value.join(),
          };
    }
    for (const query of queries)
      yield unlessRefused(`${where} an unrecorded query of an ended run`, () => fixture.ask(query), [
        'corrupt',
      ]);
    yield canonicalEvent(ends.total()) === total ? undefined : { what: `${where} an ended run is charged` };
  }
  yield store.read().join() === stored ? undefined : { what: 'an ended run is written to' };
}
