import { assumptionsOf } from '@lethe/accountants';
import {
  defineClip,
  defineMechanism,
  seededRandom,
  type Adjacency,
  type PrivacyEvent,
  type Query,
  type Run,
  type Stream,
  type Vector,
  driveSync,
} from '@lethe/core';
import { randomFromKey, defined } from '@lethe/numerics';
import * as z from 'zod';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, refusals, sameBits, unlessRefused } from './outcomes.js';
import { meanOf, noiseOf, streamOf } from './probes.js';
import { conversation } from './replay.js';
import { none, plain } from './stand-ins/common.js';
import { standIns } from './stand-ins/index.js';
import { oneHot, openFixture, under, underEach, type Fixture } from './fixture.js';

const count = 6;
const at = new Float64Array(count);
const open = (
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  change: { readonly allowUnprotected?: boolean; readonly randomness?: string } = {},
): Fixture =>
  openFixture(subject, {
    rows: oneHot(count),
    adjacency,
    loss: 'boastful',
    labels: [1, 0, 1, 0, 1, 0],
    ...change,
  });

export const plainData = defineLaw({
  id: 'curator/plain-data',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'Queries are plain data: a copy by structured cloning has the same digest and answer, ' +
    "names are resolved in the curator's own registry, and functions inside a query are never called.",
  power: 'an answer that depends on identity, prototypes or functions in a query',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(cloned(subject, defined(env.cell.adjacency))),
});

function* cloned(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const original = open(subject, adjacency);
  const copy = open(subject, adjacency);
  const pairs: (readonly [string, unknown, unknown])[] = [];
  let index = 0;
  conversation((query) => {
    const one = original.curator.answer(index, query);
    const other = copy.curator.answer(index, structuredClone(query));
    pairs.push([
      `query ${index}, a ${query.ask}`,
      [one.digest, plainOf(one.answer)],
      [other.digest, plainOf(other.answer)],
    ]);
    index++;
    return one.answer;
  }, original.allRecords);
  for (const [what, one, other] of pairs)
    yield JSON.stringify(one) === JSON.stringify(other)
      ? undefined
      : { what: `a structured clone of ${what} has another digest or answer`, input: { one, other } };

  // Fake plugins with the names of the curator's plugins: they do nothing, and record calls.
  let called = '';
  const params = z.strictObject({ radius: z.number().positive() });
  const clip = defineClip({
    ...plain,
    name: 'laws/ball',
    params,
    norm: 'l2',
    isProjection: false,
    factor: null,
    radius: () => {
      called = 'a clip';
      return 1e-9;
    },
    clipInPlace: () => {
      called = 'a clip';
    },
    biasBound: () => 0,
    varianceBound: () => 0,
  });
  const mechanism = defineMechanism({
    ...plain,
    name: 'laws/gaussian',
    params: none,
    norm: 'l2',
    numerics: 'exact',
    event: () => {
      called = 'a mechanism';
      return { kind: 'core/free', v: 1 };
    },
    multiplierFor: () => {
      called = 'a mechanism';
      return 1e-9;
    },
    addNoise: () => {
      called = 'a mechanism';
    },
    standardDeviation: () => 1,
    cdf: () => 0,
  });
  const honest = open(subject, adjacency);
  const fooled = open(subject, adjacency);
  const query = meanOf(honest.allRecords, 'gaussian', { at });
  // The references themselves, not copies: who made them can be found out.
  const smuggled: Query = {
    ...query,
    mean: {
      ...query.mean,
      params: { clip: clip({ radius: 0.75 }), mechanism: mechanism({}) },
    },
  };
  const wanted = honest.ask<Vector>(query);
  const found = outcomeOf(() => fooled.ask<Vector>(smuggled));
  yield called === ''
    ? undefined
    : { what: `${called} inside the query was called; names are resolved in the curator's registry` };
  yield 'refused' in found ||
  (sameBits(found.value, wanted) &&
    JSON.stringify(fooled.curator.spent()) === JSON.stringify(honest.curator.spent()))
    ? undefined
    : {
        what: 'references made by other plugins of the same name are answered otherwise than plain ones',
        input: { wanted: Array.from(wanted), found: Array.from(found.value) },
      };
  const withCode: object = {
    ...query,
    sensitivity: () => {
      called = 'a function';
      return 1e-9;
    },
    mean: {
      ...query.mean,
      begin: () => {
        called = 'a function';
      },
    },
    toJSON: () => {
      called = 'a function';
      return {};
    },
  };
  outcomeOf(() => open(subject, adjacency).ask(withCode as Query));
  yield called === '' ? undefined : { what: `${called} inside a query was called` };
}

