import { describe, expect, it } from 'vitest';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { carriedOut, context, curatorOf, problem } from '../../test/support/logistic.js';
import { mu2Sgd } from './mu2-sgd.js';

const prepare = (params: Parameters<typeof mu2Sgd.prepare>[0]['params']) =>
  mu2Sgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }) }),
    params,
  });
const outputOf = (params: Parameters<typeof prepare>[0]): number[] => [
  ...carriedOut(prepare(params), curatorOf('replace-one', { allowUnprotected: true })).output,
];

describe('mu2Sgd', () => {
  it('takes two gradients of each record, and moves with its public noise only', () => {
    const plain = { rounds: 5, stepSize: 0.02 };
    expect(prepare(plain).plan.gradients).toBe(2 * 40 - 8);
    expect(outputOf(plain)).toEqual(outputOf({ ...plain, deviation: 0 }));
    const noisy = outputOf({ ...plain, deviation: 3 });
    expect(noisy).toEqual(outputOf({ ...plain, deviation: 3 }));
    expect(Math.hypot(...noisy.map((one, j) => one - outputOf(plain)[j]))).toBeGreaterThan(1e-3);
  });

  it('is no private method: a curator that protects its records refuses it', () => {
    expect(() => carriedOut(prepare({ rounds: 5, stepSize: 0.02 }))).toThrow(/without noise/u);
  });
});
