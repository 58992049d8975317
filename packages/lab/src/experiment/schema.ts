import { adjacencySchema } from '@lethe/core';
import * as z from 'zod';
import {
  compared,
  labelOf,
  noProblem,
  released,
  type ComparedSpec,
  strayExpectations,
  strayRestrictions,
} from './optimizer-schema.js';
import { meanErrorFields } from './mean-error-schema.js';
import { meanFields } from './mean-schema.js';
import { ownerOf } from './owner-of.js';
import { count, name, pluginModules, pluginRef, seeds } from './parts.js';
import { unsafeReading } from './private-reading.js';
import { isHard, problem, sampledProblem, type ProblemSpec } from './problem-schema.js';

export {
  labelOf,
  paramsOn,
  runsOn,
  type ComparedSpec,
  type ExpectationSpec,
  type OptimizerSpec,
  type TrustSpec,
} from './optimizer-schema.js';
export { isHard, type HardSpec, type ProblemSpec, type SampledSpec } from './problem-schema.js';

const budget = z.strictObject({
  epsilon: z.number().positive(),
  delta: z.number().min(0).max(1).default(1e-6),
});

const shared = {
  lethe: z.literal(1).describe('Version of this format.'),
  name,
  title: z.string().min(1).optional().describe('Default: the name.'),
  about: z.string().default(''),
  adjacency: z._default(adjacencySchema, 'replace-one'),
  plugins: pluginModules
    .optional()
    .describe(
      'Modules whose plugins the experiment may name: paths, which begin with ./ or ../ and are relative ' +
        'to the experiment file, or packages that are installed there.',
    ),
};

const rate = z.strictObject({
  name: z.string().min(1).describe('Name of a method or of a lower bound, such as convex-linear-time.'),
  label: z.string().min(1).optional().describe('Default: the name.'),
  params: z
    .record(z.string(), z.number())
    .default({})
    .describe(
      'Numbers of its setting, such as order or smoothness; what is left out comes from facts and budget.',
    ),
  factor: z.number().positive().default(1).describe('Factor on the curve, whose constant is unknown.'),
});

/** Whether every seed has records of its own. */
const drawsAnew = (spec: ProblemSpec): boolean => isHard(spec) || spec.risk === 'population';

