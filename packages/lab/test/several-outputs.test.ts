import { existsSync, writeFileSync } from 'node:fs';
import { classLabels, defineMultiOutputLoss } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import { renderReport } from '../src/report/render.js';
import { registry } from '../src/registry.js';
import { labFolder, lethe } from './support/lab-folder.js';
import { runEvaluation } from './support/run-evaluation.js';

const ownSoftmax = defineMultiOutputLoss({
  name: 'own-softmax',
  summary: 'Multi-class logistic loss.',
  source: { id: 'test', item: 'x' },
  claims: [],
  params: z.strictObject({ classes: z.int().min(2) }),
  examples: [{ classes: 3 }],
  capabilities: { convex: true, smooth: true, nullRecord: true, nonNegative: true },
  multiOutput: {
    outputs: (params) => params.classes,
    value: (_params, outputs, { label }) =>
      Math.log(outputs.reduce((sum, m) => sum + Math.exp(m - outputs[label]), 0)),
    slopesInto(_params, out, outputs, { label }) {
      const weights = outputs.map((m) => Math.exp(m));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      weights.forEach((weight, k) => {
        out[k] = weight / total - Number(k === label);
      });
    },
  },
  facts: () => ({}),
  labels: classLabels((params: { readonly classes: number }) => params.classes),
});

const generate = {
  rows: 800,
  columns: 3,
  features: { law: 'gaussian', scale: 1 },
  response: { kind: 'softmax', classes: 3 },
  weightNorm: 6,
};
const problem = {
  name: 'classes',
  title: 'Three classes',
  data: { generate },
  loss: { name: 'softmax', params: { classes: 3 } },
  domain: { name: 'l2-ball', params: { radius: 12 } },
  record: { featureNorm: 3 },
};
const content = {
  problems: [problem],
  optimizers: [{ name: 'dp-sgd', params: { steps: 60, rate: 1, clipNorm: 2, stepSize: 2 } }],
  budgets: [{ epsilon: 8, delta: 1e-4 }],
  seeds: { count: 2 },
};
const on = (change: object) => ({ ...content, problems: [{ ...problem, ...change }] });

describe('softmax in an experiment', () => {
  test('that ships is trained from a file, and its excess risk is that above a certified optimum', async () => {
    const {
      problems: [found],
    } = await runEvaluation(content);
    expect(found).toMatchObject({ loss: 'softmax', dimension: 9 });
    expect(defined(found.optimum).point).toHaveLength(9);
    expect(found.startExcess).toBeCloseTo(Math.log(3) - defined(found.optimum).risk, 9);
    const [cell] = found.cells;
    expect(cell).toMatchObject({ ledgerMatchesPlan: true });
    expect(cell.excess.mean).toBeGreaterThan(0);
    expect(cell.excess.mean).toBeLessThan(0.3 * found.startExcess);
  });

  test('of one’s own is found in the registry, and gives what the one that ships does', async () => {
    const [shipped, own] = await Promise.all([
      runEvaluation(content),
      runEvaluation(on({ loss: { name: 'own-softmax', params: { classes: 3 } } }), [...registry, ownSoftmax]),
    ]);
    expect(defined(own.problems[0].optimum).risk).toBeCloseTo(defined(shipped.problems[0].optimum).risk, 8);
    expect(own.problems[0].cells[0].excess.mean).toBeLessThan(0.3 * own.problems[0].startExcess);
  });

  test('refuses facts of weights that are not there, and lists of one number for each column', async () => {
    const facts = (value: readonly number[]) => on({ facts: { startDistance: { value, why: 'a test' } } });
    await expect(runEvaluation(facts([1, 2, 3]))).rejects.toThrow(
      /lists 3 numbers, the problem has dimension 9/u,
    );
  });
});

