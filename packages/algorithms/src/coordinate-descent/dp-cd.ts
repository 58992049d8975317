import { ask, resolvePlugin, type Ref, type Sketch } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { forkedDraws } from './planned-sketch.js';
import { coordinateConstraintsOf } from './coordinate-constraints.js';
import { releaseAlong, along } from './mean-along.js';
import { descentSchema, oneMean } from './descent-schema.js';
import { declared, sketchedPlan } from './sketched-plan.js';
import { summedRounds } from './summed-rounds.js';

/**
 * Differentially private coordinate descent: one coordinate at a time, uniformly, steps of `1/M_j`, restarts
 * from the average. Written without sketches and lazy averages; {@link dpSkgd} with single coordinates asks
 * the same queries and ends at the same bits.
 *
 * `choice: 'distances'` draws coordinate `j` with a probability in proportion to `√M_j startDistance.j`: of
 * all probabilities they have the least bound.
 *
 * Parameters and facts are those of {@link dpSkgd}.
 */
export const dpCd = defineOptimizer({
  name: 'dp-cd',
  summary: 'Coordinate descent with noise, one uniform coordinate at a time.',
  source: { id: 'mangold-2022', item: 'Algorithm 1' },
  params: z
    .strictObject({
      ...descentSchema,
      choice: z
        .enum(['uniform', 'distances'])
        .default('uniform')
        .describe('Which coordinate a step moves: any, or by the facts startDistance.j.'),
    })
    .superRefine(oneMean),
  examples: [
    { innerSteps: 9, smoothness: 4 },
    { rounds: 2, innerSteps: 4, smoothness: 2, clip: { radius: 1 } },
  ],
  claims: [
    { property: 'event', statement: 'K·T Gaussians of the planned multiplier' },
    { property: 'gradients', statement: 'K·T·n, each along one coordinate' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  ...declared,
  plan: ({ params: { choice, ...params }, ...context }) =>
    sketchedPlan(
      'dp-cd',
      { name: 'single-coordinate', params: {}, importance: choice === 'uniform' ? false : choice },
      { ...context, params },
    ),
  *steps({ plan, problem, registry, domain, regulariser, start, allRecords, random, ...loops }) {
    const { smoothness } = plan;
    const d = problem.dimension;
    const land = coordinateConstraintsOf({ domain, regulariser });
    const releaseOf = releaseAlong(plan, registry);
    const { plugin, params } = resolvePlugin<Sketch>(registry, plan.sketch as Ref<'sketch'>);
    const { choice } = params as { readonly choice: { readonly by: string } };
    const coordinateOf = forkedDraws(random.fork('sketch'), (randomness) =>
      choice.by === 'uniform' ? randomness.integer(d) : plugin.draw(params, d, randomness).coordinates[0],
    );
    return yield* summedRounds({
      ...loops,
      plan,
      land,
      start,
      *move(theta, step) {
        const j = coordinateOf(step);
        const coordinates = Uint32Array.of(j);
        const derivative = yield* ask.mean({
          at: theta,
          ...along(coordinates, d),
          batch: allRecords,
          ...releaseOf(coordinates, j),
        });
        land.addSlope(derivative, theta, coordinates);
        theta[j] -= (1 / smoothness[j]) * derivative[0];
        if (land.shrink !== undefined) theta[j] = land.shrink(j, theta[j], 1 / smoothness[j]);
      },
    });
  },
});
