import { defineMeanOracle, type MeanOracle, type OracleContext, type OracleRun, type Vector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { clippedGaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import type { z } from 'zod';

/** An oracle with some of its methods replaced, at the first of its examples. */
export const planted = <Params extends z.ZodType>(base: Omit<MeanOracle<Params>, 'kind'>, bug: Partial<Omit<MeanOracle<Params>, 'kind'>>): Subject<'meanOracle'> =>
  subjectsOf(defineMeanOracle({ ...base, ...bug } as MeanOracle<Params>), { registry: mechanisms })[0] as Subject<'meanOracle'>;

type Begin = (params: { readonly radius: number }, context: OracleContext) => OracleRun;

/** The mean of clipped records with Gaussian noise, with another run. */
export const plantedRun = (begin: Begin, bug: Partial<typeof clippedGaussian> = {}): Subject<'meanOracle'> => planted(clippedGaussian as MeanOracle<typeof clippedGaussian.params>, { ...bug, begin });

/** A clipped copy. */
export function clip(vector: Vector, radius: number): Vector {
  const out = vector.slice();
  l2Clip.clipInPlace({ radius }, out);
  return out;
}

export const addTo = (sum: Vector, vector: Vector): void => vector.forEach((x, j) => { sum[j] += x; });

/** A run that keeps copies of all records and makes the value of them at the end. */
export const ofAll = (of: (records: readonly Vector[], context: OracleContext, radius: number) => Vector): Begin => ({ radius }, context) => {
  const records: Vector[] = [];
  return {
    add: (_slot, gradient) => { records.push(gradient.every(Number.isFinite) ? gradient.slice() : new Float64Array(context.dimension)); },
    value: () => of(records, context, radius),
    finish: (noised) => noised,
  };
};

export function sumOf(vectors: readonly Vector[], dimension: number): Vector {
  const sum = new Float64Array(dimension);
  for (const vector of vectors) addTo(sum, vector);
  return sum;
}
