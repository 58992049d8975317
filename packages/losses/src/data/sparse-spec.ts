import * as z from 'zod';

/** Description of a synthetic data set of sparse rows, as JSON. */
export const sparseSpec = z
  .strictObject({
    rows: z
      .int()
      .min(1)
      .max(2 ** 27),
    columns: z
      .int()
      .min(1)
      .max(2 ** 27),
    entries: z
      .int()
      .min(1)
      .describe('Draws of a column for each row, as words of a text; a column may repeat.'),
    exponent: z
      .number()
      .min(0)
      .max(4)
      .default(1)
      .describe('Column j is drawn with a chance in proportion to (j + 1) to the power of minus this.'),
    weightNorm: z.number().positive().default(1).describe('ℓ2 norm of the weights behind the labels.'),
    flipped: z
      .number()
      .min(0)
      .max(0.5)
      .optional()
      .describe(
        'The label is the sign of the margin, turned round with this chance. ' +
          'Left out: 1 with probability 1/(1 + exp(−margin)), else −1.',
      ),
  })
  .refine(({ rows, entries }) => rows * entries < 2 ** 31, {
    path: ['entries'],
    error: 'must be fewer than 2^31 in all rows',
  });

/** Input form of {@link sparseSpec}. */
export type SparseSpec = z.input<typeof sparseSpec>;
