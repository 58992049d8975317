import { domainAt, type DescendQuery, type RecordBound, type Vector } from '@lethe/core';
import { certifiedFact } from '@lethe/core/internal';
import {
  InvalidParameter,
  Unsupported,
  addUp,
  largestNorm,
  multiplyUp,
  norm2,
  sumUp,
  type Domain,
  type RandomSource,
} from '@lethe/numerics';
import { boundedSum } from '../bounded-sum.js';
import type { PublicContext } from '../context.js';
import type { DataSet } from '../data-set.js';
import { descentSensitivity } from '../descent-sensitivity.js';
import type { Handler } from '../handlers.js';
import { rowsBetween, type Rows } from '../members.js';
import { publicGrid } from '../public-grid.js';
import { oneGradient, recordBound } from '../record-bound.js';
import { planNoise, type PlannedNoise } from '../sensitivity.js';
import { assertVector } from '../validate.js';
import { noised } from './noised.js';

/**
 * One pass of projected gradient steps over a batch, in its order, whose points stay here but the one that is
 * released. What one record changes is as {@link descentSensitivity} says.
 */
export const answerDescend: Handler<'descend'> = (context, query) => {
  const { batch: token, steps, release, noiseOn, noise } = query;
  const { dimension } = context;
  assertVector('the start', query.start, dimension);
  assertConvex(context, query);
  const batch = context.batch(token);
  // A sample has its records in stored order: one more, or another one, would move the rest to other steps.
  if (batch.size === 'hidden' || batch.scope !== null)
    throw new Unsupported(
      'a descent reads the records of its batch in order, and needs one of exact size that was not ' +
        `sampled; '${batch.id}' is not one`,
      { batch: batch.id },
    );
  assertSteps(query, batch.normaliser);
  const domain = domainAt(context.registry, query.domain, dimension);
  const start = domain.projectInto(new Float64Array(dimension), query.start);
  const facts = context.factsWithin(largestNorm(domain));
  const limit = boundOn({ ...context, facts }, query);
  const smoothness = certifiedFact(facts, 'smoothness');
  for (const { stepSize } of steps) {
    if (multiplyUp(stepSize, smoothness) > 2)
      throw new InvalidParameter(
        `a step of ${stepSize} on losses of smoothness ${smoothness} moves points apart; ` +
          `a descent needs steps of at most 2 / smoothness, ${2 / smoothness}`,
        { stepSize, smoothness },
      );
  }
  const reach = reachOf(domain, start, query, limit.radius);
  const lipschitz = limit.radius;
  const released = { steps, lipschitz, smoothness, dimension, reach, release, noiseOn };
  const sensitivity = descentSensitivity(released);
  const planned = planNoise(context, noise.mechanism, noise.target, sensitivity, {
    norm: 'l2',
    length: dimension,
    integers: false,
    size: noiseOn === 'answer' ? reach : limit.radius,
  });
  const { kind } = planned.event;
  if (noiseOn === 'steps' && kind !== 'core/gaussian' && kind !== 'core/unprotected')
    throw new Unsupported(
      `noise on the steps of a descent has to be Gaussian; '${noise.mechanism.name}' is not covered`,
      { mechanism: noise.mechanism.name },
    );
  const onSteps = noiseOn === 'steps' ? planned : null;
  const onAnswer = onSteps === null ? planned : roundingOf(context, onSteps, query, reach);
  return {
    effect: { charge: { on: batch.stretch, event: planned.event } },
    blank: () => new Float64Array(dimension),
    release({ data, rows, randomness }) {
      const noiseOf =
        onSteps?.mechanism === null || onSteps === null
          ? null
          : { ...onSteps, mechanism: onSteps.mechanism, randomness: randomness().fork('steps') };
      const pointOf = descent({ data, rows: rows(batch), domain, limit, noiseOf }, start, query);
      return noised(pointOf, onAnswer, randomness);
    },
  };
};

/** @throws {Unsupported} unless gradient steps bring points no further apart, whatever the record. */
function assertConvex({ loss }: PublicContext, { bound, release, noiseOn }: DescendQuery): void {
  if (!loss.isConvex)
    throw new Unsupported(
      `the sensitivity of a descent rests on convexity, which loss '${loss.name}' does not declare`,
      { loss: loss.name },
    );
  if (bound.by === 'clip' && !loss.isLinear)
    throw new Unsupported(
      'clipped gradients are those of a convex loss for linear models of one output only, and ' +
        `'${loss.name}' is not one; bound records by the fact 'lipschitz'`,
      { loss: loss.name },
    );
  if (bound.by === 'certificate' && bound.fact !== 'lipschitz')
    throw new Unsupported(
      `a descent rests on the fact 'lipschitz', or on a clip; the query names '${bound.fact}'`,
      { fact: bound.fact },
    );
  if (noiseOn === 'steps' && release === 'average')
    throw new Unsupported(
      'noise on the steps of a descent protects its last point, not averages of its points; ' +
        "release 'last', or add the noise to the answer",
      { release },
    );
}

