import { memoryStore, type Adjacency, type Batch, type Stream, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { bet, pool } from '../../evidence/index.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { clipTo, meanOf, streamOf } from './probes.js';
import { meanOfItsOwn, poisson } from './stand-ins/index.js';
import { openFixture, under, type FixtureOptions } from './fixture.js';

const dimension = 600;
const zeros = new Float64Array(dimension);
/** Records of zeros with different labels: the answers are noise only. */
const nothing = Array.from({ length: 4 }, () => Array.from({ length: dimension }, () => 0));

/** Answers that are noise only, with their origin. */
interface Noise {
  readonly from: string;
  readonly answer: Vector;
}

function* noises(subject: Subject<'curator'>, adjacency: Adjacency, env: LawEnv): Generator<Noise> {
  const root = env.random('root');
  const open = (change: Partial<FixtureOptions>) =>
    openFixture(subject, { rows: nothing, adjacency, randomness: root, ...change });
  const store = memoryStore();
  const first = open({ store, run: 'a' });
  const opened = store.read();
  const mean = meanOf(first.allRecords, 'gaussian', { at: zeros });
  const tiny = zeros.with(0, 1e-300);
  yield { from: 'query 0 of run a', answer: first.ask<Vector>(mean) };
  yield { from: 'the same query as query 1', answer: first.ask<Vector>(mean) };
  yield {
    from: 'query 2, at a point that differs by 1e-300',
    answer: first.ask<Vector>(meanOf(first.allRecords, 'gaussian', { at: tiny })),
  };
  yield {
    from: 'query 3, with more noise',
    answer: first.ask<Vector>(
      meanOf(first.allRecords, 'gaussian', { at: zeros, target: { noiseMultiplier: 7 } }),
    ),
  };
  yield {
    from: 'query 4, with another clip',
    answer: first.ask<Vector>(meanOf(first.allRecords, 'gaussian', { at: zeros, bound: clipTo(0.3) })),
  };
  const [left, right] = first.ask<readonly Batch[]>({
    ask: 'split',
    of: first.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: [2, 2] },
  }) as [Batch, Batch];
  yield {
    from: 'query 6, over one half',
    answer: first.ask<Vector>(meanOf(left, 'gaussian', { at: zeros })),
  };
  yield {
    from: 'query 7, over the other half',
    answer: first.ask<Vector>(meanOf(right, 'gaussian', { at: zeros })),
  };
  yield {
    from: 'query 9, over a draw',
    answer: first.ask<Vector>(
      meanOf(first.ask<Batch>({ ask: 'draw', sampler: poisson(0.5), from: first.allRecords }), 'gaussian', {
        at: zeros,
      }),
    ),
  };
  yield {
    from: 'query 10, by its own code',
    answer: first.ask<Vector>({
      ask: 'mean',
      of: { terms: [{ weight: 1, at: zeros }] },
      batch: first.allRecords,
      mean: meanOfItsOwn('gaussian', 1),
      target: { noiseMultiplier: 1 },
    }),
  };
  for (const [k, times] of [
    [11, 3],
    [15, 3],
  ] as const) {
    const stream = first.ask<Stream>(streamOf('gaussian', { steps: 3, dimension, normaliser: 4, times }));
    for (let t = 0; t < 3; t++)
      yield {
        from: `step ${t} of the stream of query ${k}`,
        answer: first.ask<Vector>({
          ask: 'push',
          stream,
          of: { terms: [{ weight: 1, at: zeros }] },
          batch: first.allRecords,
        }),
      };
  }
  yield {
    from: 'query 0 of run b of the same ledger, from the same root',
    answer: open({ ledger: first.ledger, run: 'b' }).ask<Vector>(mean),
  };
  yield {
    from: 'query 0 of other data, from the same root',
    answer: open({ run: 'a', labels: [1, 0, 0, 0] }).ask<Vector>(mean),
  };
  yield {
    from: 'query 0 from another root',
    answer: open({ run: 'a', randomness: env.random('another root') }).ask<Vector>(mean),
  };
  yield {
    from: 'another query 0, after the ledger was restored from a backup',
    answer: open({ run: 'a', store: memoryStore(opened) }).ask<Vector>(
      meanOf(first.allRecords, 'gaussian', { at: tiny }),
    ),
  };
}

export const unrelatedNoise = defineLaw({
  id: 'curator/unrelated-noise',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-3',
  statement:
    'No two queries share noise: not at two indices, on two batches, in two runs, ' +
    'data sets or steps of a stream, or two different queries at one index of a ledger restored from a ' +
    'backup; nor do two entries of one answer.',
  power: 'equal, opposite or proportional noise within 60 entries; correlation 0.4 in 600',
  cells: under('replace-one', 'zero-out'),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const all = [...noises(subject, adjacency, env)];
    const pairs = all.flatMap((one, i) =>
      [
        ...all.slice(0, i),
        {
          from: `the next entry of ${one.from}`,
          answer: Float64Array.from(one.answer, (_x, j) => (j % 2 === 0 ? (one.answer[j + 1] ?? 0) : 0)),
        },
      ].map((other) => {
        const alike = bet({ largestLoss: 1 });
        const opposite = bet({ largestLoss: 1 });
        for (let j = 0; j < dimension; j++) {
          const sign = Math.sign(one.answer[j]) * Math.sign(other.answer[j]);
          if (!(sign * sign === 1)) continue;
          alike.push(sign);
          opposite.push(-sign);
        }
        return { one, other, alike, opposite };
      }),
    );
    const processes = pairs.flatMap(({ alike, opposite }) => [alike, opposite]);
    const evidence = pool(processes);
    const samples = evidence.samples / 2;
    // Rounded to the public grid, noise is zero with probability
    // 10^-5; eight zeros in 600 have probability 10^-27.
    const zero = all.find(
      ({ answer }) => !answer.every(Number.isFinite) || answer.filter((x) => x === 0).length >= 8,
    );
    if (zero !== undefined)
      return fails(1, {
        what: `entries of ${zero.from} have no noise`,
        input: { answer: Array.from(zero.answer.slice(0, 8)) },
      });
    if (!evidence.rejects(env.alpha)) return holds(samples);
    const strongest = pairs.reduce((best, pair) =>
      Math.max(pair.alike.logE, pair.opposite.logE) > Math.max(best.alike.logE, best.opposite.logE)
        ? pair
        : best,
    );
    return fails(samples, {
      what: `the noise of ${strongest.one.from} equals or correlates with that of ${strongest.other.from}`,
      logE: evidence.peak,
      input: {
        first: Array.from(strongest.one.answer.slice(0, 4)),
        second: Array.from(strongest.other.answer.slice(0, 4)),
      },
    });
  },
});
