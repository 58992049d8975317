import type { Kernels } from './kernels.js';
import { CHUNK } from './kernels.wasm.js';

/**
 * A job of a clipped gradient, or of a clipped pair of them, as plain numbers for worker threads: addresses
 * in the arena, and parameters.
 */
export interface ChunkJob {
  /** 1, or 2 for the sum of `a` times the gradient at `w` and `b` times that at `v`, clipped once. */
  readonly points: number;
  readonly v: number;
  readonly a: number;
  readonly b: number;
  readonly base: number;
  readonly rowBytes: number;
  readonly rows: number;
  /** Bits of a number of a row: 32 or 64. */
  readonly precision: number;
  /** Address of the list of rows, or 0 for the rows from `first` on. */
  readonly indices: number;
  readonly first: number;
  readonly count: number;
  readonly columns: number;
  readonly w: number;
  readonly labels: number;
  readonly norms: number;
  readonly inverseRadius: number;
  readonly slope: number;
  readonly block: number;
  readonly access: number;
}

/** The fields of a job of one point that are about the other. */
export const onePoint = { points: 1, v: 0, a: 1, b: 0 } as const;

const fields = [
  'points',
  'v',
  'a',
  'b',
  'base',
  'rowBytes',
  'rows',
  'precision',
  'indices',
  'first',
  'count',
  'columns',
  'w',
  'labels',
  'norms',
  'inverseRadius',
  'slope',
  'block',
  'access',
] as const satisfies readonly (keyof ChunkJob)[];

export function writeJob(target: Float64Array, job: ChunkJob): void {
  fields.forEach((field, i) => {
    target[i] = job[field];
  });
}

export const readJob = (source: Float64Array): ChunkJob =>
  Object.fromEntries(fields.map((field, i) => [field, source[i]])) as Record<keyof ChunkJob, number>;

/** Writes the sum of one chunk's terms to `target`; false if one of its rows does not exist. */
export function sumChunk(kernels: Kernels, job: ChunkJob, chunk: number, target: Float64Array): boolean {
  const from = chunk * CHUNK;
  const count = Math.min(CHUNK, job.count - from);
  const listed = job.indices !== 0;
  const indices = listed ? job.indices + 4 * from : 0;
  const first = listed ? 0 : job.first + from;
  if (job.points === 2) return sumPair(kernels, job, { indices, first, count }, target);
  const { base, rowBytes, rows, labels, norms } = job;
  const isFilled =
    job.access === 1
      ? kernels.spread(base, rowBytes, rows, indices, first, count, labels, norms)
      : kernels.pointers(base, rowBytes, rows, indices, first, count);
  if (isFilled === 0) return false;
  target.fill(0, 0, job.columns);
  const kernel = job.precision === 32 ? kernels.clippedGradient32 : kernels.clippedGradient;
  kernel(
    job.slope,
    job.labels,
    job.norms,
    indices,
    first,
    count,
    job.columns,
    job.w,
    job.inverseRadius,
    target.byteOffset,
    job.block,
    job.access,
  );
  return true;
}

/** Rows of one chunk: `indices` is the address of a list of `count` rows, or 0 for those from `first` on. */
type ChunkRows = Pick<ChunkJob, 'indices' | 'first' | 'count'>;

/** {@link sumChunk} of a job of two points, for the rows given. */
export function sumPair(
  kernels: Kernels,
  job: Omit<ChunkJob, keyof ChunkRows | 'points'>,
  { indices, first, count }: ChunkRows,
  target: Float64Array,
): boolean {
  const { base, rowBytes, rows, labels, norms } = job;
  if (kernels.spread(base, rowBytes, rows, indices, first, count, labels, norms) === 0) return false;
  target.fill(0, 0, job.columns);
  const kernel = job.precision === 32 ? kernels.clippedPair32 : kernels.clippedPair;
  kernel(
    job.slope,
    count,
    job.columns,
    job.w,
    job.v,
    job.a,
    job.b,
    job.inverseRadius,
    target.byteOffset,
    job.block,
    job.access,
  );
  return true;
}