const plainOf = (answer: unknown): unknown => (answer instanceof Float64Array ? Array.from(answer) : answer);

export const arraysLent = defineLaw({
  id: 'curator/arrays-lent',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'The curator reads the arrays of a query only until its answer, and the arrays of an answer belong ' +
    'to the caller: later writes to them do not change later answers, the ledger or a resume; ' +
    'the curator does not modify queries.',
  power: 'a later answer, charge or recorded query that depends on such a write',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(lent(subject, defined(env.cell.adjacency))),
});

function scribble(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Float64Array) {
    value.fill(7);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    scribble(inner, seen);
    if (typeof inner === 'number' && !Object.isFrozen(value)) (value as Record<string, unknown>)[name] = 7;
  }
}

function* lent(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const tidy = open(subject, adjacency);
  const careless = open(subject, adjacency);
  const record = (fixture: Fixture, after: (query: Query, answer: unknown) => void): readonly unknown[] => {
    const answers: unknown[] = [];
    const kept: (readonly [unknown, string])[] = [];
    conversation((query) => {
      const own = structuredClone(query);
      const { answer } = fixture.curator.answer(answers.length, own);
      if (JSON.stringify(flat(own)) !== JSON.stringify(flat(query)))
        answers.push(`the curator wrote into query ${answers.length}`);
      answers.push(structuredClone(plainOf(answer)));
      const given = structuredClone(answer);
      after(own, answer);
      kept.push([answer, JSON.stringify(flat(answer))]);
      return given;
    }, fixture.allRecords);
    const changed = kept.findIndex(([answer, was]) => JSON.stringify(flat(answer)) !== was);
    if (changed >= 0) answers.push(`the curator wrote into answer ${changed} after it had given it`);
    return answers;
  };
  const [wanted, found] = [
    record(tidy, () => undefined),
    record(careless, (query, answer) => {
      scribble(query);
      scribble(answer);
    }),
  ];
  for (const [k, one] of wanted.entries())
    yield JSON.stringify(one) === JSON.stringify(found[k])
      ? undefined
      : {
          what:
            `answer ${k} changes when the arrays of earlier queries and ` +
            'answers are written to after their answers',
          input: { wanted: one, found: found[k] },
        };
  yield JSON.stringify(tidy.ledger.total()) === JSON.stringify(careless.ledger.total())
    ? undefined
    : { what: 'charges change when arrays are written to after the answer' };
  const written = [...wanted, ...found].find((one) => typeof one === 'string');
  yield written === undefined ? undefined : { what: String(written) };
}

const flat = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, String);
  if (Array.isArray(value)) return value.map(flat);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, flat(inner)]));
  return value;
};

export const unprotected = defineLaw({
  id: 'curator/unprotected',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'Releases without noise are refused, unless the curator was built with allowUnprotected; ' +
    'such a release is charged as unprotected, with infinite ε.',
  power: 'an unprotected release that was not allowed, or has a smaller charge',
  cells: underEach,
  check: (subject, env) => firstOf(bare(subject, defined(env.cell.adjacency))),
});

function* bare(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const asks = (fixture: Fixture): readonly (readonly [string, () => unknown])[] => [
    [
      'a mean',
      () => fixture.ask(meanOf(fixture.allRecords, 'gaussian', { at, target: { unprotected: true } })),
    ],
    [
      'a value',
      () =>
        fixture.ask({
          ask: 'value',
          statistic: { of: 'risk' },
          at,
          batch: fixture.allRecords,
          noise: noiseOf('gaussian', { unprotected: true }),
        }),
    ],
    ...(adjacency === 'add-remove'
      ? []
      : [
          [
            'a stream',
            () =>
              fixture.ask<Stream>({
                ...streamOf('gaussian', { steps: 2, dimension: count, normaliser: count }),
                noise: noiseOf('gaussian', { unprotected: true }),
              }),
          ] as const,
        ]),
  ];
  for (const change of [{}, { allowUnprotected: false }]) {
    const fixture = open(subject, adjacency, change);
    for (const [what, ask] of asks(fixture)) yield unlessRefused(`${what} without noise`, ask, refusals);
    yield fixture.curator.spent().kind === 'core/free'
      ? undefined
      : { what: 'a refused release without noise was charged' };
  }
  for (let k = 0; k < asks(open(subject, adjacency)).length; k++) {
    const allowed = open(subject, adjacency, { allowUnprotected: true });
    const [what, ask] = asks(allowed)[k];
    const outcome = outcomeOf(ask);
    if ('refused' in outcome) {
      yield {
        what: `${what} without noise is refused by a curator with allowUnprotected: ${outcome.message}`,
      };
      continue;
    }
    yield allowed.curator.spent().kind === 'core/unprotected'
      ? undefined
      : { what: `${what} without noise is charged as ${JSON.stringify(allowed.curator.spent())}` };
  }
}

