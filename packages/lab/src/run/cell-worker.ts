import { parentPort, workerData } from 'node:worker_threads';
import { calibrator } from '@lethe/accountants';
import { eventKindsOf, InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { readAll } from '../experiment/read-all.js';
import { folderOf } from '../plugins/resolve-module.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { loadNamed } from '../plugins/option.js';
import { cellStore } from './cell-store.js';
import { fillCells } from './evaluate.js';
import { silentProgress } from './progress.js';
import type { CellTask } from './cell-workers.js';

const { path, plugins, set, cells, again, shared, share } = workerData as CellTask;
const port = defined(parentPort);
const [{ experiment, registry, loaded }] = await readAll([path], {
  given: await loadNamed(plugins, '--plugin'),
  set,
});
if (experiment.kind !== 'evaluation')
  throw new InvalidParameter(`${path} is no evaluation, and only evaluations run in several threads`, {
    path,
  });
const kinds = eventKindsOf(registry);
await fillCells(experiment, {
  registry,
  plugins: loaded,
  calibrate: calibrator(accountantsIn(registry), kinds),
  folder: folderOf(path),
  cells: cellStore(cells, kinds, again),
  shared,
  share,
  signal: new AbortController().signal,
  command: '',
  progress: { ...silentProgress(), step: (text) => port.postMessage(text, []) },
});
