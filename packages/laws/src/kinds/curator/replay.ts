import { memoryStore, type Adjacency, type Batch, type Query, type Stream, type Vector } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits, unlessRefused } from './outcomes.js';
import { clipTo, meanOf, meanOfSample, membershipQuery, streamOf } from './probes.js';
import { fixedSize, poisson, type Action } from './stand-ins/index.js';
import { oneHot, openFixture, under, type Fixture, type FixtureOptions } from './fixture.js';

const count = 6;
const at = new Float64Array(count);
const base = (adjacency: Adjacency): FixtureOptions => ({
  rows: oneHot(count),
  adjacency,
  loss: 'boastful',
  labels: [1, 0, 1, 0, 1, 0],
});
const mean = (batch: Batch): Query => meanOf(batch, 'gaussian', { at });

/**
 * A conversation with every kind of curator state: parts, draws,
 * streams and their noise. Its queries depend on tokens alone.
 */
export function conversation(ask: (query: Query) => unknown, allRecords: Batch): readonly unknown[] {
  const answers: unknown[] = [];
  const put = <A>(query: Query): A => {
    const answer = ask(query) as A;
    answers.push(answer);
    return answer;
  };
  put(mean(allRecords));
  const parts = put<readonly Batch[]>({
    ask: 'split',
    of: allRecords,
    order: 'shuffled',
    parts: { by: 'size', sizes: [2, 3] },
  });
  put(mean(parts[0]));
  const drawn = put<Batch>({ ask: 'draw', sampler: poisson(0.5), from: allRecords });
  put(membershipQuery(drawn, count));
  const half = put<readonly Batch[]>({
    ask: 'split',
    of: drawn,
    order: 'stored',
    parts: { by: 'weight', weights: [0.5, 0.5] },
  });
  put(membershipQuery(half[0], count));
  const stream = put<Stream>(
    streamOf('gaussian', { steps: 4, dimension: count, normaliser: count, times: 3, by: 'prefixes' }),
  );
  for (let t = 0; t < 2; t++)
    put({ ask: 'push', stream, of: { terms: [{ weight: 1, at }] }, batch: allRecords });
  put(membershipQuery(half[1], count));
  put(meanOfSample(membershipQuery(drawn, count), poisson(0.5)));
  put({ ask: 'close', batch: drawn });
  const next = put<Batch>({ ask: 'draw', sampler: fixedSize(3), from: parts[1] });
  put(membershipQuery(next, count));
  put({ ask: 'push', stream, of: { terms: [{ weight: 1, at }] }, batch: allRecords });
  put({
    ask: 'value',
    statistic: { of: 'risk' },
    at: at.with(0, 1),
    batch: allRecords,
    noise: {
      mechanism: { kind: 'mechanism', name: 'laws/gaussian', params: {} },
      target: { noiseMultiplier: 1 },
    },
  });
  return answers;
}

const same = (a: unknown, b: unknown): boolean => {
  if (a instanceof Float64Array && b instanceof Float64Array) return sameBits(a, b);
  if (typeof a === 'number') return Object.is(a, b);
  return JSON.stringify(a) === JSON.stringify(b);
};

export const resume = defineLaw({
  id: 'curator/resume',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A resumed run continues the stopped one: at any stop, with or without the last answer, by replay or ' +
    'by repetition, it gives the same answers from the same batches and streams, without double charges.',
  power: 'a different answer, member, noise or charge after a stop before or after any of 18 queries',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(resumed(subject, defined(env.cell.adjacency))),
});

interface Reply {
  readonly query: Query;
  readonly answer: unknown;
  readonly digest: string;
  readonly ledger: Uint8Array;
}

/** The whole conversation, with the bytes of the ledger after each answer. */
function uninterrupted(fixture: Fixture): readonly Reply[] {
  const replies: Reply[] = [];
  conversation((query) => {
    const { answer, digest } = fixture.curator.answer(replies.length, query);
    replies.push({
      query,
      answer: answer instanceof Float64Array ? answer.slice() : answer,
      digest,
      ledger: fixture.store.read(),
    });
    return answer;
  }, fixture.allRecords);
  return replies;
}

function* resumed(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const whole = openFixture(subject, base(adjacency));
  const replies = uninterrupted(whole);
  const spent = canonicalEvent(whole.curator.spent());
  for (let stop = 0; stop <= replies.length; stop++) {
    for (const known of new Set([stop, Math.max(0, stop - 1), 0])) {
      const fixture = openFixture(subject, {
        ...base(adjacency),
        randomness: 'the ledger has its own',
        store: memoryStore(stop === 0 ? whole.store.read().slice(0, 0) : replies[stop - 1].ledger),
      });
      if (stop === 0) continue;
      const where = `after a stop behind query ${stop - 1}, with ${known} of ${stop} answers stored,`;
      if (fixture.curator.recorded() !== stop)
        yield {
          what: `${where} the curator reports ${fixture.curator.recorded()} recorded queries`,
          measured: fixture.curator.recorded(),
          allowed: stop,
        };
      for (let index = 0; index < replies.length; index++) {
        const { query, answer, digest } = replies[index];
        if (index < known) {
          const replayed = outcomeOf(() => fixture.curator.replay(index, query, digest));
          if ('refused' in replayed)
            yield { what: `${where} the replay of query ${index} fails: ${replayed.message}` };
          continue;
        }
        const again = outcomeOf(() => fixture.curator.answer(index, query));
        if ('refused' in again) {
          yield { what: `${where} query ${index} is refused: ${again.message}`, input: { query: query.ask } };
          break;
        }
        yield same(again.value.answer, answer) && again.value.digest === digest
          ? undefined
          : {
              what: `${where} query ${index} has another answer than without the stop`,
              input: { ask: query.ask, before: answer, after: again.value.answer },
            };
      }
      yield canonicalEvent(fixture.curator.spent()) === spent
        ? undefined
        : {
            what: `${where} the run ends at another cost`,
            witness: `${canonicalEvent(fixture.curator.spent())} in place of ${spent}`,
          };
    }
  }
}

