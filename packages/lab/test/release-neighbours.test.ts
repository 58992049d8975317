import { readFileSync } from 'node:fs';
import type * as Core from '@lethe/core';
import type * as Curator from '@lethe/curator';
import type * as Node from '@lethe/node';
import type * as Numerics from '@lethe/numerics';
import type { RandomSource } from '@lethe/core';
import type { attachData } from '@lethe/curator';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReleaseResult } from '../src/experiment/results.js';
import { experimentSchema, type Release } from '../src/experiment/schema.js';
import { release as makeRelease } from '../src/run/release.js';
import { labFolder, type LabFolder } from './support/lab-folder.js';
import { differenceOf, type Used } from './support/neighbours.js';
import { quiet } from './support/run-evaluation.js';
import { formats, type Row } from './support/tables.js';

type Attached = Parameters<typeof attachData>[0];
/**
 * What curators were given, and the seed of what they draw: both only here, so that no user can freeze them.
 */
const seen = vi.hoisted((): { attached: Attached[]; publicSlots: unknown[]; seed: string } => ({
  attached: [],
  publicSlots: [],
  seed: 'frozen',
}));
// Test files share the modules that they load. Those of others know no mocks, and others shall meet none.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.resetModules();
});
vi.mock('@lethe/core', async (original) => {
  const core = await original<typeof Core>();
  return { ...core, secureRandom: (): RandomSource => core.seededRandom(seen.seed) };
});
vi.mock('@lethe/curator', async (original) => {
  const curator = await original<typeof Curator>();
  return {
    ...curator,
    attachData: (input: Attached) => {
      seen.attached.push(input);
      return curator.attachData(input);
    },
    centralCurator: (options: Parameters<typeof curator.centralCurator>[0]) => {
      seen.publicSlots.push(options.publicSlots);
      return curator.centralCurator(options);
    },
  };
});

// Waiting for the disk takes most of the time of a small release, and no crash is simulated here.
vi.mock('@lethe/node', async (original) => {
  const node = await original<typeof Node>();
  return {
    ...node,
    fileStore: (path: string, options: Parameters<typeof node.fileStore>[1]) =>
      node.fileStore(path, { ...options, durable: false }),
  };
});

let folder: LabFolder;
let owner: LabFolder;
beforeEach(() => {
  folder = labFolder();
  owner = labFolder();
  seen.attached.length = 0;
  seen.publicSlots.length = 0;
  seen.seed = 'frozen';
});
afterEach(() => {
  folder.remove();
  owner.remove();
  vi.unstubAllEnvs();
});

const columns = { x: 'number', c: 'text', t: 'time', y: 'number' };
const content = {
  lethe: 1,
  kind: 'release',
  name: 'one',
  title: 'One',
  budget: { epsilon: 1, delta: 1e-5 },
  ledger: 'data.ledger',
  optimizer: { name: 'dp-sgd', params: { steps: 4, rate: 1, clipNorm: 1, stepSize: 0.1 } },
  problem: {
    name: 'p',
    title: 'P',
    loss: { name: 'logistic' },
    domain: { name: 'l2-ball', params: { radius: 1 } },
    data: {
      file: 'data.csv',
      read: { columns },
      design: {
        features: [
          { column: 'x', encoding: 'scale', lower: -5, upper: 5 },
          { column: 'c', encoding: 'one-hot', levels: ['a', 'b'] },
          { column: 't', part: 'hour', encoding: 'cyclic' },
        ],
        label: { column: 'y', threshold: 0 },
      },
    },
  },
};

/** Makes a release whose public name and seed are given, as one that is gone on with has them. */
async function released(experiment: Release): Promise<ReleaseResult> {
  const out = folder.file(`out-${seen.attached.length}`);
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(out);
  // An owner who never kept a ledger of these records: the
  // folders before this one are gone, with their ledgers.
  vi.stubEnv('LETHE_HOME', owner.file(`owner-${seen.attached.length}`));
  writeFileSync(`${out}/run.json`, JSON.stringify({ run: 'one-0', seed: '0', opened: false }));
  return makeRelease(
    { ...experiment, ledger: `ledger-${seen.attached.length}` },
    { ...quiet(), folder: folder.path, out, existing: 'resume' },
  );
}

function usedOf({ features, labels, nulls }: Attached, publicSlots: unknown): Used {
  const {
    data,
    rows,
    columns: width,
    offset,
    rowStride,
    columnStride,
  } = features as Exclude<
    Attached['features'],
    { readonly rowStarts: unknown } | { readonly shape: unknown } | { readonly features: unknown }
  >;
  const row = (i: number): string =>
    `${Array.from({ length: width }, (_, j) => data[offset + i * rowStride + j * columnStride]).join(' ')} ` +
    `| ${labels?.[i]}`;
  return {
    n: Number(publicSlots ?? rows),
    rows: Array.from({ length: rows }, (_, i) => row(i)).filter((_, i) => nulls?.[i] !== 1),
  };
}

const rows = Array.from({ length: 30 }, (_, i): Row => ({
  x: ((i * 7) % 11) - 5,
  c: 'abz'[i % 3],
  t: `2001-0${(i % 9) + 1}-01T0${i % 10}:30`,
  y: (i % 2) - 0.5,
}));
const other: Row = { x: 99, c: 'never declared', t: '1970-01-01', y: 3 };
const gap = rows.map((row, i) => (i % 5 === 0 ? { ...row, x: null } : row));

