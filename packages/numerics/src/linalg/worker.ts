import { readJob, sumChunk } from './chunk-job.js';
import { instantiate } from './kernels.js';
import type { WasmMemory, WasmModule } from './platform.js';
import { NONE_LEFT, OPEN, RING_FULL, STOPPED, takeChunk, poolMemory, waitWhile, word, type PoolMemory } from './pool-memory.js';

/** What a helper thread needs to serve a team; plain data that can be posted to a worker. */
export interface WorkerAssignment {
  readonly memory: WasmMemory;
  readonly module: WasmModule;
  /** Which helper, from 1 on. */
  readonly thread: number;
  /** Byte address of the team's part of the memory. */
  readonly address: number;
}

/** Serves the team until it is closed. Blocks its thread: call it in a worker that has nothing else to do meanwhile. */
export function serveWorker({ memory, module, thread, address }: WorkerAssignment): void {
  const kernels = instantiate(module, memory, thread);
  const workerPool = poolMemory(memory, address);
  const { words } = workerPool;
  for (;;) {
    const generation = Atomics.load(words, word.generation);
    if (Atomics.load(words, word.state) === STOPPED) return;
    // First say that the job may be read, then look whether there is one: its owner looks in the other order.
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
