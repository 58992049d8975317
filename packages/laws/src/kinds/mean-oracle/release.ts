import { adjacencies, LetheError, type Adjacency, type OracleContext, type OracleRun, type RandomSource, seededRandom, type Sensitivity, type Vector } from '@lethe/core';
import type { Data } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import type { Subject } from '../../law/subject.js';
import { randomnessByRecord } from './randomness-by-record.js';

/** Public shape of a release. */
export type Shape = Omit<OracleContext, 'random'>;
export type Oracle = Subject<'meanOracle'>;

/** How data reach an oracle. */
export interface FeedOptions {
  readonly shape: Shape;
  readonly randomness: RandomSource;
  /** What a null record is to the oracle: a zero vector, as a curator gives it, or a slot that is never added. @defaultValue 'zero' */
  readonly nulls?: 'zero' | 'absent';
}

/** One release up to its noise, called as a curator calls it: slot after slot, in one buffer that is lent again and again. */
export interface Fed { readonly run: OracleRun; readonly value: Vector; readonly random: RandomSource; readonly drew: () => number }

/** Feeds an oracle. Coins are those of the source, but each record's are its own, so that no record shifts those of another. */
export function feed({ plugin, params }: Oracle, data: Data, { shape, randomness, nulls = 'zero' }: FeedOptions): Fed {
  const { random, turn, drew } = randomnessByRecord(randomness);
  const run = plugin.begin(params as never, { ...shape, random });
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

/** The answer of a release without noise: the array that `value` gave goes into `finish`, as it does in a curator. */
export function answerOf(oracle: Oracle, data: Data, options: FeedOptions, noise?: ArrayLike<number>): Vector {
  const { run, value } = feed(oracle, data, options);
  if (noise !== undefined) for (let j = 0; j < value.length; j++) value[j]! += noise[j]!;
  return run.finish(value);
}

const candidates: readonly Shape[] = [[2, 3], [1, 1], [3, 2], [1, 4], [6, 4], [33, 2], [4, 8], [1, 20], [2, 1], [8, 2], [2, 2]].map(([dimension, slots]) => ({ dimension: dimension!, slots: slots! }));

/** The sensitivity, or nothing when the oracle refuses the shape by a typed error. */
export function sensitivityAt({ plugin, params }: Oracle, shape: Shape): Sensitivity | undefined {
  try {
    return plugin.sensitivity(params as never, shape);
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** Shapes of releases the oracle takes, of those that are tried. */
export function shapesOf(oracle: Oracle, { most = 8, dimension = Infinity, slots = Infinity }: { readonly most?: number; readonly dimension?: number; readonly slots?: number } = {}): readonly Shape[] {
  const taken = candidates.filter((shape) => sensitivityAt(oracle, shape) !== undefined);
  const small = taken.filter((shape) => shape.dimension <= dimension && shape.slots <= slots);
  return (small.length > 0 ? small : taken).slice(0, most);
}

/** Why the laws cannot run it; nothing when they can. */
export const noShape = (oracle: Oracle): string | undefined => (shapesOf(oracle).length > 0 ? undefined : `it takes none of the shapes tried: ${candidates.map(({ dimension, slots }) => `${dimension} × ${slots}`).join(', ')} (dimension × slots)`);

/** Adjacencies it declares at any shape. */
export const adjacenciesOf = (oracle: Oracle): readonly Adjacency[] => adjacencies.filter((adjacency) => shapesOf(oracle).some((shape) => sensitivityAt(oracle, shape)?.[adjacency] !== undefined));

/** The size of one record's contribution to the sum, going by what is declared: inputs are spread around it. */
export function scaleAt(oracle: Oracle, shape: Shape): number {
  const scale = (oracle.plugin.integers === true ? largestAnswer(oracle, shape) : declaredSize(oracle, shape)) * shape.slots;
  return scale >= 1e-250 && scale <= 1e250 ? scale : 1;
}

function declaredSize(oracle: Oracle, shape: Shape): number {
  const { 'zero-out': one, 'add-remove': other, 'replace-one': two } = sensitivityAt(oracle, shape)!;
  return one ?? other ?? (two ?? 2) / 2;
}

/** A sensitivity in steps of a grid says nothing of the records: how far one of any size moves the answer does. */
function largestAnswer(oracle: Oracle, shape: Shape): number {
  const data = Array.from({ length: shape.slots }, (_, slot) => Array.from({ length: shape.dimension }, (_unused, j) => (slot === 0 && j === 0 ? 1e200 : 0)));
  return normOf(oracle.plugin.norm, answerOf(oracle, data, { shape, randomness: seededRandom('scale') }));
}

/** Whether the oracle draws any coins; not where it takes none of the shapes tried. */
export function usesRandomness(oracle: Oracle, randomness: RandomSource): boolean {
  const [shape] = shapesOf(oracle);
  if (shape === undefined) return false;
  const scale = scaleAt(oracle, shape);
  const data = Array.from({ length: shape.slots }, (_, i) => Array.from({ length: shape.dimension }, (_unused, j) => (0.3 * scale) / (1 + i + j)));
  const fed = feed(oracle, data, { shape, randomness });
  fed.run.finish(fed.value);
  return fed.drew() > 0;
}
