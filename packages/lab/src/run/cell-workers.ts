import { Worker } from 'node:worker_threads';
import type { SharedRecords } from './population.js';
import type { Share } from './share.js';

/** A share of the runs of an evaluation, as data for a worker thread. */
export interface CellTask {
  /** Experiment file. */
  readonly path: string;
  /** Modules of `--plugin`. */
  readonly plugins: readonly string[];
  /** `PATH=VALUE` of `--set`. */
  readonly set: readonly string[];
  /** Folder of the cells. */
  readonly cells: string;
  /** Replaces cells that are there. */
  readonly again: boolean;
  /** Records that need not be read again, by problem. */
  readonly shared: ReadonlyMap<string, SharedRecords>;
  readonly share: Share;
}

/**
 * Computes the runs of an evaluation in worker threads, each a share of them, into the folder of cells.
 *
 * @param problems - Number of problems of the evaluation.
 * @param step - Called for every run that is done.
 * @param signal - Ends the workers; what they have done is kept.
 * @throws what a worker throws; the others end then, and what they have done is kept.
 */
export async function inWorkers(
  task: Omit<CellTask, 'share'>,
  { jobs, problems }: { readonly jobs: number; readonly problems: number },
  step: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const taken = new Int32Array(new SharedArrayBuffer(problems * Int32Array.BYTES_PER_ELEMENT));
  const workers = Array.from(
    { length: jobs },
    () =>
      new Worker(new URL('./cell-worker.js', import.meta.url), {
        workerData: { ...task, share: { taken, threads: jobs } } satisfies CellTask,
      }),
  );
  const interrupted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    const all = Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            worker
              .on('message', step)
              .on('error', reject)
              .on('exit', (code) => {
                if (code === 0) resolve();
                else reject(new Error(`a worker thread ended with code ${code}`));
              });
          }),
      ),
    );
    await Promise.race([all, interrupted]);
  } finally {
    await Promise.all(workers.map(async (worker) => worker.terminate()));
  }
}
