import { recordOf } from '../ledger/run-record.js';
import type { Adjacency, Batch, Query, Stream, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, muSquared, refusals, sameBits, unlessRefused } from './outcomes.js';
import { meanOf, multiplier, radius, streamOf } from './probes.js';
import { exactly, fixedSize, poisson, type MechanismName } from './stand-ins/index.js';
import { openFixture, under, type Fixture } from './fixture.js';

const dimension = 3;
const count = 6;
const steps = 4;
const at = new Float64Array(dimension);
const rows = Array.from({ length: count }, (_, i) => [
  i % 3 === 0 ? 1 : 0,
  i % 3 === 1 ? 1 : 0,
  i % 3 === 2 ? 1 : 0,
]);
const push = (stream: Stream, batch: Batch, weight = 1): Query => ({
  ask: 'push',
  stream,
  of: { terms: [{ weight, at }] },
  batch,
});
const stored = (of: Batch, sizes: readonly number[]): Query => ({
  ask: 'split',
  of,
  order: 'stored',
  parts: { by: 'size', sizes },
});

export const streamParticipation = defineLaw({
  id: 'curator/stream-participation',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A slot participates in a stream at most as often, and at least as far apart, ' +
    'as declared and charged at the opening: for any batch ids and overlaps, and also after a resume.',
  power: 'one push too many, too soon, or through another id for the same records',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(participation(subject, defined(env.cell.adjacency))),
});

function* participation(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const open = (): Fixture => openFixture(subject, { rows, adjacency });
  const streamFor = (fixture: Fixture, times: number, gap = 1): Stream =>
    fixture.ask<Stream>(streamOf('gaussian', { steps, dimension, normaliser: 2, times, gap }));
  const fixture = open();
  const once = streamFor(fixture, 1);
  const [a, b] = fixture.ask<readonly Batch[]>(stored(fixture.allRecords, [2, 2])) as [Batch, Batch];
  const [overlap] = fixture.ask<readonly Batch[]>(stored(fixture.allRecords, [3])) as [Batch];
  const [inside] = fixture.ask<readonly Batch[]>(stored(a, [1])) as [Batch];
  const [shuffled] = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: a,
    order: 'shuffled',
    parts: { by: 'size', sizes: [2] },
  }) as [Batch];
  fixture.ask(push(once, a));
  for (const [what, batch] of [
    ['the same batch', a],
    ['all records', fixture.allRecords],
    ['a batch that overlaps it', overlap],
    ['a part of it', inside],
    ['its records in another order', shuffled],
  ] as const) {
    yield unlessRefused(
      `a second push of records with a single participation, through ${what},`,
      () => fixture.ask(push(once, batch)),
      refusals,
    );
  }
  fixture.ask(push(once, b));
  const other = streamFor(fixture, 1);
  fixture.ask(push(other, b));
  yield unlessRefused(
    'a second push of records with a single participation, through a batch with one of them at its end,',
    () => fixture.ask(push(other, overlap)),
    refusals,
  );
  const late = openFixture(subject, { rows, adjacency, store: fixture.store });
  const entries = recordOf(late.ledger, late.run).entries.length;
  yield unlessRefused(
    'a second push of records with a single participation, after a resume,',
    () => late.curator.answer(entries, push(once, a)),
    refusals,
  );

  const kept: (readonly [Query, string])[] = [];
  const stopped = open();
  const recorded = <A>(query: Query): A => {
    const { answer, digest } = stopped.curator.answer(kept.length, query);
    kept.push([query, digest]);
    return answer as A;
  };
  const replayed = recorded<Stream>(streamOf('gaussian', { steps, dimension, normaliser: 2, times: 2 }));
  for (let t = 0; t < 2; t++) recorded(push(replayed, stopped.allRecords));
  const again = openFixture(subject, { rows, adjacency, store: stopped.store });
  kept.forEach(([query, digest], index) => again.curator.replay(index, query, digest));
  yield unlessRefused(
    'a third push of records with two participations, after a replay of the first two,',
    () => again.curator.answer(kept.length, push(replayed, stopped.allRecords)),
    refusals,
  );

  const spaced = open();
  const gapped = streamFor(spaced, 2, 2);
  const [c, d] = spaced.ask<readonly Batch[]>(stored(spaced.allRecords, [3, 3])) as [Batch, Batch];
  spaced.ask(push(gapped, c));
  yield unlessRefused(
    'a push one step after the last, with a declared gap of three,',
    () => spaced.ask(push(gapped, c)),
    refusals,
  );
  spaced.ask(push(gapped, d));
  spaced.ask(push(gapped, c));
  yield unlessRefused(
    'a third push with two participations charged',
    () => {
      spaced.ask(push(gapped, d));
      return spaced.ask(push(gapped, c));
    },
    refusals,
  );

  const full = open();
  const stream = streamFor(full, steps);
  for (let t = 0; t < steps; t++) full.ask(push(stream, full.allRecords));
  yield unlessRefused(
    'a push beyond the steps of the stream',
    () => full.ask(push(stream, full.allRecords)),
    refusals,
  );
  const strict = open();
  const unit = streamFor(strict, steps);
  for (const [what, sampler] of [
    ['a Poisson draw', poisson(0.5)],
    ['a draw of a fixed size', fixedSize(2)],
  ] as const) {
    const drawn = strict.ask<Batch>({ ask: 'draw', sampler, from: strict.allRecords });
    yield unlessRefused(
      `a push of ${what}, without an amplification in the charge of the stream,`,
      () => strict.ask(push(unit, drawn)),
      refusals,
    );
  }
  yield unlessRefused(
    'a push to an unknown stream',
    () => strict.ask(push({ ...unit, id: 'forged' }, strict.allRecords)),
    refusals,
  );
  yield unlessRefused(
    'a stream of noise that is not Gaussian',
    () => {
      const query = streamOf('gaussian', { steps, dimension, normaliser: 2 });
      return strict.ask({
        ...query,
        noise: { ...query.noise, mechanism: { kind: 'mechanism', name: 'laws/laplace', params: {} } },
      });
    },
    refusals,
  );
  yield unlessRefused(
    'a stream of no steps',
    () => strict.ask(streamOf('gaussian', { steps: 0, dimension, normaliser: 2 })),
    refusals,
  );
}

