import type { ZodSchema } from '@lethe/numerics';
import {
  defineMean,
  type CentralMean,
  type MeanShape,
  type MeanRun,
  type RandomSource,
  type Vector,
} from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { countSketchMean, l2Clip, mechanisms } from '@lethe/mechanisms';
import { ballMean } from '../reference/ball-mean.js';

/** A mean with some of its methods replaced, at the first of its examples. */
export const planted = <Params extends ZodSchema>(
  base: Omit<CentralMean<Params>, 'kind'>,
  bug: Partial<Omit<CentralMean<Params>, 'kind'>>,
): Subject<'mean'> =>
  subjectsOf(defineMean({ ...base, ...bug } as CentralMean<Params>), {
    registry: mechanisms,
  })[0] as Subject<'mean'>;

type Begin = (params: { readonly radius: number }, context: MeanShape, random: RandomSource) => MeanRun;

/** The mean of clipped records with Gaussian noise, with another run. */
export const plantedRun = (begin: Begin, bug: Partial<typeof ballMean> = {}): Subject<'mean'> =>
  planted(ballMean as CentralMean<typeof ballMean.params>, { ...bug, begin });

/** A clipped copy. */
export function clip(vector: Vector, radius: number): Vector {
  const out = vector.slice();
  l2Clip.clipInPlace({ radius }, out);
  return out;
}

export const addTo = (sum: Vector, vector: Vector): void =>
  vector.forEach((x, j) => {
    sum[j] += x;
  });

/** A run that keeps copies of all records and makes the value of them at the end. */
export const ofAll =
  (of: (records: readonly Vector[], context: MeanShape, radius: number) => Vector): Begin =>
  ({ radius }, context) => {
    const records: Vector[] = [];
    return {
      add: (_slot, gradient) => {
        records.push(
          gradient.every(Number.isFinite) ? gradient.slice() : new Float64Array(context.dimension),
        );
      },
      value: () => of(records, context, radius),
      finish: (noised) => noised,
    };
  };

export function sumOf(vectors: readonly Vector[], dimension: number): Vector {
  const sum = new Float64Array(dimension);
  for (const vector of vectors) addTo(sum, vector);
  return sum;
}

/**
 * A CountSketch whose k-th sign is the `same(k)`-th; three
 * buckets tell the draws of buckets from those of signs.
 */
export const riggedCountSketch = (same: (k: number, dimension: number) => number): Subject<'mean'> => {
  const rigged = (random: RandomSource, dimension: number): RandomSource => {
    const signs: number[] = [];
    return {
      ...bound(random),
      integer(below) {
        if (below !== 2) return random.integer(below);
        const first = same(signs.length, dimension);
        const sign = first < signs.length ? signs[first] : random.integer(2);
        signs.push(sign);
        return sign;
      },
    };
  };
  const begin: typeof countSketchMean.begin = (params, shape, random) =>
    countSketchMean.begin(params, shape, {
      ...bound(random),
      fork: (label) => rigged(random.fork(label), shape.dimension),
    });
  return subjectsOf(defineMean({ ...countSketchMean, begin } as CentralMean<typeof countSketchMean.params>), {
    registry: mechanisms,
    params: { radius: 1, rows: 2, width: 3 },
  })[0] as Subject<'mean'>;
};

/** The same source as a plain object. */
const bound = (random: RandomSource): RandomSource => ({
  kind: random.kind,
  uniform: () => random.uniform(),
  integer: (below) => random.integer(below),
  bits32: () => random.bits32(),
  bits53: () => random.bits53(),
  bytes: (count) => random.bytes(count),
  gaussianInto: (out) => random.gaussianInto(out),
  laplaceInto: (out) => random.laplaceInto(out),
  exponential: () => random.exponential(),
  fork: (label) => random.fork(label),
  key: () => random.key(),
});
