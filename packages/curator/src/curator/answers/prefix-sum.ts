import {
  boundedMeanSensitivity,
  resolvePlugin,
  sensitivityUnder,
  type Adjacency,
  type CoreEvent,
  type OpenQuery,
  type PrefixSum,
  type PrivacyEvent,
  type RecordBound,
  type Ref,
  type Resolved,
  type Sensitivity,
  type Stream,
  type Vector,
  type Verification,
} from '@lethe/core';
import {
  defined,
  divideDown,
  IncompatiblePlugins,
  InvalidParameter,
  multiplyDown,
  multiplyUp,
  Unsupported,
} from '@lethe/numerics';
import type { PublicContext, PublicStream } from '../context.js';
import { boundedSum, centredSum } from '../bounded-sum.js';
import { keptSums } from '../coordinate-sum.js';
import type { Handler } from '../handlers.js';
import { publicGrid, roundToGrid } from '../public-grid.js';
import { oneGradient, recordBound, weightOf } from '../record-bound.js';
import { sampledStream, streamSampler } from '../sampled-stream.js';
import { isWholeNoise, planWholeStream, spacingOf } from '../whole-stream.js';
import { ownCost, planNoise, sizeOf, type PlannedNoise } from '../sensitivity.js';
import { assertSampled, exaggerationFor, verificationThreshold } from '../verification.js';
import type { OpenStream, Push } from '../stream.js';
import { leftNoise } from './noised.js';
import { assertTerms, assertVector } from '../validate.js';

/**
 * Opens a stream: its whole cost is charged here, because bound, noise and participation are fixed for its
 * life. Adaptive increments are covered for Gaussian noise, and for whole noise that is fresh on every
 * running sum ({@link planWholeStream}).
 */