export const streamCost = defineLaw({
  id: 'curator/stream-cost',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A stream is charged once, at its opening: its scale is multiplier × increment × column norm of the ' +
    'factorisation for its participation; pushes have no charge, clip each record to the bound of the ' +
    'stream, and divide by its public normaliser.',
  power: 'another scale, charge, bound or divisor, for two factorisations and three kinds of participation',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(costs(subject, defined(env.cell.adjacency))),
});

function* costs(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const increment = ((adjacency === 'replace-one' ? 2 : 1) * radius) / 3;
  const cases = [
    { by: 'increments', times: 1, norm: 1 },
    { by: 'increments', times: 3, norm: Math.sqrt(3) },
    { by: 'prefixes', times: 1, norm: Math.sqrt(steps) },
    { by: 'prefixes', times: 2, norm: 2 * Math.sqrt(steps) },
  ] as const;
  for (const { norm, ...kind } of cases) {
    const open = (name: MechanismName): readonly [Fixture, Stream] => {
      const fixture = openFixture(subject, { rows: rows.map(() => [0, 0, 0]), adjacency });
      return [fixture, fixture.ask<Stream>(streamOf(name, { steps, dimension, normaliser: 3, ...kind }))];
    };
    const [fixture, stream] = open('ruler');
    const paid = muSquared(fixture.curator.spent(), adjacency) * multiplier ** 2;
    yield paid >= 1 - 1e-9 && paid <= 1 + 1e-9
      ? undefined
      : {
          what: 'a stream is not charged as one release of its multiplier when it is opened',
          measured: paid,
          allowed: 1,
        };
    const first = exactly(fixture.ask<Vector>(push(stream, fixture.allRecords)));
    const wanted = multiplier * increment * norm;
    yield first.every((x) => x >= wanted * (1 - 2 ** -46) && x <= wanted * (1 + 1e-9))
      ? undefined
      : {
          what: `the noise of a stream of ${kind.by}, ${kind.times} times each, has another scale`,
          measured: first[0],
          allowed: wanted,
        };
    yield muSquared(fixture.curator.spent(), adjacency) * multiplier ** 2 === paid
      ? undefined
      : { what: 'a push is charged after the charge of the stream' };
  }
  for (const size of [0.5, 1, 1e9]) {
    const fixture = openFixture(subject, { rows: [[size, 0, 0]], adjacency, allowUnprotected: true });
    const stream = fixture.ask<Stream>(streamOf('silent', { steps, dimension, normaliser: 3, times: 4 }));
    for (const weight of [1, -1, 5]) {
      const [value] = fixture.ask<Vector>(push(stream, fixture.allRecords, weight));
      const most = radius / 3;
      yield Math.abs(value) <= most * (1 + 2 ** -40)
        ? undefined
        : {
            what: `a record contributes ${value} to an increment; the bound of the stream is ${most}`,
            measured: Math.abs(value),
            allowed: most,
          };
    }
  }
  const certified = openFixture(subject, { rows: [[5, 0, 0]], adjacency, loss: 'boastful' });
  const bounded = certified.ask<Stream>({
    ...streamOf('ruler', { steps, dimension, normaliser: 1, times: 4 }),
    bound: { by: 'certificate', fact: 'lipschitz' },
  });
  yield unlessRefused(
    'a push whose weights add up to 2, to a stream that was opened for one certified gradient,',
    () => certified.ask(push(bounded, certified.allRecords, 2)),
    refusals,
  );
}

