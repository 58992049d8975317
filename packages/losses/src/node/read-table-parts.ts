import { InvalidData, Unsupported } from '@lethe/core';
import { csvPartsParser } from '../data/csv.js';
import type { Table } from '../data/table.js';
import { parseTableOptions } from '../data/table-options.js';
import { formatOf, type ReadTableOptions } from './read-table.js';
import { kernelTexts } from './kernel-lines.js';
import { parseTextFile } from './text-file.js';

/** Records of a CSV file that are handed over together, or a few more. */
const together = 2 ** 16;

/**
 * Reads a table part by part, for files larger than memory: together the parts are what `readTable` makes of
 * the file. A part is a row group of a Parquet file, or some thousand lines of a CSV or TSV file.
 *
 * @param use - Takes the next records, and how many there were before them.
 * @returns the number of records.
 * @throws {Unsupported} for a file of another format, and what `readTable` throws. An error about a record
 * of a row group counts from the first of that group.
 */
export async function readTableParts(
  path: string,
  { format, ...options }: ReadTableOptions,
  use: (part: Table, before: number) => void,
): Promise<number> {
  const found = formatOf(path, format);
  let rows = 0;
  const take = (part: Table): void => {
    use(part, rows);
    rows += part.rows;
  };
  if (found === 'csv' || found === 'tsv')
    await parseTextFile(
      path,
      csvPartsParser(
        found === 'tsv' ? { delimiter: '\t', ...options } : options,
        together,
        take,
        kernelTexts(),
      ),
    );
  else if (found === 'parquet') {
    const { readParquetParts } = await import('./parquet.js');
    await readParquetParts(path, options, take);
  } else
    throw new Unsupported(
      `${found} files are read as a whole; write the records as Parquet, CSV or TSV to read them in parts`,
      { path, format: found },
    );
  if (rows === 0 && !parseTableOptions(options).allowEmpty)
    throw new InvalidData('the table has no record; at least one column with one record is needed', { rows });
  return rows;
}
