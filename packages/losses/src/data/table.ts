import { InvalidData } from '@lethe/core';
import { allFinite, nearestName } from '@lethe/numerics';

/**
 * Type of a column: `number` finite numbers, `time` instants as milliseconds since 1970-01-01 UTC
 * (an instant without a zone is taken as UTC, on every machine), `text` strings.
 */
export type ColumnType = 'number' | 'text' | 'time';

/** Values of one column: finite doubles (`number`, `time`) or strings (`text`). */
export type Column = Float64Array | readonly string[];

/** Records in columns: every column has `rows` values, every number is finite, names are unique. */
export interface Table {
  readonly names: readonly string[];
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
  /** Rows, counted from 0 and ascending, whose value was missing and filled in, by column. */
  readonly filled?: ReadonlyMap<string, readonly number[]>;
  /**
   * Rows, counted from 0 and ascending, that could not be read and stand as null records: their values count
   * for nothing. Of a table read with `unreadable: 'null'` alone.
   */
  readonly unreadable?: readonly number[];
  /**
   * Lines of a text file at which records begin, as `[row from 0, line from 1]`; records between two of these
   * have a line each.
   */
  readonly lines?: readonly RecordLine[];
}

/** A row of a table, counted from 0, and the line of its file, counted from 1. */
export type RecordLine = readonly [row: number, line: number];

/** Treatment of a record with a missing value: stop reading, or drop the record. */
export type MissingPolicy = 'reject' | 'drop-row';

/** Position of a value: the record counts from 1, without headers, the line of a text file with them. */
export interface CellPlace {
  readonly row: number;
  readonly line?: number | undefined;
  readonly column: string;
  readonly value: unknown;
}

/**
 * An {@link InvalidData} that names record, column and value.
 *
 * @param advice - What to do, which stands last in the message and among the details: a caller whose columns
 * are fixed gives another.
 */
export function invalidCell(place: CellPlace, problem: string, advice?: string): InvalidData {
  const value = place.value === '' ? 'an empty field' : shorten(place.value);
  return new InvalidData(
    `${recordText(place)}, column '${shorten(place.column)}': ${value} ${problem}` +
      (advice === undefined ? '' : `; ${advice}`),
    { ...place, value, ...(advice === undefined ? {} : { advice }) },
  );
}

/** A record in messages: `record 3 (line 4)`, where it stands on a line. */
export const recordText = ({ row, line }: Pick<CellPlace, 'row' | 'line'>): string =>
  `record ${row}${line === undefined ? '' : ` (line ${line})`}`;

/** A row of a table, counted from 0, in messages. */
export const recordAt = (table: Table, row: number): string => recordText(placeOf(table, row));

/** Where a row of a table, counted from 0, stands. */
export function placeOf({ lines = [] }: Table, row: number): Pick<CellPlace, 'row' | 'line'> {
  const before = lines.findLast(([first]) => first <= row);
  return { row: row + 1, ...(before === undefined ? {} : { line: before[1] + row - before[0] }) };
}

/** A value as a short piece of text for messages. */
export function shorten(value: unknown): string {
  let text: string;
  if (typeof value === 'string') text = value;
  else if (typeof value === 'object' && value !== null) text = 'an object';
  else text = String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * A table of given columns.
 *
 * @param allowEmpty - Whether columns without a value will do.
 * @throws {InvalidData} without a column or record, for lengths that
 * differ, a repeated name, or a number that is not finite.
 */
export function tableFrom(entries: Iterable<readonly [string, Column]>, allowEmpty = false): Table {
  const columns = new Map<string, Column>();
  let rows = -1;
  for (const [name, column] of entries) {
    if (columns.has(name))
      throw new InvalidData(`column '${shorten(name)}' appears twice; names must be unique`, {
        column: name,
      });
    if (rows >= 0 && column.length !== rows) {
      throw new InvalidData(
        `column '${shorten(name)}' has ${column.length} values, the columns before it ${rows}`,
        { column: name, rows },
      );
    }
    rows = column.length;
    if (column instanceof Float64Array) {
      const bad = allFinite(column) ? -1 : column.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0)
        throw invalidCell({ row: bad + 1, column: name, value: column[bad] }, 'is not a finite number');
    }
    columns.set(name, column);
  }
  if (rows < 0 || (rows === 0 && !allowEmpty))
    throw new InvalidData('the table has no record; at least one column with one record is needed', {
      rows: Math.max(rows, 0),
    });
  return { names: [...columns.keys()], rows, columns };
}

/**
 * A column by name.
 *
 * @throws {InvalidData} when there is none.
 */
export function columnOf(table: Table, name: string): Column {
  const column = table.columns.get(name);
  if (column !== undefined) return column;
  throw noColumn(name, table.names);
}

/**
 * An {@link InvalidData} for a missing column. It quotes only the most similar name of the table: the file
 * may be the wrong one, with private data in its first line.
 */
export function noColumn(name: string, names: readonly string[]): InvalidData {
  const meant = nearestName(name, names);
  return new InvalidData(
    `there is no column '${shorten(name)}'; the table has ` +
      (names.length === 1 ? 'one column' : `${names.length} columns`) +
      (meant === undefined ? ' and none of such a name' : `, one of them '${shorten(meant)}'`),
    { column: name },
  );
}

/** The table with the rows that could not be read, where there are any. */
export const withUnreadable = (table: Table, unreadable: readonly number[]): Table =>
  unreadable.length === 0 ? table : { ...table, unreadable };

/** The table with the rows whose values were filled in, where there are any. */
export function withFilled(table: Table, filled: readonly (readonly [string, readonly number[]])[]): Table {
  const some = filled.filter(([, rows]) => rows.length > 0);
  return some.length === 0 ? table : { ...table, filled: new Map(some) };
}
