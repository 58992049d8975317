import { ask, defineOptimizer } from '@lethe/core';
import { sketches } from '@lethe/mechanisms';
import { z } from 'zod';
import { addProduct } from '../common/exact-sum.js';
import { assertResumable } from '../common/resumable.js';
import { descentSchema } from './descent-params.js';
import type { SummedState } from './dp-cd.js';
import { landscapeOf, separableRegularisers } from './landscape.js';
import { releaseAlong } from './record-radius.js';
import { sketchedPlan } from './sketched-plan.js';

/**
 * Noisy gradient descent over all records, preconditioned by `Diag(1/M)`, with restarts from the average. The paper calls it DP-SGD; there are no batches
 * in it. With one number for `smoothness` its steps have one size. {@link dpSkgd} with the full sketch asks the same queries and ends at the same bits.
 *
 * Parameters and facts are those of {@link dpSkgd}.
 */
export const noisyGradientDescent = defineOptimizer({
  name: 'noisy-gradient-descent',
  summary: 'Full gradient descent with noise, with a step size for each coordinate.',
  source: { id: 'maranjyan-2024', item: 'Section 4, full sampling' },
  params: z.strictObject(descentSchema),
  examples: [{ innerSteps: 6, smoothness: 4, checkpointEvery: 4 }, { rounds: 2, innerSteps: 3, smoothness: 2, clip: { radius: 1 } }],
  claims: [
    { property: 'event', statement: 'K·T Gaussians of the planned multiplier' },
    { property: 'gradients', statement: 'K·T·n' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  regularisers: separableRegularisers,
  plan: (context) => sketchedPlan(sketches, { name: 'full', params: {}, importance: false }, context),
  *steps({ plan, problem, start, everyone, from }) {
    const { rounds, innerSteps, smoothness, checkpointEvery } = plan, d = problem.dimension, land = landscapeOf(problem);
    const everything = Uint32Array.from(smoothness, (_, j) => j), release = releaseAlong(plan)(everything);
    const state = from as SummedState | null;
    assertResumable(state?.step ?? 0, rounds * innerSteps);
    const theta = state?.theta.slice() ?? land.enter(start), sum = state?.sum.slice() ?? new Float64Array(d), rest = state?.rest.slice() ?? new Float64Array(d);
    for (let step = (state?.step ?? 0) + 1; step <= rounds * innerSteps; step++) {
      const gradient = yield* ask.mean({ at: theta, batch: everyone, release });
      land.addSlope(gradient, theta, everything);
      for (let j = 0; j < d; j++) {
        theta[j] -= (1 / smoothness[j]) * gradient[j];
        if (land.shrink !== undefined) theta[j] = land.shrink(j, theta[j], 1 / smoothness[j]);
      }
      land.project?.(theta);
      for (let j = 0; j < d; j++) addProduct(sum, rest, j, theta[j], 1);
      if (step % innerSteps === 0) {
        for (let j = 0; j < d; j++) theta[j] = (sum[j] + rest[j]) / innerSteps;
        land.confine?.(theta);
        sum.fill(0);
        rest.fill(0);
      }
      if (step % checkpointEvery === 0 && step < rounds * innerSteps) yield* ask.checkpoint({ step, theta: theta.slice(), sum: sum.slice(), rest: rest.slice() });
    }
    return theta;
  },
});
