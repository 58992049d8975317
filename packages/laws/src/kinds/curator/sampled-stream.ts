import {
  type Adjacency,
  type Batch,
  type CoreEvent,
  type OpenQuery,
  type Query,
  type Stream,
  type Vector,
} from '@lethe/core';
import { verifiedDelta } from '@lethe/curator/testing';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under, type Fixture } from './fixture.js';
import { firstOf, outcomeOf, refusals, sameBits, unlessRefused } from './outcomes.js';
import { multiplier, noiseOf, streamOf } from './probes.js';
import { drawAtEachStep, exactly, faintness, mechanismNamed, overstated } from './stand-ins/index.js';

const dimension = 6;
const steps = 24;
const at = new Float64Array(dimension);
/** Record `i` adds 0.5 to entry `i`. */
const rows = Array.from({ length: dimension }, (_, i) =>
  Array.from({ length: dimension }, (_entry, j) => (i === j ? 0.5 : 0)),
);
const push = (stream: Stream, batch: Batch): Query => ({
  ask: 'push',
  stream,
  of: { terms: [{ weight: 1, at }] },
  batch,
});
/** A stream whose sampler takes each record with probability ½ at each step. */
const sampled = (name: Parameters<typeof streamOf>[0], change: Partial<OpenQuery> = {}): OpenQuery => ({
  ...streamOf(name, { steps, dimension, normaliser: 1, times: steps }),
  sampling: drawAtEachStep,
  ...change,
});
/** What the entries of an increment say of who took part. */
const membersIn = (increment: Vector): string =>
  Array.from(increment, (x) => (Math.abs(x) > 0.25 ? 1 : 0)).join('');

/** Secret batches of streams. */
export const sampledBatches = defineLaw({
  id: 'curator/sampled-stream-batches',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'a sampled stream takes at each step the records that its sampler draws: half of them at rate ½, ' +
    'others at each step and in each stream, and the same ones after a resume',
  power: 'all records or none, a batch that is drawn once, randomness from elsewhere',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(batches(subject, defined(env.cell.adjacency))),
});

function* batches(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const options = { rows, adjacency, allowUnprotected: true, run: 'sampled' };
  const fixture = openFixture(subject, options);
  const streams = [0, 1].map(() => fixture.ask<Stream>(sampled('silent')));
  const seen = streams.map((stream) =>
    Array.from({ length: steps }, () => membersIn(fixture.ask<Vector>(push(stream, fixture.allRecords)))),
  );
  const all = seen.flat().join('');
  const taken = all.replaceAll('0', '').length;
  // Six standard deviations of as many fair bits.
  yield Math.abs(taken - all.length / 2) <= 3 * Math.sqrt(all.length)
    ? undefined
    : {
        what: `of ${all.length} records ${taken} took part; a sampler takes each record with probability ½`,
        measured: taken,
        allowed: all.length / 2,
      };
  for (const one of seen)
    yield new Set(one).size > 2
      ? undefined
      : { what: `${steps} steps of a stream take the same records`, witness: one.join(' ') };
  yield seen[0].join() === seen[1].join()
    ? { what: 'two streams take the same records', witness: seen[0].join(' ') }
    : undefined;

  const stopped = openFixture(subject, { ...options, run: 'stopped' });
  const kept: (readonly [Query, string])[] = [];
  const answers: Vector[] = [];
  const ask = (on: Fixture, query: Query): unknown => {
    const { answer, digest } = on.curator.answer(kept.length, query);
    kept.push([query, digest]);
    return answer;
  };
  const stream = ask(stopped, sampled('silent')) as Stream;
  for (let t = 0; t < 4; t++)
    answers.push((ask(stopped, push(stream, stopped.allRecords)) as Vector).slice());
  const again = openFixture(subject, { ...options, run: 'stopped', store: stopped.store });
  kept.slice(0, 3).forEach(([query, digest], index) => again.curator.replay(index, query, digest));
  for (let t = 2; t < 4; t++) {
    const { answer } = again.curator.answer(t + 1, defined(kept[t + 1])[0]);
    yield sameBits(answer as Vector, defined(answers[t]))
      ? undefined
      : {
          what: `after a resume step ${t} of a stream takes other records`,
          witness: `${membersIn(defined(answers[t]))} then ${membersIn(answer as Vector)}`,
        };
  }
}

