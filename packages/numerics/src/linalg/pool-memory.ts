import { CHUNK } from './kernels.wasm.js';
import type { WasmMemory } from './platform.js';

/*
 * Shared state of a worker pool at one address of a shared arena: synchronisation words, the job, a list of
 * rows, and a ring of partial sums.
 */

/** Maximum number of worker threads, besides the thread that owns the arena. */
export const MOST_WORKERS = 7;

/** Capacity of the row list, in chunks. */
export const LIST_CHUNKS = 64;

const RING_DOUBLES = 2 ** 17;
const MOST_SLOTS = 16;
const FEWEST_SLOTS = 4;

const JOB = 2048; // bytes from the start
const LIST = 4096;
const RING = LIST + 4 * CHUNK * LIST_CHUNKS;
export const POOL_BYTES = RING + 8 * RING_DOUBLES;

/** Indices of words, each in a cache line of its own. */
export const word = {
  /** Incremented by every job and by closing the pool; idle workers wait on it. */
  generation: 0,
  /** CLOSED, OPEN or STOPPED. */
  state: 16,
  /** Number of workers that may be reading the job. */
  active: 32,
  /** Number of chunks of the job. */
  chunks: 48,
  /** The next unassigned chunk. */
  next: 64,
  /** Number of chunks added to the result. */
  added: 80,
  /** Number of ring slots used by the job. */
  slots: 96,
  /**
   * State of slot s at `done + s`: chunk + 1 when its sum is complete, −(chunk + 1) if a row does not exist.
   */
  done: 112,
} as const;

export const CLOSED = 0;
export const OPEN = 1;
export const STOPPED = 2;

export interface PoolMemory {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly job: Float64Array;
  readonly list: Uint32Array;
  readonly ring: Float64Array;
}

/** @param address - Byte address of the region: `workerPool` of the engine. */
export function poolMemory(memory: WasmMemory, address: number): PoolMemory {
  const buffer = memory.buffer as SharedArrayBuffer;
  return {
    words: new Int32Array(buffer, address, JOB / 4),
    job: new Float64Array(buffer, address + JOB, (LIST - JOB) / 8),
    list: new Uint32Array(buffer, address + LIST, CHUNK * LIST_CHUNKS),
    ring: new Float64Array(buffer, address + RING, RING_DOUBLES),
  };
}

/** Number of ring slots for rows with this many columns; 0 if too few fit. */
export function slotsFor(columns: number): number {
  const slots = Math.min(MOST_SLOTS, Math.floor(RING_DOUBLES / columns));
  return slots < FEWEST_SLOTS ? 0 : slots;
}

export const NONE_LEFT = -1;
export const RING_FULL = -2;

/** Takes the next chunk of the job if the ring has a free slot. */
export function takeChunk(words: Int32Array, added: number): number {
  for (;;) {
    const next = Atomics.load(words, word.next);
    if (next >= Atomics.load(words, word.chunks)) return NONE_LEFT;
    if (next >= added + Atomics.load(words, word.slots)) return RING_FULL;
    if (Atomics.compareExchange(words, word.next, next, next + 1) === next) return next;
  }
}

const SPINS = 20_000; // some tens of microseconds: less than falling asleep and being woken

/** Whether the word at `index` changes from `value` within `looks` reads. */
export function changes(words: Int32Array, index: number, value: number, looks = SPINS): boolean {
  for (let look = 0; look < looks; look++) if (Atomics.load(words, index) !== value) return true;
  return false;
}

/** Blocks until the word at `index` may have changed from `value`. For worker threads only. */
export function waitWhile(words: Int32Array<SharedArrayBuffer>, index: number, value: number): void {
  if (!changes(words, index, value)) Atomics.wait(words, index, value);
}