export const label = defineLaw({
  id: 'curator/simulation-label',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-7',
  statement:
    'A run with seeded randomness has the label simulation, also when it is resumed with other ' +
    'randomness; its root has a recognisable fingerprint, so that a driver refuses the same root for the ' +
    'optimizer; and its facts or events list the assumptions of its numerics.',
  power: 'a seeded run without the label, a root that a driver does not recognise, or a missing assumption',
  check: (subject) => firstOf(labelled(subject)),
});

function* labelled(subject: Subject<'curator'>): Generator<Violation | undefined> {
  const secure = () => randomFromKey(new Uint8Array(32).fill(7), 'secure');
  const base = { rows: oneHot(2), adjacency: 'replace-one' } as const;
  const seeded = openFixture(subject, { ...base, randomness: 'a' });
  const safe = openFixture(subject, { ...base, randomness: secure() });
  yield seeded.curator.facts.simulation === true
    ? undefined
    : { what: 'a run with seeded randomness is not labelled as a simulation' };
  yield safe.curator.facts.simulation === false
    ? undefined
    : { what: 'a run with secure randomness is labelled as a simulation' };
  const resumed = openFixture(subject, { ...base, store: seeded.store, randomness: secure() });
  yield resumed.curator.facts.simulation === true
    ? undefined
    : {
        what:
          'a simulation resumed with a secure source loses its label; ' +
          'its randomness still comes from the seed',
      };
  const own = ['x', 'y'].map((run) =>
    subject.open({
      data: openFixture(subject, { ...base, randomness: run }).data,
      registry: standIns(),
      run: 'own',
    }),
  );
  for (const curator of own)
    yield curator.facts.simulation === false
      ? undefined
      : { what: 'a curator without a given random source does not use a secure one' };
  const [one, other] = own.map(
    (curator) =>
      curator.answer(0, meanOf(curator.allRecords, 'gaussian', { at: new Float64Array(2) })).answer as Vector,
  ) as [Vector, Vector];
  yield sameBits(one, other)
    ? {
        what:
          'two curators without a given random source give ' +
          'the same answer: their randomness is not fresh',
      }
    : undefined;
  yield seeded.curator.facts.run === 'run'
    ? undefined
    : { what: `the facts name the run ${seeded.curator.facts.run}` };
  for (const { facts, spent } of own)
    yield [...facts.assumptions, ...assumptionsOf(spent() as PrivacyEvent)].includes('real-arithmetic')
      ? undefined
      : {
          what:
            'the noise is floating-point, and neither the facts nor the ' +
            'event list the assumption of real arithmetic',
        };
  const nosy: Run = {
    name: 'nosy',
    problem: {} as Run['problem'],
    plan: { event: { kind: 'core/free', v: 1 }, utility: null, gradients: 0 },
    // oxlint-disable-next-line require-yield -- it sends no query
    *steps({ start }) {
      return start;
    },
  };
  const shared = seededRandom('shared');
  const keyed = secure();
  for (const randomness of [shared, keyed]) {
    const fixture = openFixture(subject, { ...base, randomness });
    yield unlessRefused(
      'a drive in which optimizer and curator have the same random root',
      () => driveSync(nosy, fixture.curator, { start: new Float64Array(2), random: randomness }),
      ['invalid-parameter'],
    );
    const unrelated = outcomeOf(() =>
      driveSync(nosy, fixture.curator, { start: new Float64Array(2), random: seededRandom('unrelated') }),
    );
    yield 'refused' in unrelated
      ? { what: `a drive with unrelated randomness is refused: ${unrelated.message}` }
      : undefined;
    const said = JSON.stringify(fixture.curator.facts);
    const hex = Array.from(randomness.key(), (byte) => byte.toString(16).padStart(2, '0')).join('');
    yield said.includes(hex) || said.includes(Array.from(randomness.key()).join())
      ? { what: "the facts contain the key of the curator's randomness" }
      : undefined;
  }
}
