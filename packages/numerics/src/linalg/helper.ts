import { readJob, sumChunk } from './chunk-job.js';
import { instantiate } from './kernels.js';
import type { WasmMemory, WasmModule } from './platform.js';
import { NONE_LEFT, OPEN, RING_FULL, STOPPED, takeChunk, teamMemory, waitWhile, word, type TeamMemory } from './team-memory.js';

/** What a helper thread needs to serve a team; plain data that can be posted to a worker. */
export interface HelperSeat {
  readonly memory: WasmMemory;
  readonly module: WasmModule;
  /** Which helper, from 1 on. */
  readonly thread: number;
  /** Byte address of the team's part of the memory. */
  readonly address: number;
}

/** Serves the team until it is closed. Blocks its thread: call it in a worker that has nothing else to do meanwhile. */
export function serveTeam({ memory, module, thread, address }: HelperSeat): void {
  const kernels = instantiate(module, memory, thread);
  const team = teamMemory(memory, address);
  const { words } = team;
  for (;;) {
    const generation = Atomics.load(words, word.generation);
    if (Atomics.load(words, word.state) === STOPPED) return;
    // First say that the job may be read, then look whether there is one: its owner looks in the other order.
    Atomics.add(words, word.active, 1);
    if (Atomics.load(words, word.state) === OPEN) help(team, kernels);
    Atomics.sub(words, word.active, 1);
    waitWhile(words, word.generation, generation);
  }
}

function help({ words, job: written, ring }: TeamMemory, kernels: ReturnType<typeof instantiate>): void {
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
