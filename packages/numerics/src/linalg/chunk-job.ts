import type { Kernels } from './kernels.js';
import { CHUNK } from './kernels.wasm.js';

/** A clipped-gradient job as plain numbers for worker threads: addresses in the arena, and parameters. */
export interface ChunkJob {
  readonly base: number;
  readonly rowBytes: number;
  readonly rows: number;
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

const fields = [
  'base',
  'rowBytes',
  'rows',
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
  if (kernels.pointers(job.base, job.rowBytes, job.rows, indices, first, count) === 0) return false;
  target.fill(0, 0, job.columns);
  kernels.clippedGradient(
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
