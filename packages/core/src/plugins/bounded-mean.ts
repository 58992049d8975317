import {
  allFinite,
  divideUp,
  IncompatiblePlugins,
  InvalidParameter,
  multiplyUp,
  norm2,
  Unsupported,
} from '@lethe/numerics';
import type { Sensitivity } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Vector } from '../query/basics.js';
import type { Clip } from './clip.js';
import { blockLipschitz } from './loss-constants.js';
import type { LinearMean, MeanRun, MeanShape } from './mean.js';
import type { Norm } from './mechanism.js';
import type { Ref } from './plugin.js';
import { resolvePlugin } from './registry.js';

/** How each record's contribution is bounded: every vector ends within `radius` in `norm`. */
export interface RecordBound {
  readonly radius: number;
  readonly norm: Norm;
  /** The bound as a factor of the norm; `null` where it is none. */
  readonly linear: LinearMean | null;
  /** Bounds `vector` itself. */
  boundInPlace(vector: Vector): void;
}

/** What is to be bounded: a sum of gradients with weights of `Σ|weight| = weight`, by public numbers. */
export type BoundedShape = Pick<
  MeanShape,
  'dimension' | 'weight' | 'iterateDimension' | 'coordinates' | 'facts' | 'registry'
>;

/**
 * The bound by a clip.
 *
 * @throws {IncompatiblePlugins} for a clip of vectors of another length.
 * @throws {InvalidParameter} for a radius that sums in doubles cannot be computed with.
 */
export function clipBound({ registry, dimension }: BoundedShape, ref: Ref<'clip'>): RecordBound {
  const { plugin, params } = resolvePlugin<Clip>(registry, ref);
  const { name, norm, factor, isProjection } = plugin;
  const taken = plugin.vectorLength?.(params);
  if (taken !== undefined && taken !== dimension) {
    throw new IncompatiblePlugins(
      `clip '${name}' takes vectors of ${taken} entries, the gradients asked for have ${dimension}; ` +
        'give it parameters for that length',
      { clip: name, takes: taken, length: dimension },
    );
  }
  const radius = computable(plugin.radius(params));
  return {
    radius,
    norm,
    linear:
      factor === null
        ? null
        : { norms: [norm], factor: (length) => factor(params, length), radius: isProjection ? radius : null },
    boundInPlace: (vector) => plugin.clipInPlace(params, vector),
  };
}

/**
 * The bound by an `every-record` fact. It is enforced by scaling to the certified constant, which changes
 * nothing where the fact holds and keeps the sensitivity where it does not. Along some coordinates only,
 * `lipschitz` is the constant along them.
 *
 * @throws {Unsupported} for a fact the data set lacks, and a fact about the population.
 */
export function factBound(
  { facts, iterateDimension, coordinates, weight }: BoundedShape,
  fact: string,
): RecordBound {
  // Along some coordinates only, a loss moves by less: what it is certified for there is enough.
  const along = coordinates !== undefined && coordinates.length > 0 && fact === 'lipschitz';
  const value =
    (along ? blockLipschitz(facts, iterateDimension, coordinates) : undefined) ?? certifiedFact(facts, fact);
  const radius = computable(multiplyUp(value, weight));
  const factor = (length: number): number => (length <= radius ? 1 : radius / length);
  return {
    radius,
    norm: 'l2',
    linear: { factor, radius },
    boundInPlace(vector) {
      const scale = factor(norm2(vector));
      for (let j = 0; j < vector.length; j++) vector[j] *= scale;
    },
  };
}

/**
 * The value of an `every-record` fact of the data set.
 * @throws {Unsupported} when it may not enter a sensitivity.
 */
export function certifiedFact(facts: MeanShape['facts'], name: string): number {
  const fact = facts[name];
  if (fact === undefined)
    throw new Unsupported(
      `${lacking(Object.keys(facts), name)}: attach it with domain: { featureBounds }, ` +
        'or featureNorm and what else the loss needs, from which ' +
        `${Object.keys(facts).length === 0 ? 'they follow' : 'it may follow'}, or clip.`,
      { fact: name },
    );
  if (fact.scope !== 'every-record')
    throw new Unsupported(
      `the fact '${name}' holds for the population only; ` +
        'a sensitivity needs one that holds for every record. Clip instead.',
      { fact: name, scope: fact.scope },
    );
  return fact.value;
}

