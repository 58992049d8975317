import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { createArena, type Arena } from './arena.js';
import { clippedGradient } from './clipped-gradient.js';
import type { ClippedGradient } from './clipped-query.js';
import { clippedTerms } from './clipped-terms.js';
import type { WorkerAssignment } from './worker.js';
import { CHUNK } from './kernels.wasm.js';
import type { Rows } from './matrix.js';
import { rowNorms } from './row-norms.js';
import { LIST_CHUNKS, word } from './pool-memory.js';
import { attachWorkers } from './worker-pool.js';
import { defined } from '../defined.js';

/** Source of a worker that serves, made from the sources under test. */
let serving = '';
beforeAll(async () => {
  const made = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      ssr: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      rolldownOptions: { output: { format: 'cjs' } },
    },
  })) as Rolldown.RolldownOutput;
  serving =
    `${made.output[0].code}; const { workerData, parentPort } = require('node:worker_threads'); ` +
    "parentPort.postMessage('up'); module.exports.serveWorker(workerData); " +
    "parentPort.postMessage('home');";
});

/** Schedules of threads that are tried; most are left to the night. */
const isFull = process.env['LETHE_EFFORT'] === 'full';
const effort = isFull ? 1 : 0.5;
/** Rows and columns; long rows, which take most of the time, are shared among three threads by day. */
const shapes = (size: number): readonly (readonly [rows: number, columns: number])[] => [
  [20_000, 30],
  [70_000, 6],
  [9000, 301],
  ...(isFull || size === 3 ? [[3500, 2500] as const] : []),
];

const workers: Worker[] = [];
afterAll(async () => {
  await Promise.all(workers.map(async (worker) => worker.terminate()));
});

function startWorker(code: string, assignment: WorkerAssignment): Worker {
  const made = new Worker(code, { eval: true, workerData: assignment });
  workers.push(made);
  return made;
}
const says = async (from: Worker, what: string): Promise<void> =>
  new Promise((resolve) => {
    from.on('message', (message) => {
      if (message === what) resolve();
    });
  });

