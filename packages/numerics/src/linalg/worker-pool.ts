import { InvalidParameter } from '../errors.js';
import { engineIn, type Arena, type Engine } from './arena.js';
import { sumChunk, writeJob, type ChunkJob } from './chunk-job.js';
import type { ClippedGradient } from './clipped-query.js';
import type { WorkerAssignment } from './worker.js';
import { CHUNK } from './kernels.wasm.js';
import { noSuchRow, precisionOf, rowCount, type MatrixView, type Rows } from './matrix.js';
import { placeOf } from './on-engine.js';
import {
  changes,
  CLOSED,
  LIST_CHUNKS,
  MOST_WORKERS,
  NONE_LEFT,
  OPEN,
  RING_FULL,
  slotsFor,
  STOPPED,
  takeChunk,
  poolMemory,
  word,
} from './pool-memory.js';

/** A pool of worker threads on a shared arena. */
export interface WorkerPool {
  /** Number of threads, including the caller; 1 after the pool is closed. */
  readonly size: number;
  /** Stops the worker threads: {@link serveWorker} returns in each. */
  close(): void;
}

/** Number of threads, and how to start one. */
export interface WorkerPoolOptions {
  /** Number of threads, including the caller: 1 to 8. */
  readonly size: number;
  /** Starts a thread that calls {@link serveWorker} with this assignment. It need not be ready on return. */
  readonly spawn: (assignment: WorkerAssignment) => void;
}

/** Arguments of a shared clipped sum. Points are addresses in the arena. */
export interface SharedSum
  extends
    Pick<ClippedGradient, 'rows' | 'labels' | 'norms'>,
    Pick<ChunkJob, 'points' | 'w' | 'v' | 'a' | 'b' | 'inverseRadius' | 'slope' | 'block' | 'access'> {
  readonly X: MatrixView;
}

interface Threads extends WorkerPool {
  readonly add: (sum: SharedSum, out: Float64Array) => void;
}

const pools = new WeakMap<Engine, Threads>();
const oneThread: Threads = { size: 1, close() {}, add() {} };
/** Number of reads while waiting for a worker's chunk: about the time to compute it. */
const looksFor = (columns: number): number => 20_000 + 400 * columns;
// multiply-adds of one pass: some fifty microseconds, a few times what waking a thread takes
const WORTHWHILE = 250_000;

/**
 * Computes the clipped gradients of data in `arena` with `size` threads. Results are bit-identical to one
 * thread: each chunk of rows is summed by one thread, and the chunk sums are added in order. Workers join
 * when they are ready. The calling thread never blocks: it recomputes chunks whose worker is late or dead. An
 * arena that is not shared has a pool of one thread. Close the pool when the arena is no longer needed, since
 * workers keep its memory alive.
 *
 * @throws {InvalidParameter} when `size` is not a whole number from 1 to 8, or the arena has already had a
 * pool.
 */
export function attachWorkers(arena: Arena, { size, spawn }: WorkerPoolOptions): WorkerPool {
  if (!Number.isInteger(size) || size < 1 || size > 1 + MOST_WORKERS) {
    throw new InvalidParameter(
      `a pool of ${size} threads cannot be made; give a whole number from 1 to ${1 + MOST_WORKERS}`,
      { size },
    );
  }
  const engine = engineIn(arena);
  if (pools.has(engine))
    throw new InvalidParameter('this arena has already had a worker pool; an arena has at most one', {});
  const workerCount = engine.workerPool !== 0 ? size - 1 : 0;
  const threads = workerCount === 0 ? oneThread : threadsOf(engine, workerCount);
  pools.set(engine, threads);
  for (let thread = 1; thread <= workerCount; thread++)
    spawn({ memory: engine.memory, module: engine.module, thread, address: engine.workerPool });
  return threads;
}

/** The pool for this call, or null if one thread is as fast or some arrays are outside the arena. */
export function poolFor(
  engine: Engine,
  { X, rows, labels, norms }: Pick<ClippedGradient, 'X' | 'rows' | 'labels' | 'norms'>,
): Threads | null {
  const threads = pools.get(engine);
  const count = rowCount(rows);
  if (
    threads === undefined ||
    threads.size === 1 ||
    count <= CHUNK ||
    count * X.columns < WORTHWHILE ||
    slotsFor(X.columns) === 0
  )
    return null;
  const { buffer } = engine.memory;
  return labels.buffer === buffer && norms.buffer === buffer ? threads : null;
}