/** Lists at most five names. */
function lacking(names: readonly string[], name: string): string {
  if (names.length === 0) return `the data set certifies no facts, and the query needs '${name}'`;
  return (
    `the data set certifies no fact '${name}'; ` +
    `it has ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}. ` +
    'To have it'
  );
}

/** A bound whose sums stay finite, whatever they are divided by afterwards. */
function computable(radius: number): number {
  if (radius >= smallest && radius <= largest) return radius;
  throw new InvalidParameter(
    `records would be bounded by ${radius}; a bound is from ${smallest} to ${largest}`,
    { radius },
  );
}

/**
 * What every mean of bounded records has in common: all of a central mean but its mechanism and its error.
 * The value is `(1/slots) Σ bound(z)`.
 *
 * @param boundOf - How each record is bounded, by public numbers.
 */
export function boundedMean<P>(boundOf: (params: P, shape: MeanShape) => RecordBound) {
  let last: { readonly params: P; readonly shape: MeanShape; readonly bound: RecordBound } | undefined;
  const bounded = (params: P, shape: MeanShape): RecordBound => {
    if (last?.params !== params || last.shape !== shape)
      last = { params, shape, bound: boundOf(params, shape) };
    return last.bound;
  };
  return {
    trust: 'central',
    hiddenSize: true,
    norm: (params: P, shape: MeanShape): Norm => bounded(params, shape).norm,
    sensitivity: (params: P, shape: MeanShape): Sensitivity =>
      boundedMeanSensitivity(bounded(params, shape).radius, assertShape(shape).slots),
    largestEntry: (params: P, shape: MeanShape): number => bounded(params, shape).radius,
    linear: (params: P, shape: MeanShape): LinearMean | null => bounded(params, shape).linear,
    begin: (params: P, shape: MeanShape): MeanRun => sumOf(bounded(params, shape), assertShape(shape)),
    event: (_params: P, noise: PrivacyEvent): PrivacyEvent => noise,
  } as const;
}

/** @throws {InvalidParameter} unless the divisor is positive and finite, and vectors fit into memory. */
function assertShape(shape: MeanShape): MeanShape {
  const { dimension, slots } = shape;
  if (!(slots > 0 && slots < Infinity))
    throw new InvalidParameter(
      `a mean over ${slots} slots was asked for; their number is positive and finite`,
      { slots },
    );
  if (Number.isSafeInteger(dimension) && dimension >= 0 && dimension <= 2 ** 31) return shape;
  throw new InvalidParameter(
    `a mean in dimension ${dimension} was asked for; it is a whole number of at most 2^31`,
    { dimension },
  );
}

function sumOf({ boundInPlace }: RecordBound, { dimension, slots }: MeanShape): MeanRun {
  const sum = new Float64Array(dimension);
  const record = new Float64Array(dimension);
  return {
    add(_slot, gradient) {
      if (gradient.length !== dimension) {
        throw new InvalidParameter(
          `a vector of length ${gradient.length} was added; the mean has dimension ${dimension}`,
          { length: gradient.length, dimension },
        );
      }
      if (!allFinite(gradient)) return;
      record.set(gradient);
      boundInPlace(record);
      for (let j = 0; j < dimension; j++) sum[j] += record[j];
    },
    value: () => sum.map((total) => total / slots),
    finish: (noised) => noised,
  };
}

/**
 * Sensitivity of `(1/normaliser) Σ` of vectors of norm at most `radius`, with a public normaliser: a replaced
 * record moves the sum by at most `2·radius`, a present, absent or nulled one by at most `radius`.
 */
export function boundedMeanSensitivity(radius: number, normaliser: number): Sensitivity {
  const one = divideUp(radius, normaliser);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/**
 * Above it, sums of bounded records or their noise could overflow,
 * and a non-finite answer would reveal records.
 */
export const largest = 1e280;
/**
 * Below it doubles are too coarse: sums would move by more than is declared, and noise would have few values.
 */
export const smallest = 1e-280;
