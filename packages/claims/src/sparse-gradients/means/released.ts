import { meanShape, seededRandom, type CentralMean, type MeanRun, type Sensitivity } from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import { listOf, tenTo } from '../../common/inputs.js';
import { norm } from '../../common/vectors.js';
import type { MeansSubject, ProjectedMean } from './subject.js';

type Row = readonly number[];
type ParamsOf<M extends CentralMean> = Parameters<M['begin']>[0];

/** The run of a mean after all records, before `value`. */
export function runOf<M extends CentralMean>(
  mean: M,
  params: ParamsOf<M>,
  records: readonly Row[],
  seed: string | number = 'coins of a claim',
): MeanRun {
  const shape = meanShape({ dimension: records[0].length, slots: records.length, registry: mechanisms });
  const run = mean.begin(params, shape, seededRandom(seed));
  records.forEach((record, slot) => run.add(slot, Float64Array.from(record)));
  return run;
}

/** The value before noise. */
export const valueOf = <M extends CentralMean>(
  mean: M,
  params: ParamsOf<M>,
  records: readonly Row[],
  seed?: string | number,
): Float64Array => Float64Array.from(runOf(mean, params, records, seed).value());

/** The value, and the answer with noise. */
export function answered<M extends CentralMean>(
  mean: M,
  params: ParamsOf<M>,
  records: readonly Row[],
  noise: ArrayLike<number>,
): { readonly mean: Float64Array; readonly answer: Float64Array } {
  const run = runOf(mean, params, records);
  const value = Float64Array.from(run.value());
  return { mean: value, answer: Float64Array.from(run.finish(value.map((x, j) => x + noise[j]))) };
}

/** What a mean declares, in units of its norm. */
export function sensitivityOf<M extends CentralMean>(
  mean: M,
  params: ParamsOf<M>,
  shape: { readonly dimension: number; readonly slots: number },
  adjacency: keyof Sensitivity = 'replace-one',
): number {
  return defined(mean.sensitivity(params, meanShape({ ...shape, registry: mechanisms }))[adjacency]);
}

/** Sparse records, and one that another replaces. */
export interface SparseRecords {
  readonly dimension: number;
  /** At most the dimension. */
  readonly sparsity: number;
  readonly radius: number;
  readonly records: readonly Row[];
  readonly other: Row;
}

const most = 6;

/** Records of at most `sparsity` entries and norm `radius`, in up to six dimensions. */
export const sparseRecords: Arbitrary<SparseRecords> = fc
  .record({
    dimension: fc.integer({ min: 1, max: most }),
    entries: fc.integer({ min: 1, max: most }),
    radius: tenTo(-1, 1),
    drawn: fc.array(fc.tuple(listOf(most, -4, 4), fc.nat(most), fc.integer({ min: 0, max: 4 })), {
      minLength: 2,
      maxLength: 5,
    }),
  })
  .map(({ dimension, entries, radius, drawn }) => {
    const sparsity = Math.min(entries, dimension);
    const [other, ...records] = drawn.map(([values, first, quarters]) => {
      const row = Array.from({ length: dimension }, () => 0);
      for (let i = 0; i < sparsity; i++) row[(first + i) % dimension] = values[i];
      const size = norm(row);
      // A rounding error less than the radius: nothing is scaled.
      return row.map((x) => (size === 0 ? 0 : (x / size) * radius * (quarters / 4) * (1 - 1e-12)));
    });
    return { dimension, sparsity, radius, records, other };
  });

/** The plain average. */
export const averageOf = (records: readonly Row[]): Float64Array =>
  Float64Array.from(records[0], (_, j) => records.reduce((sum, row) => sum + row[j], 0) / records.length);

/** The projected means by name: both forms of Algorithm 1, and those onto smaller sets. */
export const projectedMeans = (subject: MeansSubject): readonly (readonly [string, ProjectedMean])[] => [
  ['projection', subject.projectionMechanism],
  ['l1-projection', subject.l1ProjectionMechanism],
  ['laplace-projection', subject.laplaceProjectionMechanism],
  ['hull-projection', subject.hullProjectionMechanism],
];

/** `‖x‖₁` and `‖x‖∞`. */
export const norm1 = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, entry) => sum + Math.abs(entry), 0);
export const largest = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((size, entry) => Math.max(size, Math.abs(entry)), 0);
