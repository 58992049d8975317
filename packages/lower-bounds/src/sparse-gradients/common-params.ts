import * as z from 'zod';

/** Parameters that all bounds on means of sparse records share. */
export const sparseParams = {
  n: z.int().positive().describe('Number of records.'),
  dimension: z.int().positive().describe('d.'),
  sparsity: z.int().positive().describe('s: most entries of a record that are not zero; at most d.'),
  epsilon: z.number().positive().describe('ε, under replace-one.'),
  radius: z.number().positive().default(1).describe('L: bound on the ℓ2 norm of a record.'),
};

/** Whether a rate is asked for, whose constant the source hides. */
export const constants = z
  .enum(['proved', 'hidden'])
  .default('proved')
  .describe('proved: a bound with proved constants; hidden: the printed rate with constants 1.');

/** An issue of a schema for more entries than columns. */
export const sparsityFits = ({
  sparsity,
  dimension,
}: {
  readonly sparsity: number;
  readonly dimension: number;
}): boolean => sparsity <= dimension;
export const sparsityRule = { path: ['sparsity'], message: 'sparsity is at most the dimension' };
