import * as z from 'zod';
import { count, name } from './parts.js';

const positive = z.number().positive().max(1e100);
const dimension = count.max(10_000);
const shared = {
  name,
  title: z.string().min(1).optional(),
  orders: z
    .array(z.number().min(2).max(64))
    .min(1)
    .default([2])
    .describe('Orders of moments that the bounds may use; the least bound counts.'),
};
const shift = z.number().nonnegative().max(1e100).default(0).describe('Length of the mean, along (1, …, 1).');

/** Distribution of one record, with known mean and moments. */
const knownLaw = z
  .discriminatedUnion('law', [
    z.strictObject({
      ...shared,
      law: z.literal('two-point'),
      dimension,
      size: positive.describe('Norm of the spike, along (1, …, 1); otherwise the record is zero.'),
      probability: z.number().positive().max(1),
    }),
    z.strictObject({
      ...shared,
      law: z.literal('finite'),
      points: z
        .array(
          z.strictObject({
            at: z.array(z.number().min(-1e100).max(1e100)).min(1),
            probability: z.number().positive().max(1),
          }),
        )
        .min(1),
    }),
    z.strictObject({ ...shared, law: z.literal('gaussian'), dimension, scale: positive.default(1), shift }),
    z.strictObject({
      ...shared,
      law: z.literal('multivariate-t'),
      dimension,
      degreesOfFreedom: z.number().gt(2).max(1e9),
      scale: positive.default(1),
      shift,
    }),
    z.strictObject({
      ...shared,
      law: z.literal('pareto'),
      dimension,
      tail: z
        .number()
        .gt(2)
        .max(1e9)
        .describe('The norm, along (1, …, 1), is above t with probability (scale/t)^tail.'),
      scale: positive.default(1),
    }),
  ])
  .superRefine((law, context) => {
    if (law.law !== 'finite') return;
    const sum = law.points.reduce((total, { probability }) => total + probability, 0);
    if (Math.abs(sum - 1) > 1e-9)
      context.addIssue({
        code: 'custom',
        path: ['points'],
        message: `probabilities add up to ${sum}; they must add up to 1`,
      });
    if (new Set(law.points.map(({ at }) => at.length)).size > 1)
      context.addIssue({ code: 'custom', path: ['points'], message: 'points need one dimension' });
  });

/** Whether there is a value at a path already. */
const isGiven = (params: unknown, path: string): boolean =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      params,
    ) !== undefined;

const measured = z
  .strictObject({
    name: z.string().min(1).describe('Of a private mean.'),
    label: z.string().min(1).optional(),
    params: z.record(z.string(), z.json()).default({}),
    sweep: z
      .record(z.string(), z.array(z.number()).min(1))
      .default({})
      .describe(
        'One of the parameters, with all the values that it takes, such as limit, ' +
          'or clip.params.radius of a part.',
      ),
  })
  .refine(({ sweep }) => Object.keys(sweep).length <= 1, { path: ['sweep'], message: 'sweep one parameter' })
  .refine(({ sweep, params }) => Object.keys(sweep).every((path) => !isGiven(params, path)), {
    path: ['sweep'],
    message: 'a parameter is given in params or swept, not both',
  });

const target = z.union([
  z.strictObject({ epsilon: z.number().positive(), delta: z.number().min(0).max(1).default(1e-6) }),
  z.strictObject({ noiseMultiplier: z.number().positive() }),
  z.strictObject({
    unprotected: z.literal(true).describe('Without noise, to see the mean alone; only in the central model.'),
  }),
]);

/** Fields of an experiment on means besides name and title. */
export const meanFields = {
  kind: z.literal('mean'),
  laws: z.array(knownLaw).min(1),
  means: z.array(measured).min(1),
  batches: z.array(count.max(1_000_000)).min(1).describe('Numbers of records in one mean.'),
  targets: z.array(target).min(1).describe('Budgets of one mean.'),
  repetitions: count.min(2).max(100_000).default(1000).describe('Means of fresh records, for each setting.'),
  seed: z.int().nonnegative().default(1),
};

export type KnownDistributionSpec = z.output<typeof knownLaw>;
export type MeasuredSpec = z.output<typeof measured>;
export type TargetSpec = z.output<typeof target>;
