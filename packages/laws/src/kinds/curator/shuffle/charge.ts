import {
  memoryStore,
  type Adjacency,
  type Batch,
  type FilterMaker,
  type PrivacyEvent,
  type Query,
  type Stream,
} from '@lethe/core';
import { openLedger, type Limit } from '@lethe/curator';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../../law/finding.js';
import { defineLaw } from '../../../law/law.js';
import type { Subject } from '../../../law/subject.js';
import { firstOf, refusals, sameBits, unlessRefused } from '../outcomes.js';
import { meanOf, noiseOf } from '../probes.js';
import { around, descentFor, exponential, fixedSize, meanOfItsOwn, prefixSum } from '../stand-ins/index.js';
import {
  dimension,
  openShuffleFixture,
  shuffledMean,
  split,
  underFixed,
  type ShuffleFixture,
} from './fixture.js';

const one = { kind: 'core/shuffled', v: 1, epsilon: 0.25, delta: 1e-6, honestUsers: 4 } as PrivacyEvent;
const repeated = (count: number): PrivacyEvent =>
  ({ kind: 'core/compose', v: 1, parts: [{ event: one, count }] }) as PrivacyEvent;
const isSame = (a: PrivacyEvent, b: PrivacyEvent): boolean => canonicalEvent(a) === canonicalEvent(b);

export const shuffleCharge = defineLaw<'curator'>({
  id: 'curator/shuffle-charge',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'Every mean by shuffling is charged with the event of its randomiser before a record is read; ' +
    'equal means over disjoint batches compose in parallel, over the same batch sequentially; ' +
    'the limit is checked first.',
  power: 'a release that is not charged, charged late or twice, for parts of a split and at all records',
  cells: underFixed,
  check: (subject, env) => firstOf(charges(subject, defined(env.cell.adjacency))),
});

function* charges(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const ledger = openLedger({ adjacency });
  const early: string[] = [];
  let paid = '';
  const fixture = openShuffleFixture(subject, {
    adjacency,
    ledger,
    observe: (action) => {
      if (action.did === 'read' && canonicalEvent(ledger.total()) === paid) early.push('read');
    },
  });
  const due = (what: string, event: PrivacyEvent): Violation | undefined =>
    isSame(ledger.total(), event) && isSame(fixture.curator.spent(), event)
      ? undefined
      : { what: `${what} cost ${JSON.stringify(ledger.total())} ; expected ${JSON.stringify(event)}` };
  const parts = fixture.ask<readonly Batch[]>(split(fixture.allRecords, [4, 4]));
  yield due('splits', { kind: 'core/free', v: 1 } as PrivacyEvent);
  paid = canonicalEvent(ledger.total());
  fixture.ask(shuffledMean(parts[0]));
  yield early.length === 0 ? undefined : { what: 'records are read before their charge is in the ledger' };
  yield due('one mean', one);
  fixture.ask(shuffledMean(parts[1]));
  yield due('a mean over each of two parts', one);
  for (const part of parts) for (let k = 0; k < 2; k++) fixture.ask(shuffledMean(part));
  yield due('three means over each of two parts', repeated(3));
  const again = openShuffleFixture(subject, { adjacency, ledger, run: 'another', honestUsers: 4 });
  again.ask(shuffledMean(again.allRecords));
  yield isSame(ledger.total(), repeated(4))
    ? undefined
    : { what: `another run's mean over all makes ${JSON.stringify(ledger.total())} of three` };
  const filter: FilterMaker = ({ epsilon, delta }) => ({
    rule: 'laws/nothing',
    spec: { epsilon, delta },
    limit: one,
    admits: ({ kind }) => kind === 'core/free',
    share: () => 2,
  });
  const accountant: Limit['accountant'] = {
    epsilon: () => ({ lower: 0, upper: 2, certificate: 'certified', method: 'all', assumptions: [] }),
    filter,
  };
  const limited = openShuffleFixture(subject, { adjacency, limit: { epsilon: 1, delta: 1e-6, accountant } });
  yield unlessRefused('a mean beyond the limit', () => limited.ask(shuffledMean(limited.allRecords)), [
    'budget-exceeded',
  ]);
  yield limited.transcript.randomised.length === 0 && limited.curator.recorded() === 0
    ? undefined
    : { what: 'a mean beyond the limit called users, or changed the ledger' };
}

