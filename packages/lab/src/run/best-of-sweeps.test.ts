import { expect, test } from 'vitest';
import { expanded } from '../experiment/sweeps.js';
import { registry } from '../registry.js';
import { experimentSchema, type Evaluation } from '../experiment/schema.js';
import { fakeEvaluation } from '../../test/fixtures.js';
import { bestOfSweeps } from './best-of-sweeps.js';

const experiment = expanded(
  experimentSchema.parse({
    lethe: 1,
    kind: 'evaluation',
    name: 'sweep',
    problems: [
      {
        name: 'p',
        data: {
          generate: { rows: 100, columns: 2, features: { law: 'gaussian' }, response: { kind: 'linear' } },
        },
        loss: { name: 'squared' },
        domain: { name: 'l2-ball', params: { radius: 1 } },
      },
    ],
    optimizers: [
      { name: 'dp-sgd', params: { steps: 10, rate: 0.1, clipNorm: 1, stepSize: [0.1, 1, 10] } },
      { name: 'noisy-gradient-descent' },
    ],
    budgets: [{ epsilon: 1 }],
    seeds: { count: 3 },
  }) as Evaluation,
  registry,
);
const [base] = fakeEvaluation().problems[0].cells;
const cell = (label: string, n: number, mean: number, standardError: number) => ({
  ...base,
  label,
  n,
  excess: { ...base.excess, mean, standardError },
});
const at = (stepSize: number) => `dp-sgd, stepSize ${stepSize}`;

test('the best setting of a sweep is the least mean at each size, and says whether it is clear', () => {
  const best = bestOfSweeps(
    [
      cell(at(0.1), 100, 0.5, 0.01),
      cell(at(1), 100, 0.2, 0.01),
      cell(at(10), 100, Infinity, 0),
      cell(at(0.1), 1000, 0.1, 0.01),
      cell(at(1), 1000, 0.11, 0.01),
      cell(at(10), 1000, 0.3, 0.01),
      cell('noisy-gradient-descent', 100, 0.01, 0.001),
    ],
    experiment,
  );
  expect(
    best.map(({ of, n, values, settings, next }) => [of, n, values, settings, next?.label, next?.isClear]),
  ).toEqual([
    ['dp-sgd', 100, { stepSize: 1 }, 3, at(0.1), true],
    ['dp-sgd', 1000, { stepSize: 0.1 }, 3, at(1), false],
  ]);
});

test('one run is never clear, and without a sweep there is nothing to choose', () => {
  const one = (label: string, mean: number) => ({
    ...cell(label, 100, mean, 0),
    runs: base.runs.slice(0, 1),
  });
  expect(bestOfSweeps([one(at(1), 0.1), one(at(10), 0.9)], experiment)[0].next?.isClear).toBe(false);
  expect(bestOfSweeps([cell('dp-sgd', 100, 1, 0)], experiment)).toEqual([]);
});
