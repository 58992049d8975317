import { Worker } from 'node:worker_threads';
import { InvalidParameter } from '@lethe/core';
import type { Job } from './queue.js';

/** What a thread of runs begins with, as data. */
export interface ThreadData {
  /** Modules of `--plugin`. */
  readonly plugins: readonly string[];
  /** Folder of the experiments' records; left out, that of the job. */
  readonly folder: string | undefined;
}
/** A job whose runs are asked for, or one of them, by the number of the answer that listed it. */
export type Asked =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly of: number; readonly key: string };
/** Keys and names of runs, what a run came to, or why there is none. */
export type Answer = { readonly id: number } & (
  | { readonly tasks: readonly (readonly [key: string, text: string])[] }
  | { readonly cell: string }
  | { readonly error: string }
);

/** A run that a worker offers to do. */
export interface Offer {
  /** What is run, for people. */
  readonly text: string;
  /** The cell as text. @throws {InvalidParameter} where the run fails. */
  compute(): Promise<string>;
}

/** A thread that reads the jobs of a queue and does their runs. */
export interface TaskThread {
  /** The runs of a job by their keys. @throws {InvalidParameter} for a job that this worker cannot do. */
  tasksOf(job: Job): Promise<ReadonlyMap<string, Offer>>;
  end(): Promise<void>;
}

/**
 * Starts a thread that does runs, so that its caller stays free to answer the queue: one step of a run may
 * take longer than the queue waits for a sign of life.
 */
export function taskThread(data: ThreadData): TaskThread {
  const worker = new Worker(new URL('./task-worker.js', import.meta.url), { workerData: data });
  type Waiting = { resolve(answer: Answer): void; reject(reason: unknown): void };
  const waiting = new Map<number, Waiting>();
  let failure: unknown;
  let asked = 0;
  const fail = (reason: unknown): void => {
    failure ??= reason;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  worker
    .on('message', (answer: Answer) => {
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    })
    .on('error', fail)
    .on('exit', (code) => fail(new Error(`the thread of a worker ended with code ${code}`)));

  const ask = async (question: (id: number) => Asked): Promise<Answer> => {
    const id = asked++;
    const answer = await new Promise<Answer>((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure as Error);
        return;
      }
      waiting.set(id, { resolve, reject });
      worker.postMessage(question(id), []);
    });
    if ('error' in answer) throw new InvalidParameter(answer.error, {});
    return answer;
  };
  return {
    async tasksOf(job) {
      const listed = await ask((id) => ({ id, job }));
      const tasks = 'tasks' in listed ? listed.tasks : [];
      return new Map(
        tasks.map(([key, text]) => [
          key,
          {
            text,
            async compute() {
              const done = await ask((id) => ({ id, of: listed.id, key }));
              return 'cell' in done ? done.cell : '';
            },
          },
        ]),
      );
    },
    async end() {
      await worker.terminate();
    },
  };
}