/** All queries that a shuffle curator does not support. */
const others = ({ allRecords }: ShuffleFixture): readonly (readonly [string, Query])[] => {
  const at = new Float64Array(dimension);
  const noise = noiseOf('gaussian');
  const mean = shuffledMean(allRecords);
  const coarse = meanOf(allRecords, 'gaussian', { at });
  const bound = { by: 'certificate', fact: 'lipschitz' } as const;
  const lists = { by: 'list', points: [at] } as const;
  const plainSplit = { ask: 'split', of: allRecords, order: 'stored' } as const;
  return [
    ['a mean of clipped records', coarse],
    ['a mean by its own code', { ...mean, mean: meanOfItsOwn('gaussian', 1) }],
    ['a mean without protection', shuffledMean(allRecords, mean.of, { unprotected: true })],
    ['a draw', { ask: 'draw', sampler: fixedSize(4), from: allRecords }],
    ['a mean of a sample', { ...mean, sampler: fixedSize(4) }],
    ['a split by weight', { ...plainSplit, parts: { by: 'weight', weights: [0.5] } }],
    ['a split by a sampler', { ...plainSplit, parts: { by: 'sampler', sampler: fixedSize(4) } }],
    [
      'a stream',
      {
        ask: 'open',
        prefixSum: prefixSum('increments'),
        steps: 1,
        dimension,
        bound: { by: 'clip', clip: { kind: 'clip', name: 'laws/ball', params: { radius: 1 } } },
        noise,
        participation: { times: 1, gap: 1 },
        normaliser: 8,
      },
    ],
    ['an increment', { ask: 'push', stream: { id: 'run/0' } as Stream, of: mean.of, batch: allRecords }],
    ['a value', { ask: 'value', statistic: { of: 'risk' }, at, batch: allRecords, noise }],
    [
      'a choice',
      {
        ask: 'choose',
        candidates: lists,
        statistic: { of: 'risk' },
        batch: allRecords,
        selector: exponential,
        target: { epsilon: 1 },
      },
    ],
    [
      'a descent',
      {
        ask: 'descend',
        start: new Float64Array(dimension),
        domain: around(10),
        batch: allRecords,
        steps: [{ count: allRecords.normaliser, stepSize: 0.5, batchSize: 1 }],
        release: 'average',
        noiseOn: 'answer',
        bound,
        noise,
      },
    ],
    [
      'a minimiser',
      {
        ask: 'minimiser',
        lambda: 1,
        centre: at,
        domain: around(1),
        batch: allRecords,
        solver: descentFor(60),
        tolerance: 1e-6,
        bound,
        norm: 2,
        noise,
      },
    ],
  ];
};

export const shuffleOnly = defineLaw<'curator'>({
  id: 'curator/shuffle-only',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'Queries that need a trusted curator throw a typed error, with nothing written or read: all queries ' +
    'except splits by size and means by shuffling; so do means with too many messages, randomisers that ' +
    'violate their contract, and add-remove, where the number of messages reveals the number of records.',
  power: 'certain for the twelve queries and six incorrect randomisers tried',
  cells: underFixed,
  check: (subject, env) => firstOf(alone(subject, defined(env.cell.adjacency))),
});

