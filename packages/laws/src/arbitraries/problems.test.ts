import { parseEvent, seededRandom } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { withBall } from '../engines/ball-domain.js';
import { planOf } from './plans.js';
import { budgetOf, factOf, problemOf } from './problems.js';

const shape = {
  capabilities: { convex: true },
  facts: { lipschitz: factOf(3, 'every-record') },
  dimension: 20,
  slots: 500,
} as const;
const problems = fc.sample(problemOf(shape), { seed: 3, numRuns: 1000 });

it('an optimizer with matching requirements can be prepared for each of them', () => {
  const optimizer = defineOptimizer({
    name: 'still',
    summary: 'Stays.',
    source: { id: 'test', item: 'none' },
    params: z.strictObject({}),
    claims: [],
    needs: { convex: true },
    adjacencies: ['replace-one', 'add-remove', 'zero-out'],
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    stopping: 'fixed',
    facts: { lipschitz: 'none' },
    plan: () => ({ event: { kind: 'core/free', v: 1 }, utility: null, gradients: 0 }),
    *steps({ start }) {
      yield* [];
      return start;
    },
  });
  fc.assert(
    fc.property(problemOf(shape), budgetOf({ pure: 'sometimes' }), (problem, budget) => {
      const run = optimizer.prepare({
        registry: withBall([]),
        problem,
        budget,
        params: {},
        random: seededRandom(1),
        calibrate: () => {
          throw new Error('not asked');
        },
      });
      expect(run.problem.facts['lipschitz'].value).toBeGreaterThan(0);
    }),
    { seed: 1 },
  );
});
it('cover both ends of dimension, slots and facts, and every adjacency', () => {
  for (const dimension of [1, 2, 20])
    expect(problems.some((problem) => problem.dimension === dimension)).toBe(true);
  for (const slots of [1, 2, 500]) expect(problems.some((problem) => problem.slots[0] === slots)).toBe(true);
  expect(
    problems.every(
      (problem) => problem.dimension <= 20 && problem.slots.length === 1 && problem.slots[0] <= 500,
    ),
  ).toBe(true);
  expect(new Set(problems.map(({ adjacency }) => adjacency)).size).toBe(3);
  const values = problems.map(({ facts }) => facts['lipschitz'].value / 3);
  expect(values.filter((x) => x > 1).length).toBeGreaterThan(200);
  expect(values.filter((x) => x < 1).length).toBeGreaterThan(200);
});
it('shrink to one dimension, one slot and plain facts', () => {
  expect(
    defined(
      fc.check(
        fc.property(problemOf(shape), () => false),
        { seed: 1 },
      ).counterexample,
    )[0],
  ).toMatchObject({
    adjacency: 'replace-one',
    dimension: 1,
    slots: [1],
    domain: { params: { radius: 1 } },
    facts: { lipschitz: { value: 3, scope: 'every-record' } },
  });
});
it.each([
  ['never', 0],
  ['sometimes', undefined],
  ['always', 1],
] as const)('budgets are pure %s', (pure, share) => {
  const zero =
    fc.sample(budgetOf({ pure }), { seed: 1, numRuns: 300 }).filter(({ delta }) => delta === 0).length / 300;
  if (share === undefined) expect(zero > 0.1 && zero < 0.9).toBe(true);
  else expect(zero).toBe(share);
});
it('plans have events that parse, with and without utility', () => {
  const plans = fc.sample(planOf({ depth: 1 }), { seed: 1, numRuns: 300 });
  for (const { event } of plans) expect(parseEvent(event)).toEqual(event);
  expect(new Set(plans.map(({ utility }) => utility === null)).size).toBe(2);
});
