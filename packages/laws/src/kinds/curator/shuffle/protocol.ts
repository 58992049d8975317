import type { Adjacency, Batch, GradientTerms, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { noteTest } from '../../../evidence/judged.js';
import { fails, holds, type Violation } from '../../../law/finding.js';
import { defineLaw } from '../../../law/law.js';
import type { Subject } from '../../../law/subject.js';
import { binomialAtLeast, binomialAtMost } from '../../../special/index.js';
import { firstOf, sameBits } from '../outcomes.js';
import { dimension, openShuffleFixture, rows, shuffledMean, split, target, underFixed } from './fixture.js';
import { randomnessIn } from './recording-randomiser.js';

const at = new Float64Array(dimension);
const text = (value: unknown): string => JSON.stringify(value);

export const shuffleProtocol = defineLaw<'curator'>({
  id: 'curator/shuffle-protocol',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-9',
  statement:
    'In a mean by shuffling every slot of the batch randomises its own gradient once, ' +
    'with independent randomness; null records and gradients that are not finite become zeros. ' +
    'The analyser gets all messages; the answer is its result divided by the public number of users, ' +
    'or zeros if that is not finite. Where sums are drawn in place of messages, real arithmetic is assumed.',
  power:
    'a user left out, duplicated or with another gradient; a sum for a mean; randomness shared by two of 8 ' +
    'users, or by a fiftieth of 2 500',
  cells: underFixed,
  check: (subject, env) => firstOf(protocols(subject, defined(env.cell.adjacency))),
});

function* protocols(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const data = rows.with(1, null);
  const bare = data.map((row) => row ?? [0, 0]);
  const queries: readonly (readonly [string, GradientTerms, readonly (readonly number[])[]])[] = [
    ['a gradient', { terms: [{ weight: 1, at }] }, bare],
    [
      'two gradients',
      {
        terms: [
          { weight: 3, at },
          { weight: -1, at },
        ],
      },
      bare.map((row) => row.map((x) => 2 * x)),
    ],
    [
      'one coordinate',
      { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(1) },
      bare.map((row) => [row[1]]),
    ],
    // Overflow: zeros of the null record in its place.
    [
      'an overflow',
      {
        terms: [
          { weight: 1e307, at },
          { weight: 1e308, at },
        ],
      },
      bare.map((row) => (row[1] * 1.1e308 < Infinity ? row.map((x) => x * 1.1e308) : [0, 0])),
    ],
  ];
  for (const simulates of [false, true])
    for (const sizes of [[8], [3, 5]])
      for (const [what, of, wanted] of queries) {
        const fixture = openShuffleFixture(subject, { rows: data, adjacency, recording: { simulates } });
        const { transcript } = fixture;
        yield !simulates || fixture.curator.facts.assumptions.includes('real-arithmetic')
          ? undefined
          : { what: 'sums are drawn in place of messages, and the facts assume no real arithmetic' };
        const batches =
          sizes.length === 1
            ? [fixture.allRecords]
            : fixture.ask<readonly Batch[]>(split(fixture.allRecords, sizes));
        let from = 0;
        for (const [k, batch] of batches.entries()) {
          const due = wanted.slice(from, (from += sizes[k]));
          const context = { dimension: due[0].length, users: sizes[k], honestUsers: sizes[k], target };
          transcript.simulated.length = 0;
          transcript.analysed.length = transcript.simulated.length;
          transcript.randomised.length = transcript.analysed.length;
          const answer = fixture.ask<Vector>(shuffledMean(batch, of));
          const given = simulates
            ? transcript.simulated[0]?.records
            : transcript.randomised.map(({ record }) => record);
          yield text(given) === text(due)
            ? undefined
            : {
                what: `${what}: users get [${text(given)}]; expected [${text(due)}]`,
                input: { sizes, simulates },
              };
          const contexts = [...transcript.randomised, ...transcript.analysed, ...transcript.simulated].map(
            (call) => call.context,
          );
          yield contexts.every((found) => text(found) === text(context))
            ? undefined
            : { what: `${what}: the protocol runs for ${text(contexts)}; expected ${text(context)}` };
          const mean = due[0].map((_, j) => due.reduce((sum, row) => sum + row[j], 0) / due.length);
          yield sameBits(answer, mean)
            ? undefined
            : {
                what:
                  `${what}: the answer is [${answer.join(', ')}]; ` +
                  `the mean of ${due.length} users is [${mean.join(', ')}]`,
                input: { sizes, simulates },
              };
          if (!simulates) {
            const [all] = transcript.analysed;
            const randomness = all === undefined ? [] : randomnessIn(all);
            yield transcript.analysed.length === 1 &&
            all.messages.length === due.length * (context.dimension + 1)
              ? undefined
              : {
                  what:
                    `${what}: the analyser is called ${transcript.analysed.length} times, ` +
                    `with ${all?.messages.length} messages`,
                };
            // Probability of a chance collision: 28/2²⁰.
            yield randomness.length === due.length && new Set(randomness).size >= randomness.length - 1
              ? undefined
              : { what: `${what}: users share randomness`, input: randomness };
          }
        }
      }
  yield crowded(subject, adjacency);
  for (const spoilt of [Number.NaN, Infinity]) {
    const fixture = openShuffleFixture(subject, {
      adjacency,
      recording: { bug: { analyse: () => Float64Array.of(1, spoilt) } },
    });
    const answer = fixture.ask<Vector>(shuffledMean(fixture.allRecords));
    yield sameBits(answer, [0, 0])
      ? undefined
      : {
          what: `an estimate with an entry ${spoilt} is answered by [${answer.join(', ')}]; it must be zeros`,
        };
  }
}

/** Users of a crowd share no randomness, and three of them are expected to have the same by chance. */
function crowded(subject: Subject<'curator'>, adjacency: Adjacency): Violation | undefined {
  const users = 2500;
  const { ask, allRecords, transcript } = openShuffleFixture(subject, {
    rows: Array.from({ length: users }, (_, i) => [i + 1, 1]),
    adjacency,
  });
  ask(shuffledMean(allRecords));
  const different = new Set(transcript.analysed.flatMap(randomnessIn)).size;
  return different > users - 50
    ? undefined
    : {
        what: `${users} users have ${different} different random numbers`,
        measured: different,
        allowed: users,
      };
}

export const shuffleOrder = defineLaw<'curator'>({
  id: 'curator/shuffle-order',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-7',
  statement:
    'The analyser gets messages in a uniformly random order, ' +
    'independent for every query, from secret randomness.',
  power: 'a stored, sorted or constant order; a permutation with 1.5 times its probability, in 3 000 queries',
  check(subject, env) {
    const queries = env.samples(3000);
    const fixture = openShuffleFixture(subject, {
      rows: [[1], [2], [3]],
      adjacency: 'replace-one',
      randomness: env.random('coins'),
    });
    const seen = new Map<string, number>();
    // Only messages of records; messages of randomness may be anywhere between.
    for (let k = 0; k < queries; k++) {
      fixture.ask(shuffledMean(fixture.allRecords, { terms: [{ weight: 1, at: new Float64Array(1) }] }));
      const order = Array.from(fixture.transcript.analysed.at(-1)?.messages ?? [])
        .filter((message) => message < 2 ** 20)
        .join(' ');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    const level = env.alpha / 12;
    // An order that never occurs.
    noteTest(env.alpha, -queries * Math.log(5 / 6) - Math.log(12));
    for (const order of ['1 2 3', '1 3 2', '2 1 3', '2 3 1', '3 1 2', '3 2 1']) {
      const count = seen.get(order) ?? 0;
      if (binomialAtLeast(count, queries, 1 / 6) > level && binomialAtMost(count, queries, 1 / 6) > level)
        continue;
      return fails(queries, {
        what:
          `of ${queries} queries ${count} have the messages of three users in the order ${order}; ` +
          'one in six should',
        measured: count / queries,
        allowed: 1 / 6,
      });
    }
    return holds(queries);
  },
});