function* alone(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const nothing = (what: string, fixture: ShuffleFixture): Violation | undefined =>
    fixture.curator.recorded() === 0 &&
    fixture.curator.spent().kind === 'core/free' &&
    fixture.transcript.randomised.length === 0
      ? undefined
      : { what: `${what} was refused, but called users or changed the ledger` };
  for (const [k, [what]] of others(openShuffleFixture(subject, { adjacency })).entries()) {
    const fixture = openShuffleFixture(subject, {
      adjacency,
      loss: 'boastful',
      domain: { featureNorm: 1000, labelBound: 1, iterateNorm: 1 },
    });
    yield unlessRefused(what, () => fixture.ask(others(fixture)[k][1]), [
      'unsupported',
      'incompatible-plugins',
    ]);
    yield nothing(what, fixture);
  }
  const store = memoryStore();
  yield unlessRefused(
    'a shuffle curator under add-remove',
    () => openShuffleFixture(subject, { adjacency: 'add-remove', store }).allRecords,
    ['unsupported'],
  );
  for (const [what, recording] of [
    ['a mean of 2²⁵ messages', { messages: 2 ** 22 }],
    ['a randomiser that sends 1.5 messages', { messages: 1.5 }],
    [
      'a randomiser whose cost is no event',
      { bug: { event: () => ({ kind: 'core/shuffled', v: 1, epsilon: -1 }) as PrivacyEvent } },
    ],
  ] as const) {
    const fixture = openShuffleFixture(subject, { adjacency, recording });
    yield unlessRefused(what, () => fixture.ask(shuffledMean(fixture.allRecords)), refusals);
    yield nothing(what, fixture);
  }
  for (const [what, bug] of [
    ['a randomiser that sends more messages than declared', { randomise: () => new Uint32Array(7) }],
    ['a randomiser that sends fewer messages than declared', { randomise: () => new Uint32Array(1) }],
    ['an analyser that returns too many numbers', { analyse: () => new Float64Array(7) }],
  ] as const) {
    const fixture = openShuffleFixture(subject, { adjacency, recording: { bug } });
    yield unlessRefused(what, () => fixture.ask(shuffledMean(fixture.allRecords)), ['incompatible-plugins']);
  }
}

export const shuffleResume = defineLaw<'curator'>({
  id: 'curator/shuffle-resume',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A shuffled mean repeated after a crash has the same messages in the same order without another ' +
    'charge, and a replay is confirmed; at another index, in another run or for other honest users it ' +
    'uses independent randomness or is refused.',
  power: 'a different message, a second charge, or randomness shared by two queries',
  cells: underFixed,
  check: (subject, env) => firstOf(resumed(subject, defined(env.cell.adjacency))),
});

function* resumed(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const ledger = openLedger({ adjacency });
  const first = openShuffleFixture(subject, { adjacency, ledger });
  const sentBy = (fixture: ShuffleFixture, k: number): readonly number[] =>
    Array.from(fixture.transcript.analysed[k].messages);
  const query = shuffledMean(first.allRecords);
  const { digest, answer } = first.curator.answer(0, query);
  first.curator.answer(1, query);
  const spent = canonicalEvent(ledger.total());
  yield sameBits(sentBy(first, 0), sentBy(first, 1))
    ? { what: 'the same query at another index has the same messages: their randomness cancels' }
    : undefined;
  const again = openShuffleFixture(subject, { adjacency, ledger, randomness: 'others' });
  const repeat = again.curator.answer(0, query);
  yield sameBits(sentBy(first, 0), sentBy(again, 0)) &&
  repeat.digest === digest &&
  sameBits(repeat.answer as Float64Array, answer as Float64Array)
    ? undefined
    : { what: 'a query repeated after a crash has other messages, or another digest' };
  const replayed = openShuffleFixture(subject, { adjacency, ledger });
  replayed.curator.replay(0, query, digest);
  yield replayed.transcript.randomised.length === 0 ? undefined : { what: 'a replay calls users again' };
  yield canonicalEvent(ledger.total()) === spent
    ? undefined
    : { what: 'a repeated or replayed query is charged again' };
  yield unlessRefused(
    'a run with eight honest users, resumed with seven',
    () => openShuffleFixture(subject, { adjacency, ledger, honestUsers: 7 }).curator.answer(0, query),
    ['corrupt'],
  );
  const other = openShuffleFixture(subject, { adjacency, ledger, run: 'other' });
  other.curator.answer(0, query);
  yield sameBits(sentBy(first, 0), sentBy(other, 0))
    ? { what: 'another run of the same root has the same messages' }
    : undefined;
}
