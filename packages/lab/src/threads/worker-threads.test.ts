import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  attachWorkers,
  clippedGradient,
  createArena,
  rowNorms,
  type Arena,
  type WorkerAssignment,
} from '@lethe/numerics';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { workerThreads, threadPool } from './worker-threads.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-threads-'));
const entry = pathToFileURL(join(folder, 'worker.mjs'));
beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['@lethe/source', 'node'] } },
    build: {
      outDir: folder,
      ssr: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      rolldownOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const [rows, columns] = [30_000, 20];
const everything = { from: 0, to: rows };

function problem(): { readonly arena: Arena; readonly sum: () => Float64Array } {
  const arena = createArena({ doubles: rows * (columns + 2) });
  const data = arena.allocate(rows * columns);
  for (let k = 0; k < data.length; k++) data[k] = Math.sin(k);
  const X = { data, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
  const labels = arena.allocate(rows).fill(-1);
  const norms = rowNorms(X, arena.allocate(rows));
  const w = new Float64Array(columns).fill(0.1);
  return {
    arena,
    sum: () =>
      clippedGradient({
        X,
        labels,
        norms,
        w,
        rows: everything,
        radius: 0.5,
        slope: 'logistic',
        out: new Float64Array(columns),
      }),
  };
}

test('workers serve one team after another, and every sum is what one thread gets', async () => {
  const expected = problem().sum();
  const threads = workerThreads(entry);
  const seated = vi.fn<(assignment: WorkerAssignment) => void>(threads.spawn);
  for (let round = 0; round < 4; round++) {
    const { arena, sum } = problem();
    const workerPool = attachWorkers(arena, { size: 3, spawn: seated });
    for (let k = 0; k < 50; k++) expect(sum()).toEqual(expected);
    workerPool.close();
    await vi.waitFor(() => expect(threads.free).toBe(2), { timeout: 60_000 });
  }
  expect(seated).toHaveBeenCalledTimes(8);
  expect(threads.size).toBe(2);
  await threads.close();
  expect(threads.size).toBe(0);
});

test('a worker that cannot start is forgotten, and its team goes on without it', async () => {
  const threads = workerThreads(pathToFileURL(join(folder, 'none.mjs')));
  const { arena, sum } = problem();
  const workerPool = attachWorkers(arena, { size: 2, spawn: threads.spawn });
  expect(sum()).toEqual(problem().sum());
  await vi.waitFor(() => expect(threads.size).toBe(0), { timeout: 60_000 });
  expect(sum()).toEqual(problem().sum());
  workerPool.close();
});

test('a team of this process computes what one thread does', () => {
  const { arena, sum } = problem();
  const workerPool = threadPool(arena, 2);
  expect(workerPool.size).toBe(2);
  expect(sum()).toEqual(problem().sum());
  workerPool.close();
});
