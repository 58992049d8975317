import {
  resolvePlugin,
  type CentralMean,
  type GradientTerms,
  type Mean,
  type MeanShape,
  type PrivacyEvent,
  type QueryOf,
  type Ref,
  type Sensitivity,
  type Target,
  type Vector,
} from '@lethe/core';
import { isSettled } from '@lethe/core/internal';
import { allFinite, divideInPlace, IncompatiblePlugins, seededRandom, Unsupported } from '@lethe/numerics';
import { sampledOnce } from '../../events/sampled-once.js';
import type { Charge, StoredBatch } from '../../ledger/index.js';
import type { Prepared, PrivateContext, PublicContext } from '../context.js';
import type { DataSet } from '../data-set.js';
import type { Rows, Sample } from '../members.js';
import { beyondPart, type Handler } from '../handlers.js';
import { emptied, wholeSum } from '../long-sum.js';
import { rowSums, type GradientSums } from '../bounded-sum.js';
import { keptSums } from '../coordinate-sum.js';
import { hasSparseGradients } from '../sparse-gradients.js';
import { weightOf } from '../record-bound.js';
import { ownCost, planNoise, sizeOf, type PlannedNoise } from '../sensitivity.js';
import { assertTerms } from '../validate.js';
import { sampleOf } from './batches.js';
import { leftNoise, noised, noisedCopy, withoutNoise } from './noised.js';

/** What is public of the mean of these gradients over this batch. */
const shapeOf = (
  { dimension, facts, registry }: PublicContext,
  { terms, coordinates }: GradientTerms,
  { normaliser, size }: StoredBatch,
): MeanShape => ({
  dimension: coordinates?.length ?? dimension,
  slots: normaliser,
  size,
  weight: weightOf(terms),
  iterateDimension: dimension,
  coordinates,
  facts,
  registry,
});

/** A private mean of gradients, worked out by a curator that is trusted with them. */
export const answerMean: Handler<'mean'> = (context, query, id) => meanBy(keptSums, context, query, id);

/**
 * The same for whole gradients alone.
 *
 * @throws {Unsupported} for chosen coordinates.
 */
export const answerWholeMean: Handler<'mean'> = (context, query, id) => {
  const { coordinates } = query.of;
  if (coordinates !== undefined)
    throw beyondPart(
      'a mean over chosen coordinates',
      { whole: 'meanAnswers', narrow: 'wholeMeanAnswers' },
      { coordinates: coordinates.length },
    );
  return meanBy(rowSums, context, query, id);
};

function meanBy(
  sums: GradientSums,
  context: PublicContext,
  { of, batch: token, mean, target, sampler }: QueryOf<'mean'>,
  id: string,
): Prepared<Vector> {
  assertTerms(of, context.dimension);
  assertWhole(context, of);
  const from = context.batch(token);
  const sample = sampler === undefined ? null : sampleOf(context, sampler, from, id);
  const batch = sample?.batch ?? from;
  return preparedMean(
    context,
    { batch, sample, mean, target, shape: shapeOf(context, of, batch) },
    { of, sums },
  );
}

/** @throws {Unsupported} for chosen coordinates of records that are kept outside memory. */
export function assertWhole({ isPaged }: PublicContext, { coordinates }: GradientTerms): void {
  if (isPaged !== true || coordinates === undefined) return;
  throw new Unsupported(
    'records that are kept outside memory are read row by row, and a mean over chosen coordinates would ' +
      'read all of each row; attach the data in memory, or take an optimizer that asks for whole gradients',
    { coordinates: coordinates.length },
  );
}

/** What a mean is of: gradients, or other vectors, one a record. */
type Vectors =
  | { readonly of: GradientTerms; readonly sums: GradientSums; readonly each?: never }
  | {
      readonly of?: never;
      readonly sums?: never;
      each(data: DataSet, rows: Rows, use: (slot: number, vector: Vector) => void): void;
    };

