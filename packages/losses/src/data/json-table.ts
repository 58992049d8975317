import { InvalidData } from '@lethe/core';
import { typedCells } from './cell.js';
import { lineParser, type TextParser } from './lines.js';
import type { Table } from './table.js';
import { tableBuilder, type TableBuilder } from './table-builder.js';
import { parseTableOptions, type ParsedTableOptions, type TableOptions } from './table-options.js';

/** An object with named values. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * A table from JSON text: an array of records, or an object of columns of equal length.
 * A key that a record lacks is a missing value. Without
 * `options.columns` the first record's keys are the columns.
 *
 * @throws {InvalidData} for text that is not JSON, of another
 * shape, ragged, empty, or with values of the wrong type.
 * @throws {InvalidParameter} for wrong options.
 */
export function parseJson(text: string, options?: TableOptions): Table {
  const parsed = parseTableOptions(options);
  const value = parseText(text, 'the text');
  return Array.isArray(value) ? fromRecords(value, parsed) : fromColumns(asRecord(value, 'the text'), parsed);
}

/**
 * A parser of JSON Lines, one record a line; blank lines are skipped.
 *
 * @throws {InvalidParameter} for wrong options; its methods
 * throw {@link InvalidData} as {@link parseJson} does.
 */
export function jsonLinesParser(options?: TableOptions): TextParser<Table> {
  const collector = recordCollector(parseTableOptions(options));
  return lineParser(
    (line, number) => collector.add(parseText(line, `line ${number}`), `line ${number}`, number),
    collector.finish,
  );
}

function fromRecords(records: readonly unknown[], options: ParsedTableOptions): Table {
  const collector = recordCollector(options);
  records.forEach((record, index) => collector.add(record, `record ${index + 1}`));
  return collector.finish();
}

function recordCollector(options: ParsedTableOptions) {
  const declared = options.columns === undefined ? undefined : Object.keys(options.columns);
  let header: readonly string[] = [];
  let known = new Set<string>();
  let builder: TableBuilder | undefined;
  return {
    add(value: unknown, where: string, line?: number): void {
      const record = asRecord(value, where);
      if (builder === undefined) {
        header = declared ?? Object.keys(record);
        known = new Set(header);
        builder = tableBuilder(header, typedCells, options);
      }
      const isOpen = declared === undefined && options.unreadable === 'reject';
      const extra = isOpen ? Object.keys(record).find((key) => !known.has(key)) : undefined;
      if (extra !== undefined)
        throw new InvalidData(
          `${where} has a key that the first record lacks; give all records the same keys, ` +
            'or name the columns to read',
          { where },
        );
      builder.add(
        header.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined)),
        line,
      );
    },
    finish(): Table {
      if (builder === undefined && options.allowEmpty && declared !== undefined)
        builder = tableBuilder(declared, typedCells, options);
      if (builder === undefined) throw new InvalidData('there is no record; at least one is needed');
      return builder.finish();
    },
  };
}

function fromColumns(columns: JsonRecord, options: ParsedTableOptions): Table {
  const header = Object.keys(columns);
  const lists = header.map((name, at) => {
    const list = columns[name];
    if (Array.isArray(list)) return list as readonly unknown[];
    throw new InvalidData(
      `column ${at + 1} is not an array; give an array of records or an object of arrays`,
      { column: at + 1 },
    );
  });
  const rows = lists[0]?.length ?? 0;
  const ragged = lists.findIndex((list) => list.length !== rows);
  if (ragged >= 0) {
    throw new InvalidData(`column ${ragged + 1} has ${lists[ragged]?.length} values, the first ${rows}`, {
      column: ragged + 1,
      rows,
    });
  }
  const builder = tableBuilder(header, typedCells, options);
  for (let row = 0; row < rows; row++) builder.add(lists.map((list) => list[row]));
  return builder.finish();
}

/** @throws {InvalidData} for text that is not JSON. */
export function parseText(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's message quotes the text, which may be of a file that was not meant.
    const at = /at position \d+/u.exec((cause as Error).message);
    throw new InvalidData(`${where} is not JSON${at === null ? '' : `: something else stands ${at[0]}`}`, {
      where,
    });
  }
}

/** @throws {InvalidData} unless the value is an object with named values. */
export function asRecord(value: unknown, where: string): JsonRecord {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonRecord;
  const kind = () => {
    if (Array.isArray(value)) return 'an array';
    return value === null ? 'null' : `a ${typeof value}`;
  };
  throw new InvalidData(`${where} holds ${kind()} where an object with named values is needed`, { where });
}
