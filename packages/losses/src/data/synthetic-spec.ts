import * as z from 'zod';
import { balancedSigns } from './balanced-signs.js';
import { law } from './distribution.js';
import { multivariateT } from './multivariate-t.js';
import { sphere } from './sphere.js';

const noise = law
  .default({ law: 'gaussian', scale: 1 })
  .describe('Law of what is added to the label, independent of the features.');

const response = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('linear'), noise }),
  z.strictObject({ kind: z.literal('logistic') }),
  z.strictObject({
    kind: z.literal('sine-link'),
    amplitude: z
      .number()
      .min(0)
      .lt(1)
      .default(0.5)
      .describe('The label is m + amplitude · sin m at the margin m, plus noise: loss sine-link.'),
    noise,
  }),
  z.strictObject({
    kind: z.literal('softmax'),
    classes: z
      .int()
      .min(2)
      .max(10_000)
      .describe(
        'Labels are classes 0, …, K − 1: class k with probability in proportion to exp of its margin. ' +
          'There is a row of weights for each class.',
      ),
  }),
  z.strictObject({
    kind: z.literal('groups'),
    centres: z
      .array(z.array(z.number().min(-1e100).max(1e100)).min(1))
      .min(2)
      .max(10_000)
      .describe(
        'Every record is of one of these groups, each with the same chance: its features are moved by the ' +
          'centre of its group, one number for each column, and its label is the number of the group.',
      ),
  }),
  z.strictObject({
    kind: z.literal('sign'),
    flipped: z
      .number()
      .min(0)
      .max(0.5)
      .default(0)
      .describe('The label is the sign of the margin, turned round with this chance.'),
  }),
]);

/** Laws of a whole matrix: those of a single entry, two of a row, and one whose rows come in pairs. */
const featureLaw = z.discriminatedUnion('law', [...law.options, multivariateT, sphere, balancedSigns]);

/** Description of a synthetic data set, as JSON. */
export const syntheticSpec = z
  .strictObject({
    rows: z
      .number()
      .int()
      .positive()
      .max(2 ** 31),
    columns: z
      .number()
      .int()
      .positive()
      .max(2 ** 31),
    features: featureLaw.describe(
      'Law of every entry, independent of the others; multivariate-t makes all entries of a row large ' +
        'together, and sphere all rows of one norm; balanced-signs instead draws rows x and their ' +
        'negatives, each entry ± the scale of its column.',
    ),
    rank: z
      .number()
      .int()
      .positive()
      .optional()
      .describe(
        'Features are this many factors of the given law times orthonormal random directions: ' +
          'with fewer than columns, least squares is over-parameterised. Left out: ' +
          'entries have the law themselves.',
      ),
    response: response.default({ kind: 'linear', noise: { law: 'gaussian', scale: 1 } }),
    weights: z
      .array(z.number().min(-1e100).max(1e100))
      .optional()
      .describe('True weights; left out: uniform on the sphere of radius weightNorm.'),
    weightNorm: z.number().nonnegative().max(1e100).default(1),
    nonZeroWeights: z
      .number()
      .int()
      .positive()
      .optional()
      .describe(
        'Weights that are not 0, in random places, all of the same size and of random sign. ' +
          'Left out: all of them, of a random direction.',
      ),
  })
  .refine(({ rows, columns }) => rows * columns <= 2 ** 31, {
    path: ['rows'],
    error: 'rows × columns may be at most 2³¹',
  })
  .refine(
    ({ weights, columns, response: given }) =>
      weights === undefined || weights.length === columns * ('classes' in given ? given.classes : 1),
    { path: ['weights'], error: 'needs one weight per column, and as many for each class' },
  )
  .refine(({ weights, nonZeroWeights }) => weights === undefined || nonZeroWeights === undefined, {
    path: ['nonZeroWeights'],
    error: 'is for weights that are drawn; leave it out where they are given',
  })
  .refine(({ nonZeroWeights, response: { kind } }) => nonZeroWeights === undefined || kind !== 'softmax', {
    path: ['nonZeroWeights'],
    error: 'is for one row of weights; leave it out for softmax',
  })
  .refine(({ nonZeroWeights, columns }) => nonZeroWeights === undefined || nonZeroWeights <= columns, {
    path: ['nonZeroWeights'],
    error: 'may be at most the number of columns',
  })
  .refine(({ rank, columns }) => rank === undefined || rank <= columns, {
    path: ['rank'],
    error: 'may be at most the number of columns',
  })
  .refine(({ rank, features }) => rank === undefined || features.law !== 'balanced-signs', {
    path: ['rank'],
    error: 'goes with laws of an entry and with multivariate-t; balanced signs have full rank',
  })
  .refine(
    ({ response: given, columns }) =>
      given.kind !== 'groups' || given.centres.every((centre) => centre.length === columns),
    { path: ['response', 'centres'], error: 'needs one number per column in each centre' },
  )
  .refine(
    ({ response: given, weights, nonZeroWeights }) =>
      given.kind !== 'groups' || (weights === undefined && nonZeroWeights === undefined),
    { path: ['weights'], error: 'have no meaning for groups; leave them out' },
  )
  .refine(({ features, rows }) => features.law !== 'balanced-signs' || rows % 2 === 0, {
    path: ['rows'],
    error: 'balanced signs come in pairs of rows; give an even number',
  })
  .refine(
    ({ features, columns }) =>
      features.law !== 'balanced-signs' ||
      typeof features.scale === 'number' ||
      features.scale.length === columns,
    { path: ['features', 'scale'], error: 'needs one scale per column, or one for all' },
  );

/** Input form of {@link syntheticSpec}. */
export type SyntheticSpec = z.input<typeof syntheticSpec>;
/** Parsed form of {@link syntheticSpec}. */
export type ParsedSyntheticSpec = z.output<typeof syntheticSpec>;
