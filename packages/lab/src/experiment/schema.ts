import { adjacencySchema } from '@lethe/core';
import { designSpec, syntheticSpec, tableOptions } from '@lethe/losses';
import { z } from 'zod';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/u, 'use lower-case letters, digits and hyphens');
const pluginRef = z.strictObject({ name: z.string().min(1), params: z.record(z.string(), z.json()).default({}) });
const count = z.int().positive();
const layout = z.enum(['rows', 'columns']).default('rows').describe('How the matrix lies in memory: by rows, or by columns, which is much faster where optimizers ask for a few coordinates at a time.');

const tableSource = z.strictObject({
  file: z.string().min(1).optional().describe('Path, relative to the experiment file.'),
  package: z.string().min(1).optional().describe('File inside an installed npm package, such as "vega-datasets/data/flights-3m.parquet".'),
  read: tableOptions.optional(),
  design: designSpec,
  shuffle: z.int().nonnegative().default(1).describe('Public seed of the order in which records are taken; chosen before the data are read.'),
  layout,
}).refine(({ file, package: inside }) => (file === undefined) !== (inside === undefined), { message: 'give either file or package' });
const generatedSource = z.strictObject({ generate: syntheticSpec, shuffle: z.int().nonnegative().default(1).describe('Seed of the generator.'), layout });

const fact = z.strictObject({ value: z.union([z.number(), z.array(z.number()).min(1)]).describe('A number; or a list, which declares `name.0`, `name.1` and so on, one for each coordinate.'), why: z.string().min(1).describe('How it is known without looking at the private data.') });

const problem = z.strictObject({
  name,
  title: z.string().min(1),
  data: z.union([tableSource, generatedSource]),
  loss: pluginRef,
  domain: pluginRef.describe('Set the iterates stay in.'),
  regulariser: pluginRef.optional().describe('Public convex function of the iterate that is added to the average loss, by the name of a proximal function. It reads no record.'),
  record: z.strictObject({
    featureNorm: z.number().positive().optional(),
    featureBounds: z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional().describe('Bound on the absolute value of a feature: one for all columns, or one for each.'),
    labelBound: z.number().positive().optional(),
  }).default({}).describe('Declared bounds on every record, beyond those that follow from the design. Records outside are moved onto them.'),
  facts: z.record(z.string(), fact).default({}).describe('Public facts about the population that plans may read; they never enter a sensitivity.'),
});

const optimizer = z.strictObject({
  name: z.string().min(1),
  label: z.string().min(1).optional(),
  params: z.record(z.string(), z.json()).default({}),
  paramsFor: z.record(z.string(), z.record(z.string(), z.json())).default({}).describe('Parameters for one problem, by its name; they go over params.'),
});

const expectation = z.strictObject({
  problem: name,
  epsilon: z.number().positive().optional().describe('For this budget only.'),
  n: count.optional().describe('For this number of records only.'),
  excessRisk: z.number().positive().optional().describe('Expected excess risk, computed beforehand.'),
  tolerance: z.number().nonnegative().default(0).describe('How far excessRisk itself may be off, such as by rounding.'),
  bound: z.number().positive().optional().describe('What the plan should give as its bound.'),
  plan: z.record(z.string().min(1), z.number()).default({}).describe('Other numbers that the plan should hold, by their place in it, such as `innerSteps` or `noise.exact.gaussianMu`.'),
  source: z.string().min(1).describe('Where the numbers come from.'),
}).refine(({ excessRisk, bound, plan }) => excessRisk !== undefined || bound !== undefined || Object.keys(plan).length > 0, { message: 'give excessRisk, bound or plan' });

const compared = optimizer.extend({
  unprotected: z.boolean().default(false).describe('It may release without noise: a baseline that has no privacy at all, and is shown as such.'),
  expected: z.array(expectation).default([]).describe('Numbers computed beforehand, to stand beside what is measured.'),
});

const budget = z.strictObject({ epsilon: z.number().positive(), delta: z.number().min(0).max(1).default(1e-6) });

const shared = {
  lethe: z.literal(1).describe('Version of this format.'),
  name,
  title: z.string().min(1),
  about: z.string().default(''),
  adjacency: adjacencySchema.default('replace-one'),
};

