import type { Adjacency, Batch, Query, Stream, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under } from './fixture.js';
import { firstOf, sameBits } from './outcomes.js';
import { meanOf, streamOf } from './probes.js';

const dimension = 3;
const count = 6;
const steps = 4;
const at = new Float64Array(dimension);
/** Records of zeros: answers are noise alone. */
const rows = Array.from({ length: count }, () => [0, 0, 0]);

/** What a course asks. */
interface Course {
  /** Records of the second batch; the first has two in every course. */
  readonly second: number;
  /** Weights of the gradients that are pushed, by step. */
  readonly weights: readonly number[];
}
const first: Course = { second: 2, weights: [1, 1, 1, 1] };

export const restoredCopies = defineLaw({
  id: 'curator/restored-copies',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'Of a curator whose ledger was restored from a copy, and which is asked otherwise from there on, no ' +
    'answer has the noise of an answer that it forgot: not at the step of a stream where the queries part, ' +
    'and at none after it, also where the same is asked again, and not about a batch of the same name that ' +
    'another split made, shuffled or in stored order. What was asked before they part, and the same course ' +
    'again, is answered in the same bits.',
  power:
    'noise of a step, of its query alone, or of names of batches, for two factorisations, wherever courses ' +
    'part',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => {
    const adjacency = defined(env.cell.adjacency);
    return firstOf([...inStoredOrder(subject, adjacency), ...afterCoursesPart(subject, adjacency)]);
  },
});

/** Noise of the rows of a stream, and of means of the first batch before and after it. */
function noises(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  { by, course }: { readonly by: 'increments' | 'prefixes'; readonly course: Course },
): readonly Vector[] {
  // A copy of a ledger has all that a curator's randomness is made of.
  const fixture = openFixture(subject, { rows, adjacency });
  const stream = fixture.ask<Stream>(
    streamOf('gaussian', { steps, dimension, normaliser: count, times: steps, by }),
  );
  const [batch] = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: fixture.allRecords,
    order: 'shuffled',
    parts: { by: 'size', sizes: [2, course.second] },
  }) as [Batch];
  const mean = (): Vector => fixture.ask<Vector>(meanOf(batch, 'gaussian', { at })).slice();
  const before = mean();
  const sum = new Float64Array(dimension);
  const pushNoise = course.weights.map((weight) => {
    const query: Query = { ask: 'push', stream, of: { terms: [{ weight, at }] }, batch };
    const increment = fixture.ask<Vector>(query);
    // A row by itself: an increment, or a running sum of increments.
    for (let j = 0; j < dimension; j++) sum[j] = increment[j] + (by === 'prefixes' ? sum[j] : 0);
    return sum.slice();
  });
  return [before, ...pushNoise, mean()];
}

function* afterCoursesPart(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
): Generator<Violation | undefined> {
  for (const by of ['increments', 'prefixes'] as const) {
    const earlier = noises(subject, adjacency, { by, course: first });
    const again = noises(subject, adjacency, { by, course: first });
    yield earlier.every((one, k) => sameBits(one, again[k]))
      ? undefined
      : { what: 'the same queries to a copy have other answers' };
    const courses: readonly (readonly [string, Course, number])[] = [
      ['where another split made the batch', { ...first, second: 3 }, 0],
      ...first.weights.map(
        (_, step) =>
          [
            `after another query at step ${step}`,
            { ...first, weights: first.weights.with(step, 2) },
            step + 1,
          ] as const,
      ),
    ];
    for (const [where, course, from] of courses) {
      const later = noises(subject, adjacency, { by, course });
      // The last mean is about a batch, at a place in the run, and knows nothing of pushes.
      const until = from === 0 ? later.length : later.length - 1;
      for (let k = 0; k < until; k++) {
        const isShared = later[k].some((one, j) => Math.abs(one - earlier[k][j]) < 1e-9);
        if (k >= from && isShared)
          yield { what: `${where}, answer ${k} has the noise of an answer that was forgotten` };
        if (k < from && !sameBits(later[k], earlier[k]))
          yield { what: `answer ${k} depends on what is asked after it` };
      }
    }
  }
}

/** Noise of a mean and of an increment of the second part, which begins after `before` records. */
function partNoises(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  { before, isShuffled }: { readonly before: number; readonly isShuffled: boolean },
): readonly Vector[] {
  const fixture = openFixture(subject, { rows, adjacency });
  const stream = fixture.ask<Stream>(streamOf('gaussian', { steps, dimension, normaliser: count }));
  const parts = (of: Batch, order: 'stored' | 'shuffled', sizes: readonly number[]): readonly Batch[] =>
    fixture.ask({ ask: 'split', of, order, parts: { by: 'size', sizes } });
  const all = isShuffled ? parts(fixture.allRecords, 'shuffled', [count])[0] : fixture.allRecords;
  const batch = parts(all, 'stored', [before, 2])[1];
  const mean = fixture.ask<Vector>(meanOf(batch, 'gaussian', { at })).slice();
  return [mean, fixture.ask<Vector>({ ask: 'push', stream, of: { terms: [{ weight: 1, at }] }, batch })];
}

/** The second part has the same name and size, and begins at another record. */
function* inStoredOrder(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const isShuffled of [false, true]) {
    const earlier = partNoises(subject, adjacency, { before: 1, isShuffled });
    const later = partNoises(subject, adjacency, { before: 2, isShuffled });
    for (const [k, what] of ['a mean', 'an increment'].entries())
      yield later[k].some((one, j) => Math.abs(one - earlier[k][j]) < 1e-9)
        ? { what: `${what} of a part in stored order has the noise of another part of that name` }
        : undefined;
  }
}