/** A mean of vectors that a plugin bounds: checks, cost and release. */
export function preparedMean(
  context: PublicContext,
  {
    batch,
    sample = null,
    mean: ref,
    target,
    shape,
  }: {
    readonly batch: StoredBatch;
    /** Where the batch is a sample for this release alone; then both are one event. */
    readonly sample?: Sample | null;
    readonly mean: Ref<'mean'>;
    readonly target: Target;
    readonly shape: MeanShape;
  },
  vectors: Vectors,
): Prepared<Vector> {
  const { plugin, params } = resolvePlugin<Mean>(context.registry, ref);
  if (plugin.trust !== 'central') {
    throw new IncompatiblePlugins(
      `mean '${ref.name}' is of the ${plugin.trust} model: it needs a shuffleCurator, ` +
        "and this curator is central; ask for a central mean, such as 'clipped'",
      { mean: ref.name, trust: plugin.trust },
    );
  }
  if (batch.size === 'hidden' && plugin.hiddenSize !== true) {
    throw new Unsupported(
      `mean '${ref.name}' needs a batch of exact size; batch '${batch.id}' hides it. ` +
        "Take a mean that declares hiddenSize, such as 'clipped' or 'lattice-mean'.",
      { mean: ref.name },
    );
  }
  const named = plugin.mechanism(params);
  if (context.isRaw === true) assertSummed({ plugin, params, shape });
  const { planned, size, event, mechanism } = costOf(
    context,
    { ref, mechanism: named, target },
    { plugin, params, shape },
  );
  return {
    effect: { charge: sample === null ? { on: batch.stretch, event } : chargeOf(sample, event) },
    blank: () => new Float64Array(shape.dimension),
    isRepeatable: true,
    ...leftNoise(context, { mechanism, scale: planned.scale, size }),
    release: (records) =>
      released(
        { plugin, params, shape },
        sample === null ? records.rows(batch) : records.sample(sample),
        vectors,
        context.isRaw === true ? withoutNoise(planned) : planned,
        records,
      ),
  };
}

/** The charge of a release from a sample: one on the slots that it is drawn from. */
const chargeOf = ({ space: { within, sampler } }: Sample, event: PrivacyEvent): Charge => ({
  on: within,
  event: sampler === null ? event : sampledOnce(sampler, event),
});

interface Shaped {
  readonly plugin: CentralMean;
  readonly params: unknown;
  readonly shape: MeanShape;
}

interface Cost {
  readonly planned: PlannedNoise;
  readonly size: number;
  readonly event: PrivacyEvent;
  readonly mechanism: Ref<'mechanism'>;
}
interface Asked {
  readonly ref: Ref<'mean'>;
  readonly mechanism: Ref<'mechanism'>;
  readonly target: Target;
}

/** Noise and event of a mean; those of the last one for a mean with the same reference, target and shape. */
function costOf(context: PublicContext, asked: Asked, shaped: Shaped): Cost {
  const last = lastCosts.get(context);
  if (last !== undefined && isSameMean(last.asked, asked) && isSameShape(last.shape, shaped.shape))
    return last.cost;
  const { plugin, params, shape } = shaped;
  const { planned, size } = plannedNoise(context, asked.mechanism, shaped, asked.target);
  const told: unknown = plugin.event(params, planned.event, shape);
  const event = told === planned.event ? planned.event : ownCost(told, `mean '${asked.ref.name}'`);
  lengthOf(shaped);
  // Another time the plugin may name another mechanism, whose noise would cost something else.
  const cost = { planned, size, event, mechanism: asked.mechanism };
  lastCosts.set(context, { asked, shape, cost });
  return cost;
}

const lastCosts = new WeakMap<
  PublicContext,
  { readonly asked: Asked; readonly shape: MeanShape; readonly cost: Cost }
>();

/** Equal references that a curator has taken in are one object. */
const isSameMean = (a: Asked, b: Asked): boolean =>
  a.ref === b.ref &&
  isSettled(a.ref) &&
  'noiseMultiplier' in a.target &&
  'noiseMultiplier' in b.target &&
  a.target.noiseMultiplier === b.target.noiseMultiplier;

const isSameShape = (a: MeanShape, b: MeanShape): boolean =>
  a.dimension === b.dimension &&
  a.slots === b.slots &&
  a.size === b.size &&
  a.weight === b.weight &&
  a.iterateDimension === b.iterateDimension &&
  a.coordinates === undefined &&
  b.coordinates === undefined &&
  a.facts === b.facts &&
  a.registry === b.registry;

function plannedNoise(
  context: PublicContext,
  mechanism: Parameters<typeof planNoise>[1],
  { plugin, params, shape }: Shaped,
  target: Parameters<typeof planNoise>[2],
): { readonly planned: PlannedNoise; readonly size: number } {
  const sensitivity = plugin.sensitivity(params, shape);
  assertLinear({ plugin, params, shape }, sensitivity);
  const size = plugin.largestEntry?.(params, shape) ?? sizeOf(sensitivity, shape.slots);
  const planned = planNoise(context, mechanism, target, sensitivity, {
    norm: plugin.norm(params, shape),
    length: shape.dimension,
    integers: plugin.integers === true,
    size,
  });
  return { planned, size };
}

/** @throws {Unsupported} for a mean that is something else than an average of its records. */
function assertSummed({ plugin, params, shape }: Shaped): void {
  const linear = plugin.linear?.(params, shape) ?? null;
  if (linear !== null && linear.transform === undefined && plugin.integers !== true) return;
  throw new Unsupported(
    `averages of mean '${plugin.name}' over silos are not its mean of all records, so that a trusted ` +
      "server cannot add its noise to them; take a linear one, such as 'clipped'",
    { mean: plugin.name },
  );
}

