import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Arena, type WorkerAssignment, type WorkerPool, attachWorkers } from '@lethe/numerics';

/** Worker threads, reused by one team after another. */
export interface WorkerThreads {
  /** Adds a worker to a team: an idle one, or a new one. */
  spawn(assignment: WorkerAssignment): void;
  /** Number of live workers. */
  readonly size: number;
  /** Number of idle workers. */
  readonly free: number;
  /** Ends all workers. */
  close(): Promise<void>;
}

/**
 * Workers of this process. They do not keep it alive. A failed worker is dropped; its team continues without
 * it.
 *
 * @param entry - The module that workers run.
 */
export function workerThreads(entry: URL = new URL('./worker.js', import.meta.url)): WorkerThreads {
  const all = new Set<Worker>();
  const free: Worker[] = [];
  const start = (): Worker => {
    const worker = new Worker(entry);
    const forget = (): void => {
      all.delete(worker);
      const at = free.indexOf(worker);
      if (at >= 0) free.splice(at, 1);
    };
    all.add(worker);
    worker
      .on('message', () => free.push(worker))
      .on('error', forget)
      .on('exit', forget)
      .unref();
    return worker;
  };
  return {
    get size() {
      return all.size;
    },
    get free() {
      return free.length;
    },
    spawn(assignment) {
      (free.pop() ?? start()).postMessage(assignment, []);
    },
    async close() {
      await Promise.all([...all].map(async (worker) => worker.terminate()));
    },
  };
}

let shared: WorkerThreads | undefined;

/**
 * Lets this process's worker threads share the work in `arena`; see
 * {@link attachWorkers}. Close the team when the arena is no longer needed.
 *
 * @param size - Threads, this one included; as many as the machine runs at once if not given.
 */
export function threadPool(arena: Arena, size: number = Math.min(8, availableParallelism())): WorkerPool {
  shared ??= workerThreads();
  return attachWorkers(arena, { size, spawn: shared.spawn });
}
