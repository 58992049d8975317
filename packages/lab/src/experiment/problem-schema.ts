import { designSpec, ownerSpec, sparseSpec, syntheticSpec, tableFormats, tableOptions } from '@lethe/losses';
import * as z from 'zod';
import { name, pluginRef } from './parts.js';

const layout = z
  .enum(['rows', 'columns'])
  .default('rows')
  .describe(
    'How the matrix lies in memory: by rows, or by columns, which is much faster where optimizers ask ' +
      'for a few coordinates at a time.',
  );

/** Where stored records are, and the order in which they are taken. */
const storedRecords = {
  file: z.string().min(1).optional().describe('Path, relative to the experiment file.'),
  package: z
    .string()
    .min(1)
    .optional()
    .describe('File inside an installed npm package, such as "vega-datasets/data/flights-3m.parquet".'),
  shuffle: z
    .int()
    .nonnegative()
    .default(1)
    .describe('Public seed of the order in which records are taken; chosen before the data are read.'),
};
const isOneFile = (given: { readonly file?: string | undefined; readonly package?: string | undefined }) =>
  (given.file === undefined) !== (given.package === undefined);
const oneFile = { message: 'give either file or package' };

const { allowEmpty: _allowEmpty, unreadable: _unreadable, ...readOptions } = tableOptions.shape;
const tableSource = z
  .strictObject({
    ...storedRecords,
    read: z
      .strictObject({
        ...readOptions,
        format: z
          .enum(tableFormats)
          .optional()
          .describe('Format of the file. Default: by the end of its name.'),
      })
      .optional(),
    design: designSpec,
    owner: ownerSpec
      .optional()
      .describe(
        'Whose the records are, in a release or a federation: all that one owner has is then protected, ' +
          'and the loss is the average of the losses of owners. Default: one record is protected.',
      ),
    layout,
    inMemory: z
      .boolean()
      .default(true)
      .describe(
        'Whether a release holds the records in memory. Otherwise they are read from Parquet, CSV or TSV ' +
          'in parts, and kept in a nameless file in the folder for temporary files (TMPDIR).',
      ),
    precision: z
      .literal([32, 64])
      .optional()
      .describe(
        'Bits of a feature of the records that an optimizer learns from. 32 takes half the memory: each ' +
          'number is rounded towards zero, record by record, and the records are the rounded ones. ' +
          'Default: 64.',
      ),
  })
  .refine(isOneFile, oneFile)
  .refine(({ precision, design }) => precision !== 32 || !design.sparse, {
    path: ['precision'],
    error: 'must not be 32 for a sparse design',
  });
const libsvmSource = z
  .strictObject({
    ...storedRecords,
    libsvm: z
      .strictObject({
        columns: z
          .int()
          .positive()
          .max(2 ** 31)
          .describe('Public number of columns: indices of the file are 1 to this.'),
        label: z
          .union(
            [
              z.strictObject({ threshold: z.number() }).describe('+1 for a value greater than it, else −1.'),
              z
                .strictObject({ offset: z.number().default(0), unit: z.number().positive().default(1) })
                .describe('(value − offset) / unit.'),
            ],
            'must be {threshold} or {offset?, unit?}',
          )
          .default({ offset: 0, unit: 1 }),
        intercept: z.boolean().default(false).describe('A column of ones after the last.'),
      })
      .describe('The file has lines `label index:value …`; records stay sparse.'),
    layout: z.literal('rows').default('rows'),
  })
  .refine(isOneFile, oneFile);
const idxSource = z
  .strictObject({
    ...storedRecords,
    idx: z
      .strictObject({
        labels: z
          .string()
          .min(1)
          .describe('Name of the IDX file with one label for each record, in the same folder.'),
        columns: z.int().positive().max(1e6).describe('Public number of entries of a record.'),
        unit: z.number().positive().default(1).describe('What entries are divided by, such as 255.'),
      })
      .describe(
        'The file has numbers in the format of the MNIST images; a record is one of the first index.',
      ),
    layout: z.literal('rows').default('rows'),
  })
  .refine(isOneFile, oneFile);
const sparseSource = z.strictObject({
  generateSparse: sparseSpec,
  shuffle: z.int().nonnegative().default(1).describe('Seed of the generator.'),
  layout: z.literal('rows').default('rows'),
});
const generatedSource = z.strictObject({
  generate: syntheticSpec,
  shuffle: z.int().nonnegative().default(1).describe('Seed of the generator.'),
  layout,
});
const hardSource = z.strictObject({
  hard: pluginRef.describe(
    'A lower bound with an instance, by name, and its parameters. Every seed draws an instance of its ' +
      'own, from public coins; n, ρ of the budget and what else an experiment knows are filled in where ' +
      'they are left out.',
  ),
  layout,
});

const fact = z.strictObject({
  value: z
    .union([z.number(), z.array(z.number()).min(1)])
    .describe('A number; or a list, which declares `name.0`, `name.1` and so on, one for each coordinate.'),
  why: z.string().min(1).describe('Reason why it is known without the private data.'),
});

