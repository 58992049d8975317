import * as z from 'zod/mini';
import { InvalidParameter, parseOrThrow } from '@lethe/core';

/** Formats of files that hold a table. */
export const tableFormats = ['csv', 'tsv', 'json', 'jsonl', 'parquet', 'arrow'] as const;

/** One of {@link tableFormats}. */
export type TableFormat = (typeof tableFormats)[number];

/** Options of table readers, as plain JSON for experiment files. */
export const tableOptions = z.strictObject({
  columns: z
    .optional(
      z
        .record(z.string(), z.enum(['number', 'text', 'time']))
        .check(
          z.refine(
            (columns) => Object.keys(columns).length > 0,
            'name at least one column, or leave `columns` out',
          ),
        ),
    )
    .check(
      z.describe('Columns to keep, with their types. Left out: all, each with the type of its first value.'),
    ),
  missing: z
    ._default(z.enum(['reject', 'drop-row']), 'reject')
    .check(z.describe('What a record with a missing value does.')),
  unreadable: z
    ._default(z.enum(['reject', 'null']), 'reject')
    .check(
      z.describe(
        'What a record does that cannot be read as declared, or lacks a value that nothing stands in for: ' +
          'it stops the reading, or stands as a null record, which contributes nothing.',
      ),
    ),
  fill: z
    ._default(z.record(z.string(), z.union([z.number(), z.string()])), {})
    .check(
      z.describe(
        'Public value of each column that stands in for a missing one, so that no record is dropped: ' +
          'a number, a text (for an empty field too), or for a time column an instant such as ' +
          '2001-03-25T08:33.',
      ),
    ),
  delimiter: z
    .optional(z.string().check(z.length(1), z.regex(/[^"\r\n]/)))
    .check(z.describe('Separator of a CSV file. Default: a comma, or a tab where the format is tsv.')),
  header: z
    .optional(
      z.array(z.string().check(z.minLength(1))).check(
        z.minLength(1),
        z.refine((names) => new Set(names).size === names.length, 'must not repeat a name'),
      ),
    )
    .check(z.describe('Names of the columns of a CSV file whose first line is a record.')),
  quotes: z
    ._default(z.boolean(), true)
    .check(z.describe('Whether fields of a CSV file may stand in quotes; false takes a quote as it is.')),
  allowEmpty: z
    ._default(z.boolean(), false)
    .check(z.describe('Whether a table without a record is read; otherwise it is refused.')),
  maxRows: z
    ._default(z.int().check(z.positive(), z.maximum(2 ** 27)), 100_000_000)
    .check(z.describe('A file with more records is refused.')),
});

/** Input form of {@link tableOptions}. */
export type TableOptions = z.input<typeof tableOptions>;

/** Parsed form of {@link tableOptions}. */
export type ParsedTableOptions = z.output<typeof tableOptions>;

/**
 * @throws {InvalidParameter} for options outside the schema, or a column that no record of options can hold.
 */
export function parseTableOptions(options: TableOptions | undefined): ParsedTableOptions {
  if (Object.hasOwn(options?.columns ?? {}, '__proto__'))
    throw new InvalidParameter(
      "table options name the column '__proto__', which cannot be declared; rename it in the file",
      { column: '__proto__' },
    );
  return parseOrThrow(tableOptions, options ?? {}, 'table options');
}
