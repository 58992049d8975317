import type { Adjacency, Batch, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, muSquared, sameBits, unlessRefused } from './outcomes.js';
import { meanOf, multiplier, noiseOf, radius, membershipQuery } from './probes.js';
import { exactly, poisson } from './stand-ins/index.js';
import { oneHot, openFixture, under, underEach } from './fixture.js';

const count = 8;

export const publicNormaliser = defineLaw({
  id: 'curator/public-normaliser',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A mean divides by a public number: slots for a fixed size, the expected size for a hidden one, ' +
    'the public guess under add-remove; never the number of records.',
  power: 'a divisor that depends on a draw or on the number of records; 40 draws of each kind',
  cells: underEach,
  check: (subject, env) => firstOf(divided(subject, defined(env.cell.adjacency))),
});

function* divided(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const slots = adjacency === 'add-remove' ? 5 : count;
  const open = (randomness: string) =>
    openFixture(subject, {
      rows: oneHot(count),
      adjacency,
      randomness,
      ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
    });
  const seen = new Set<number>();
  for (let k = 0; k < 40; k++) {
    const fixture = open(`coins ${k}`);
    const expected = (what: string, batch: Batch, normaliser: number): Violation | undefined => {
      if (batch.normaliser !== normaliser)
        return {
          what: `the token of ${what} has another normaliser than its public size`,
          measured: batch.normaliser,
          allowed: normaliser,
        };
      const answer = exactly(fixture.ask<Vector>(membershipQuery(batch, count)));
      const wrong = Array.from(answer).find(
        (share) => !(share === 0 || Math.abs(share * normaliser - 1) <= 1e-12),
      );
      if (what.startsWith('a draw')) seen.add(Array.from(answer).filter((share) => share !== 0).length);
      return wrong === undefined
        ? undefined
        : {
            what:
              `the mean over ${what} gives a record of one the weight ${wrong}; ` +
              `it must be 0 or 1/${normaliser} for any members`,
            measured: wrong,
            allowed: 1 / normaliser,
            input: { answer: Array.from(answer) },
          };
    };
    yield expected('everyone', fixture.allRecords, slots);
    yield expected(
      'a draw at rate 3/8',
      fixture.ask<Batch>({ ask: 'draw', sampler: poisson(0.375), from: fixture.allRecords }),
      0.375 * slots,
    );
    const parts = fixture.ask<readonly Batch[]>({
      ask: 'split',
      of: fixture.allRecords,
      order: 'shuffled',
      parts: { by: 'weight', weights: [0.5, 0.25] },
    });
    yield expected('a part of weight 1/2', parts[0], slots / 2);
    yield expected('a part of weight 1/4', parts[1], slots / 4);
  }
  yield seen.size > 1
    ? undefined
    : {
        what:
          `40 draws at rate 3/8 from ${count} records all had ${[...seen].join()} of them: ` +
          'the size of the batch is not random',
      };
}

export const emptyBatch = defineLaw({
  id: 'curator/empty-batch',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'An empty batch is answered like any other: noise of the full scale on every entry, at the full charge.',
  power: 'any empty batch that is skipped, refused, answered without noise or not charged',
  cells: underEach,
  check: (subject, env) => firstOf(empty(subject, defined(env.cell.adjacency))),
});

function* empty(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const fixture = openFixture(subject, { rows: oneHot(3), adjacency, loss: 'boastful', labels: [1, 1, 1] });
  const drawn = fixture.ask<Batch>({ ask: 'draw', sampler: poisson(1e-12), from: fixture.allRecords });
  const [part] = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: fixture.allRecords,
    order: 'stored',
    parts: { by: 'weight', weights: [1e-12] },
  }) as [Batch];
  for (const [what, batch] of [
    ['a draw', drawn],
    ['a part', part],
  ] as const) {
    const scale = (multiplier * radius * (adjacency === 'replace-one' ? 2 : 1)) / (1e-12 * 3);
    const at = new Float64Array(3);
    const before = JSON.stringify(fixture.curator.spent());
    const ruled = exactly(fixture.ask<Vector>(meanOf(batch, 'ruler', { at })));
    if (before === JSON.stringify(fixture.curator.spent()))
      yield { what: `a mean over an empty ${what} was not charged` };
    yield ruled.length === 3 && ruled.every((x) => x >= scale * (1 - 1e-12) && x <= scale * (1 + 1e-9))
      ? undefined
      : {
          what: `a mean over an empty ${what} has noise of another scale, or not on every entry`,
          input: { answer: Array.from(ruled) },
          allowed: scale,
        };
    const noisy = fixture.ask<Vector>(meanOf(batch, 'gaussian', { at }));
    yield noisy.length === 3 && noisy.every((x) => Number.isFinite(x) && x !== 0) && new Set(noisy).size === 3
      ? undefined
      : {
          what: `a mean over an empty ${what} is not noise on every entry`,
          input: { answer: Array.from(noisy) },
        };
    const value = fixture.ask<number>({
      ask: 'value',
      statistic: { of: 'risk' },
      at: Float64Array.of(1, 0, 0),
      batch,
      noise: noiseOf('gaussian'),
    });
    yield Number.isFinite(value) && value !== 0
      ? undefined
      : { what: `a value over an empty ${what} is ${value}, not noise` };
  }
}

