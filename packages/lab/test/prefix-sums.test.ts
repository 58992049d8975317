import type { PrefixSum } from '@lethe/core';
import { expect, test } from 'vitest';
import { registry } from '../src/registry.js';
import { runEvaluation } from './support/run-evaluation.js';

const prefixSums = registry.filter((plugin): plugin is PrefixSum => plugin.kind === 'prefixSum');
const methods = [
  { name: 'dp-ftrl', params: { rounds: 8, clipNorm: 1, stepSize: 0.2 } },
  { name: 'accelerated-dp-srgd', params: {} },
  { name: 'recursive-dp-sgd', params: { rounds: 8 } },
  { name: 'online-to-batch', params: {} },
  { name: 'dp-mu2-sgd', params: { rounds: 8 } },
];

test('every prefix sum runs by its name in an experiment, in optimizers on running sums', async () => {
  const optimizers = prefixSums.flatMap(({ name, examples }, i) =>
    // Of the others each takes some of them: what they take is the same for all.
    methods
      .filter((_, k) => k === 0 || k === 1 + (i % (methods.length - 1)))
      .map((method) => ({
        ...method,
        label: `${method.name} on ${name}`,
        params: { ...method.params, prefixSum: { name, params: examples?.[0] } },
      })),
  );
  expect(prefixSums.length).toBeGreaterThanOrEqual(10);
  const result = await runEvaluation({
    adjacency: 'zero-out',
    problems: [
      {
        name: 'p',
        data: {
          generate: { rows: 100, columns: 2, features: { law: 'gaussian' }, response: { kind: 'logistic' } },
        },
        record: { featureNorm: 1 },
        loss: { name: 'logistic' },
        domain: { name: 'l2-ball', params: { radius: 0.5 } },
      },
    ],
    optimizers,
    budgets: [{ epsilon: 1, delta: 1e-5 }],
    seeds: { count: 1 },
  });
  const [{ cells }] = result.problems;
  expect(cells).toHaveLength(optimizers.length);
  for (const cell of cells) {
    expect(cell.ledgerMatchesPlan).toBe(true);
    expect(Number.isFinite(cell.runs[0]?.excessRisk)).toBe(true);
  }
  // Their noise differs, so that no name stands for another.
  const ofFtrl = cells
    .filter(({ optimizer }) => optimizer === 'dp-ftrl')
    .map(({ runs }) => runs[0]?.excessRisk);
  expect(new Set(ofFtrl).size).toBe(prefixSums.length);
});
