import * as z from 'zod';
import { count, name, pluginRef } from './parts.js';

const setting = z.strictObject({
  n: count.max(1_000_000).describe('Number of records.'),
  dimension: count.max(10_000_000),
  sparsity: count.describe('Most entries of a record that are not zero.'),
  epsilon: z.number().positive(),
  delta: z.number().min(0).lt(1).default(0),
});

const method = z.strictObject({
  mean: z
    .string()
    .min(1)
    .describe('A private mean of the central model; radius, sparsity and measurements are filled in.'),
  label: z.string().min(1).optional().describe('Default: the name of the mean.'),
  params: z.record(z.string(), z.json()).default({}),
  biasReduced: z
    .boolean()
    .default(false)
    .describe(
      'Whether the mean is asked of nested batches of a random size, each at a quarter of the budget.',
    ),
});

const series = z
  .strictObject({
    name,
    title: z.string().min(1),
    bound: pluginRef.describe('A lower bound on the error of a mean; its records are what is averaged.'),
    methods: z.array(method).min(1),
    at: setting,
    vary: z.enum(['n', 'dimension', 'sparsity', 'epsilon']),
    values: z.array(z.number().positive()).min(1).describe('What the varied number takes.'),
  })
  .refine(({ methods }) => new Set(methods.map(({ mean, label = mean }) => label)).size === methods.length, {
    path: ['methods'],
    message: 'methods need distinct labels',
  })
  .superRefine(({ at, vary, values }, context) => {
    values.forEach((value, i) => {
      const found = setting.safeParse({ ...at, [vary]: value });
      if (!found.success)
        context.addIssue({ code: 'custom', path: ['values', i], message: found.error.issues[0].message });
    });
  });

const tables = z.strictObject({
  dimensions: z.array(count).min(1),
  sizes: z.array(count).min(2).describe('Numbers of records.'),
  sparsity: count,
  epsilon: z.number().positive().max(1),
  delta: z.number().positive().lt(1),
});

/** Fields of an experiment on errors of means besides name and title. */
export const meanErrorFields = {
  kind: z.literal('mean-error'),
  series: z.array(series).min(1),
  tables: tables
    .optional()
    .describe(
      'Rates of sparse gradients over dimensions and numbers of records: Tables 1 and 2 of their paper.',
    ),
  repetitions: count.min(2).max(100_000).default(100).describe('Draws of records, for each setting.'),
  seed: z.int().nonnegative().default(1),
};

export type MeanErrorSetting = z.output<typeof setting>;
export type MeanMethodSpec = z.output<typeof method>;
export type MeanErrorSeries = z.output<typeof series>;
export type RateTablesSpec = z.output<typeof tables>;