const fields = z.strictObject({
  name,
  title: z.string().min(1).optional().describe('Default: the name.'),
  data: z.union(
    [tableSource, libsvmSource, idxSource, generatedSource, sparseSource, hardSource],
    'needs one of design (the columns of a table in file or package), libsvm or idx (with file or ' +
      'package), generate, generateSparse and hard',
  ),
  loss: pluginRef.optional().describe('Required, except for a hard instance, which has its own.'),
  domain: pluginRef
    .optional()
    .describe('Constraint set of the iterates. Required, except for a hard instance, which has its own.'),
  regulariser: pluginRef
    .optional()
    .describe(
      'Public convex function of the iterate that is added to the average loss, ' +
        'by the name of a regulariser. It reads no record.',
    ),
  record: z
    .strictObject({
      featureNorm: z.number().positive().optional(),
      featureBounds: z
        .union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)])
        .optional()
        .describe('Bound on the absolute value of a feature: one for all columns, or one for each.'),
      labelBound: z.number().positive().optional(),
      sparsity: z
        .int()
        .positive()
        .optional()
        .describe('Entries of a record that may differ from zero. Of more, those of largest size stay.'),
    })
    .default({})
    .describe(
      'Declared bounds on every record, besides those that follow from the design. ' +
        'Records outside are clipped to them.',
    ),
  risk: z
    .enum(['records', 'population'])
    .default('records')
    .describe(
      'Risk to measure: records, the mean over all records; population, for generated data, ' +
        'the risk of their distribution in closed form, with new records for every seed.',
    ),
  facts: z
    .record(z.string(), fact)
    .default({})
    .describe('Public facts about the population that plans may read; they never enter a sensitivity.'),
});
type Fields = z.output<typeof fields>;

/** A problem whose records come from a table or from a generator. */
export interface SampledSpec extends Omit<Fields, 'title' | 'data' | 'loss' | 'domain'> {
  readonly title: string;
  readonly data:
    | z.output<typeof tableSource>
    | z.output<typeof libsvmSource>
    | z.output<typeof idxSource>
    | z.output<typeof generatedSource>
    | z.output<typeof sparseSource>;
  readonly loss: z.output<typeof pluginRef>;
  readonly domain: z.output<typeof pluginRef>;
}
/**
 * A random worst-case problem: each seed draws an instance with its own records, loss, domain and optimum.
 */
export interface HardSpec extends Omit<Fields, 'title' | 'data' | 'loss' | 'domain' | 'regulariser'> {
  readonly title: string;
  readonly data: z.output<typeof hardSource>;
  readonly loss?: never;
  readonly domain?: never;
  readonly regulariser?: never;
}
export type ProblemSpec = SampledSpec | HardSpec;

/** Whether a problem is a random worst case. */
export const isHard = (spec: ProblemSpec): spec is HardSpec => 'hard' in spec.data;

/** Issues of fields that a hard instance must not have, and that other problems must have. */
function misfits(spec: Fields): { readonly path: string; readonly message: string }[] {
  const hard = 'hard' in spec.data;
  if (spec.risk === 'population' && !('generate' in spec.data) && !hard)
    return [{ path: 'risk', message: 'of the law behind a table nobody knows the risk; leave it out' }];
  return (['loss', 'domain', 'regulariser', 'record'] as const).flatMap((path) => {
    const given = path === 'record' ? Object.keys(spec.record).length > 0 : spec[path] !== undefined;
    if (hard && given)
      return [
        {
          path,
          message:
            `a hard instance brings its own ${path === 'record' ? 'bounds on records' : path}; leave it ` +
            'out',
        },
      ];
    return hard || given || path === 'regulariser' || path === 'record'
      ? []
      : [
          {
            path,
            message:
              `give the ${path}, by the name of a plugin, such as { name: ` +
              `${path === 'loss' ? 'squared' : 'l2-ball, params: { radius: 1 }'} }`,
          },
        ];
  });
}

/** A problem is called by its name where it has no title. */
const titled = ({ title, ...spec }: Fields): Fields & { readonly title: string } => ({
  ...spec,
  title: title ?? spec.name,
});

/** A problem of an evaluation. */
export const problem = fields
  .superRefine((spec, context) => {
    for (const { path, message } of misfits(spec))
      context.addIssue({ code: 'custom', path: [path], message });
  })
  .transform(titled) as z.ZodType<ProblemSpec, z.input<typeof fields>>;

/** A problem of a release: existing records. */
export const sampledProblem = fields
  .superRefine((spec, context) => {
    if ('hard' in spec.data)
      context.addIssue({
        code: 'custom',
        path: ['data', 'hard'],
        message:
          'a release learns from records that are there; ' +
          'a hard instance is drawn anew for every seed of an evaluation',
      });
    else if (spec.risk === 'population')
      context.addIssue({
        code: 'custom',
        path: ['risk'],
        message: 'a release measures no risk; leave it out',
      });
    else
      for (const { path, message } of misfits(spec))
        context.addIssue({ code: 'custom', path: [path], message });
  })
  .transform(titled) as z.ZodType<SampledSpec, z.input<typeof fields>>;