export const answerOpen: Handler<'open'> = (context, query, id) => {
  const { prefixSum: ref, steps, dimension, bound, participation, normaliser } = query;
  const noise = ownNoise(context, query);
  const { sampling, verified } = query;
  if (query.normalisers !== undefined)
    throw new InvalidParameter(
      'normalisers are those of the silos of a federation, and this curator has one data set; give ' +
        'normaliser alone',
      { normalisers: query.normalisers.length },
    );
  for (const [name, value] of Object.entries({
    steps,
    dimension,
    'participation.times': participation.times,
    'participation.gap': participation.gap,
  })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} of a stream is ${value}; it must be a positive whole number`, {
        [name]: value,
      });
  }
  if (!(normaliser > 0 && Number.isFinite(normaliser)))
    throw new InvalidParameter(
      `the normaliser of a stream is ${normaliser}; it must be positive and finite`,
      { normaliser },
    );
  if (dimension !== context.dimension)
    throw new InvalidParameter(
      `the stream has dimension ${dimension}, a point of the problem ${context.dimension}`,
      { dimension },
    );
  const { plugin, params } = resolvePlugin<PrefixSum>(context.registry, ref);
  const limit = recordBound(oneGradient(context), bound);
  const columnNorm = plugin.columnNorm(params, { steps, dimension }, Object.freeze(participation));
  const increment = boundedMeanSensitivity(limit.radius, normaliser);
  const sensitivity = Object.fromEntries(
    Object.entries(increment).map(([adjacency, value]) => [
      adjacency,
      multiplyUp(value as number, columnNorm),
    ]),
  );
  const size = sizeOf(increment, context.allRecords.normaliser);
  const isWhole = isWholeNoise(context.registry, noise.mechanism) && !('unprotected' in noise.target);
  const planned = isWhole
    ? planWholeStream(context, { ...query, noise }, { prefixSum: { plugin, params }, limit })
    : planNoise(context, noise.mechanism, noise.target, sensitivity, {
        norm: limit.norm,
        length: dimension,
        integers: false,
        size,
      });
  if (!isWhole && planned.event.kind !== 'core/gaussian' && planned.event.kind !== 'core/unprotected') {
    throw new Unsupported(
      `a stream of adaptive increments needs Gaussian noise; '${noise.mechanism.name}' is not covered`,
      { mechanism: noise.mechanism.name },
    );
  }
  if (context.noiseShares !== undefined && !isWhole)
    throw new Unsupported(
      `secure sums are of whole numbers with whole noise, and '${noise.mechanism.name}' is not; bound the ` +
        "records by a clip that rounds to a grid, such as 'lattice', and take 'skellam'",
      { mechanism: noise.mechanism.name },
    );
  const stored = { id, prefixSum: ref, steps, dimension, bound, noise, scale: planned.scale };
  if (sampling === undefined && verified !== undefined)
    throw new InvalidParameter(
      'only a sampled stream is verified by sampling; give sampling, or leave verified out',
      {},
    );
  if (context.isRaw === true && sampling !== undefined)
    throw new Unsupported(
      'a stream whose batches silos draw in secret is not left for a server to add noise to',
      {},
    );
  const amplified =
    sampling === undefined || planned.scale === 0
      ? { event: planned.event }
      : sampledCost(context, query, sampling, {
          prefixSum: { plugin, params },
          sigma: deviationOf(planned, { adjacency: context.adjacency, columnNorm, increment }),
        });
  return {
    effect: {
      charge: { on: context.allRecords.stretch, event: amplified.event },
      stream: {
        ...stored,
        participation,
        normaliser,
        ...(sampling === undefined ? {} : { sampling }),
        ...(amplified.verified === undefined ? {} : { verified: amplified.verified }),
      },
    },
    blank: () => Object.freeze({ id }) as Stream,
    ...(amplified.verified !== undefined && {
      confirm: (opened) => opened.stream({ id } as Stream).assertVerified(),
    }),
  };
};

/** The noise of one silo, whose multiplier its factor makes larger. */
function ownNoise({ noiseShares }: PublicContext, { noise, noiseFactors }: OpenQuery): OpenQuery['noise'] {
  if (noiseFactors === undefined) return noise;
  const [factor] = noiseFactors;
  if (noiseFactors.length !== 1 || !(factor >= 1 && factor < Infinity))
    throw new InvalidParameter(
      `noiseFactors of one data set are [${noiseFactors.join(', ')}]; give one number, at least 1`,
      { noiseFactors },
    );
  if (noiseShares !== undefined)
    throw new Unsupported(
      'the noise of a secure sum is one for all silos, so that none of them can have more; leave out ' +
        'noiseFactors',
      { noiseFactors },
    );
  const { target } = noise;
  if ('unprotected' in target) return noise;
  if (!('noiseMultiplier' in target))
    throw new Unsupported('noiseFactors are of a noiseMultiplier; give the noise of the stream by it', {});
  return { ...noise, target: { noiseMultiplier: multiplyUp(target.noiseMultiplier, factor) } };
}

/**
 * Standard deviation of noise over the bound on a record's part of an increment, rounded down. That of
 * Gaussian noise does not depend on the bound, so that a stream costs the same whatever its clip norm. Its
 * event says what it is, since the scale of a mechanism need not be its deviation.
 */
function deviationOf(
  { event, scale }: PlannedNoise,
  {
    adjacency,
    columnNorm,
    increment,
  }: { readonly adjacency: Adjacency; readonly columnNorm: number; readonly increment: Sensitivity },
): number {
  const one = defined(increment['zero-out']);
  if (event.kind !== 'core/gaussian') return divideDown(scale, one);
  const { sigma, sensitivity } = event as CoreEvent<'core/gaussian'>;
  const what = 'the noise of a stream';
  const multiplier = divideDown(sigma, sensitivityUnder(sensitivity, adjacency, what));
  // The scale is this product times `one`, rounded up.
  const parts = divideDown(sensitivityUnder(increment, adjacency, what), one);
  return multiplyDown(multiplyDown(multiplier, columnNorm), parts);
}

/** What a sampled stream costs: what its sampler says, or what is verified by sampling. */
function sampledCost(
  { registry, adjacency, allRecords }: PublicContext,
  { steps, dimension, participation, verified: asked }: OpenQuery,
  sampling: Ref<'sampler'>,
  noise: { readonly prefixSum: Resolved<PrefixSum>; readonly sigma: number },
): { readonly event: PrivacyEvent; readonly verified?: Verification } {
  const sampler = streamSampler(registry, sampling);
  const own = sampler.stream.participation(sampler.params, steps);
  if (own.times !== participation.times || own.gap !== participation.gap)
    throw new InvalidParameter(
      `the participation of a stream sampled by '${sampling.name}' is at most ${own.times} ` +
        `times, at least ${own.gap} steps apart; it was opened for ${participation.times} and ` +
        `${participation.gap}. Take what the sampler says.`,
      { own, participation },
    );
  const slots = allRecords.size === 'exact' ? allRecords.normaliser : undefined;
  const stream = sampledStream(noise.prefixSum, { steps, dimension }, noise.sigma, slots);
  if (asked === undefined) {
    const event =
      sampler.stream.event(sampler.params, stream)[adjacency] ?? refuseAdjacency(sampling, adjacency);
    return { event: ownCost(event, `streams of sampler '${sampling.name}'`) };
  }
  const { epsilon, delta, samples } = asked;
  if (!(epsilon >= 0 && epsilon < Infinity))
    throw new InvalidParameter(`verified.epsilon is ${epsilon}; it must be finite and at least 0`, {
      epsilon,
    });
  assertSampled(sampler, stream);
  const exaggeration = exaggerationFor(sampler, stream, epsilon, adjacency);
  const { largest } = exaggeration;
  const threshold = verificationThreshold(samples, delta, largest);
  const figures = { epsilon, delta, samples, threshold };
  const event: CoreEvent<'core/verified'> = { kind: 'core/verified', v: 1, ...figures, largest };
  return { event, verified: { ...figures, sigma: noise.sigma, exaggeration } };
}

function refuseAdjacency({ name }: Ref<'sampler'>, adjacency: Adjacency): never {
  throw new Unsupported(`sampler '${name}' does not account streams under ${adjacency}; use zero-out`, {
    sampler: name,
    adjacency,
  });
}

/**
 * One noisy increment. A stream keeps no data between pushes: its noise comes from randomness of its own, row
 * by row.
 */
export const answerPush: Handler<'push'> = (context, { stream: token, of, batch: batchToken, centre }) => {
  const stream = context.stream(token);
  assertTerms(of, stream.dimension);
  if (centre !== undefined) assertVector('centre', centre, stream.dimension);
  if (of.coordinates !== undefined)
    throw new Unsupported('a stream takes whole gradients, not coordinates of them', {});
  const batch = context.batch(batchToken);
  stream.assertVerified();
  const isSampled = stream.sampling !== undefined;
  if (isSampled && batch.id !== context.allRecords.id)
    throw new InvalidParameter(
      `stream '${stream.id}' draws its batches itself: push all records, not batch '${batch.id}'`,
      { batch: batch.id },
    );
  if (stream.pushed >= stream.steps)
    throw new InvalidParameter(
      `stream '${stream.id}' was opened for ${stream.steps} pushes and has had them all`,
      { steps: stream.steps },
    );
  if (!isSampled && (batch.size === 'hidden' || batch.scope !== null))
    throw new Unsupported(
      `a stream takes batches of exact size that were not sampled; '${batch.id}' is not one`,
      { batch: batch.id },
    );
  if (!isSampled && !stream.admits(batch)) {
    const { times, gap } = stream.participation;
    throw new InvalidParameter(
      `a slot of batch '${batch.id}' would take part more than ${times} time${times === 1 ? '' : 's'}, ` +
        `or sooner than ${gap} steps after its last; open the stream with the participation it needs`,
      { batch: batch.id, participation: stream.participation },
    );
  }
  const { fixed, grid, spacing } = fixedOf(context, stream);
  // A clip bounds whatever it is given; what follows from a fact grows with the weights.
  const limit =
    stream.bound.by === 'clip'
      ? fixed
      : recordBound({ ...oneGradient(context), weight: weightOf(of.terms) }, stream.bound);
  if (limit.radius > fixed.radius)
    throw new InvalidParameter(
      `these terms have a bound of ${limit.radius}, the stream was opened for ${fixed.radius}; ` +
        'weights may add up to 1 at most',
      { bound: limit.radius, opened: fixed.radius },
    );
  const size = sizeOf(boundedMeanSensitivity(fixed.radius, stream.normaliser), context.allRecords.normaliser);
  return {
    effect: { push: { stream: stream.id, batch: batch.id } },
    blank: () => new Float64Array(stream.dimension),
    ...leftNoise(context, { mechanism: stream.noise.mechanism, scale: stream.scale, size, stream }),
    release(records) {
      const open = records.stream(token);
      const rows = isSampled ? open.drawn() : records.rows(batch);
      const increment =
        centre === undefined
          ? boundedSum(records.data, rows, of, limit, keptSums)
          : centredSum(records.data, rows, of, { bound: limit, centre });
      if (spacing !== null) {
        const steps = wholeSteps(open, increment, { spacing, push: records.push() });
        return context.noiseShares === undefined ? inUnits(steps, spacing, open.normaliser) : steps;
      }
      for (let j = 0; j < increment.length; j++) increment[j] /= stream.normaliser;
      if (context.isRaw === true) return increment;
      open.addNoise(increment, records.push());
      return grid === null ? increment : roundToGrid(increment, grid);
    },
  };
};

/**
 * Whole steps of the grid with whole noise, in place.
 *
 * @throws {IncompatiblePlugins} for a clip that leaves its grid: whole noise would not hide what is between.
 */
function wholeSteps(
  open: OpenStream,
  sum: Vector,
  { spacing, push }: { readonly spacing: number; readonly push: Push },
): Vector {
  for (let j = 0; j < sum.length; j++) sum[j] /= spacing;
  if (!sum.every(Number.isSafeInteger))
    throw new IncompatiblePlugins(
      `the clip of stream '${open.id}' declares a grid of ${spacing} and leaves records between its points`,
      { stream: open.id, spacing },
    );
  open.addNoise(sum, push);
  return sum;
}

/** Steps in the unit of the records, in place. */
function inUnits(steps: Vector, spacing: number, normaliser: number): Vector {
  for (let j = 0; j < steps.length; j++) steps[j] = (steps[j] * spacing) / normaliser;
  return steps;
}

interface FixedParts {
  /** The bound on records that the stream was opened for. */
  readonly fixed: RecordBound;
  /** What increments are rounded to; `null` for none. */
  readonly grid: number | null;
  /** The grid of a stream of whole numbers; `null` for others. */
  readonly spacing: number | null;
}
const fixedParts = new WeakMap<PublicStream, FixedParts>();

/** What is the same for all increments of a stream, found once. */
function fixedOf(context: PublicContext, stream: PublicStream): FixedParts {
  const known = fixedParts.get(stream);
  if (known !== undefined) return known;
  const { bound, noise, scale, normaliser } = stream;
  const isWhole = scale > 0 && isWholeNoise(context.registry, noise.mechanism);
  const fixed = recordBound(oneGradient(context), bound);
  const size = sizeOf(boundedMeanSensitivity(fixed.radius, normaliser), context.allRecords.normaliser);
  const parts = {
    fixed,
    grid: scale === 0 || isWhole ? null : publicGrid(scale, size),
    spacing: isWhole ? spacingOf(context.registry, bound) : null,
  };
  fixedParts.set(stream, parts);
  return parts;
}
