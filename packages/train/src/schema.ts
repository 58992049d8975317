import { parseOrThrow } from '@lethe/core';
import { ownerSpec } from '@lethe/losses';
import * as z from 'zod';

const finite = z.number();
const level = z.union([z.string(), finite]);
const increasing = {
  path: ['upper'],
  error: 'must be greater than lower, by a finite amount',
};
const isInterval = ({ lower, upper }: { readonly lower: number; readonly upper: number }): boolean =>
  lower < upper && Number.isFinite(upper - lower);
const levels = z
  .array(level)
  .min(1)
  .refine((all) => new Set(all).size === all.length, 'must not repeat a value')
  .refine((all) => all.every((one) => typeof one === typeof all[0]), 'must be all texts or all numbers')
  .readonly();

const numberColumn = z
  .strictObject({
    type: z.literal('number'),
    lower: finite.describe('Public lower bound; smaller values are moved to it.'),
    upper: finite.describe('Public upper bound; larger values are moved to it.'),
    transform: z
      .enum(['identity', 'log1p'])
      .default('identity')
      .describe('log1p: the logarithm of 1 + value, for columns with few large values; lower is above −1.'),
    fill: finite
      .optional()
      .describe('Public value that stands in for a missing one. Default: the middle of the bounds.'),
  })
  .refine(isInterval, increasing)
  .refine(({ transform, lower }) => transform === 'identity' || lower > -1, {
    path: ['lower'],
    error: 'must be greater than -1 for log1p',
  });
const categoryColumn = z.strictObject({
  type: z.literal('category'),
  levels: levels.describe(
    'Public list of values. Any other value, or a missing one, counts as none of them.',
  ),
});
const timeColumn = z.strictObject({
  type: z.literal('time'),
  parts: z
    .array(z.enum(['hour', 'weekday', 'day-of-month', 'month', 'day-of-year']))
    .min(1)
    .readonly()
    .describe('Parts of the instant, in UTC, which become features on a circle.'),
  fill: z
    .string()
    .optional()
    .describe('Public instant that stands in for a missing one, such as 2001-03-25T08:33.'),
});

/** What a column of the records holds; every number in it is public. */
const columnSchema = z.discriminatedUnion('type', [numberColumn, categoryColumn, timeColumn]);

const labelSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('classes'),
      column: z.string(),
      classes: levels
        .refine((all) => all.length >= 2, 'must have at least two values')
        .describe('Public list. Of two classes the second is the one whose probability is predicted.'),
    })
    .describe('Two classes (logistic regression) or more (softmax regression).'),
  z
    .strictObject({
      type: z.literal('above'),
      column: z.string(),
      threshold: finite.describe('The label is whether the value is greater than this public number.'),
    })
    .describe('Two classes made from a number.'),
  z
    .strictObject({
      type: z.literal('equals'),
      column: z.string(),
      value: level.describe('The label is whether the value is this public one.'),
    })
    .describe('One class against all others.'),
  z
    .strictObject({
      type: z.literal('number'),
      column: z.string(),
      lower: finite.describe('Public lower bound; smaller labels are moved to it.'),
      upper: finite.describe('Public upper bound; larger labels are moved to it.'),
    })
    .refine(isInterval, increasing)
    .describe('A number (linear regression).'),
  z
    .strictObject({
      type: z.literal('count'),
      column: z.string(),
      upper: finite.positive().describe('Public upper bound; larger counts are moved to it.'),
    })
    .describe('A count (Poisson regression).'),
]);

/**
 * What the columns of the records hold. All of it is public: bounds and lists are declared, and never read
 * from the records. Columns that it does not name are not read.
 */
export const trainingSchema = z
  .strictObject({
    label: labelSchema,
    columns: z
      .record(z.string(), columnSchema)
      .refine((columns) => Object.keys(columns).length > 0, 'must name at least one column'),
    intercept: z.boolean().default(true).describe('Whether the model has a constant term.'),
    owner: ownerSpec
      .optional()
      .describe(
        'Whose the records are: what is protected is then all that one owner has. Default: one record.',
      ),
    precision: z
      .literal([32, 64])
      .optional()
      .describe(
        'Bits of a feature while a model learns. 32 takes half the memory: each number is rounded towards ' +
          'zero, record by record, and the model is one of the rounded records. Default: 64.',
      ),
  })
  .refine(({ label, columns }) => !Object.hasOwn(columns, label.column), {
    path: ['columns'],
    error: 'must not name the column of the label',
  })
  .refine(
    ({ label, columns, owner }) =>
      owner === undefined || (owner.column !== label.column && !Object.hasOwn(columns, owner.column)),
    { path: ['owner', 'column'], error: 'must be neither a feature nor the label' },
  )
  .refine(({ columns }) => !Object.hasOwn(columns, '__proto__'), {
    path: ['columns'],
    error: 'must not name a column __proto__; rename it in the data',
  });

/** Input form of {@link trainingSchema}. */
export type TrainingSchema = z.input<typeof trainingSchema>;
/** Parsed form of {@link trainingSchema}. */
export type ParsedSchema = z.output<typeof trainingSchema>;
/** What a column holds, parsed. */
export type ColumnSchema = z.output<typeof columnSchema>;
/** What is predicted, parsed. */
export type LabelSchema = z.output<typeof labelSchema>;

/** @throws {InvalidParameter} that lists everything that is wrong with the schema. */
export const parseSchema = (schema: TrainingSchema): ParsedSchema =>
  parseOrThrow(trainingSchema, schema, 'schema');
