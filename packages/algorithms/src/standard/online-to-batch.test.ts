import { Unsupported } from '@lethe/core';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { expect, it } from 'vitest';
import { context, problem } from '../../test/support/logistic.js';
import { onlineToBatch } from './online-to-batch.js';

type Params = Parameters<typeof onlineToBatch.prepare>[0]['params'];
const prepare = (params: Params, given: Parameters<typeof problem>[0]) =>
  onlineToBatch.prepare({ registry: mechanisms, ...context, problem: problem(given), params }).plan;

it('has a bound where the domain keeps the points of the learner near', () => {
  expect(prepare({}, { domain: l2BallDomain({ radius: 1 }) }).utility?.bound).toBeGreaterThan(0);
});

it('takes a fact for the scale of its steps, not for a bound on where the learner goes', () => {
  const facts = { diameter: 2 };
  expect(() => prepare({}, { facts })).toThrow(Unsupported);
  expect(() => prepare({}, { facts })).toThrow(/unbounded; give clipNorm/u);
  const plan = prepare({ clipNorm: 100 }, { facts });
  expect(plan).toMatchObject({ distance: 2, utility: null, uncovered: expect.stringMatching(/unbounded/u) });
});
