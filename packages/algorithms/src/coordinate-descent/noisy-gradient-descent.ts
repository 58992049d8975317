import { ask } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { coordinateConstraintsOf } from './coordinate-constraints.js';
import { releaseAlong } from './mean-along.js';
import { descentSchema, oneMean } from './descent-schema.js';
import { declared, sketchedPlan } from './sketched-plan.js';
import { summedRounds } from './summed-rounds.js';

/**
 * Noisy gradient descent over all records, preconditioned by `Diag(1/M)`, with restarts from the average. The
 * paper calls it DP-SGD; there are no batches in it. With one number for `smoothness` its steps have one
 * size. {@link dpSkgd} with the full sketch asks the same queries and ends at the same bits.
 *
 * Parameters and facts are those of {@link dpSkgd}.
 */
export const noisyGradientDescent = defineOptimizer({
  name: 'noisy-gradient-descent',
  summary: 'Full gradient descent with noise, with a step size for each coordinate.',
  source: { id: 'maranjyan-2024', item: 'Section 4, full sampling' },
  params: z.strictObject(descentSchema).superRefine(oneMean),
  examples: [
    { innerSteps: 6, smoothness: 4 },
    { rounds: 2, innerSteps: 3, smoothness: 2, clip: { radius: 1 } },
  ],
  claims: [
    { property: 'event', statement: 'K·T Gaussians of the planned multiplier' },
    { property: 'gradients', statement: 'K·T·n' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  ...declared,
  plan: (context) =>
    sketchedPlan('noisy-gradient-descent', { name: 'full', params: {}, importance: false }, context),
  *steps({ plan, registry, domain, regulariser, start, allRecords, ...loops }) {
    const { smoothness } = plan;
    const land = coordinateConstraintsOf({ domain, regulariser });
    const everything = Uint32Array.from(smoothness, (_, j) => j);
    const release = releaseAlong(plan, registry)(everything);
    return yield* summedRounds({
      ...loops,
      plan,
      land,
      start,
      *move(theta) {
        const gradient = yield* ask.mean({ at: theta, batch: allRecords, ...release });
        land.addSlope(gradient, theta, everything);
        for (const j of everything) {
          theta[j] -= (1 / smoothness[j]) * gradient[j];
          if (land.shrink !== undefined) theta[j] = land.shrink(j, theta[j], 1 / smoothness[j]);
        }
      },
    });
  },
});