/** Many seeds under a seeded curator: a simulation without privacy. */
const evaluation = z
  .strictObject({
    ...shared,
    kind: z.literal('evaluation'),
    problems: z.array(problem).min(1),
    optimizers: z.array(compared).min(1),
    budgets: z.array(budget).min(1),
    sizes: z.array(count).min(1).optional().describe('Numbers of records to learn from. Default: all.'),
    seeds,
    heldOut: count
      .optional()
      .describe(
        'Records of each problem that no optimizer learns from, the last in public order: every model is ' +
          'also scored on them. Not for problems that draw records for every seed.',
      ),
    lowerBound: pluginRef
      .optional()
      .describe(
        'Lower bound to draw beside the measurements; n, epsilon, delta, ' +
          'dimension and facts are filled in. A hard instance uses the bound of its ' +
          'own plugin; parameters given here override its parameters.',
      ),
    rates: z
      .array(rate)
      .default([])
      .describe(
        'Theoretical rates to draw beside the measurements, up to constants; n, dimension, ' +
          'epsilon, moments and curvatures are filled in.',
      ),
    vary: z
      .enum(['records', 'dimension'])
      .default('records')
      .describe('dimension: adds a figure against the dimension, over all problems.'),
    upperBounds: z
      .enum(['near', 'always', 'never'])
      .default('near')
      .describe(
        'Whether figures show the upper bounds of the plans: near, those within a factor of 1000 of the ' +
          'measurements, in figures of at most four optimizers; always, all of them.',
      ),
  })
  .refine(({ problems }) => new Set(problems.map((p) => p.name)).size === problems.length, {
    path: ['problems'],
    message: 'problems need distinct names',
  })
  .refine(({ optimizers }) => new Set(optimizers.map(labelOf)).size === optimizers.length, {
    path: ['optimizers'],
    message: 'optimizers need distinct labels',
  })
  .refine(({ problems, sizes }) => sizes !== undefined || !problems.some(isHard), {
    path: ['sizes'],
    message: 'a hard instance has as many records as are asked for; give sizes',
  })
  .refine(({ problems, heldOut }) => heldOut === undefined || !problems.some(drawsAnew), {
    path: ['heldOut'],
    message: 'a problem that draws records for every seed holds none out; leave heldOut out',
  })
  .refine(({ rates }) => new Set(rates.map(({ name: id, label }) => label ?? id)).size === rates.length, {
    path: ['rates'],
    message: 'rates need distinct labels',
  })
  .superRefine((experiment, context) => {
    experiment.problems.forEach((given, i) => {
      if (ownerOf(given) !== undefined)
        context.addIssue({
          code: 'custom',
          path: ['problems', i, 'data', 'owner'],
          message:
            'an evaluation measures risks of single records that it draws anew for every seed, and a mean ' +
            'over owners is another risk; owners are protected by a release, a federation and lethe train, ' +
            'and lethe evaluate measures their models. Leave owner out',
        });
    });
    for (const { path, message } of [...strayRestrictions(experiment), ...strayExpectations(experiment)])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** One run under a secure curator, charged to the ledger of the data set. */
const release = z
  .strictObject({
    ...shared,
    kind: z.literal('release'),
    problem: sampledProblem,
    optimizer: released,
    budget,
    size: count
      .optional()
      .describe(
        'Under replace-one and zero-out: how many records to use. Under add-remove: ' +
          'a public guess of how many there are; every record is used.',
      ),
    limit: budget.optional().describe('Limit on the total spending of the data set.'),
    weakPrivacy: z
      .boolean()
      .default(false)
      .describe('Allows a budget or limit without protection: epsilon above 50, or delta of 1/n or more.'),
    ledger: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Path of the ledger, relative to the experiment file. Default: one for the same records, ' +
          'in LETHE_HOME, or .lethe in the home folder.',
      ),
  })
  .superRefine(({ problem: { data, name: own }, optimizer: { paramsFor }, adjacency }, context) => {
    for (const on of Object.keys(paramsFor))
      if (on !== own)
        context.addIssue({
          code: 'custom',
          path: ['optimizer', 'paramsFor', on],
          message: noProblem(on, [own]),
        });
    for (const { field, message } of 'design' in data ? unsafeReading(data, adjacency) : [])
      context.addIssue({ code: 'custom', path: ['problem', 'data', 'read', field], message });
  });

/** An experiment is called by its name where it has no title. */
const titled = <E extends { readonly name: string; readonly title?: string | undefined }>(
  experiment: E,
): E & { readonly title: string } => ({ ...experiment, title: experiment.title ?? experiment.name });

/** Bias and variance of means on known distributions: a simulation. */
const mean = z
  .strictObject({ ...shared, ...meanFields })
  .refine(({ laws }) => new Set(laws.map((law) => law.name)).size === laws.length, {
    path: ['laws'],
    message: 'laws need distinct names',
  })
  .refine(({ means }) => new Set(means.map(({ name: id, label = id }) => label)).size === means.length, {
    path: ['means'],
    message: 'means need distinct labels',
  });

/** Errors of means on hard records, between lower and upper bounds: a simulation. */
const meanError = z
  .strictObject({ ...shared, adjacency: z.literal('replace-one').default('replace-one'), ...meanErrorFields })
  .refine(({ series }) => new Set(series.map((one) => one.name)).size === series.length, {
    path: ['series'],
    message: 'series need distinct names',
  });

/**
 * The format of experiment files: an evaluation, a release or measurements of means or of their errors, told
 * apart by `kind`.
 */
export const experimentSchema = z.discriminatedUnion('kind', [
  evaluation.transform(titled),
  release.transform(titled),
  mean.transform(titled),
  meanError.transform(titled),
]);
/** Parsed form of {@link experimentSchema}. */
export type Experiment = z.output<typeof experimentSchema>;
/** An experiment over many seeds, under a seeded curator. */
export type Evaluation = Omit<Extract<Experiment, { kind: 'evaluation' }>, 'optimizers'> & {
  readonly optimizers: ComparedSpec[];
};
/** An experiment of one private run. */
export type Release = Extract<Experiment, { kind: 'release' }>;
/** An experiment on private means alone. */
export type MeanExperiment = Extract<Experiment, { kind: 'mean' }>;
/** An experiment on errors of means. */
export type MeanErrorExperiment = Extract<Experiment, { kind: 'mean-error' }>;
/** A theoretical rate to draw. */
export type RateSpec = z.output<typeof rate>;
export type BudgetSpec = z.output<typeof budget>;
