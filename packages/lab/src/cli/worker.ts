import { basename, join, resolve } from 'node:path';
import { calibrator } from '@lethe/accountants';
import { eventKindsOf, InvalidParameter } from '@lethe/core';
import { connectNats } from '@lethe/federation';
import { defined } from '@lethe/numerics';
import { mistakeText } from '../experiment/mistake.js';
import { readText } from '../experiment/read-all.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { pluginsGiven } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { openQueue, type Job } from '../queue/queue.js';
import { work } from '../queue/work.js';
import { cellKey } from '../run/cell-store.js';
import { allTasks } from '../run/evaluate.js';
import { silentProgress } from '../run/progress.js';
import type { Task } from '../run/tasks.js';
import type { Action } from './command.js';
import { networkOf } from './network.js';

export const workOnQueue: Action = async (parsed, { error, signal }) => {
  const given = await pluginsGiven(parsed);
  const folder = parsed.string('folder');
  const connection = await connectNats(networkOf(parsed, defined(parsed.string('server')), 'lethe worker'));
  try {
    const count = await work(await openQueue(connection), {
      tasksOf: async (job) => tasksOfJob(job, given, folder),
      idle: parsed.number('idle'),
      signal,
      say: (text) => error(`${text}\n`),
    });
    error(`${count} runs done\n`);
    return 0;
  } finally {
    await connection.drain();
  }
};

/** @throws {InvalidParameter} for a job that is no evaluation, does not fit, or names plugins of its own. */
async function tasksOfJob(
  { path, text, set }: Job,
  given: readonly LoadedPlugins[],
  folder: string | undefined,
): Promise<ReadonlyMap<string, Task>> {
  const here = folder === undefined ? path : join(resolve(folder), basename(path));
  // Code that others name is not run: the owner of a worker names the plugins.
  const { read, mistakes } = await readText(text, here, { given, set, named: 'refuse' });
  if (read === null) throw new InvalidParameter(mistakes.map(mistakeText).join('\n'), { path });
  const { experiment, registry, loaded } = read;
  if (experiment.kind !== 'evaluation') throw new InvalidParameter('it is no evaluation', { path });
  const tasks = await allTasks(experiment, {
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
