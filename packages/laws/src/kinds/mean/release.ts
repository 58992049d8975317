import {
  adjacencies,
  LetheError,
  meanShape,
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type CentralMean,
  type Fact,
  type MeanRun,
  type MeanShape,
  type Mechanism,
  type Norm,
  type RandomSource,
  type Registry,
  type Resolved,
  type Sensitivity,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import type { PluginSubject } from '../../law/subject.js';
import { randomnessByRecord } from './randomness-by-record.js';

/** Public shape of a release. */
export type Shape = Pick<MeanShape, 'dimension' | 'slots'>;
/** A mean of the central model at parameters. */
export type CentralSubject = PluginSubject<'mean', CentralMean>;

const bound: Fact = Object.freeze({ value: 1, scope: 'every-record', provenance: 'declared' });

const wholeShapes = new WeakMap<Registry, Map<string, MeanShape>>();

/**
 * All that a release of the shape tells: of single gradients,
 * with the fact `lipschitz` and the plugins that the mean names.
 */
export function wholeShape({ registry }: CentralSubject, { dimension, slots }: Shape): MeanShape {
  const key = `${dimension} ${slots}`;
  const ofRegistry = wholeShapes.get(registry) ?? new Map<string, MeanShape>();
  const shape =
    ofRegistry.get(key) ??
    Object.freeze(meanShape({ dimension, slots, facts: { lipschitz: bound }, registry }));
  wholeShapes.set(registry, ofRegistry.set(key, shape));
  return shape;
}

const norms = new WeakMap<CentralSubject, Norm>();

/** The norm of what is declared; it does not depend on the shape, as long as the mean takes it. */
export function declaredNorm(subject: CentralSubject): Norm {
  const known = norms.get(subject);
  if (known !== undefined) return known;
  const taken = candidates.find((shape) => sensitivityAt(subject, shape) !== undefined);
  const norm = subject.plugin.norm(subject.params, wholeShape(subject, taken ?? { dimension: 1, slots: 1 }));
  norms.set(subject, norm);
  return norm;
}

/**
 * Whether these are records within the facts that privacy rests on: bounds on the error are about no others.
 */
export const keepFacts = ({ plugin }: CentralSubject, points: readonly (readonly number[])[]): boolean =>
  plugin.privacyRestsOn === 'clip' ||
  points.every((point) => normOf('l2', point) <= bound.value * (1 + 1e-12));

/**
 * The mechanism that noises the value; nothing when the registry
 * has none of that name, or it does not take the parameters.
 */
export function mechanismOf({ plugin, params, registry }: CentralSubject): Resolved<Mechanism> | undefined {
  try {
    return resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** Input of a mean. */
export interface FeedOptions {
  readonly shape: Shape;
  readonly randomness: RandomSource;
  /**
   * What a null record is to the mean: a zero vector, as a curator
   * gives it, or a slot that is never added. @defaultValue 'zero'
   */
  readonly nulls?: 'zero' | 'absent';
}

/**
 * One release up to its noise, called as a curator calls it:
 * slot after slot, in one buffer that is lent again and again.
 */
export interface Fed {
  readonly run: MeanRun;
  readonly value: Vector;
  readonly random: RandomSource;
  readonly drew: () => number;
}

/**
 * Feeds a mean. Randomness is that of the source, but each record's
 * are its own, so that no record shifts those of another.
 */
export function feed(
  subject: CentralSubject,
  data: Data,
  { shape, randomness, nulls = 'zero' }: FeedOptions,
): Fed {
  const { random, turn, drew } = randomnessByRecord(randomness);
  const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), random);
  const lent = new Float64Array(shape.dimension);
  data.forEach((row, slot) => {
    if (row === null && nulls === 'absent') return;
    turn(slot);
    lent.fill(0);
    if (row !== null) lent.set(row);
    run.add(slot, lent);
  });
  turn('value');
  return { run, value: run.value(), random, drew };
}

/**
 * The answer of a release without noise: the array that `value`
 * gave goes into `finish`, as it does in a curator.
 */
export function answerOf(
  subject: CentralSubject,
  data: Data,
  options: FeedOptions,
  noise?: ArrayLike<number>,
): Vector {
  const { run, value } = feed(subject, data, options);
  if (noise !== undefined) for (let j = 0; j < value.length; j++) value[j] += noise[j];
  return run.finish(value);
}

/** Tried in this order; the last, for means of many dimensions only, where no other is taken. */
const candidates: readonly Shape[] = [
  [2, 3],
  [1, 1],
  [3, 2],
  [1, 4],
  [6, 4],
  [33, 2],
  [4, 8],
  [1, 20],
  [2, 1],
  [8, 2],
  [2, 2],
  [64, 2],
].map(([dimension, slots]) => ({ dimension: dimension, slots: slots }));

const wide = candidates.at(-1);

/** The sensitivity, or nothing when the mean refuses the shape by a typed error. */
export function sensitivityAt(subject: CentralSubject, shape: Shape): Sensitivity | undefined {
  try {
    return subject.plugin.sensitivity(subject.params, wholeShape(subject, shape));
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** Shapes of releases the mean takes, of those that are tried. */
export function shapesOf(
  subject: CentralSubject,
  {
    most = 8,
    dimension = Infinity,
    slots = Infinity,
  }: { readonly most?: number; readonly dimension?: number; readonly slots?: number } = {},
): readonly Shape[] {
  const accepted = candidates.filter((shape) => sensitivityAt(subject, shape) !== undefined);
  const taken = accepted.length > 1 ? accepted.filter((shape) => shape !== wide) : accepted;
  const small = taken.filter((shape) => shape.dimension <= dimension && shape.slots <= slots);
  return (small.length > 0 ? small : taken).slice(0, most);
}

/** Why the laws cannot run it; nothing when they can. */
export const noShape = (subject: CentralSubject): string | undefined =>
  shapesOf(subject).length > 0
    ? undefined
    : 'it takes none of the shapes tried: ' +
      `${candidates.map(({ dimension, slots }) => `${dimension} × ${slots}`).join(', ')} ` +
      '(dimension × slots)';

/** Adjacencies it declares at any shape. */
export const adjacenciesOf = (subject: CentralSubject): readonly Adjacency[] =>
  adjacencies.filter((adjacency) =>
    shapesOf(subject).some((shape) => sensitivityAt(subject, shape)?.[adjacency] !== undefined),
  );

/**
 * The size of one record's contribution to the sum, going by what is declared: inputs are spread around it.
 */
export function scaleAt(subject: CentralSubject, shape: Shape): number {
  const scale =
    (subject.plugin.integers === true ? largestAnswer(subject, shape) : declaredSize(subject, shape)) *
    shape.slots;
  return scale >= 1e-250 && scale <= 1e250 ? scale : 1;
}

function declaredSize(subject: CentralSubject, shape: Shape): number {
  const { 'zero-out': one, 'add-remove': other, 'replace-one': two } = defined(sensitivityAt(subject, shape));
  return one ?? other ?? (two ?? 2) / 2;
}

/**
 * A sensitivity in steps of a grid says nothing of the
 * records: how far one of any size moves the answer does.
 */
function largestAnswer(subject: CentralSubject, shape: Shape): number {
  const data = [Array.from({ length: shape.dimension }, (_, j) => (j === 0 ? 1e200 : 0))];
  return normOf(declaredNorm(subject), answerOf(subject, data, { shape, randomness: seededRandom('scale') }));
}

/** Whether the mean draws any randomness; not where it takes none of the shapes tried. */
export function usesRandomness(subject: CentralSubject, randomness: RandomSource): boolean {
  const [shape] = shapesOf(subject);
  if (shape === undefined) return false;
  const scale = scaleAt(subject, shape);
  const data = Array.from({ length: shape.slots }, (_, i) =>
    Array.from({ length: shape.dimension }, (_unused, j) => (0.3 * scale) / (1 + i + j)),
  );
  const fed = feed(subject, data, { shape, randomness });
  fed.run.finish(fed.value);
  return fed.drew() > 0;
}