/** What a sampled stream costs. */
export const sampledCharge = defineLaw({
  id: 'curator/sampled-stream-charge',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'a sampled stream is charged, at its opening, with what its sampler says for the noise that is ' +
    'added; it takes no batch but all records, and no participation but that of its sampler',
  power: 'another event, rate, scale, deviation or count, and each of six queries that must be refused',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(charges(subject, defined(env.cell.adjacency))),
});

function* charges(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const noScale = { rows: rows.map(() => Array.from(at)), adjacency };
  const fixture = openFixture(subject, noScale);
  const stream = fixture.ask<Stream>(sampled('ruler'));
  const norm = (adjacency === 'replace-one' ? 2 : 1) * Math.sqrt(steps);
  const charged = (event: CoreEvent, deviation: number): Violation | undefined => {
    const part = event.kind === 'core/compose' ? event.parts[0] : undefined;
    const inner = part?.event as CoreEvent | undefined;
    const release = inner?.kind === 'core/sampled' ? (inner.event as CoreEvent) : undefined;
    const isCharged =
      part?.count === steps &&
      inner?.kind === 'core/sampled' &&
      inner.sampler.kind === 'core/poisson' &&
      inner.sampler.rate === 0.5 &&
      release?.kind === 'core/gaussian' &&
      release.sensitivity[adjacency] === (adjacency === 'replace-one' ? 2 : 1) &&
      release.sigma <= deviation &&
      release.sigma >= deviation * (1 - 1e-9);
    return isCharged
      ? undefined
      : {
          what: 'a sampled stream is not charged with what its sampler says for its noise',
          input: event,
          measured: release?.kind === 'core/gaussian' ? release.sigma : 0,
          allowed: deviation,
        };
  };
  yield charged(fixture.curator.spent() as CoreEvent, multiplier * norm);
  const faint = openFixture(subject, { ...noScale, run: 'faint' });
  faint.ask<Stream>(
    sampled('ruler', { noise: { ...noiseOf('gaussian'), mechanism: mechanismNamed('faint') } }),
  );
  yield charged(faint.curator.spent() as CoreEvent, faintness * multiplier * norm);
  const [first] = exactly(fixture.ask<Vector>(push(stream, fixture.allRecords)));
  const scale = multiplier * norm * 0.75;
  yield first >= scale * (1 - 2 ** -40) && first <= scale * (1 + 1e-9)
    ? undefined
    : { what: 'the noise of a sampled stream has another scale', measured: first, allowed: scale };
  const [half] = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: fixture.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: [3] },
  }) as [Batch];
  const stranger = { kind: 'sampler', name: 'laws/fixed', params: { size: 2 } } as const;
  const verified = { epsilon: 1, delta: 0.5, samples: 64 };
  const wrong: readonly (readonly [string, Query])[] = [
    ['a push of half of the records to a sampled stream', push(stream, half)],
    ['a stream with a sampler of single batches', sampled('gaussian', { sampling: stranger })],
    ['a sampled stream of other participation', sampled('gaussian', { participation: { times: 1, gap: 1 } })],
    [
      'a verification of a stream that is not sampled',
      { ...streamOf('gaussian', { steps, dimension, normaliser: 1 }), verified },
    ],
    ['a verification by too few samples', sampled('gaussian', { verified: { ...verified, delta: 1e-6 } })],
    ['a verification of no delta', sampled('gaussian', { verified: { ...verified, delta: 0 } })],
  ];
  for (const [what, query] of wrong) yield unlessRefused(what, () => fixture.ask(query), refusals);
}

