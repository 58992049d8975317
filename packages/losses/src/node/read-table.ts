import { extname } from 'node:path';
import { InvalidParameter } from '@lethe/core';
import type { Table } from '../data/table.js';
import type { TableFormat, TableOptions } from '../data/table-options.js';
import { readArrow, readParquet } from './binary-readers.js';
import { readCsv, readJson, readJsonLines } from './text-readers.js';

type Reader = (path: string, options?: TableOptions) => Promise<Table>;

const readers = {
  csv: readCsv,
  tsv: (path, options) => readCsv(path, { delimiter: '\t', ...options }),
  json: readJson,
  jsonl: readJsonLines,
  parquet: readParquet,
  arrow: readArrow,
} satisfies Record<TableFormat, Reader>;

const formatOfExtension: Readonly<Record<string, TableFormat>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.feather': 'arrow',
};

/**
 * Options of {@link readTable}: those of every reader, and the format where the file's name does not tell it.
 */
export type ReadTableOptions = TableOptions & { readonly format?: TableFormat | undefined };

/**
 * Reads a table in the format that `options.format` or the file's extension names.
 *
 * @throws {InvalidParameter} for an extension or format that is
 * not known, and what the format's reader throws.
 */
export async function readTable(path: string, options: ReadTableOptions = {}): Promise<Table> {
  if (typeof path !== 'string') throw new InvalidParameter(`readTable takes a path; got ${typeof path}`, {});
  const { format, ...rest } = options;
  return readers[formatOf(path, format)](path, rest);
}

/** The format of a file. @throws {InvalidParameter} for an extension or format that is not known. */
export function formatOf(path: string, given: TableFormat | undefined): TableFormat {
  const format = given ?? formatOfExtension[extname(path).toLowerCase()];
  if (format !== undefined && Object.hasOwn(readers, format)) return format;
  throw new InvalidParameter(
    given === undefined
      ? `${path} has no ending of a table format; use one of ` +
          `${Object.keys(formatOfExtension).join(', ')} (LIBSVM files have a reader of their own)`
      : `format is '${given}'; it must be one of ${Object.keys(readers).join(', ')}`,
    { path, format },
  );
}
