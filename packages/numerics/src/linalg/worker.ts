import { readJob, sumChunk } from './chunk-job.js';
import { instantiate } from './kernels.js';
import type { WasmMemory, WasmModule } from './platform.js';
import {
  NONE_LEFT,
  OPEN,
  RING_FULL,
  STOPPED,
  takeChunk,
  poolMemory,
  waitWhile,
  word,
  type PoolMemory,
} from './pool-memory.js';

/** Assignment of a worker thread; plain data that can be posted to a worker. */
export interface WorkerAssignment {
  readonly memory: WasmMemory;
  readonly module: WasmModule;
  /** Index of the worker, from 1. */
  readonly thread: number;
  /** Byte address of the pool's shared state. */
  readonly address: number;
}

/** Serves the pool until it is closed. Blocks its thread, so call it in a dedicated worker. */
export function serveWorker({ memory, module, thread, address }: WorkerAssignment): void {
  const kernels = instantiate(module, memory, thread);
  const workerPool = poolMemory(memory, address);
  const { words } = workerPool;
  for (;;) {
    const generation = Atomics.load(words, word.generation);
    if (Atomics.load(words, word.state) === STOPPED) return;
    // Announces the read before it checks for a job; the owner checks in the opposite order.
    Atomics.add(words, word.active, 1);
    if (Atomics.load(words, word.state) === OPEN) help(workerPool, kernels);
    Atomics.sub(words, word.active, 1);
    waitWhile(words, word.generation, generation);
  }
}

function help({ words, job: written, ring }: PoolMemory, kernels: ReturnType<typeof instantiate>): void {
  const job = readJob(written);
  for (;;) {
    const added = Atomics.load(words, word.added);
    const chunk = takeChunk(words, added);
    if (chunk === NONE_LEFT) return;
    if (chunk === RING_FULL) {
      waitWhile(words, word.added, added);
      continue;
    }
    const slot = chunk % Atomics.load(words, word.slots);
    const fine = sumChunk(kernels, job, chunk, ring.subarray(slot * job.columns, (slot + 1) * job.columns));
    Atomics.store(words, word.done + slot, fine ? chunk + 1 : -(chunk + 1));
  }
}