describe.each([
  ['csv', 'rows'],
  ['jsonl', 'columns'],
  ['parquet', 'columns'],
  ['arrow', 'rows'],
])('releases from neighbouring %s files, by %s', (format, layout) => {
  test.each<[string, object, readonly Row[], readonly Row[]]>([
    ['add-remove, fewer than the guess', { adjacency: 'add-remove', size: 40 }, rows, rows.toSpliced(3, 1)],
    ['add-remove, more than the guess', { adjacency: 'add-remove', size: 10 }, rows, [...rows, other]],
    ['add-remove, about the guess', { adjacency: 'add-remove', size: 30 }, rows, rows.slice(1)],
    ['add-remove, one record or none', { adjacency: 'add-remove', size: 5 }, [other], []],
    [
      'add-remove, records with gaps dropped',
      { adjacency: 'add-remove', size: 20, missing: 'drop-row' },
      gap,
      [...gap, { ...other, x: null }],
    ],
    ['replace-one', { adjacency: 'replace-one' }, rows, rows.with(7, other)],
    ['replace-one, some of the records', { adjacency: 'replace-one', size: 12 }, rows, rows.with(7, other)],
    ['zero-out', { adjacency: 'zero-out' }, rows, rows.with(0, other)],
    ['zero-out, some of the records', { adjacency: 'zero-out', size: 12 }, rows, rows.with(29, other)],
  ])(
    'under %s use what differs by one record, and say the same of it',
    async (_name, { missing, ...change }: { missing?: string; adjacency?: string }, first, second) => {
      const file = `data-${layout}.${format}`;
      const experiment = experimentSchema.parse({
        ...content,
        ...change,
        problem: {
          ...content.problem,
          data: {
            ...content.problem.data,
            file,
            layout,
            read: { columns, ...(missing === undefined ? {} : { missing }) },
          },
        },
      }) as Release;
      const said: string[] = [];
      const transcripts: number[] = [];
      for (const some of [first, second]) {
        folder.remove();
        folder = labFolder();
        folder.write(file, formats[format](some));
        const { model, ...result } = await released(experiment);
        said.push(JSON.stringify({ ...result, model: { ...model, weights: model.weights.length } }));
        transcripts.push(
          readFileSync(folder.file(`out-${seen.attached.length - 1}/transcript.lethe`)).length,
        );
        expect(folder.all().filter((name) => !name.startsWith('ledger')).length).toBe(3);
      }
      expect(seen.attached).toHaveLength(2);
      const [a, b] = seen.attached.map((input, i) => usedOf(input, seen.publicSlots[i])) as [Used, Used];
      expect(differenceOf(a, b, experiment.adjacency)).toBeNull();
      expect(said[1]).toBe(said[0].replaceAll('ledger-0', 'ledger-1'));
      expect(transcripts[1]).toBe(transcripts[0]);
    },
  );
});

test(
  'a release with one record more does not move the model by more than its certificate allows',
  { timeout: 120_000 },
  async () => {
    // Labels were chosen against the permutation that took 1000 of 2000 records, but of 2001 others.
    const numerics = await vi.importActual<typeof Numerics>('@lethe/numerics');
    const count = 2000;
    const size = 1000;
    const runs = 40;
    const [p, q] = [count, count + 1].map(
      (n) => new Set(numerics.permutation(numerics.seededRandom('order/1'), n).slice(0, size)),
    );
    let turn = 0;
    const labels = Array.from({ length: count + 1 }, (_, i) => {
      if (p.has(i) && !q.has(i)) return 1;
      return !p.has(i) && q.has(i) ? 0 : turn++ % 2;
    });
    const table = (n: number): string =>
      `x,z\n${labels
        .slice(0, n)
        .map((z) => `1,${z}`)
        .join('\n')}\n`;
    const experiment = experimentSchema.parse({
      ...content,
      adjacency: 'add-remove',
      size,
      budget: { epsilon: 0.5, delta: 1e-6 },
      optimizer: { name: 'dp-sgd', params: { steps: 2, rate: 1, clipNorm: 1, stepSize: 0.1 } },
      problem: {
        ...content.problem,
        data: {
          file: 'data.csv',
          read: { columns: { x: 'number', z: 'number' } },
          design: {
            features: [{ column: 'x', encoding: 'scale', lower: 0, upper: 1 }],
            intercept: false,
            label: { column: 'z', threshold: 0.5 },
          },
        },
      },
    }) as Release;
    const above: number[] = [];
    for (const n of [count, count + 1]) {
      folder.write('data.csv', table(n));
      let positive = 0;
      for (let run = 0; run < runs; run++) {
        seen.seed = `${n}/${run}`;
        if ((await released(experiment)).model.weights[0] > 0) positive += 1;
      }
      above.push(positive);
    }
    // Chance of each end being passed: 5e-8. Before, all runs were
    // above on one side and none on the other: ε at least 0.65.
    const epsilon = Math.log((lowerOf(above[0], runs) - 1e-6) / upperOf(above[1], runs));
    expect(epsilon).toBeLessThan(0.5);
  },
);

/** Clopper and Pearson's ends for k of n successes, each missed with probability 5e-8. */
const missed = 5e-8;
const lowerOf = (k: number, n: number): number => (k === 0 ? 0 : bisect((p) => tail(n, k, p) < missed));
const upperOf = (k: number, n: number): number => 1 - lowerOf(n - k, n);
function bisect(isBelow: (p: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return low;
}
/** P(at least k of n). */
function tail(n: number, k: number, p: number): number {
  let sum = 0;
  let term = (1 - p) ** n;
  for (let i = 0; i <= n; i++) {
    if (i >= k) sum += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return sum;
}
