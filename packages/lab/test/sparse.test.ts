import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { libsvmDigest, readLibsvm } from '@lethe/losses/node';
import { defined, type CsrMatrix } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readExperiment } from '../src/experiment/read.js';
import type { EvaluationResult } from '../src/experiment/results.js';
import type { Evaluation, SampledSpec } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { recordsPopulation } from '../src/run/records-population.js';
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

const rows = 300;
const lines = Array.from({ length: rows }, (_, i) => {
  const at = [1 + (i % 7), 20 + (i % 5), 100 + ((31 * i) % 250)];
  return `${i % 7 < 3 ? 1 : 0} ${at.map((j) => `${j}:1`).join(' ')}`;
});
const problem = {
  name: 'svm',
  title: 'Rows of a LIBSVM file',
  data: { file: 'data.svm', libsvm: { columns: 400, label: { threshold: 0.5 }, intercept: true } },
  loss: { name: 'logistic' },
  domain: { name: 'l2-ball', params: { radius: 8 } },
  record: { featureNorm: 2, sparsity: 4 },
};
const optimizer = { name: 'dp-sgd', params: { steps: 40, rate: 1, clipNorm: 1, stepSize: 2 } };
const budget = { epsilon: 8, delta: 1e-6 };
const release = {
  lethe: 1,
  kind: 'release',
  name: 'one',
  title: 'One release',
  adjacency: 'replace-one',
  problem,
  optimizer,
  budget,
  ledger: 'own.ledger',
};
const evaluation = {
  lethe: 1,
  kind: 'evaluation',
  name: 'many',
  title: 'Sparse rows',
  adjacency: 'replace-one',
  problems: [problem],
  optimizers: [optimizer],
  budgets: [budget],
  sizes: [rows],
  seeds: { count: 2 },
};

describe('output perturbation', () => {
  test('runs on generated sparse rows, without δ and with it', async () => {
    const file = folder.write('minimisers.json', {
      ...evaluation,
      problems: [
        {
          name: 'generated',
          title: 'Generated rows',
          data: { generateSparse: { rows, columns: 60, entries: 3 } },
          loss: { name: 'logistic' },
          domain: { name: 'whole-space' },
          facts: { startDistance: { value: 1, why: 'of the generator' } },
        },
      ],
      optimizers: [{ name: 'output-perturbation' }],
      budgets: [
        { epsilon: 1, delta: 0 },
        { epsilon: 1, delta: 1e-6 },
      ],
    });
    expect(await lethe('run', file, '--out', folder.file('minimisers'))).toMatchObject({ code: 0 });
    const [{ problems }] = JSON.parse(folder.read('minimisers/results.json')) as [EvaluationResult];
    expect(problems[0].cells.map(({ plan }) => plan.event.kind)).toEqual(['core/laplace', 'core/gaussian']);
    const [pure, approximate] = problems[0].cells.map(({ runs }) => runs[0].excessRisk);
    expect(pure).not.toBe(approximate);
  });
});

describe('a LIBSVM file', () => {
  test('is learned from, in an evaluation and a release', async () => {
    folder.write('data.svm', lines.join('\n'));
    const run = await lethe('run', folder.write('many.json', evaluation), '--out', folder.file('many'));
    expect(run).toMatchObject({ code: 0 });
    const [{ problems }] = JSON.parse(folder.read('many/results.json')) as [EvaluationResult];
    expect(problems[0].dimension).toBe(401);
    expect(problems[0].facts['sparsity']).toMatchObject({ value: 4, scope: 'every-record' });
    for (const { excessRisk } of problems[0].cells[0].runs)
      expect(excessRisk).toBeLessThan(problems[0].startExcess);
    const released = await lethe('run', folder.write('one.json', release), '--out', folder.file('one'));
    expect(released).toMatchObject({ code: 0 });
    expect(folder.has('own.ledger')).toBe(true);
  });

  test('is read once for all threads, which share its records', async () => {
    folder.write('data.svm', lines.join('\n'));
    const path = folder.write('many.json', evaluation);
    const experiment = readExperiment(path) as Evaluation;
    const context = { registry, folder: dirname(path), tables: new Map() };
    const [spec] = experiment.problems as readonly SampledSpec[];
    const own = await recordsPopulation(spec, experiment, context);
    const shared = defined(await own.share?.());
    const features = shared.records.features as CsrMatrix;
    const arrays = [features.rowStarts, features.columnIndices, features.values];
    expect(arrays.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
    const key = await own.recordsKey();
    rmSync(folder.file('data.svm'));
    const other = await recordsPopulation(spec, experiment, { ...context, shared });
    const w = new Float64Array(own.dimension).fill(0.1);
    const [risk, same] = [own, other].map((one) => one.open().draw(100, budget, 1).excessRisk(w));
    expect(same).toBe(risk);
    expect(await other.recordsKey()).toBe(key);
  });

  test.each([
    ['columns that do not ascend', '1 5:1 3:1', /comes after index 5/u],
    ['a column twice', '1 5:1 5:1', /line 8: index 5 comes twice/u],
    ['a column beyond those declared', '1 401:1', /index from 1 to 400/u],
    ['a value that is no number', '1 4:NaN', /not a finite number/u],
    [
      'more entries than are declared',
      '1 1:1 2:1 3:1 4:1',
      /line 8 has 4 entries .* record\.sparsity is 4\. .* write sparsity: 5 under record/u,
    ],
    ['a line that is no record', '1 nothing', /index:value/u],
  ])('is refused with %s, before anything is spent', async (_what, bad, message) => {
    folder.write('data.svm', [...lines.slice(0, 7), bad, ...lines.slice(8)].join('\n'));
    const run = await lethe('run', folder.write('one.json', release), '--out', folder.file('one'));
    expect(run.code).not.toBe(0);
    expect(run.error).toMatch(message);
    expect(folder.all().filter((name) => name.endsWith('.ledger'))).toEqual([]);
  });

  test('is known again however its entries are written', async () => {
    const digestOf = async (text: string): Promise<string> => {
      const path = folder.file('other.svm');
      writeFileSync(path, text);
      return libsvmDigest(await readLibsvm(path, { columns: 9 })).join(' ');
    };
    const one = await digestOf('1 1:0.5 3:2\n-1 2:1\n');
    expect(await digestOf('+1 1:5e-1 2:0 3:2.0 # note\n-1.0 2:1\n')).toBe(one);
    for (const other of ['1 1:0.5 3:2\n1 2:1\n', '1 1:0.5 4:2\n-1 2:1\n', '-1 2:1\n1 1:0.5 3:2\n'])
      expect(await digestOf(other)).not.toBe(one);
  });
});

test('generated sparse rows are learned from', async () => {
  const run = await lethe(
    'run',
    folder.write('many.json', {
      ...evaluation,
      problems: [
        {
          ...problem,
          data: { generateSparse: { rows: 500, columns: 3000, entries: 10, weightNorm: 20 } },
          record: {},
        },
      ],
    }),
    '--out',
    folder.file('out'),
  );
  expect(run).toMatchObject({ code: 0 });
  const [{ problems }] = JSON.parse(folder.read('out/results.json')) as [EvaluationResult];
  expect(problems[0].facts['sparsity']).toMatchObject({ value: 10 });
});
