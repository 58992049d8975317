import { Unsupported } from '@lethe/core';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { expect, it } from 'vitest';
import { carriedOut, context, problem } from '../../test/support/logistic.js';
import { problemOf, registry, untrusted } from '../../test/support/silos.js';
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

it('parallelSgd takes no more rounds than the smallest silo has records, and reads them in stored order', () => {
  const silos = parallelSgd.prepare({
    ...context,
    registry,
    problem: problemOf([30, 12, 20], untrusted(3)),
    params: {},
  });
  expect((silos.plan as unknown as { readonly rounds: number }).rounds).toBeLessThanOrEqual(12);
  const params = { rounds: 4, stepSize: 0.1, clipNorm: 1, noiseMultiplier: 2 };
  const posed = problem({ domain: l2BallDomain({ radius: 1 }) });
  const alone = parallelSgd.prepare({ registry: mechanisms, ...context, problem: posed, params });
  const start = new Float64Array(4).fill(3);
  const { queries } = carriedOut(alone, undefined, start);
  expect(queries.find((query) => query.ask === 'split')).toMatchObject({ order: 'stored' });
  // The start is projected before a gradient is asked for.
  const mean = queries.find((query) => query.ask === 'mean');
  expect(mean?.of.terms[0].at).toEqual(new Float64Array(4).fill(0.5));
});
