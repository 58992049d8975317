import { ask, defineOptimizer, type PublicState, type Vector } from '@lethe/core';
import { sketches } from '@lethe/mechanisms';
import { z } from 'zod';
import { addProduct } from '../common/exact-sum.js';
import { assertResumable } from '../common/resumable.js';
import { stretchedDraws } from '../common/stretched-draws.js';
import { descentSchema } from './descent-params.js';
import { landscapeOf, separableRegularisers } from './landscape.js';
import { along, releaseAlong } from './record-radius.js';
import { sketchedPlan } from './sketched-plan.js';

/** All that the two straightforward methods remember: steps done, the iterate, and the sum of the round in two parts. */
export interface SummedState { readonly [key: string]: PublicState; readonly step: number; readonly theta: Vector; readonly sum: Vector; readonly rest: Vector }

/**
 * Differentially private coordinate descent: one coordinate at a time, uniformly, steps of `1/M_j`, restarts from the average. Written without sketches, averages
 * and all; {@link dpSkgd} with single coordinates asks the same queries and ends at the same bits.
 *
 * Parameters and facts are those of {@link dpSkgd}.
 */
export const dpCd = defineOptimizer({
  name: 'dp-cd',
  summary: 'Coordinate descent with noise, one uniform coordinate at a time.',
  source: { id: 'mangold-2022', item: 'Algorithm 1' },
  params: z.strictObject(descentSchema),
  examples: [{ innerSteps: 9, smoothness: 4, checkpointEvery: 4 }, { rounds: 2, innerSteps: 4, smoothness: 2, clip: { radius: 1 } }],
  claims: [
    { property: 'event', statement: 'K·T Gaussians of the planned multiplier' },
    { property: 'gradients', statement: 'K·T·n, each along one coordinate' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  regularisers: separableRegularisers,
  plan: (context) => sketchedPlan(sketches, { name: 'single-coordinate', params: {}, importance: false }, context),
  *steps({ plan, problem, start, everyone, random, from }) {
    const { rounds, innerSteps, smoothness, checkpointEvery } = plan, d = problem.dimension, land = landscapeOf(problem), releaseOf = releaseAlong(plan);
    const coordinateOf = stretchedDraws(random.fork('sketch'), (coins) => coins.integer(d));
    const state = from as SummedState | null;
    assertResumable(state?.step ?? 0, rounds * innerSteps);
    const theta = state?.theta.slice() ?? land.enter(start), sum = state?.sum.slice() ?? new Float64Array(d), rest = state?.rest.slice() ?? new Float64Array(d);
    for (let step = (state?.step ?? 0) + 1; step <= rounds * innerSteps; step++) {
      const j = coordinateOf(step - 1), coordinates = Uint32Array.of(j);
      const derivative = yield* ask.mean({ at: theta, ...along(coordinates, d), batch: everyone, release: releaseOf(coordinates, j) });
      land.addSlope(derivative, theta, coordinates);
      theta[j] -= (1 / smoothness[j]) * derivative[0];
      if (land.shrink !== undefined) theta[j] = land.shrink(j, theta[j], 1 / smoothness[j]);
      land.project?.(theta);
      for (let i = 0; i < d; i++) addProduct(sum, rest, i, theta[i], 1);
      if (step % innerSteps === 0) {
        for (let i = 0; i < d; i++) theta[i] = (sum[i] + rest[i]) / innerSteps;
        land.confine?.(theta);
        sum.fill(0);
        rest.fill(0);
      }
      if (step % checkpointEvery === 0 && step < rounds * innerSteps) yield* ask.checkpoint({ step, theta: theta.slice(), sum: sum.slice(), rest: rest.slice() });
    }
    return theta;
  },
});
