import type { Adjacency, Batch, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import { trueProfile } from '../../divergence/index.js';
import { audit as auditOutputs } from '../../engines/audit.js';
import { histogramWitness } from '../../evidence/index.js';
import { skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { meanOf, radius } from './probes.js';
import { poisson } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

/** μ between 1 and 2, where an audit has the most power. */
const noiseMultiplier = 0.6;
const slots = 2;
const at = new Float64Array(1);
const release = (fixture: Fixture, batch: Batch): number =>
  fixture.ask<Vector>(meanOf(batch, 'gaussian', { at, target: { noiseMultiplier } }))[0];
const draw = (fixture: Fixture): Batch =>
  fixture.ask<Batch>({ ask: 'draw', sampler: poisson(0.5), from: fixture.allRecords });

/** Programs with audited outputs; each closes everything it opens. */
const programs: Readonly<Record<string, (fixture: Fixture) => readonly number[]>> = {
  'one mean': (fixture) => [release(fixture, fixture.allRecords)],
  'two means': (fixture) => [release(fixture, fixture.allRecords), release(fixture, fixture.allRecords)],
  'a draw': (fixture) => [release(fixture, draw(fixture))],
  'a draw, two means': (fixture) => {
    const batch = draw(fixture);
    return [release(fixture, batch), release(fixture, batch)];
  },
};

/** A record with the largest possible influence, against its opposite, a null record, or none. */
function canary(adjacency: Adjacency): readonly [Data, Data] {
  let there: Data;
  if (adjacency === 'add-remove') there = [[0]];
  else if (adjacency === 'zero-out') there = [null, [0]];
  else there = [[-radius], [0]];
  return [[[radius], [0]], there];
}

/**
 * `ln p(y)/q(y)` of the programs' outputs: Gaussians around
 * the canary's contribution, present in every second draw.
 */
function ratioOf(adjacency: Adjacency, isDrawn: boolean): (y: ArrayLike<number>) => number {
  const [rate, share] = isDrawn ? [0.5, radius] : [1, radius / slots];
  const sigma = noiseMultiplier * (adjacency === 'replace-one' ? 2 : 1) * share;
  const around = (y: ArrayLike<number>, centre: number): number =>
    Array.from(y).reduce((sum, x) => sum - (x - centre) ** 2 / (2 * sigma * sigma), 0);
  const mixed = (y: ArrayLike<number>, centre: number): number => {
    const [there, absent] = [around(y, centre), around(y, 0)];
    return (
      Math.max(there, absent) +
      Math.log(
        rate * Math.exp(there - Math.max(there, absent)) +
          (1 - rate) * Math.exp(absent - Math.max(there, absent)),
      )
    );
  };
  return (y) => mixed(y, share) - mixed(y, adjacency === 'replace-one' ? -share : 0);
}

export const audit = defineLaw({
  id: 'curator/audit',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-10',
  statement:
    'End to end, the outputs on two neighbouring data sets satisfy the charged event, in both directions.',
  power: 'noise 30 % too small, or half as much for draws: within 1 200 pairs',
  // All programs under one adjacency, the simplest and the richest under the others.
  cells: () =>
    underEach().flatMap(({ adjacency }) =>
      Object.keys(programs)
        .filter(
          (program) =>
            adjacency === 'replace-one' || program === 'one mean' || program === 'a draw, two means',
        )
        .map((program) => ({ name: `${program}, ${adjacency}`, adjacency, values: { program } })),
    ),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const program = programs[defined(env.cell.values)['program'] as string];
    const open = (rows: Data, randomness: string): Fixture =>
      openFixture(subject, {
        rows,
        adjacency,
        dimension: 1,
        randomness: env.random(randomness),
        ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
      });
    const pair = canary(adjacency);
    const priced = open(pair[0], 'price');
    program(priced);
    const event = priced.curator.spent();
    const profile = trueProfile(event, adjacency);
    if (profile === undefined) return skipped(`the cost of ${event.kind} has no closed form`);
    const own = ratioOf(adjacency, (defined(env.cell.values)['program'] as string).includes('draw'));
    const most = 1200;
    const fixtures: Record<0 | 1, Fixture | undefined> = { 0: undefined, 1: undefined };
    return auditOutputs({
      draw(neighbour, _randomness, k) {
        if (k % 500 === 0) fixtures[neighbour] = open(pair[neighbour], `coins ${k} ${neighbour}`);
        const answers = program(defined(fixtures[neighbour]));
        if (!answers.every(Number.isFinite))
          throw new Error(`an answer is not a finite number: ${answers.join(', ')}`);
        return answers;
      },
      profile: (epsilon) => Math.min(1, profile.delta(epsilon).upper * (1 + 1e-9)),
      epsilons: [0.05, 0.5, 1, 2],
      logRatio: own,
      witnesses: () => [histogramWitness({ bins: 10, warmUp: 200 })],
      pairs: env.samples(most),
      most,
      alpha: env.alpha,
      random: env.random('audit'),
      input: { pair, event },
    });
  },
});
