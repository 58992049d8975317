import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
  vi.stubEnv('LETHE_HOME', folder.file('home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

const releaseOf = (data: object) => ({
  lethe: 1,
  kind: 'release',
  name: 'one',
  title: 'One release',
  adjacency: 'replace-one',
  problem: {
    name: 'p',
    title: 'P',
    data: {
      file: 'data.csv',
      read: { columns: { x: 'number', y: 'number' } },
      design: {
        features: [{ column: 'x', encoding: 'scale', lower: -1, upper: 1 }],
        label: { column: 'y', threshold: 0 },
      },
      ...data,
    },
    loss: { name: 'logistic' },
    domain: { name: 'l2-ball', params: { radius: 8 } },
  },
  optimizer: { name: 'dp-sgd', params: { steps: 1, rate: 1, clipNorm: 1, stepSize: 2 } },
  budget: { epsilon: 1, delta: 1e-6 },
  ledger: 'own.ledger',
});

test('records on disk, in 32 bits, or both, are charged to the ledger of the same records in memory', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `${Math.sin(i)},${(i % 3) - 1}`);
  folder.write('data.csv', ['x,y', ...lines].join('\n'));
  for (const [name, data, runs] of [
    ['memory', {}, 1],
    ['disk', { inMemory: false }, 2],
    ['single', { precision: 32 }, 3],
    ['both', { precision: 32, inMemory: false }, 4],
  ] as const) {
    const file = folder.write(`${name}.json`, releaseOf(data));
    const run = await lethe('run', file, '--out', folder.file(name));
    expect(run).toMatchObject({ code: 0 });
    const [{ model, total }] = JSON.parse(folder.read(`${name}/results.json`)) as [
      {
        readonly model: { readonly weights: readonly number[] };
        readonly total: { readonly runs: string[] };
      },
    ];
    expect(model.weights).toHaveLength(2);
    expect(total.runs).toHaveLength(runs);
  }
});

test.each([
  ['a layout by columns', { layout: 'columns' }, /dense rows are kept outside memory, and these are columns/],
  ['owners', { owner: { column: 'who', ids: 'number', most: 2 } }, /owners of several records/],
])('%s on disk is refused before anything is spent', async (_what, data, message) => {
  folder.write('data.csv', 'x,y,who\n0,1,1\n0.5,-1,2\n');
  const file = folder.write('bad.json', releaseOf({ inMemory: false, ...data }));
  const run = await lethe('run', file, '--out', folder.file('bad'));
  expect(run.code).not.toBe(0);
  expect(run.error).toMatch(message);
  expect(folder.has('own.ledger')).toBe(false);
});