function threadsOf(engine: Engine, workerCount: number): Threads {
  let size = 1 + workerCount;
  const shared = poolMemory(engine.memory, engine.workerPool);
  const { words, ring } = shared;

  const close = (): void => {
    if (size === 1) return;
    size = 1;
    Atomics.store(words, word.chunks, 0);
    Atomics.store(words, word.state, STOPPED);
    for (const index of [word.generation, word.added]) {
      Atomics.add(words, index, 1);
      Atomics.notify(words, index);
    }
  };

  /** False if a worker may still write to the ring for the previous job. */
  const open = (job: ChunkJob): boolean => {
    for (
      let active = Atomics.load(words, word.active);
      active !== 0;
      active = Atomics.load(words, word.active)
    ) {
      if (!changes(words, word.active, active)) return false;
    }
    writeJob(shared.job, job);
    const slots = slotsFor(job.columns);
    Atomics.store(words, word.slots, slots);
    Atomics.store(words, word.chunks, Math.ceil(job.count / CHUNK));
    Atomics.store(words, word.next, 0);
    Atomics.store(words, word.added, 0);
    words.fill(0, word.done, word.done + slots);
    Atomics.store(words, word.state, OPEN);
    Atomics.add(words, word.generation, 1);
    Atomics.notify(words, word.generation);
    return true;
  };

  /** Adds a chunk on the calling thread, in memory that no worker writes. */
  const addAlone = (job: ChunkJob, chunk: number, out: Float64Array): void => {
    if (!sumChunk(engine.kernels, job, chunk, engine.partial)) throw noSuchRow(job.rows);
    for (let j = 0; j < out.length; j++) out[j] += engine.partial[j];
  };

  /** Adds a chunk if its sum is in the ring. */
  const addFromRing = (job: ChunkJob, chunk: number, out: Float64Array): boolean => {
    const slot = chunk % slotsFor(job.columns);
    const done = Atomics.load(words, word.done + slot);
    if (done === -(chunk + 1)) throw noSuchRow(job.rows);
    if (done !== chunk + 1) return false;
    for (let j = 0, at = slot * job.columns; j < job.columns; j++, at++) out[j] += ring[at];
    return true;
  };

  /** Adds chunks in order and computes unassigned ones; returns the number added before a worker was late. */
  const together = (job: ChunkJob, out: Float64Array): number => {
    const { columns } = job;
    const chunks = Math.ceil(job.count / CHUNK);
    const slots = slotsFor(columns);
    for (let added = 0; added < chunks;) {
      const waiting = word.done + (added % slots);
      const done = Atomics.load(words, waiting);
      if (addFromRing(job, added, out)) {
        Atomics.store(words, word.added, ++added);
        Atomics.notify(words, word.added);
        continue;
      }
      const mine = takeChunk(words, added);
      if (mine === NONE_LEFT || mine === RING_FULL) {
        if (!changes(words, waiting, done, looksFor(columns))) return added;
      } else {
        const place = mine % slots;
        const fine = sumChunk(
          engine.kernels,
          job,
          mine,
          ring.subarray(place * columns, (place + 1) * columns),
        );
        Atomics.store(words, word.done + place, fine ? mine + 1 : -(mine + 1));
      }
    }
    return chunks;
  };

  const run = (job: ChunkJob, out: Float64Array): void => {
    const chunks = Math.ceil(job.count / CHUNK);
    if (!open(job)) {
      for (let chunk = 0; chunk < chunks; chunk++) addAlone(job, chunk, out);
      return;
    }
    try {
      const added = together(job, out);
      // From here no chunk is assigned and no ring slot is reused, so a late worker has no effect.
      Atomics.store(words, word.next, chunks);
      for (let chunk = added; chunk < chunks; chunk++)
        if (!addFromRing(job, chunk, out)) addAlone(job, chunk, out);
    } finally {
      Atomics.store(words, word.next, chunks);
      Atomics.store(words, word.state, CLOSED);
      Atomics.store(words, word.added, chunks);
      Atomics.notify(words, word.added);
    }
  };

  return {
    get size() {
      return size;
    },
    close,
    add({ X, rows, labels, norms, ...rest }, out) {
      const common = {
        ...placeOf(X),
        precision: precisionOf(X),
        rows: X.rows,
        columns: X.columns,
        labels: labels.byteOffset,
        norms: norms.byteOffset,
        ...rest,
      };
      eachRange(rows, engine, shared.list, (indices, first, count) =>
        run({ ...common, indices, first, count }, out),
      );
    },
  };
}

/** Calls `use` with ranges of `rows`; a list outside the arena is copied into it piece by piece. */
function eachRange(
  rows: Rows,
  engine: Engine,
  list: Uint32Array,
  use: (indices: number, first: number, count: number) => void,
): void {
  if (!(rows instanceof Uint32Array)) use(0, rows.from, rows.to - rows.from);
  else if (rows.buffer === engine.memory.buffer) use(rows.byteOffset, 0, rows.length);
  else {
    const room = CHUNK * LIST_CHUNKS;
    for (let from = 0; from < rows.length; from += room) {
      const piece = rows.subarray(from, from + room);
      list.set(piece);
      use(list.byteOffset, 0, piece.length);
    }
  }
}