export const replay = defineLaw({
  id: 'curator/replay',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A replay requires the recorded run, index and digest, a query with that digest, and unchanged data; ' +
    'everything else is refused as corrupt. A replay reads no record, draws no noise and costs nothing.',
  power: 'any of 18 changes of query, digest, index, run, data, loss or bounds that is accepted',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(replays(subject, defined(env.cell.adjacency))),
});

function* replays(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const bounded: FixtureOptions = { ...base(adjacency), loss: 'plain', domain: { featureNorm: 3 } };
  const first = openFixture(subject, bounded);
  const queries: readonly Query[] = [
    mean(first.allRecords),
    ...[1, 2, 3, 4].map((entry) => meanOf(first.allRecords, 'gaussian', { at: at.with(0, entry) })),
  ];
  const digests = queries.map((query, index) => first.curator.answer(index, query).digest);
  yield digests[0] === digests[1] ? { what: 'two different queries have the same digest' } : undefined;
  const [query] = queries as [Query];
  const changed: readonly (readonly [string, Query])[] = [
    [
      'a point moved by the smallest positive double',
      meanOf(first.allRecords, 'gaussian', { at: at.with(0, 5e-324) }),
    ],
    [
      'another weight',
      meanOf(first.allRecords, 'gaussian', { at, of: { terms: [{ weight: 1 + 2 ** -52, at }] } }),
    ],
    [
      'one coordinate in place of all',
      meanOf(first.allRecords, 'gaussian', {
        at,
        of: { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(0) },
      }),
    ],
    ['another bound', meanOf(first.allRecords, 'gaussian', { at, bound: clipTo(0.7500001) })],
    ['another target', meanOf(first.allRecords, 'gaussian', { at, target: { noiseMultiplier: 1.5000001 } })],
    ['another mechanism', meanOf(first.allRecords, 'silent', { at })],
    ['a sampler', meanOfSample(meanOf(first.allRecords, 'gaussian', { at }), poisson(0.5))],
    ['another question', { ask: 'draw', sampler: poisson(0.5), from: first.allRecords }],
    ['a close', { ask: 'close', batch: first.allRecords }],
  ];
  const stored = first.store.read();
  let actions: Action[] = [];
  const reopened = (change: Partial<FixtureOptions> = {}): Fixture =>
    openFixture(subject, {
      ...bounded,
      store: memoryStore(stored),
      randomness: 'others',
      observe: (action) => {
        actions.push(action);
      },
      ...change,
    });
  for (const [what, other] of changed) {
    yield unlessRefused(
      `at the index of a recorded query, one with ${what}`,
      () => reopened().curator.answer(0, other),
      ['corrupt'],
      { what },
    );
    yield unlessRefused(
      `replay of a recorded query with ${what}`,
      () => reopened().curator.replay(0, other, digests[0]),
      ['corrupt'],
      { what },
    );
  }
  yield unlessRefused(
    'replay of a recorded query with the digest of another',
    () => reopened().curator.replay(0, query, digests[1]),
    ['corrupt'],
  );
  yield unlessRefused(
    'replay of a later query with the digest of another',
    () => {
      const { curator } = reopened();
      queries.slice(0, 4).forEach((one, index) => curator.replay(index, one, digests[index]));
      return curator.replay(4, queries[4], digests[3]);
    },
    ['corrupt'],
  );
  yield unlessRefused(
    'replay of a query that is not on record',
    () => reopened().curator.replay(queries.length, query, digests[0]),
    ['corrupt'],
  );
  yield unlessRefused(
    'a query beyond the end of the ledger, as after a restored backup',
    () => reopened().curator.answer(queries.length + 1, query),
    ['corrupt'],
  );
  yield unlessRefused(
    'replay in another run',
    () => reopened({ run: 'another' }).curator.replay(0, query, digests[0]),
    ['corrupt'],
  );
  const views: readonly (readonly [string, Partial<FixtureOptions>])[] = [
    ['another loss', { loss: 'boastful' }],
    ['other declared bounds', { domain: { featureNorm: 7 } }],
    ['allowUnprotected', { allowUnprotected: true }],
  ];
  for (const [what, change] of views) {
    for (const [verb, call] of [
      ['asked again', (fixture: Fixture) => fixture.curator.answer(0, query)],
      ['replayed', (fixture: Fixture) => fixture.curator.replay(0, query, digests[0])],
    ] as const) {
      yield unlessRefused(
        `a recorded query, ${verb} with ${what}`,
        () => call(reopened(change)),
        ['corrupt'],
        { what },
      );
    }
  }
  yield unlessRefused(
    'a ledger opened with other data',
    () => reopened({ labels: [9, 9, 9, 9, 9, 9] }).curator.answer(0, query),
    ['corrupt'],
  );
  const rival = reopened();
  const twin = openFixture(subject, { ...bounded, ledger: rival.ledger });
  queries.forEach((each, index) => {
    rival.curator.answer(index, each);
    twin.curator.answer(index, each);
  });
  const ahead = rival.curator.answer(queries.length, query).answer as Vector;
  yield unlessRefused(
    'a query at an index that another curator of the same run has answered',
    () => twin.curator.answer(queries.length, queries[1]),
    ['corrupt'],
  );
  yield sameBits(ahead, twin.curator.answer(queries.length, query).answer as Vector)
    ? undefined
    : { what: 'two curators of one run answer the same query at one index differently' };
  const quiet = reopened();
  actions = [];
  const before = JSON.stringify([quiet.ledger.total(), quiet.store.read().length]);
  queries.forEach((each, index) => quiet.curator.replay(index, each, digests[index]));
  yield actions.length === 0
    ? undefined
    : { what: `replaying ${actions[0].did === 'read' ? 'reads records' : 'draws noise'}` };
  yield before === JSON.stringify([quiet.ledger.total(), quiet.store.read().length])
    ? undefined
    : { what: 'replaying writes to the ledger' };
}

