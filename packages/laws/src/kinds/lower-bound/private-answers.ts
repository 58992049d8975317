import {
  memoryStore,
  seededRandom,
  type CentralMean,
  type HardMean,
  type HardMeanProblem,
  type Json,
  type RandomSource,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { boundedMean, logThreshold, type EProcess } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { recordLoss } from '../mean/record-loss.js';
import { attempt } from '../sampler/declined.js';
import { meanErrorAt, meanProblemOf, noRecords, recordsOf } from './hard-means.js';
import { norm } from './subject.js';

/** Drawn means among which a randomised response answers. */
const mostValues = 64;

/** A private estimate of the mean, by name, and the number of draws on which it is tried. */
interface Estimate {
  readonly name: string;
  readonly draws: number;
  answer(drawn: Drawn, random: RandomSource): Vector;
}

/** Drawn records with the mean that was drawn, and that of the records themselves. */
interface Drawn extends HardMean {
  readonly exact: Vector;
}

/** Private estimates err as much as the bound says. */
export const privateAnswers = defineLaw<'lowerBound'>({
  id: 'lowerBound/private-answers',
  kind: 'lowerBound',
  tier: 'statistical',
  statement:
    'where its constants are proved, private estimates of the mean of drawn records err by the value ' +
    'with the stated probability, and in mean square by the stated one: the origin, the mean of other ' +
    'draws, a randomised response over drawn means, and the private means of the registry at the target. ' +
    'The mean of the records itself, which is not private, errs by less than the value',
  power:
    'one of the first three estimates that errs with four fifths of the probability, ' +
    'where that is a third or more, or never errs, where it is a fiftieth; ' +
    'a mean of the registry that never errs, where it is a third or more',
  exempt: noRecords,
  check(subject, env) {
    const { value, probability, rootMeanSquare, explicit } = meanErrorAt(subject);
    if (!explicit || probability === null || rootMeanSquare === null || value === 0)
      return skipped('its constants are not proved at these parameters, so there is no value to compare');
    const problem = meanProblemOf(subject);
    const square = (rootMeanSquare / (2 * problem.radius)) ** 2;
    const enough =
      (12 / 10) * (logThreshold(env.alpha / 20) / -Math.log1p(-0.9 * Math.min(probability, 0.99)));
    const draws = Math.max(env.samples(1500), Math.min(1500, Math.ceil(enough)));
    const estimates = [
      ...generic(subject, problem, env.random('other'), draws),
      ...shipped(subject, problem),
    ];
    const alpha = env.alpha / (2 * estimates.length);
    const watched = estimates.map((estimate) => ({
      ...estimate,
      often: boundedMean({ atMost: -probability, lowest: -1, highest: 0 }),
      large: boundedMean({ atMost: -square, lowest: -1, highest: 0 }),
    }));
    // All estimates answer for the same records: each is bet on by itself.
    for (let i = 0; i < draws; i++) {
      const drawn = recordsOf(subject, env.random(i));
      const mean = exactMean(drawn);
      const exact = distance(mean, drawn.mean);
      if (!(exact < value))
        return fails(i + 1, {
          what:
            `the mean of the records errs by ${exact}, ` +
            `as much as the bound ${value} for private estimates`,
        });
      for (const { name, draws: own, answer, often, large } of watched) {
        if (i >= own) continue;
        const found = inBall(answer({ ...drawn, exact: mean }, env.random(`${name} ${i}`)), problem.radius);
        const error = distance(found, drawn.mean);
        often.push(error >= value ? -1 : 0);
        large.push(-((error / (2 * problem.radius)) ** 2));
        const refuted = [often, large].find((process: EProcess) => process.rejects(alpha));
        if (refuted !== undefined)
          return fails(i + 1, {
            what:
              refuted === often
                ? `${name} is private and errs by ${value} less often than with probability ${probability}`
                : `${name} is private and errs by less than ${rootMeanSquare} in root mean square`,
            measured: error,
            allowed: value,
            logE: refuted.logE,
            input: subject.params,
          });
      }
    }
    return holds(draws, `estimates: ${estimates.map(({ name }) => name).join(', ')}`);
  },
});

/** Estimates that are private whatever the records are. */
function generic(
  subject: Subject<'lowerBound'>,
  { target: { epsilon }, columns }: HardMeanProblem,
  random: RandomSource,
  draws: number,
): readonly Estimate[] {
  const values = new Map<string, Vector>();
  for (let i = 0; i < 4 * mostValues && values.size < mostValues; i++) {
    const { mean } = recordsOf(subject, random.fork(i));
    values.set(mean.join(), mean);
  }
  const means = [...values.values()];
  const truthful = 1 / (1 + (means.length - 1) * Math.exp(-epsilon));
  return [
    { name: 'the origin', draws, answer: () => new Float64Array(columns) },
    { name: 'the mean of other draws', draws, answer: () => means[0] },
    {
      name: 'a randomised response',
      draws,
      answer(drawn, randomness) {
        const own = nearest(means, drawn.exact);
        if (means.length === 1 || randomness.uniform() < truthful) return means[own];
        const other = randomness.integer(means.length - 1);
        return means[other < own ? other : other + 1];
      },
    },
  ];
}

function distance(a: Vector, b: Vector): number {
  let square = 0;
  for (let j = 0; j < a.length; j++) square += (a[j] - b[j]) ** 2;
  return Math.sqrt(square);
}

function nearest(means: readonly Vector[], to: Vector): number {
  const apart = means.map((mean) => distance(mean, to));
  return apart.indexOf(Math.min(...apart));
}

/** Draws for a mean of the registry, each of which takes a curator. */
const drawsOfMeans = 100;

/** Private means of the registry that take the radius and the sparsity, or a clip and a mechanism. */
function shipped({ registry }: Subject<'lowerBound'>, problem: HardMeanProblem): readonly Estimate[] {
  const { radius, sparsity, target, adjacency, columns } = problem;
  const part = (kind: 'clip' | 'mechanism', name: string, params: Json): Json => ({ kind, name, params });
  const clipped = (clip: string, size: number, noise: string): Json => ({
    clip: part('clip', clip, { radius: size }),
    mechanism: part('mechanism', noise, {}),
  });
  const settings = [
    { radius, sparsity },
    clipped('l2', radius, 'gaussian'),
    clipped('l1', radius * Math.sqrt(sparsity), 'laplace'),
  ];
  const means = registry.filter(
    (plugin): plugin is CentralMean => plugin.kind === 'mean' && (plugin as CentralMean).trust === 'central',
  );
  const withLoss = Object.freeze([...registry, recordLoss]);
  return means.flatMap((plugin) =>
    settings.flatMap((params): Estimate[] => {
      if (!plugin.params.safeParse(params).success) return [];
      const answer = (drawn: HardMean, randomness: RandomSource): Vector => {
        const { features, rows } = drawn;
        const curator = centralCurator({
          data: attachData({
            features:
              features instanceof Float64Array
                ? { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 }
                : features,
            loss: recordLoss({}),
            registry: withLoss,
            ledger: openLedger({ adjacency, store: memoryStore() }),
          }),
          registry: withLoss,
          run: 'laws',
          random: randomness,
          allowUnprotected: true,
        });
        return curator.answer(0, {
          ask: 'mean',
          of: { terms: [{ weight: 1, at: new Float64Array(columns) }] },
          batch: curator.allRecords,
          mean: { kind: 'mean', name: plugin.name, params: params as Json },
          target,
        }).answer as Vector;
      };
      const trial = attempt(() =>
        answer(
          { features: new Float64Array(columns), rows: 1, columns, mean: new Float64Array(columns) },
          seededRandom('trial'),
        ),
      );
      return trial.declined === undefined
        ? [{ name: `the mean '${plugin.name}'`, draws: drawsOfMeans, answer }]
        : [];
    }),
  );
}

function exactMean({ features, rows, columns }: HardMean): Vector {
  const mean = new Float64Array(columns);
  if (features instanceof Float64Array)
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) mean[j] += features[i * columns + j] / rows;
  else
    for (let k = 0; k < features.rowStarts[rows]; k++)
      mean[features.columnIndices[k]] += features.values[k] / rows;
  return mean;
}

/** The nearest point of a ball that holds every mean, which is no farther from it. */
function inBall(answer: Vector, radius: number): Vector {
  const size = norm(answer);
  return size <= radius ? answer : answer.map((x) => (x * radius) / size);
}
