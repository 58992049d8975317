import { extname } from 'node:path';
import { InvalidParameter } from '@lethe/core';
import type { Reading } from '@lethe/train';

/** How a file of records is written, where its name does not tell. */
export interface FileForm {
  /** Separator of the fields of a CSV or TSV file. @defaultValue a comma, or a tab in `.tsv` */
  readonly delimiter?: string;
}

/** How a file of records is written, and what its columns hold. */
export type FileReading = Reading & FileForm;

/** The format of a file whose fields are separated; `null` for others. */
export function textFormat(path: string): 'csv' | 'tsv' | null {
  const extension = extname(path).toLowerCase();
  if (extension === '.csv') return 'csv';
  return extension === '.tsv' ? 'tsv' : null;
}

/**
 * The form of a file, by `--delimiter`.
 *
 * @param given - One character, or `tab`.
 * @throws {InvalidParameter} for a file without separated fields.
 */
export function fileForm(path: string, given: string | undefined): FileForm {
  if (given === undefined) return {};
  if (textFormat(path) === null)
    throw new InvalidParameter(
      `--delimiter is for files of separated fields, .csv and .tsv; leave it out for ${path}`,
      { path },
    );
  return { delimiter: isTab(given) ? '\t' : given };
}

const isTab = (text: string): boolean => text === 'tab' || text === '\\t';

/** A separator as `--delimiter` takes it in a shell. */
export const delimiterWord = (delimiter: string): string => (delimiter === '\t' ? 'tab' : `'${delimiter}'`);