export const chargeStands = defineLaw({
  id: 'curator/charge-stands',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A charge without an answer stays in the ledger: after a failed release, the repeated query gets its ' +
    'answer without another charge, and another query at that index is refused.',
  power: 'a charge undone or made twice, when reading or drawing fails',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(brokenOff(subject, defined(env.cell.adjacency))),
});

function* brokenOff(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const when of ['read', 'noise'] as const) {
    let broken = true;
    const observe = ({ did }: Action): void => {
      if (broken && did === when) throw new RangeError('simulated crash');
    };
    const fixture = openFixture(subject, { ...base(adjacency), observe });
    const whole = openFixture(subject, base(adjacency)).ask<Vector>(mean(fixture.allRecords));
    const failed = outcomeOf(() => fixture.curator.answer(0, mean(fixture.allRecords)));
    if ('value' in failed) {
      yield {
        what:
          'a release is answered although ' +
          `${when === 'read' ? 'reading records' : 'drawing noise'} failed`,
      };
      continue;
    }
    broken = false;
    const charged = JSON.stringify(fixture.curator.spent());
    yield fixture.curator.spent().kind === 'core/free'
      ? { what: `the charge of a release that failed at ${when} was undone` }
      : undefined;
    yield unlessRefused(
      'another query at the index of one that was charged',
      () => fixture.curator.answer(0, meanOf(fixture.allRecords, 'gaussian', { at: at.with(0, 1) })),
      ['corrupt'],
    );
    const answer = fixture.ask<Vector>(mean(fixture.allRecords));
    yield sameBits(answer, whole)
      ? undefined
      : {
          what: `repeated after a failure at ${when}, the query has another answer than without the failure`,
          input: { answer: Array.from(answer), whole: Array.from(whole) },
        };
    yield JSON.stringify(fixture.curator.spent()) === charged
      ? undefined
      : { what: `repeated after a failure at ${when}, the query is charged again` };
  }
}

export const digests = defineLaw({
  id: 'curator/digests',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'Digests are keyed hashes: within a run equal queries have equal digests and different queries ' +
    'different ones; under another root, run or data set the same query has another digest.',
  power: 'a digest that is an unkeyed hash of the query, or ignores a part of it',
  check: (subject) => firstOf(digested(subject)),
});

function* digested(subject: Subject<'curator'>): Generator<Violation | undefined> {
  const fixture = openFixture(subject, base('replace-one'));
  const query = mean(fixture.allRecords);
  const [one, again] = [fixture.curator.answer(0, query).digest, fixture.curator.answer(1, query).digest];
  yield typeof one === 'string' && one.length >= 16
    ? undefined
    : { what: 'a digest has fewer than 16 characters', input: one };
  yield one === again ? undefined : { what: 'the same query has another digest at the next index' };
  const others: readonly (readonly [string, Partial<FixtureOptions>])[] = [
    ['under another root', { randomness: 'another' }],
    ['in another run', { run: 'another' }],
    ['on other data', { labels: [5, 5, 5, 5, 5, 5] }],
  ];
  for (const [what, change] of others) {
    yield openFixture(subject, { ...base('replace-one'), ...change }).curator.answer(0, query).digest === one
      ? {
          what:
            `the same query has the same digest ${what}: digests then reveal queries, ` +
            'or whether data are equal',
        }
      : undefined;
  }
}
