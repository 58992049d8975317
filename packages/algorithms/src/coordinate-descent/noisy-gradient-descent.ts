import { ask } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { meanOfSteps, plannedQuantileSchema } from '../common/private-clip.js';
import { coordinateConstraintsOf } from './coordinate-constraints.js';
import { releaseAlong } from './mean-along.js';
import { descentSchema, oneMean, wholeClipSchema } from './descent-schema.js';
import { declared, sketchedPlan } from './sketched-plan.js';
import { summedRounds } from './summed-rounds.js';

/**
 * Noisy gradient descent over all records, preconditioned by `Diag(1/M)`, with restarts from the average. The
 * paper calls it DP-SGD; there are no batches in it. With one number for `smoothness` its steps have one
 * size. {@link dpSkgd} with the full sketch asks the same queries and ends at the same bits.
 *
 * Parameters and facts are those of {@link dpSkgd}. `clip: { radius: { by: 'private-quantile', share } }`
 * finds the radius at the start, by noisy counts over all records, which take that share of the budget; there
 * is no bound then. Rounds and steps are those for the largest radius that the search can find.
 */
export const noisyGradientDescent = defineOptimizer({
  name: 'noisy-gradient-descent',
  summary: 'Full gradient descent with noise, with a step size for each coordinate.',
  source: { id: 'maranjyan-2024', item: 'Section 4, full sampling' },
  params: z
    .strictObject({ ...descentSchema, clip: wholeClipSchema })
    .superRefine(oneMean)
    .refine(({ calibration, clip }) => calibration === 'exact' || typeof clip?.radius !== 'object', {
      message:
        'Theorem 4.1 leaves no privacy for the counts of a quantile; give radius as a number, or take ' +
        "calibration 'exact'",
      path: ['calibration'],
    }),
  examples: [
    { innerSteps: 6, smoothness: 4 },
    {
      rounds: 2,
      innerSteps: 3,
      smoothness: 2,
      clip: { radius: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 } },
    },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'K·T Gaussians of the planned multiplier, and one release for each count of a quantile; equal to ' +
        'the ledger’s',
    },
    { property: 'gradients', statement: 'K·T·n, and n for each count of a quantile' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  ...declared,
  schedule: declared.schedule.extend({ quantile: z.optional(plannedQuantileSchema) }),
  plan: (context) =>
    sketchedPlan('noisy-gradient-descent', { name: 'full', params: {}, importance: false }, context),
  *steps({ plan, registry, domain, regulariser, start, allRecords, ...loops }) {
    const { smoothness, quantile = null } = plan;
    const land = coordinateConstraintsOf({ domain, regulariser });
    const everything = Uint32Array.from(smoothness, (_, j) => j);
    const at = land.enter(start);
    const mean = yield* meanOfSteps({ mean: plan.mean, quantile }, registry, { at, batch: allRecords });
    const release = releaseAlong({ ...plan, mean }, registry)(everything);
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