/**
 * A record in the ball of a linear mean moves it by `radius/slots`, one that is replaced by twice that, in
 * any norm.
 *
 * @throws {IncompatiblePlugins} for a smaller sensitivity.
 */
function assertLinear({ plugin, params, shape }: Shaped, sensitivity: Sensitivity): void {
  const radius = plugin.linear?.(params, shape)?.radius ?? null;
  if (radius === null) return;
  for (const [adjacency, times] of [
    ['replace-one', 2],
    ['add-remove', 1],
    ['zero-out', 1],
  ] as const) {
    const declared = sensitivity[adjacency];
    if (declared === undefined || declared * shape.slots >= times * radius * (1 - 1e-9)) continue;
    throw new IncompatiblePlugins(
      `mean '${plugin.name}' scales records into a ball of radius ${radius}, and says that one of them ` +
        `moves the mean of ${shape.slots} by ${declared} under ${adjacency}, less than ${times} · radius ` +
        '/ slots; correct its sensitivity or its linear form',
      { mean: plugin.name, radius, adjacency, sensitivity: declared },
    );
  }
}

/** Lengths of values by plugin, parameters and sizes. */
const known = new WeakMap<CentralMean, Map<string, number>>();

/**
 * Entries of `value()`: those of the gradients, or what a release of no records says where something else is
 * made of the mean.
 *
 * @throws {IncompatiblePlugins} for a mean whose answer has another length than the gradients.
 */
function lengthOf({ plugin, params, shape }: Shaped): number {
  const { dimension, slots } = shape;
  const linear = plugin.linear?.(params, shape) ?? null;
  if (linear !== null && linear.transform === undefined) return dimension;
  const lengths = known.get(plugin) ?? new Map<string, number>();
  known.set(plugin, lengths);
  const at = JSON.stringify([params, dimension, slots]);
  const before = lengths.get(at);
  if (before !== undefined) return before;
  const run = plugin.begin(params, shape, seededRandom('no records'));
  const { length } = run.value();
  const answer = run.finish(new Float64Array(length));
  if (answer.length !== dimension)
    throw new IncompatiblePlugins(
      `mean '${plugin.name}' answers ${answer.length} entries about gradients of ${dimension}; correct its ` +
        'value or finish function',
      { mean: plugin.name, length: answer.length, dimension },
    );
  lengths.set(at, length);
  return length;
}

/**
 * A linear mean of a linear loss needs no gradients. Every other goes record by record through its own code:
 * by the entries that differ from zero, where records are sparse and the mean takes them so.
 */
function released(
  { plugin, params, shape }: Shaped,
  members: Rows,
  { of, sums, each }: Vectors,
  planned: PlannedNoise,
  { data, room, randomness }: PrivateContext,
): Vector {
  const linear = of === undefined ? null : (plugin.linear?.(params, shape) ?? null);
  // What a transform is lent it may keep; the noise is added in place, and the answer copied out.
  const isPlain = linear !== null && linear.transform === undefined;
  const few = isPlain && of !== undefined ? (data.sparse?.sumOfFew(data, members, of, linear) ?? null) : null;
  if (few !== null) return noisedCopy(few, shape.slots, planned, randomness, room);
  const memory = isPlain ? data.sumMemory : null;
  const into = memory === null ? undefined : emptied(memory);
  const sum = linear === null || of === undefined ? null : sums.linear(data, members, of, linear, into);
  const length = lengthOf({ plugin, params, shape });
  const held = (value: Vector): Vector =>
    value.length === length ? finite(value) : new Float64Array(length);
  const whole = (answer: Vector): Vector =>
    answer.length === shape.dimension ? answer : new Float64Array(shape.dimension);
  if (sum !== null) {
    if (memory !== null && sum === into)
      return noisedCopy(wholeSum(memory), shape.slots, planned, randomness, room);
    const isFinite = divideInPlace(sum, shape.slots);
    const transform = linear?.transform?.(randomness().fork('oracle'));
    if (transform === undefined) return noised(isFinite ? sum : sum.fill(0), planned, randomness);
    return whole(transform.finish(noised(held(transform.value(sum)), planned, randomness)));
  }
  const run = plugin.begin(params, shape, randomness().fork('oracle'));
  if (of === undefined) each(data, members, (slot, vector) => run.add(slot, vector));
  else if (run.addSparse === undefined || data.sparse === null || !hasSparseGradients(data, of))
    sums.each(data, members, of, (slot, gradient) => run.add(slot, gradient));
  else
    data.sparse.eachGradient(data, members, of, (slot, indices, values) =>
      run.addSparse?.(slot, indices, values),
    );
  return whole(run.finish(noised(held(run.value()), planned, randomness)));
}

/** A mean that breaks its contract must not turn that into a signal about the records. */
const finite = (value: Vector): Vector => (allFinite(value) ? value : value.fill(0));
