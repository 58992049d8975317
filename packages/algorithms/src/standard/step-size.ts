import * as z from 'zod/mini';

/** Parameters of a step size that is constant or falls with the square root of the step. */
export const stepSizeSchema = {
  stepSize: z.number().check(z.positive(), z.describe('Size of the first step.')),
  schedule: z
    ._default(z.enum(['constant', 'inverse-sqrt']), 'constant')
    .check(z.describe('constant: stepSize; inverse-sqrt: stepSize / √t.')),
};

/** Which point is returned. */
export const averageSchema = z
  ._default(z.enum(['last', 'polyak']), 'last')
  .check(z.describe('What is returned: the last iterate, or the mean of all.'));

/** The size of step `t = 1, 2, …`. */
export const stepSizeAt = (
  { stepSize, schedule }: { readonly stepSize: number; readonly schedule: 'constant' | 'inverse-sqrt' },
  t: number,
): number => (schedule === 'constant' ? stepSize : stepSize / Math.sqrt(t));
