import * as z from 'zod/mini';
import { timePartPeriod, type TimePart } from './time.js';

const finite = z.number();
const part = z.enum(Object.keys(timePartPeriod) as [TimePart, ...TimePart[]]);
const source = {
  column: z.string(),
  part: z.optional(part).check(z.describe('Reads this part (UTC) of a time column.')),
  start: z
    .optional(finite.check(z.minimum(-1e12), z.maximum(1e12)))
    .check(
      z.describe('Where the part begins: it is replaced by its distance from here, wrapped by its period.'),
    ),
};
const increasing = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] as number));

const scale = z
  .strictObject({
    ...source,
    encoding: z.literal('scale'),
    transform: z._default(z.enum(['identity', 'log1p']), 'identity'),
    lower: finite.check(z.describe('Public lower bound; smaller values are moved to it.')),
    upper: finite.check(z.describe('Public upper bound; larger values are moved to it.')),
    unit: z
      .optional(finite.check(z.positive()))
      .check(
        z.describe(
          'Keeps public units: (value − offset) / unit, after the transform, ' +
            'instead of the map to [−1, 1]. Columns then differ in size as the values do.',
        ),
      ),
    offset: z.optional(finite).check(z.describe('Goes with unit; 0 if left out.')),
  })
  .check(
    z.refine(({ lower, upper }) => lower < upper && Number.isFinite(upper - lower), {
      path: ['upper'],
      error: 'must be greater than lower, by a finite amount',
    }),
    z.refine(({ transform, lower }) => transform === 'identity' || lower > -1, {
      path: ['lower'],
      error: 'must be greater than -1 for log1p',
    }),
    z.refine(({ unit, offset }) => unit !== undefined || offset === undefined, {
      path: ['offset'],
      error: 'needs a unit; without one the bounds are mapped to [-1, 1]',
    }),
  );

const cyclic = z
  .strictObject({
    ...source,
    encoding: z.literal('cyclic'),
    period: z.optional(finite.check(z.positive())).check(z.describe('Needed unless `part` has a period.')),
    harmonics: z._default(z.int().check(z.minimum(1), z.maximum(64)), 1),
  })
  .check(
    z.refine((feature) => periodOf(feature) < Infinity, {
      path: ['period'],
      error: 'is needed: the value has no period of its own',
    }),
  );

const oneHot = z.strictObject({
  ...source,
  encoding: z.literal('one-hot'),
  levels: z.array(z.union([z.string(), finite])).check(
    z.minLength(1),
    z.refine((levels) => new Set(levels).size === levels.length, 'must not repeat a level'),
    z.refine(
      (levels) => levels.every((level) => typeof level === typeof levels[0]),
      'must be all strings or all numbers',
    ),
    z.describe('Public list; any other value becomes the zero vector.'),
  ),
});

const bins = z.strictObject({
  ...source,
  encoding: z.literal('bins'),
  edges: z
    .array(finite)
    .check(
      z.minLength(1),
      z.maxLength(1000),
      z.refine(increasing, 'must increase'),
      z.describe('Public inner edges e₁ < … < eₖ: k + 1 indicator columns, bin j holds eⱼ ≤ value < eⱼ₊₁.'),
    ),
});

const buckets = z
  .int()
  .check(
    z.minimum(2),
    z.maximum(2 ** 20),
    z.describe('Public number of columns; values with the same hash share one.'),
  );

const hashed = z.strictObject({
  encoding: z.literal('hashed'),
  columns: z
    .array(z.union([z.string(), z.strictObject(source)]))
    .check(
      z.minLength(1),
      z.maxLength(16),
      z.describe('Column, or columns whose values count together, as origin and destination of a route.'),
    ),
  buckets,
});

const words = z.strictObject({
  encoding: z.literal('words'),
  column: z.string().check(z.describe('A text column. Words are runs of letters and digits, in lower case.')),
  buckets,
  atMost: z
    .int()
    .check(
      z.positive(),
      z.maximum(2 ** 20),
      z.describe('Entries of a record; of a text with more different words the first count.'),
    ),
});

const feature = z.discriminatedUnion('encoding', [scale, cyclic, oneHot, bins, hashed, words]);

const label = z.union(
  [
    z
      .strictObject({
        column: z.string(),
        offset: z._default(finite, 0),
        unit: z._default(finite.check(z.positive()), 1),
      })
      .check(z.describe('(value − offset) / unit, unbounded.')),
    z
      .strictObject({ column: z.string(), threshold: finite })
      .check(z.describe('+1 for a value greater than the threshold, else −1.')),
    z
      .strictObject({ column: z.string(), equals: z.union([z.string(), finite]) })
      .check(z.describe('+1 for this value, else −1.')),
    z
      .strictObject({
        column: z.string(),
        classes: z.array(z.union([z.string(), finite])).check(
          z.minLength(2),
          z.refine((classes) => new Set(classes).size === classes.length, 'must not repeat a class'),
          z.refine(
            (classes) => classes.every((one) => typeof one === typeof classes[0]),
            'must be all strings or all numbers',
          ),
          z.describe(
            'Public list: the first is class 0, the next class 1. ' +
              'A value that is not in it is refused, or counts as `other`.',
          ),
        ),
        other: z
          .optional(z.int().check(z.nonnegative()))
          .check(
            z.describe('Class of every value that is not in the list, one of those listed or the next.'),
          ),
      })
      .check(
        z.refine(({ classes, other = 0 }) => other <= classes.length, {
          path: ['other'],
          error: 'must be the number of a class in the list, or the next',
        }),
        z.describe('A class, 0 for the first of the list.'),
      ),
    z
      .strictObject({
        columns: z.array(z.string()).check(
          z.minLength(1),
          z.refine((names) => new Set(names).size === names.length, 'must not repeat a column'),
        ),
        offset: z._default(finite, 0),
        unit: z._default(finite.check(z.positive()), 1),
      })
      .check(z.describe('A vector: (value − offset) / unit of each column, unbounded.')),
  ],
  'must be {column, offset?, unit?}, {column, threshold}, {column, equals}, {column, classes, ' +
    'other?} or {columns, offset?, unit?}',
);

/**
 * How a table becomes features. Every number in it is
 * public: it is declared, never computed from the data.
 */
export const featuresSpec = z.strictObject({
  features: z.array(feature).check(z.minLength(1), z.maxLength(10_000)),
  intercept: z._default(z.boolean(), true),
  sparse: z
    ._default(z.boolean(), false)
    .check(z.describe('Rows hold only entries that differ from zero: for thousands of levels and more.')),
  rowNormBound: z
    .optional(finite.check(z.positive()))
    .check(z.describe('Rows of larger Euclidean norm are scaled down to it.')),
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