export const streamNoise = defineLaw({
  id: 'curator/stream-noise',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'The noise of a stream is drawn once: it depends neither on records nor on queries between the pushes, ' +
    'each row is equal at every use, and two streams have different noise.',
  power: 'a row of noise that is drawn again, depends on the data, or is shared by two streams',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(streamNoises(subject, defined(env.cell.adjacency))),
});

function* streamNoises(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const zeros = rows.map(() => [0, 0, 0]);
  const run = (between: boolean): readonly Vector[] => {
    const fixture = openFixture(subject, { rows: zeros, adjacency });
    const stream = fixture.ask<Stream>(
      streamOf('gaussian', { steps, dimension, normaliser: count, times: steps, by: 'increments' }),
    );
    return Array.from({ length: steps }, () => {
      const increment = fixture.ask<Vector>(push(stream, fixture.allRecords)).slice();
      if (between) fixture.ask(meanOf(fixture.allRecords, 'gaussian', { at }));
      return increment;
    });
  };
  const [plain, busy] = [run(false), run(true)];
  for (const [t, row] of plain.entries())
    yield sameBits(row, busy[t])
      ? undefined
      : { what: `row ${t} of the noise of a stream depends on queries between its pushes` };
  for (let t = 1; t < steps; t++)
    yield sameBits(plain[t], plain[t - 1])
      ? { what: `steps ${t - 1} and ${t} of a stream have the same noise` }
      : undefined;
  const fixture = openFixture(subject, { rows: zeros, adjacency });
  const streams = [0, 1].map(() =>
    fixture.ask<Stream>(streamOf('gaussian', { steps, dimension, normaliser: count, times: steps })),
  );
  const firsts = streams.map((stream) => fixture.ask<Vector>(push(stream, fixture.allRecords)));
  yield sameBits(firsts[0], firsts[1]) ? { what: 'two streams have the same noise' } : undefined;
  // Noise on running sums telescopes: after the last step the sum
  // contains the last row alone, however large the earlier rows.
  const telescope = openFixture(subject, { rows: zeros, adjacency });
  const sums = telescope.ask<Stream>(
    streamOf('ruler', { steps, dimension, normaliser: count, times: steps, by: 'prefixes' }),
  );
  const pushes = Array.from({ length: steps }, () =>
    telescope.ask<Vector>(push(sums, telescope.allRecords)).slice(),
  );
  const wrong = pushes
    .slice(1)
    .findIndex((increment) => !increment.every((x) => Math.abs(x) <= 2 ** -40 * Math.abs(pushes[0][0])));
  yield wrong < 0
    ? undefined
    : {
        what: `step ${wrong + 1} of a stream with equal rows of noise does not subtract the row before it`,
        input: { increment: Array.from(pushes[wrong + 1]) },
      };
}
