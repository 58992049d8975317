import { adjacencySchema } from '@lethe/core';
import { designSpec, syntheticSpec, tableOptions } from '@lethe/losses';
import { z } from 'zod';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/u, 'use lower-case letters, digits and hyphens');
const pluginRef = z.strictObject({ name: z.string().min(1), params: z.record(z.string(), z.json()).default({}) });
const count = z.int().positive();

const tableSource = z.strictObject({
  file: z.string().min(1).optional().describe('Path, relative to the experiment file.'),
  package: z.string().min(1).optional().describe('File inside an installed npm package, such as "vega-datasets/data/flights-3m.parquet".'),
  read: tableOptions.optional(),
  design: designSpec,
  shuffle: z.int().nonnegative().default(1).describe('Public seed of the order in which records are taken; chosen before the data are read.'),
}).refine(({ file, package: inside }) => (file === undefined) !== (inside === undefined), { message: 'give either file or package' });
const generatedSource = z.strictObject({ generate: syntheticSpec, shuffle: z.int().nonnegative().default(1).describe('Seed of the generator.') });

const fact = z.strictObject({ value: z.number(), why: z.string().min(1).describe('How it is known without looking at the private data.') });

const problem = z.strictObject({
  name,
  title: z.string().min(1),
  data: z.union([tableSource, generatedSource]),
  loss: pluginRef,
  domain: pluginRef.describe('Set the iterates stay in.'),
  record: z.strictObject({ featureNorm: z.number().positive().optional(), labelBound: z.number().positive().optional() }).default({})
    .describe('Declared bounds on every record, beyond those that follow from the design. Records outside are moved onto them.'),
  facts: z.record(z.string(), fact).default({}).describe('Public facts about the population that plans may read; they never enter a sensitivity.'),
});

const optimizer = z.strictObject({
  name: z.string().min(1),
  label: z.string().min(1).optional(),
  params: z.record(z.string(), z.json()).default({}),
  paramsFor: z.record(z.string(), z.record(z.string(), z.json())).default({}).describe('Parameters for one problem, by its name; they go over params.'),
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
  optimizers: z.array(optimizer).min(1),
  budgets: z.array(budget).min(1),
  sizes: z.array(count).min(1).optional().describe('Numbers of records to learn from. Default: all.'),
  seeds: z.strictObject({ first: z.int().nonnegative().default(1), count: count.max(10_000) }),
  lowerBound: pluginRef.optional().describe('Lower bound to draw beside the measurements; n, epsilon, delta, dimension and facts are filled in.'),
}).refine(({ problems }) => new Set(problems.map((p) => p.name)).size === problems.length, { path: ['problems'], message: 'problems need distinct names' })
  .refine(({ optimizers }) => new Set(optimizers.map(labelOf)).size === optimizers.length, { path: ['optimizers'], message: 'optimizers need distinct labels' });

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
export type BudgetSpec = z.output<typeof budget>;

/** What an optimizer is called in tables and plots. */
export const labelOf = ({ name: id, label }: { readonly name: string; readonly label?: string | undefined }): string => label ?? id;
/** Parameters of an optimizer on a problem. */
export const paramsOn = ({ params, paramsFor }: OptimizerSpec, problemName: string): OptimizerSpec['params'] => ({ ...params, ...paramsFor[problemName] });
