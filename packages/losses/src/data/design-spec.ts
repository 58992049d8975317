import * as z from 'zod';
import { timePartPeriod, type TimePart } from './time.js';

const finite = z.number();
const part = z.enum(Object.keys(timePartPeriod) as [TimePart, ...TimePart[]]);
const source = {
  column: z.string(),
  part: part.optional().describe('Reads this part (UTC) of a time column.'),
  start: finite
    .min(-1e12)
    .max(1e12)
    .optional()
    .describe('Where the part begins: it is replaced by its distance from here, wrapped by its period.'),
};
const increasing = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] as number));

const scale = z
  .strictObject({
    ...source,
    encoding: z.literal('scale'),
    transform: z.enum(['identity', 'log1p']).default('identity'),
    lower: finite.describe('Public lower bound; smaller values are moved to it.'),
    upper: finite.describe('Public upper bound; larger values are moved to it.'),
    unit: finite
      .positive()
      .optional()
      .describe(
        'Keeps public units: (value − offset) / unit, after the transform, ' +
          'instead of the map to [−1, 1]. Columns then differ in size as the values do.',
      ),
    offset: finite.optional().describe('Goes with unit; 0 if left out.'),
  })
  .refine(({ lower, upper }) => lower < upper && Number.isFinite(upper - lower), {
    path: ['upper'],
    error: 'must be greater than lower, by a finite amount',
  })
  .refine(({ transform, lower }) => transform === 'identity' || lower > -1, {
    path: ['lower'],
    error: 'must be greater than -1 for log1p',
  })
  .refine(({ unit, offset }) => unit !== undefined || offset === undefined, {
    path: ['offset'],
    error: 'needs a unit; without one the bounds are mapped to [-1, 1]',
  });

const cyclic = z
  .strictObject({
    ...source,
    encoding: z.literal('cyclic'),
    period: finite.positive().optional().describe('Needed unless `part` has a period.'),
    harmonics: z.number().int().min(1).max(64).default(1),
  })
  .refine((feature) => periodOf(feature) < Infinity, {
    path: ['period'],
    error: 'is needed: the value has no period of its own',
  });

const oneHot = z.strictObject({
  ...source,
  encoding: z.literal('one-hot'),
  levels: z
    .array(z.union([z.string(), finite]))
    .min(1)
    .refine((levels) => new Set(levels).size === levels.length, 'must not repeat a level')
    .refine(
      (levels) => levels.every((level) => typeof level === typeof levels[0]),
      'must be all strings or all numbers',
    )
    .describe('Public list; any other value becomes the zero vector.'),
});

const bins = z.strictObject({
  ...source,
  encoding: z.literal('bins'),
  edges: z
    .array(finite)
    .min(1)
    .max(1000)
    .refine(increasing, 'must increase')
    .describe('Public inner edges e₁ < … < eₖ: k + 1 indicator columns, bin j holds eⱼ ≤ value < eⱼ₊₁.'),
});

const buckets = z
  .int()
  .min(2)
  .max(2 ** 20)
  .describe('Public number of columns; values with the same hash share one.');

const hashed = z.strictObject({
  encoding: z.literal('hashed'),
  columns: z
    .array(z.union([z.string(), z.strictObject(source)]))
    .min(1)
    .max(16)
    .describe('Column, or columns whose values count together, as origin and destination of a route.'),
  buckets,
});

const words = z.strictObject({
  encoding: z.literal('words'),
  column: z.string().describe('A text column. Words are runs of letters and digits, in lower case.'),
  buckets,
  atMost: z
    .int()
    .positive()
    .max(2 ** 20)
    .describe('Entries of a record; of a text with more different words the first count.'),
});

const feature = z.discriminatedUnion('encoding', [scale, cyclic, oneHot, bins, hashed, words]);

const label = z.union(
  [
    z
      .strictObject({ column: z.string(), offset: finite.default(0), unit: finite.positive().default(1) })
      .describe('(value − offset) / unit, unbounded.'),
    z
      .strictObject({ column: z.string(), threshold: finite })
      .describe('+1 for a value greater than the threshold, else −1.'),
    z
      .strictObject({ column: z.string(), equals: z.union([z.string(), finite]) })
      .describe('+1 for this value, else −1.'),
    z
      .strictObject({
        column: z.string(),
        classes: z
          .array(z.union([z.string(), finite]))
          .min(2)
          .refine((classes) => new Set(classes).size === classes.length, 'must not repeat a class')
          .refine(
            (classes) => classes.every((one) => typeof one === typeof classes[0]),
            'must be all strings or all numbers',
          )
          .describe(
            'Public list: the first is class 0, the next class 1. ' +
              'A value that is not in it is refused, or counts as `other`.',
          ),
        other: z
          .int()
          .nonnegative()
          .optional()
          .describe('Class of every value that is not in the list, one of those listed or the next.'),
      })
      .refine(({ classes, other = 0 }) => other <= classes.length, {
        path: ['other'],
        error: 'must be the number of a class in the list, or the next',
      })
      .describe('A class, 0 for the first of the list.'),
    z
      .strictObject({
        columns: z
          .array(z.string())
          .min(1)
          .refine((names) => new Set(names).size === names.length, 'must not repeat a column'),
        offset: finite.default(0),
        unit: finite.positive().default(1),
      })
      .describe('A vector: (value − offset) / unit of each column, unbounded.'),
  ],
  'must be {column, offset?, unit?}, {column, threshold}, {column, equals}, {column, classes, ' +
    'other?} or {columns, offset?, unit?}',
);

/**
 * How a table becomes features. Every number in it is
 * public: it is declared, never computed from the data.
 */
export const featuresSpec = z.strictObject({
  features: z.array(feature).min(1).max(10_000),
  intercept: z.boolean().default(true),
  sparse: z
    .boolean()
    .default(false)
    .describe('Rows hold only entries that differ from zero: for thousands of levels and more.'),
  rowNormBound: finite.positive().optional().describe('Rows of larger Euclidean norm are scaled down to it.'),
});

/** How a table becomes features and labels. */
export const designSpec = z.strictObject({ ...featuresSpec.shape, label });

/** Input form of {@link featuresSpec}. */
export type FeaturesSpec = z.input<typeof featuresSpec>;

/** Input form of {@link designSpec}. */
export type DesignSpec = z.input<typeof designSpec>;

/** One feature of {@link designSpec}, parsed. */
export type FeatureSpec = z.output<typeof feature>;

/** The label of {@link designSpec}, parsed. */
export type LabelSpec = z.output<typeof label>;

/** Period by which a feature's value wraps; Infinity when it does not. */
export function periodOf(spec: {
  readonly part?: TimePart | undefined;
  readonly period?: number | undefined;
}): number {
  return spec.period ?? (spec.part === undefined ? Infinity : timePartPeriod[spec.part]);
}
