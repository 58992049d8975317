import { referenceTo } from '@lethe/core';
import * as z from 'zod';
import { clipNormSchema, givenLengthSchema, type AskedQuantile } from '../common/private-clip.js';
import { atMostOne } from '../common/require.js';

const positive = z.number().positive();

/**
 * A radius for coordinates: a number. A quantile of norms of whole gradients is refused: where each record
 * has one entry that is not zero, of length C, it is C, and along that entry every gradient is cut to
 * `C (M_j / Σ M)^½`.
 */
const radius = givenLengthSchema(
  'a quantile of the norms of whole gradients does not tell how long they are along coordinates, ' +
    'to which a share of the radius belongs; give a number, or take noisy-gradient-descent, which moves ' +
    'all coordinates at once',
);

/** Parameters that all methods of this folder share. */
export const descentSchema = {
  calibration: z
    .enum(['exact', 'theorem'])
    .default('exact')
    .describe(
      'exact: the least noise that keeps the budget. theorem: Theorem 4.1, for epsilon <= 1, delta < 1/3 ' +
        'and replace-one.',
    ),
  schedule: z
    .enum(['convex', 'strongly-convex'])
    .default('convex')
    .describe('One round, or restarts whose number is logarithmic.'),
  rule: z
    .enum(['printed', 'minimiser', 'sharp'])
    .default('printed')
    .describe(
      'Length of the round of the convex schedule: Theorem 4.2 as printed, or what minimises one of its ' +
        'bounds.',
    ),
  rounds: z.int().positive().optional().describe('T. Left out: 1, or from the strongly convex schedule.'),
  innerSteps: z.int().positive().optional().describe('K, steps of a round. Left out: from the schedule.'),
  smoothness: z
    .union([z.enum(['component', 'block']), positive, z.array(positive).min(1)])
    .default('component')
    .describe(
      'M, constants of the average loss: from the facts, component: for steps along any coordinates, ' +
        'block: along parts of a partition only; or a number for all coordinates, or one for each. A ridge ' +
        'adds its strength.',
    ),
  mean: z
    .optional(referenceTo('mean'))
    .describe(
      'Private mean of whole gradients, such as clipped with an ℓ2 clip and a mechanism. One that clips ' +
        'is scaled by (Σ_U M_j / Σ M_j)^½ along drawn coordinates U.',
    ),
  clip: z
    .strictObject({ radius })
    .optional()
    .describe(
      'Short for a clipped mean with Gaussian noise: each gradient along drawn coordinates U is scaled ' +
        'down to radius·(Σ_U M_j / Σ M_j)^½. Without it or mean, noise is for Lipschitz constants of every ' +
        'record.',
    ),
  noiseMultiplier: positive
    .optional()
    .describe('Noise over sensitivity of a step, in the run’s adjacency. Left out: by the calibration.'),
};

/** A sketch by name. */
export const sketchSchema = z.strictObject({
  name: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  importance: z
    .union([z.boolean(), z.literal('distances')])
    .default(false)
    .describe(
      'Choose parts in proportion to their largest smoothness constant in the plan; or, by distances, to ' +
        '(Σ_j M_j startDistance.j²)^½ over their coordinates, which has the least bound.',
    ),
});

/** A clip of whole gradients, whose radius can be found from their norms. */
export const wholeClipSchema = z
  .strictObject({ radius: clipNormSchema })
  .optional()
  .describe(
    'Short for a clipped mean with Gaussian noise: each gradient is scaled down to radius, or to a ' +
      'quantile of the norms at the start, found privately. Without it or mean, noise is for Lipschitz ' +
      'constants of every record.',
  );

/** For `superRefine` of all of them. */
export const oneMean = atMostOne('clip', 'mean');

const shape = z.strictObject(descentSchema);
/** Parsed parameters of {@link descentSchema}. */
export type DescentParams = z.output<typeof shape>;
/** Those of a plan, whose radius may be found. */
export type PlannedParams = Omit<DescentParams, 'clip'> & {
  readonly clip?: { readonly radius: number | AskedQuantile } | undefined;
};
/** Parsed parameters of {@link sketchSchema}. */
export type SketchChoice = z.output<typeof sketchSchema>;
