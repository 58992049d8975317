import { createHash } from 'node:crypto';
import { InvalidParameter, type EventKind } from '@lethe/core';
import { AckPolicy } from '@nats-io/jetstream';
import { cellFrom, cellKey, type CellStore } from '../run/cell-store.js';
import type { Task } from '../run/tasks.js';
import { readOutcome, streams, written, type Job, type Queue } from './queue.js';

/** Inputs of {@link serveTasks}. */
export interface Served {
  readonly job: Job;
  readonly tasks: readonly Task[];
  /** Where cells are kept: its only writer is the one who serves. */
  readonly cells: CellStore;
  readonly kinds: readonly EventKind[];
  /** Seconds after which a run of a worker that was not heard of is given to another. */
  readonly patience: number;
  readonly signal: AbortSignal;
  /** Called for every run that is done. */
  step(text: string): void;
}

/** Milliseconds for which an outcome is waited for before an interrupt is looked for. */
const wait = 1000;

/**
 * Puts the runs that are not done on the queue, and keeps what workers make of them. A run that comes twice
 * is kept once, since its key says all that it depends on. What a worker says of a run is believed; a message
 * that is no outcome is passed over.
 *
 * @throws {InvalidParameter} for a run that failed at a worker.
 */
export async function serveTasks({ stream, manager }: Queue, served: Served): Promise<void> {
  const { job, tasks, cells, kinds, patience, signal, step } = served;
  const missing = new Map(
    tasks.filter(({ inputs }) => cells.get(inputs) === undefined).map((task) => [cellKey(task.inputs), task]),
  );
  const id = createHash('sha256').update(written(job)).digest('hex').slice(0, 16);
  const { jobs, work, done } = streams;
  const clear = async (name: string, subject: string): Promise<unknown> =>
    manager.streams.purge(name, { filter: `${subject}.${id}` });
  // What is left of an earlier try would only be done twice.
  await clear(work.name, work.subject);
  await manager.consumers.add(work.name, {
    durable_name: id,
    filter_subject: `${work.subject}.${id}`,
    ack_policy: AckPolicy.Explicit,
    ack_wait: patience * 1e9,
  });
  await manager.consumers.add(done.name, {
    durable_name: id,
    filter_subject: `${done.subject}.${id}`,
    ack_policy: AckPolicy.Explicit,
  });
  await stream.publish(`${jobs.subject}.${id}`, written(job));
  for (const key of missing.keys()) await stream.publish(`${work.subject}.${id}`, written({ key }));
  try {
    const outcomes = await stream.consumers.get(done.name, id);
    while (missing.size > 0) {
      signal.throwIfAborted();
      const message = await outcomes.next({ expires: wait });
      if (message === null) continue;
      const outcome = readOutcome(message.data);
      if (outcome === null) {
        message.term();
        continue;
      }
      const { key, cell, error } = outcome;
      const task = missing.get(key);
      if (task !== undefined) {
        if (cell === undefined)
          throw new InvalidParameter(`a worker could not do ${task.text}: ${error ?? 'it did not say why'}`, {
            key,
          });
        cells.put(task.inputs, cellFrom(cell, kinds, `the outcome of ${task.text}`));
        missing.delete(key);
        step(task.text);
      }
      // Only what is kept is acknowledged.
      message.ack();
    }
  } finally {
    await clear(jobs.name, jobs.subject);
    await clear(work.name, work.subject);
    await clear(done.name, done.subject);
    await manager.consumers.delete(work.name, id);
    await manager.consumers.delete(done.name, id);
  }
}
