import { basename, join, resolve } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { calibrator } from '@lethe/accountants';
import { eventKindsOf, InvalidParameter, LetheError } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { mistakeText } from '../experiment/mistake.js';
import { readText } from '../experiment/read-all.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { loadNamed } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { cellKey, cellText } from '../run/cell-store.js';
import { allTasks } from '../run/evaluate.js';
import { silentProgress } from '../run/progress.js';
import type { Task } from '../run/tasks.js';
import type { Job } from './queue.js';
import type { Answer, Asked, ThreadData } from './task-thread.js';

const { plugins, folder } = workerData as ThreadData;
const port = defined(parentPort);
const given = await loadNamed(plugins, '--plugin');
const known = new Map<number, ReadonlyMap<string, Task>>();

port.on('message', (asked: Asked) => void reply(asked));

async function reply(asked: Asked): Promise<void> {
  const answer = await answerTo(asked).catch((error: unknown): Answer => {
    if (!(error instanceof LetheError)) throw error;
    return { id: asked.id, error: error.message };
  });
  port.postMessage(answer, []);
}

async function answerTo(asked: Asked): Promise<Answer> {
  const { id } = asked;
  if ('key' in asked) {
    const task = defined(known.get(asked.of)?.get(asked.key));
    return { id, cell: cellText(await task.compute()) };
  }
  const tasks = await tasksOfJob(asked.job);
  known.set(id, tasks);
  return { id, tasks: [...tasks].map(([key, { text }]) => [key, text] as const) };
}

/** @throws {InvalidParameter} for a job that is no evaluation, does not fit, or names plugins of its own. */
async function tasksOfJob({ path, text, set }: Job): Promise<ReadonlyMap<string, Task>> {
  const here = folder === undefined ? path : join(resolve(folder), basename(path));
  // Code that others name is not run: the owner of a worker names the plugins.
  const { read, mistakes } = await readText(text, here, { given, set, named: 'refuse' });
  if (read === null) throw new InvalidParameter(mistakes.map(mistakeText).join('\n'), { path });
  const { experiment, registry, loaded } = read;
  if (experiment.kind !== 'evaluation') throw new InvalidParameter('it is no evaluation', { path });
  const { tasks } = await allTasks(experiment, {
    registry,
    plugins: loaded,
    calibrate: calibrator(accountantsIn(registry), eventKindsOf(registry)),
    folder: folderOf(here),
    signal: new AbortController().signal,
    command: '',
    progress: silentProgress(),
  });
  return new Map(tasks.map((task) => [cellKey(task.inputs), task]));
}