const powers = [1, 10, 100, 1000, 10_000];
function problem(
  rows: number,
  columns: number,
  arena: Arena = createArena({ doubles: rows * columns + 3 * rows + columns + 64 }),
): Omit<ClippedGradient, 'out' | 'rows'> & { arena: Arena } {
  // An odd number of columns is kept in 32 bits.
  const data = columns % 2 === 1 ? arena.allocateSingles(rows * columns) : arena.allocate(rows * columns);
  let state = rows * 31 + columns;
  for (let k = 0; k < data.length; k++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    data[k] = (state / 2 ** 31) * powers[k % 5];
  }
  data[Math.floor(data.length / 3)] = NaN;
  const X = { data, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
  const labels = arena.allocate(rows);
  for (let i = 0; i < rows; i++) labels[i] = i % 3 === 0 ? 1 : -1;
  return {
    arena,
    X,
    labels,
    norms: rowNorms(X, arena.allocate(rows)),
    w: Float64Array.from({ length: columns }, (_, j) => Math.cos(j) / 100),
    radius: 3,
    slope: 'logistic',
  };
}

const sumOf = (
  given: ReturnType<typeof problem>,
  rows: Rows,
  slope: 'logistic' | 'squared' = 'logistic',
): Float64Array =>
  clippedGradient({ ...given, rows, slope, out: new Float64Array(given.X.columns).fill(0.1) });

/** The sum of clipped differences of two gradients. */
function differenceOf(
  given: ReturnType<typeof problem>,
  rows: Rows,
  slope: 'logistic' | 'squared' = 'logistic',
): Float64Array {
  const terms = [
    { weight: 3, at: given.w },
    { weight: -2, at: given.w.map((entry) => entry / 2) },
  ];
  return clippedTerms({ ...given, terms, rows, slope, out: new Float64Array(given.X.columns).fill(0.1) });
}

const known = new Map<string, ReturnType<typeof problem>>();
/** The problem of one thread, which is the same whatever the number of threads that it is compared with. */
function byOneThread(rows: number, columns: number): ReturnType<typeof problem> {
  const made = known.get(`${rows}/${columns}`) ?? problem(rows, columns);
  known.set(`${rows}/${columns}`, made);
  return made;
}

describe.each([2, 3, 4])('%d threads give the bits of one', (size) => {
  test.each(shapes(size))('%d rows of %d', async (rows, columns) => {
    const alone = byOneThread(rows, columns);
    const shared = problem(rows, columns);
    const workerCount: Worker[] = [];
    const workerPool = attachWorkers(shared.arena, {
      size,
      spawn: (assignment) => {
        workerCount.push(startWorker(serving, assignment));
      },
    });
    expect(workerCount).toHaveLength(size - 1);
    await Promise.all(workerCount.map(async (workerThread) => says(workerThread, 'up')));
    const inArena = shared.arena.allocateIndices(rows);
    const range = fc
      .tuple(fc.nat(rows), fc.nat(rows))
      .map(([a, b]): Rows => ({ from: Math.min(a, b), to: Math.max(a, b) }));
    const list = fc
      .tuple(fc.nat(rows + CHUNK * LIST_CHUNKS), fc.nat(rows))
      .map(([length, step]): Rows => Uint32Array.from({ length }, (_, i) => (i * step) % rows));
    fc.assert(
      fc.property(
        fc.oneof(fc.constant({ from: 0, to: rows }), range, list),
        fc.constantFrom('logistic' as const, 'squared' as const),
        (chosen, slope) => {
          const expected = sumOf(alone, chosen, slope);
          expect(sumOf(shared, chosen, slope)).toEqual(expected);
          expect(differenceOf(shared, chosen, slope)).toEqual(differenceOf(alone, chosen, slope));
          if (chosen instanceof Uint32Array && chosen.length <= rows) {
            inArena.set(chosen);
            expect(sumOf(shared, inArena.subarray(0, chosen.length), slope)).toEqual(expected);
          }
        },
      ),
      { numRuns: (columns > 1000 ? 4 : 20) * effort },
    );
    expect(workerPool.size).toBe(size);
    const home = Promise.all(workerCount.map(async (workerThread) => says(workerThread, 'home')));
    workerPool.close();
    await home;
    expect(workerPool.size).toBe(1);
    expect(sumOf(shared, { from: 0, to: rows })).toEqual(sumOf(alone, { from: 0, to: rows }));
  });
});

test('a missing row is refused by any thread, and the next sum is right', async () => {
  const [rows, columns] = [20_000, 30];
  const given = problem(rows, columns);
  const before = sumOf(given, { from: 0, to: rows });
  let workerThread: Worker | undefined;
  const workerPool = attachWorkers(given.arena, {
    size: 2,
    spawn: (assignment) => {
      workerThread = startWorker(serving, assignment);
    },
  });
  await says(defined(workerThread), 'up');
  fc.assert(
    fc.property(fc.nat(rows - 1), (at) => {
      const list = Uint32Array.from({ length: rows }, (_, i) => i);
      list[at] = rows;
      expect(() => sumOf(given, list)).toThrow(InvalidParameter);
      expect(sumOf(given, { from: 0, to: rows })).toEqual(before);
    }),
    { numRuns: 20 * effort },
  );
  expect(workerPool.size).toBe(2);
  workerPool.close();
});

describe('without worker threads', () => {
  const [rows, columns] = [20_000, 30];
  const all = { from: 0, to: rows };

  test('a worker that never starts is not awaited', () => {
    const given = problem(rows, columns);
    const before = sumOf(given, all);
    const workerPool = attachWorkers(given.arena, { size: 8, spawn: () => {} });
    for (let k = 0; k < 3; k++) expect(sumOf(given, all)).toEqual(before);
    expect(workerPool.size).toBe(8);
  });

  test.each([
    [
      'stops with one chunk',
      `while (Atomics.load(words, ${word.state}) !== 1); Atomics.add(words, ${word.active}, ` +
        `1); Atomics.add(words, ${word.next}, 1);`,
    ],
    [
      'stops with reserved chunks',
      `while (Atomics.load(words, ${word.added}) < 2); Atomics.add(words, ${word.active}, ` +
        `1); Atomics.add(words, ${word.next}, 1);`,
    ],
    ['dies reading the job', `Atomics.add(words, ${word.active}, 1);`],
  ])('a worker that %s is not awaited', async (_name, deed) => {
    const given = problem(rows, columns);
    const before = sumOf(given, all);
    let assignment: WorkerAssignment | undefined;
    const workerPool = attachWorkers(given.arena, {
      size: 2,
      spawn: (taken) => {
        assignment = taken;
      },
    });
    const dying = startWorker(
      "const { workerData, parentPort } = require('node:worker_threads'); " +
        'const words = new Int32Array(workerData.memory.buffer, workerData.address, ' +
        `512); parentPort.postMessage('up'); ${deed} process.exit();`,
      defined(assignment),
    );
    // Asked for first: on a busy machine it may be over before the sums are.
    const gone = once(dying, 'exit');
    await says(dying, 'up');
    for (let k = 0; k < 300; k++) expect(sumOf(given, all)).toEqual(before);
    await gone;
    expect(sumOf(given, all)).toEqual(before);
    workerPool.close();
  });

  test('memory that is not shared has a pool of one thread', () => {
    const arena = createArena({ doubles: rows * (columns + 3) + 64, shared: false });
    const workerPool = attachWorkers(arena, {
      size: 4,
      spawn: () => {
        throw new Error('spawned');
      },
    });
    expect(workerPool.size).toBe(1);
    expect(sumOf(problem(rows, columns, arena), all)).toEqual(sumOf(problem(rows, columns), all));
    workerPool.close();
  });
});

test.each([0, 9, 1.5, NaN])('refuses %d threads', (size) => {
  expect(() => attachWorkers(createArena({ doubles: 1 }), { size, spawn: () => {} })).toThrow(
    InvalidParameter,
  );
});

test('refuses a second team', () => {
  const arena = createArena({ doubles: 1 });
  attachWorkers(arena, { size: 1, spawn: () => {} });
  expect(() => attachWorkers(arena, { size: 2, spawn: () => {} })).toThrow(/already had a worker pool/);
});