/** Verified streams. */
export const verifiedStream = defineLaw({
  id: 'curator/verified-stream',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'a stream is verified before its first increment, in both directions, or where a record is ' +
    'replaced: it costs (ε, δ) with a threshold that gives at most this δ, and where the samples ' +
    'exceed it nothing is answered, also when asked again',
  power:
    'no verification, one direction, weights or a largest value ' +
    'that are too small, a threshold above what the samples allow',
  cells: under('zero-out', 'add-remove', 'replace-one'),
  check: (subject, env) => firstOf(verdicts(subject, defined(env.cell.adjacency))),
});

/**
 * The least bound on a weighted value for sums of at most `shift` deviations: that of Rényi divergences, for
 * any order.
 */
function leastLargest(epsilon: number, shift: number): number {
  let least = 1;
  for (let t = 2 ** -10; t < 2 ** 20; t *= 1.01) {
    const order = 1 + t;
    const log = (t * order * shift * shift) / 2 - t * epsilon + t * Math.log(t) - order * Math.log(order);
    least = Math.min(least, Math.exp(log));
  }
  return least * (1 - 1e-3);
}

function* verdicts(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const verified = { epsilon: 1, delta: 0.1, samples: 512 };
  const few = (noiseMultiplier: number, change: Partial<OpenQuery> = {}): OpenQuery =>
    sampled('gaussian', {
      steps: 3,
      participation: { times: 3, gap: 1 },
      noise: { ...sampled('gaussian').noise, target: { noiseMultiplier } },
      verified,
      ...change,
    });
  const open = (): Fixture => openFixture(subject, { rows, adjacency });
  const good = open();
  // So much noise that samples decide, and that they pass.
  const stream = good.ask<Stream>(few(1));
  const event = good.curator.spent() as CoreEvent;
  const isCharged =
    event.kind === 'core/verified' &&
    event.epsilon === verified.epsilon &&
    event.delta === verified.delta &&
    event.samples === verified.samples &&
    (event.largest ?? 1) >= leastLargest(verified.epsilon, 1) &&
    verifiedDelta(event.samples, event.threshold, event.largest) <= event.delta * (1 + 1e-9);
  yield isCharged
    ? undefined
    : {
        what: 'a verified stream is not charged with its (ε, δ), at a threshold that gives it',
        input: event,
      };
  yield 'value' in outcomeOf(() => good.ask(push(stream, good.allRecords)))
    ? undefined
    : { what: 'a stream with ample noise is not answered after its verification' };
  const bad: readonly (readonly [string, OpenQuery])[] = [
    ['far too little noise', few(0.05)],
    ['too little noise', few(0.4)],
    [
      'noise that is faint for its scale',
      few(8, { noise: { ...few(1).noise, mechanism: mechanismNamed('faint') } }),
    ],
    // What is wrong on both sides alike cancels in the loss of a record that is replaced.
    ...(adjacency === 'replace-one'
      ? []
      : ([
          ['too large a loss of an absent record', few(1, { sampling: overstated(-50) })],
          ['too large a loss of a present record', few(1, { sampling: overstated(50) })],
        ] as const)),
  ];
  for (const [why, query] of bad) {
    const fixture = open();
    yield unlessRefused(`a stream whose verification fails by ${why}`, () => fixture.ask(query), refusals);
    yield unlessRefused(
      `the same query, asked again, of a stream whose verification fails by ${why}`,
      () => fixture.curator.answer(0, query),
      refusals,
    );
    const forged = { id: `${fixture.run}/0` } as Stream;
    yield unlessRefused(
      `a push to a stream whose verification fails by ${why}`,
      () => fixture.curator.answer(1, push(forged, fixture.allRecords)),
      refusals,
    );
    yield (fixture.curator.spent() as CoreEvent).kind === 'core/verified'
      ? undefined
      : { what: 'a verification that fails is not charged, so that it can be repeated until it passes' };
  }
}
