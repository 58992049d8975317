import { Unsupported } from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { expect, it } from 'vitest';
import { context, problem } from '../../test/support/logistic.js';
import { parallelSgd } from './parallel-sgd.js';

it('parallelSgd refuses more rounds than a plan can keep batches of', () => {
  const prepare = (rounds: number) =>
    parallelSgd.prepare({
      registry: mechanisms,
      ...context,
      problem: problem({ slots: [2 ** 21] }),
      params: { rounds, stepSize: 0.1, clipNorm: 1, noiseMultiplier: 2 },
    });
  expect(() => prepare(2 ** 20 + 1)).toThrow(Unsupported);
  expect(() => prepare(2 ** 20 + 1)).toThrow(/no plan that can be kept/u);
});