describe('a loss without an optimum', () => {
  const perceptron = {
    loss: { name: 'two-layer-perceptron', params: { hidden: 2 } },
    data: { generate: { ...generate, response: { kind: 'sign' } } },
    record: { featureNorm: 3, labelBound: 1 },
  };

  test('is evaluated by risk alone, which the table and the report say', async () => {
    const result = await runEvaluation({ ...on(perceptron), lowerBound: { name: 'convex' } });
    const [found] = result.problems;
    expect(found).toMatchObject({
      optimum: null,
      lowerBound: null,
      withoutOptimum: expect.stringMatching(/declares no optimum of its own/u) as string,
    });
    // Half the square of a sign is ½ at 0, which is no better than any guess.
    expect(found.startExcess).toBeGreaterThan(0);
    expect(found.cells[0].excess.mean).toBeGreaterThan(0);
    expect(found.cells[0].excess.mean).toBeLessThan(0.5);
    expect(summaryOf(result)).toContain('no optimum is known, so that these are risks, not excess risks');
    expect(summaryOf(result)).toContain('mean risk');
    expect(renderReport([result])).toContain(
      'every number called excess risk on this problem is the risk itself',
    );
  });

  test('and so is one whose regulariser the reference solver does not take', async () => {
    const result = await runEvaluation({
      ...on({
        ...perceptron,
        loss: { name: 'squared' },
        domain: { name: 'box', params: { lower: -1, upper: 1 } },
        regulariser: { name: 'l1', params: { strength: 0.01 } },
        facts: { 'gradientMoment.2': { value: 9, why: 'a test' } },
      }),
      optimizers: [{ name: 'noisy-clipped-proximal-sgd', params: { rounds: 5, clipNorm: 1 } }],
    });
    expect(result.problems[0].withoutOptimum).toMatch(/l1 over the whole space; not 'l1' over 'box'/u);
  });
});

describe('labels of several columns, and classes', () => {
  const folder = labFolder();
  beforeAll(() => {
    vi.stubEnv('LETHE_HOME', folder.file('home'));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    folder.remove();
  });
  folder.write(
    'people.csv',
    `age,height,weight,kind\n` +
      Array.from(
        { length: 120 },
        (_, i) => `${i % 50},${150 + (i % 40)},${50 + (i % 45)},${['a', 'b', 'c'][i % 3]}`,
      ).join('\n') +
      `\n`,
  );
  const release = (label: object, loss: object) =>
    folder.write('release.json', {
      lethe: 1,
      kind: 'release',
      name: 'people',
      title: 'People',
      adjacency: 'replace-one',
      budget: { epsilon: 2, delta: 1e-6 },
      optimizer: { name: 'dp-sgd', params: { steps: 5, rate: 1, clipNorm: 1, stepSize: 0.1 } },
      ledger: 'people.ledger',
      problem: {
        name: 'p',
        title: 'P',
        data: {
          file: 'people.csv',
          read: { columns: { age: 'number', height: 'number', weight: 'number', kind: 'text' } },
          design: { features: [{ column: 'age', encoding: 'scale', lower: 0, upper: 50 }], label },
        },
        loss,
        domain: { name: 'l2-ball', params: { radius: 3 } },
      },
    });

  test.each<[string, object, object, readonly string[]]>([
    [
      'two columns',
      { columns: ['height', 'weight'], offset: 100, unit: 50 },
      { name: 'multi-output-squared', params: { outputs: 2 } },
      ['intercept of 0', 'age of 0', 'intercept of 1', 'age of 1'],
    ],
    [
      'a class',
      { column: 'kind', classes: ['a', 'b', 'c'] },
      { name: 'softmax', params: { classes: 3 } },
      ['intercept of 0', 'age of 0', 'intercept of 1', 'age of 1', 'intercept of 2', 'age of 2'],
    ],
  ])('%s: a release names every weight', async (name, label, loss, names) => {
    const out = `out-${name}`;
    const { code, error } = await lethe('run', release(label, loss), '--out', folder.file(out));
    expect(code, error).toBe(0);
    const [{ model }] = JSON.parse(folder.read(`${out}/results.json`)) as [
      { readonly model: { readonly featureNames: readonly string[]; readonly weights: readonly number[] } },
    ];
    expect(model.featureNames).toEqual(names);
    expect(model.weights).toHaveLength(names.length);
    const [file, data] = [folder.file(`${out}/model.json`), folder.file('new.csv')];
    expect([existsSync(file), error.includes('no model.json')]).toEqual([
      name === 'a class',
      name !== 'a class',
    ]);
    if (name !== 'a class') return;
    writeFileSync(data, 'age\n30\n');
    const predicted = await lethe('predict', file, data);
    expect(predicted.out).toMatch(/^predicted kind,probability of a,.*\n[abc](,0\.\d+){3}\n$/u);
    expect((await lethe('inspect', file)).out).toMatch(/training by dp-sgd/u);
  });

  test('a width that is not the loss’s is refused', async () => {
    const { code, error } = await lethe(
      'run',
      release({ columns: ['height'] }, { name: 'multi-output-squared', params: { outputs: 2 } }),
      '--out',
      folder.file('wrong'),
    );
    expect(code).not.toBe(0);
    expect(error).toMatch(/a label of this loss has 2 entries: give 240/u);
  });
});