/** @throws {InvalidParameter} unless the steps read each of so many records once. */
function assertSteps({ steps }: DescendQuery, records: number): void {
  let read = 0;
  for (const [k, { count, stepSize, batchSize }] of steps.entries()) {
    for (const [name, value] of Object.entries({ count, batchSize })) {
      if (!(Number.isSafeInteger(value) && value > 0))
        throw new InvalidParameter(`${name} of steps[${k}] is ${value}; it must be a positive whole number`, {
          step: k,
          [name]: value,
        });
    }
    if (!(stepSize > 0 && Number.isFinite(stepSize)))
      throw new InvalidParameter(`stepSize of steps[${k}] is ${stepSize}; it must be positive and finite`, {
        step: k,
        stepSize,
      });
    read += count * batchSize;
  }
  if (read !== records)
    throw new InvalidParameter(
      `the steps of a descent read ${read} records, and its batch has ${records}; ` +
        'each is read once. Split off a batch of that size, or change the steps.',
      { read, records },
    );
}

/** @throws {Unsupported} for a clip that is no projection: its result is no gradient of a convex loss. */
function boundOn(context: PublicContext, { bound }: DescendQuery): RecordBound {
  const limit = recordBound(oneGradient(context), bound);
  if (limit.norm === 'l2' && typeof limit.linear?.radius === 'number') return limit;
  throw new Unsupported(
    "a descent takes clips that project onto an ℓ2 ball, or the fact 'lipschitz', for other bounds are not " +
      'known to keep losses convex',
    { bound: bound.by },
  );
}

/** Largest norm of a point. @throws {Unsupported} where noise may carry points anywhere. */
function reachOf(domain: Domain, start: Vector, { steps, noiseOn }: DescendQuery, radius: number): number {
  const largest = largestNorm(domain);
  if (noiseOn === 'answer') {
    const way = sumUp(steps.map(({ count, stepSize }) => multiplyUp(multiplyUp(count, stepSize), radius)));
    return Math.min(largest, addUp((1 + 2 ** -40) * norm2(start), way));
  }
  if (largest < Infinity) return largest;
  throw new Unsupported(
    `noise on the steps of a descent needs a bounded domain, and the domain is '${domain.name}'; ` +
      'add the noise to the answer, or take a ball',
    { domain: domain.name },
  );
}

/** The last point is noisy by then, and is told on the grid of the noise of the last step. */
function roundingOf(
  { isEstimate }: PublicContext,
  { mechanism, scale, ...rest }: PlannedNoise,
  { steps }: DescendQuery,
  reach: number,
): PlannedNoise {
  const last = scale * steps[steps.length - 1].stepSize;
  const grid = mechanism === null || isEstimate === true ? null : publicGrid(last, reach);
  return { ...rest, mechanism: null, scale: 0, grid };
}

interface Pass {
  readonly data: DataSet;
  readonly rows: Rows;
  readonly domain: Domain;
  readonly limit: RecordBound;
  /** Of every step; `null` for none. */
  readonly noiseOf:
    | (Pick<PlannedNoise, 'scale'> & {
        readonly mechanism: NonNullable<PlannedNoise['mechanism']>;
        readonly randomness: RandomSource;
      })
    | null;
}

/** `x ← P(x − η((1/B) Σ_B bound(∇f(x)) + noise))`, and what is released of the points. */
function descent(
  { data, rows, domain, limit, noiseOf }: Pass,
  start: Vector,
  { steps, release }: DescendQuery,
): Vector {
  const x = start.slice();
  const sum = new Float64Array(x.length);
  let taken = 0;
  let from = 0;
  for (const { count, stepSize, batchSize } of steps) {
    for (let i = 0; i < count; i++, taken++, from += batchSize) {
      for (let j = 0; j < x.length; j++) sum[j] += x[j];
      const batch = rowsBetween(rows, from, from + batchSize);
      const g = boundedSum(data, batch, { terms: [{ weight: 1, at: x }] }, limit);
      for (let j = 0; j < x.length; j++) g[j] /= batchSize;
      if (noiseOf !== null) {
        const { mechanism, scale, randomness } = noiseOf;
        mechanism.plugin.addNoise(mechanism.params, g, scale, randomness.fork(taken));
      }
      for (let j = 0; j < x.length; j++) x[j] -= stepSize * g[j];
      domain.projectInto(x, x);
    }
  }
  return release === 'last' ? x : sum.map((entry) => entry / taken);
}
