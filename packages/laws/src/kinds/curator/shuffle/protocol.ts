import type { Adjacency, Batch, GradientTerms, Vector } from '@lethe/core';
import { fails, holds, type Violation } from '../../../law/finding.js';
import { defineLaw } from '../../../law/law.js';
import type { Subject } from '../../../law/subject.js';
import { firstOf, sameBits } from '../outcomes.js';
import { dimension, openScene, rows, shuffledMean, split, target, underFixed } from './scene.js';
import { randomnessIn } from './teller.js';

const at = new Float64Array(dimension);
const text = (value: unknown): string => JSON.stringify(value);

export const shuffleProtocol = defineLaw<'curator'>({
  id: 'curator/shuffle-protocol', kind: 'curator', tier: 'exact', invariant: 'I-9',
  statement: 'In a mean by shuffling every slot of the batch, once, randomises its own gradient, a null record or one that is not finite zeros, with coins of its own; the analyser gets all messages; the answer is what it makes of them over the public number of users, zeros where that is not finite.',
  power: 'any user left out, doubled or told otherwise; a sum for a mean; coins that two users share',
  cells: underFixed,
  check: (subject, env) => firstOf(protocols(subject, env.cell.adjacency!)),
});

function* protocols(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const data = rows.with(1, null), bare = data.map((row) => row ?? [0, 0]);
  const queries: readonly (readonly [string, GradientTerms, readonly (readonly number[])[]])[] = [
    ['a gradient', { terms: [{ weight: 1, at }] }, bare], ['two gradients', { terms: [{ weight: 3, at }, { weight: -1, at }] }, bare.map((row) => row.map((x) => 2 * x))],
    ['one coordinate', { terms: [{ weight: 1, at }], coordinates: Uint32Array.of(1) }, bare.map((row) => [row[1]!])],
    // Beyond all doubles: the null record's zeros in its place.
    ['an overflow', { terms: [{ weight: 1e307, at }, { weight: 1e308, at }] }, bare.map((row) => (row[1]! * 1.1e308 < Infinity ? row.map((x) => x * 1.1e308) : [0, 0]))],
  ];
  for (const simulates of [false, true]) for (const sizes of [[8], [3, 5]]) for (const [what, of, wanted] of queries) {
    const scene = openScene(subject, { rows: data, adjacency, tells: { simulates } }), { told } = scene;
    const batches = sizes.length === 1 ? [scene.allRecords] : scene.ask<readonly Batch[]>(split(scene.allRecords, sizes));
    let from = 0;
    for (const [k, batch] of batches.entries()) {
      const due = wanted.slice(from, from += sizes[k]!), context = { dimension: due[0]!.length, users: sizes[k], honestUsers: sizes[k], target };
      told.randomised.length = told.analysed.length = told.simulated.length = 0;
      const answer = scene.ask<Vector>(shuffledMean(batch, of));
      const given = simulates ? told.simulated[0]?.records : told.randomised.map(({ record }) => record);
      yield text(given) === text(due) ? undefined : { what: `${what}: users are told [${text(given)}]; theirs is [${text(due)}]`, input: { sizes, simulates } };
      const contexts = [...told.randomised, ...told.analysed, ...told.simulated].map((call) => call.context);
      yield contexts.every((found) => text(found) === text(context)) ? undefined : { what: `${what}: the protocol is run for ${text(contexts)} in place of ${text(context)}` };
      const mean = due[0]!.map((_, j) => due.reduce((sum, row) => sum + row[j]!, 0) / due.length);
      yield sameBits(answer, mean) ? undefined : { what: `${what}: the answer is [${answer.join(', ')}]; the mean of ${due.length} users is [${mean.join(', ')}]`, input: { sizes, simulates } };
      if (!simulates) {
        const [all] = told.analysed, coins = all === undefined ? [] : randomnessIn(all);
        yield told.analysed.length === 1 && all!.messages.length === due.length * (context.dimension + 1) ? undefined : { what: `${what}: the analyser is called ${told.analysed.length} times, with ${all?.messages.length} messages` };
        // Equal by chance once in 2²⁰/28.
        yield coins.length === due.length && new Set(coins).size >= coins.length - 1 ? undefined : { what: `${what}: users share their coins`, input: coins };
      }
    }
  }
  for (const spoilt of [Number.NaN, Infinity]) {
    const scene = openScene(subject, { adjacency, tells: { bug: { analyse: () => Float64Array.of(1, spoilt) } } });
    const answer = scene.ask<Vector>(shuffledMean(scene.allRecords));
    yield sameBits(answer, [0, 0]) ? undefined : { what: `an estimate with an entry ${spoilt} is answered by [${answer.join(', ')}]; it must be zeros` };
  }
}

export const shuffleOrder = defineLaw<'curator'>({
  id: 'curator/shuffle-order', kind: 'curator', tier: 'statistical', invariant: 'I-7',
  statement: 'The analyser gets messages in a uniformly random order, drawn anew for every query and from secret coins.',
  power: 'an order that is kept, sorted, or the same in every query; a permutation that comes up half as often again as it should, in 3 000 queries',
  check(subject, env) {
    const queries = env.samples(3000), scene = openScene(subject, { rows: [[1], [2], [3]], adjacency: 'replace-one', randomness: env.random('coins') }), seen = new Map<string, number>();
    // Messages of records alone; coins fall anywhere between.
    for (let k = 0; k < queries; k++) {
      scene.ask(shuffledMean(scene.allRecords, { terms: [{ weight: 1, at: new Float64Array(1) }] }));
      const order = Array.from(scene.told.analysed.at(-1)?.messages ?? []).filter((message) => message < 2 ** 20).join(' ');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    // By Hoeffding's bound, for six orders.
    const off = Math.sqrt((Math.log(12 / env.alpha)) / (2 * queries));
    for (const order of ['1 2 3', '1 3 2', '2 1 3', '2 3 1', '3 1 2', '3 2 1']) {
      const share = (seen.get(order) ?? 0) / queries;
      if (Math.abs(share - 1 / 6) > off) return fails(queries, { what: `of ${queries} queries a share of ${share} has the messages of three users in the order ${order}; one in six should`, measured: share, allowed: 1 / 6, witness: `off by more than ${off}` });
    }
    return holds(queries);
  },
});
