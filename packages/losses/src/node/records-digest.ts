import { createHash } from 'node:crypto';
import { InvalidData } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { csvRecords, type CsvDialect } from '../data/csv.js';
import { asRecord, parseText, type JsonRecord } from '../data/json-table.js';
import { lineParser, type TextParser } from '../data/lines.js';
import { shorten } from '../data/table.js';
import { parseTableOptions } from '../data/table-options.js';
import { columnDigest, type ColumnDigest } from './column-digest.js';
import { formatOf, type ReadTableOptions } from './read-table.js';
import { parseTextFile } from './text-file.js';
import { wholeText } from './text-readers.js';

/**
 * A digest of the records of a file that {@link readTable} reads: 32 bytes, the same for the same columns by
 * name with the same values in the same rows, whatever the format, the order of the columns, the ends of
 * lines, a byte order mark, quotes or digits, and whichever columns are wanted. Fields that {@link readTable}
 * takes for missing are one value. Nested and binary columns of Parquet and Arrow, which it does not read,
 * are left out.
 *
 * It is no secret and hides nothing: who can guess the records
 * can check the guess. Key it before it is shown to anybody.
 *
 * @throws what {@link readTable} throws for files that cannot be read or are not of their format.
 */
export async function recordsDigest(
  path: string,
  { format, ...options }: ReadTableOptions = {},
): Promise<Uint8Array> {
  const found = formatOf(path, format);
  const { delimiter = found === 'tsv' ? '\t' : ',', quotes, header } = parseTableOptions(options);
  const columns = newColumns();
  switch (found) {
    case 'csv':
    case 'tsv':
      await parseTextFile(path, csvDigest(columns, { delimiter, quotes }, header?.length));
      break;
    case 'jsonl':
      await parseTextFile(
        path,
        lineParser(
          (line, number) => {
            columns.record(asRecord(parseText(line, `line ${number}`), `line ${number}`));
          },
          () => undefined,
        ),
      );
      break;
    case 'json':
      await parseTextFile(
        path,
        wholeText((text) => {
          columns.records(parseText(text, path));
        }),
      );
      break;
    case 'arrow':
      await (await import('./arrow-digest.js')).arrowDigest(path, columns.column);
      break;
    case 'parquet':
      await (await import('./parquet-digest.js')).parquetDigest(path, columns.column);
      break;
  }
  return columns.finish();
}

interface Columns {
  column(name: string): ColumnDigest;
  /** One record; a key that it lacks is a missing value, before and after. */
  record(values: JsonRecord): void;
  /** An array of records, or an object of columns. */
  records(all: unknown): void;
  finish(): Uint8Array;
}

function newColumns(): Columns {
  const columns = new Map<string, ColumnDigest>();
  let rows = 0;
  const column = (name: string): ColumnDigest => {
    let found = columns.get(name);
    if (found === undefined) columns.set(name, (found = columnDigest()));
    return found;
  };
  const fill = (to: number): void => {
    for (const each of columns.values()) while (each.cells < to) each.add(undefined);
  };
  const record = (values: JsonRecord): void => {
    for (const [name, value] of Object.entries(values)) {
      const digest = column(name);
      while (digest.cells < rows) digest.add(undefined);
      digest.add(value);
    }
    rows++;
  };
  return {
    column,
    record,
    records(all) {
      if (Array.isArray(all)) {
        all.forEach((each, i) => {
          record(asRecord(each, `record ${i + 1}`));
        });
        return;
      }
      for (const [name, values] of Object.entries(asRecord(all, 'the text'))) {
        if (!Array.isArray(values))
          throw new InvalidData(
            `column '${shorten(name)}' is not an array; give an array of records or an object of arrays`,
            { column: name },
          );
        for (const value of values as readonly unknown[]) column(name).add(value);
      }
    },
    finish() {
      fill(Math.max(rows, ...[...columns.values()].map(({ cells }) => cells)));
      const hash = createHash('sha256').update('lethe/records/1');
      for (const name of [...columns.keys()].toSorted()) {
        const { cells } = defined(columns.get(name));
        hash.update(`\n${JSON.stringify([name, cells])}\n`).update(defined(columns.get(name)).finish());
      }
      return hash.digest();
    },
  };
}

/** Columns of a file without a header are known by their places, whatever they are called. */
function csvDigest(columns: Columns, dialect: CsvDialect, unnamed = 0): TextParser<void> {
  let digests: readonly ColumnDigest[] | undefined;
  if (unnamed > 0) digests = Array.from({ length: unnamed }, (_, at) => columns.column(`${at + 1}`));
  return csvRecords(
    dialect,
    (cells) => {
      if (digests === undefined) digests = cells.map((name) => columns.column(name));
      else for (let at = 0; at < digests.length; at++) digests[at].add(cells[at]);
    },
    () => undefined,
  );
}