/** Many seeds under a seeded curator: a simulation that protects nobody and says so everywhere. */
const evaluation = z.strictObject({
  ...shared,
  kind: z.literal('evaluation'),
  problems: z.array(problem).min(1),
  optimizers: z.array(compared).min(1),
  budgets: z.array(budget).min(1),
  sizes: z.array(count).min(1).optional().describe('Numbers of records to learn from. Default: all.'),
  seeds: z.strictObject({ first: z.int().nonnegative().default(1), count: count.max(10_000) }),
  lowerBound: pluginRef.optional().describe('Lower bound to draw beside the measurements; n, epsilon, delta, dimension and facts are filled in.'),
}).refine(({ problems }) => new Set(problems.map((p) => p.name)).size === problems.length, { path: ['problems'], message: 'problems need distinct names' })
  .refine(({ optimizers }) => new Set(optimizers.map(labelOf)).size === optimizers.length, { path: ['optimizers'], message: 'optimizers need distinct labels' })
  .superRefine((experiment, context) => {
    for (const { path, message } of strayExpectations(experiment)) context.addIssue({ code: 'custom', path: ['optimizers', ...path], message });
  });

/** Expectations of what is not there, and two of the same. */
function strayExpectations({ problems, optimizers, budgets, sizes }: {
  readonly problems: readonly { readonly name: string }[]; readonly optimizers: readonly { readonly expected: readonly z.output<typeof expectation>[] }[];
  readonly budgets: readonly { readonly epsilon: number }[]; readonly sizes?: readonly number[] | undefined;
}): { readonly path: readonly (string | number)[]; readonly message: string }[] {
  return optimizers.flatMap(({ expected }, i) => expected.flatMap(({ problem: on, epsilon, n }, k) => {
    const stray = (field: string, message: string): { path: (string | number)[]; message: string }[] => [{ path: [i, 'expected', k, field], message }];
    if (!problems.some((known) => known.name === on)) return stray('problem', `there is no problem '${on}' in this experiment`);
    if (epsilon !== undefined && !budgets.some((known) => known.epsilon === epsilon)) return stray('epsilon', `there is no budget of epsilon ${epsilon} in this experiment`);
    if (n !== undefined && sizes !== undefined && !sizes.includes(n)) return stray('n', `there is no size ${n} in this experiment`);
    const meets = (a: number | undefined, b: number | undefined): boolean => a === undefined || b === undefined || a === b;
    const twin = expected.findIndex((other, at) => at < k && other.problem === on && meets(other.epsilon, epsilon) && meets(other.n, n));
    return twin < 0 ? [] : stray('problem', `speaks of the same setting as expected.${twin}; give epsilon or n to tell them apart`);
  }));
}

/** One run under a secure curator, charged to the ledger of the data set. */
const release = z.strictObject({
  ...shared,
  kind: z.literal('release'),
  problem,
  optimizer,
  budget,
  size: count.optional(),
  limit: budget.optional().describe('What may ever be spent on the data set.'),
  ledger: z.string().min(1).optional().describe('Path of the ledger, relative to the experiment file. Default: in LETHE_HOME, or .lethe in the home folder, under a hash of the source.'),
}).refine(({ problem: { data } }) => 'generate' in data || data.read?.missing !== 'drop-row', {
  path: ['problem', 'data', 'read', 'missing'], message: 'a release cannot drop records: which slots exist would depend on the private values. Fill the gaps before, or use reject',
});

/** The format of experiment files: an evaluation or a release, told apart by `kind`. */
export const experimentSchema = z.discriminatedUnion('kind', [evaluation, release]);
/** Parsed form of {@link experimentSchema}. */
export type Experiment = z.output<typeof experimentSchema>;
/** An experiment over many seeds, under a seeded curator. */
export type Evaluation = Extract<Experiment, { kind: 'evaluation' }>;
/** An experiment of one private run. */
export type Release = Extract<Experiment, { kind: 'release' }>;
export type ProblemSpec = z.output<typeof problem>;
export type OptimizerSpec = z.output<typeof optimizer>;
/** An optimizer of an evaluation. */
export type ComparedSpec = z.output<typeof compared>;
/** Numbers computed beforehand for an optimizer on a problem. */
export type ExpectationSpec = z.output<typeof expectation>;
export type BudgetSpec = z.output<typeof budget>;

/** What an optimizer is called in tables and plots. */
export const labelOf = ({ name: id, label }: { readonly name: string; readonly label?: string | undefined }): string => label ?? id;
/** Parameters of an optimizer on a problem. */
export const paramsOn = ({ params, paramsFor }: OptimizerSpec, problemName: string): OptimizerSpec['params'] => ({ ...params, ...paramsFor[problemName] });
