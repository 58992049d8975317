import { InvalidParameter } from '@lethe/core';
import type { NatsConnection } from '@lethe/federation';
import {
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';

/**
 * The queue of a NATS server with JetStream: `jobs` holds an experiment, `work` the keys of its runs, each
 * given to one worker until it is acknowledged, and `done` what they came to, for the one who asked.
 */
export interface Queue {
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** Streams and the beginnings of their subjects, which end in the name of a job. */
export const streams = {
  jobs: { name: 'LETHE_JOBS', subject: 'lethe.job' },
  work: { name: 'LETHE_WORK', subject: 'lethe.work' },
  done: { name: 'LETHE_DONE', subject: 'lethe.done' },
} as const;

/** An experiment that workers help with. */
const job = z.strictObject({
  /** Path of the experiment file, of which a worker uses the folder unless it has its own. */
  path: z.string(),
  text: z.string(),
  set: z.array(z.string()),
});
export type Job = z.output<typeof job>;
/** What one run came to: a cell as text, or why there is none. */
const outcome = z.strictObject({
  key: z.string(),
  cell: z.string().optional(),
  error: z.string().optional(),
});
export type Outcome = z.output<typeof outcome>;
/** A run to do, by its key among the runs of the job. */
const order = z.strictObject({ key: z.string() });

/** Anybody may send a message: `null` for one that is not of the form, which must not end its reader. */
const reader =
  <T extends z.ZodType>(schema: T) =>
  (data: Uint8Array): z.output<T> | null => {
    try {
      return schema.parse(parseJson(new TextDecoder().decode(data), 'a message of the queue'));
    } catch {
      return null;
    }
  };
export const readJob = reader(job);
export const readOutcome = reader(outcome);
export const readOrder = reader(order);
export const written = (value: Job | Outcome | z.output<typeof order>): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(value));

/**
 * The queue behind a connection, with its streams, which are made where they are missing.
 *
 * @throws {InvalidParameter} for a server without JetStream.
 */
export async function openQueue(connection: NatsConnection): Promise<Queue> {
  const nats = connection as Parameters<typeof jetstream>[0];
  try {
    const manager = await jetstreamManager(nats);
    const limits = { max_msgs_per_subject: -1, allow_direct: true } as const;
    const { jobs, work, done } = streams;
    const names = await manager.streams.names().next();
    const make = async (name: string, subject: string, more: object): Promise<void> => {
      if (!names.includes(name))
        await manager.streams.add({ name, subjects: [`${subject}.*`], ...limits, ...more });
    };
    await make(jobs.name, jobs.subject, { max_msgs_per_subject: 1 });
    await make(work.name, work.subject, { retention: RetentionPolicy.Workqueue });
    await make(done.name, done.subject, { retention: RetentionPolicy.Workqueue });
    return { stream: jetstream(nats), manager };
  } catch (error) {
    throw new InvalidParameter(
      `the NATS server has no queue to offer (${error instanceof Error ? error.message : String(error)}); ` +
        'start it with JetStream: nats-server -js',
      {},
      { cause: error },
    );
  }
}
