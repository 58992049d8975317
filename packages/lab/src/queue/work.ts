import { LetheError } from '@lethe/core';
import type { JsMsg } from '@nats-io/jetstream';
import type { Offer } from './task-thread.js';
import { readJob, readOrder, streams, written, type Job, type Outcome, type Queue } from './queue.js';

/** Inputs of {@link work}. */
export interface Working {
  /** The runs of a job, by their keys. */
  tasksOf(job: Job): Promise<ReadonlyMap<string, Offer>>;
  /** Ends when nothing came for so many seconds. @defaultValue never */
  readonly idle?: number | undefined;
  readonly signal: AbortSignal;
  say(text: string): void;
}

/** Milliseconds for which a run is waited for before jobs are looked for again. */
const wait = 1000;
/** Signs of life within the patience of a job, after which its run is given to another. */
const beats = 4;
/** Milliseconds between signs of life, at most. */
const longest = 5000;

/**
 * Does runs of all jobs, one at a time, computed elsewhere, so that it gives signs of life meanwhile. A run
 * is acknowledged when the queue holds its outcome, so that a worker that is killed loses none: the queue
 * gives its run to another.
 *
 * @returns how many runs were done.
 */
export async function work(
  queue: Queue,
  { tasksOf, idle = Infinity, signal, say }: Working,
): Promise<number> {
  const known = new Map<string, ReadonlyMap<string, Offer> | null>();
  /** Jobs of which a run was done here, so that their keys are known to be the same. */
  const helped = new Set<string>();
  let count = 0;
  let last = performance.now();
  while (!signal.aborted && performance.now() - last < idle * 1000) {
    const jobs = await jobsIn(queue);
    const offered: (readonly [string, ReadonlyMap<string, Offer>])[] = [];
    for (const [id, job] of jobs) {
      if (!known.has(id)) known.set(id, await understood(job));
      const tasks = known.get(id);
      if (tasks !== null && tasks !== undefined) offered.push([id, tasks]);
    }
    if (offered.length === 0) await new Promise((resolve) => setTimeout(resolve, wait / 4));
    for (const [id, tasks] of offered) {
      if (signal.aborted) break;
      const next = await nextOf(queue, id);
      if (next === null) continue;
      if (await doOne(queue, id, tasks, next)) count += 1;
      last = performance.now();
    }
  }
  return count;

  async function understood(job: Job): Promise<ReadonlyMap<string, Offer> | null> {
    try {
      const tasks = await tasksOf(job);
      say(`helping with ${job.path}`);
      return tasks;
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      say(`not helping with ${job.path}: ${error.message}`);
      return null;
    }
  }

  async function doOne(
    { stream }: Queue,
    id: string,
    tasks: ReadonlyMap<string, Offer>,
    { message, patience }: Order,
  ): Promise<boolean> {
    const key = readOrder(message.data)?.key;
    const task = key === undefined ? undefined : tasks.get(key);
    // What no worker can do is given to no other.
    if (key === undefined || (task === undefined && helped.has(id))) {
      say('an order in the queue is not one of its job; dropping it');
      message.term();
      return false;
    }
    if (task === undefined) {
      say(
        'a run of this job is not among those of the same file here: its records, plugins or version of ' +
          'Lethe or Node are others; leaving it to another worker',
      );
      known.set(id, null);
      message.nak();
      return false;
    }
    if (message.info.redelivered) say(`taking over from a worker that was silent: ${task.text}`);
    const beat = setInterval(() => message.working(), Math.min(longest, patience / beats));
    try {
      const outcome = await outcomeOf(key, task);
      await stream.publish(`${streams.done.subject}.${id}`, written(outcome));
      message.ack();
      helped.add(id);
      say(`${outcome.error === undefined ? 'done' : 'failed'}: ${task.text}`);
      return true;
    } finally {
      clearInterval(beat);
    }
  }
}

async function outcomeOf(key: string, { compute }: Offer): Promise<Outcome> {
  try {
    return { key, cell: await compute() };
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    return { key, error: error.message };
  }
}

/** The jobs that are on the queue, by their names. What is none is passed over. */
async function jobsIn({ manager }: Queue): Promise<ReadonlyMap<string, Job>> {
  const { name, subject } = streams.jobs;
  const { state } = await manager.streams.info(name, { subjects_filter: `${subject}.>` });
  const found = new Map<string, Job>();
  for (const at of Object.keys(state.subjects ?? {})) {
    const message = await manager.streams.getMessage(name, { last_by_subj: at });
    const job = message === null ? null : readJob(message.data);
    if (job !== null) found.set(at.slice(subject.length + 1), job);
  }
  return found;
}

/** A run to do, and the milliseconds after which it is given to another. */
interface Order {
  readonly message: JsMsg;
  readonly patience: number;
}

/** The next run of a job; `null` where there is none, or the job is over. */
async function nextOf({ stream }: Queue, id: string): Promise<Order | null> {
  try {
    const consumer = await stream.consumers.get(streams.work.name, id);
    const { config } = await consumer.info(true);
    const message = await consumer.next({ expires: wait });
    return message === null ? null : { message, patience: (config.ack_wait ?? longest * beats * 1e6) / 1e6 };
  } catch {
    return null;
  }
}