export const publicSize = defineLaw({
  id: 'curator/public-size',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-11',
  statement:
    'The number of slots is public and exact under replace-one and zero-out; under add-remove it is ' +
    'private: a public guess is required, and no output, charge or scale depends on the true number.',
  power: 'a token, scale, event or refusal that changes with the number of records under add-remove',
  cells: underEach,
  check: (subject, env) => firstOf(sizes(subject, defined(env.cell.adjacency))),
});

function* sizes(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const rows = (n: number) => Array.from({ length: n }, () => [0, 0]);
  if (adjacency !== 'add-remove') {
    for (const n of [1, 4]) {
      const { allRecords } = openFixture(subject, { rows: rows(n), adjacency });
      yield allRecords.normaliser === n && allRecords.size === 'exact'
        ? undefined
        : { what: `the token of ${n} public slots has ${allRecords.normaliser}, ${allRecords.size}` };
      yield unlessRefused(
        `a guess of ${n + 1} slots for ${n} public slots`,
        () => openFixture(subject, { rows: rows(n), adjacency, publicSlots: n + 1 }).allRecords,
        ['invalid-parameter'],
      );
    }
    return;
  }
  yield unlessRefused(
    'a curator without a public guess of the number of records',
    () => openFixture(subject, { rows: rows(4), adjacency, publicSlots: null }).allRecords,
    ['invalid-parameter'],
  );
  for (const bad of [0, -1, 1.5, Number.NaN])
    yield unlessRefused(
      `a public guess of ${bad}`,
      () => openFixture(subject, { rows: rows(4), adjacency, publicSlots: bad }).allRecords,
      ['invalid-parameter'],
    );
  const replies = [1, 4, 9].map((n) => {
    const fixture = openFixture(subject, { rows: rows(n), adjacency, publicSlots: 4 });
    const at = new Float64Array(2);
    const drawn = fixture.ask<Batch>({ ask: 'draw', sampler: poisson(0.5), from: fixture.allRecords });
    const answers = [fixture.allRecords, drawn].map((batch) =>
      fixture.ask<Vector>(meanOf(batch, 'ruler', { at })),
    );
    return {
      n,
      answers: Float64Array.from(answers.flatMap((x) => [...x])),
      reply: JSON.stringify([
        fixture.allRecords,
        drawn,
        fixture.curator.facts,
        fixture.curator.spent(),
        fixture.curator.recorded(),
      ]),
    };
  });
  for (const { n, answers, reply } of replies) {
    yield reply === replies[0].reply
      ? undefined
      : {
          what: `the replies with ${n} records differ from those with ${replies[0].n}`,
          witness: `${reply} against ${replies[0].reply}`,
        };
    yield sameBits(answers, replies[0].answers)
      ? undefined
      : {
          what: `with ${n} records the scale of the noise is not that of ${replies[0].n}`,
          input: { answers: Array.from(answers), others: Array.from(replies[0].answers) },
        };
  }
}

export const noSizesUnderAddRemove = defineLaw({
  id: 'curator/no-sizes-under-add-remove',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'Under add-remove a batch is neither split by size nor drawn at a fixed size, because one removal ' +
    'shifts every later slot: both are refused, and so is a stream, which needs batches of known size.',
  power: 'an answer to any such query',
  cells: under('add-remove'),
  check: (subject) => firstOf(sizedQueries(subject)),
});

function* sizedQueries(subject: Subject<'curator'>): Generator<Violation | undefined> {
  const { curator, allRecords } = openFixture(subject, { rows: oneHot(4), adjacency: 'add-remove' });
  for (const order of ['stored', 'shuffled'] as const)
    yield unlessRefused(
      `a ${order} split by size`,
      () => curator.answer(0, { ask: 'split', of: allRecords, order, parts: { by: 'size', sizes: [2, 2] } }),
      ['unsupported'],
    );
  yield unlessRefused(
    'a draw of a fixed size',
    () =>
      curator.answer(0, {
        ask: 'draw',
        sampler: { kind: 'sampler', name: 'laws/fixed', params: { size: 2 } },
        from: allRecords,
      }),
    ['unsupported'],
  );
  yield unlessRefused(
    'a mean that needs the number of slots',
    () =>
      curator.answer(0, {
        ask: 'mean',
        of: { terms: [{ weight: 1, at: new Float64Array(4) }] },
        batch: allRecords,
        mean: { kind: 'mean', name: 'laws/own-gaussian', params: { radius: 1 } },
        target: { noiseMultiplier: 1 },
      }),
    ['unsupported'],
  );
  yield muSquared(curator.spent(), 'add-remove') === 0 && curator.recorded() === 0
    ? undefined
    : { what: 'refused queries were charged' };
}
