import { InvalidData, InvalidParameter } from '@lethe/core';
import { missedDelimiter, parseInstant, tableFrom, type ColumnType, type Table } from '@lethe/losses';
import { nearestName } from '@lethe/numerics';
import type { Reading } from './reading.js';

/** A value of a record: `null`, `undefined` and the empty text are missing. */
export type Cell = string | number | boolean | Date | null | undefined;
/** A record: values by the name of their column. */
export type Row = Readonly<Record<string, Cell>>;
/** Records as a table of a reader, or one after another. */
export type Data = Table | readonly Row[];

const isTable = (data: Data): data is Table => !Array.isArray(data);
/** Most mistakes that one message lists. */
const most = 20;

/**
 * The columns of a reading, with public values in place of missing ones.
 *
 * @param advice - What to do about a missing value that nothing stands in for.
 * @throws {InvalidData} that lists what is wrong with the records, up to twenty mistakes.
 * @throws {InvalidParameter} unless `data` are a table or a list of records.
 */
export function tableOf(
  data: Data,
  { columns, fill }: Reading,
  advice = 'give it, or give the column a fill in the schema',
): Table {
  if (!isData(data)) throw new InvalidParameter(`data ${dataRule}`, {});
  const mistakes: string[] = [];
  if (isTable(data)) {
    for (const [name, type] of Object.entries(columns)) {
      const column = data.columns.get(name);
      const isText = type === 'text';
      if (column === undefined) mistakes.push(absent(name, data.names));
      else if (isText === column instanceof Float64Array)
        mistakes.push(`column '${name}' holds ${isText ? 'numbers' : 'text'}; read it as ${type}`);
    }
    refuse(mistakes);
    return data;
  }
  if (data.length === 0) throw new InvalidData('there is no record; give at least one', {});
  assertColumns(data, Object.keys(columns));
  const filled = new Map<string, readonly number[]>();
  const read = Object.entries(columns).map(([name, type]) => {
    const gaps: number[] = [];
    const stand = fill[name];
    const values = data.map((row, at) => {
      const cell = row[name];
      const isMissing = cell === null || cell === undefined || cell === '' || Number.isNaN(cell);
      if (isMissing && stand !== undefined) gaps.push(at);
      const value = isMissing ? stand : cell;
      const good = value === undefined ? undefined : valueOf(value, type);
      if (good !== undefined) return good;
      if (mistakes.length <= most)
        mistakes.push(
          isMissing
            ? `record ${at + 1} has no '${name}'; ${advice}`
            : `record ${at + 1}, column '${name}': ${String(cell).slice(0, 60)} is not ${articles[type]}`,
        );
      return type === 'text' ? '' : 0;
    });
    if (gaps.length > 0) filled.set(name, gaps);
    return [name, type === 'text' ? (values as string[]) : Float64Array.from(values as number[])] as const;
  });
  refuse(mistakes);
  const table = tableFrom(read);
  return filled.size === 0 ? table : { ...table, filled };
}

const articles: Readonly<Record<ColumnType, string>> = {
  number: 'a finite number',
  text: 'a text',
  time: 'a date or time such as 2001-03-25T08:33',
};

function valueOf(cell: NonNullable<Cell>, type: ColumnType): number | string | undefined {
  if (type === 'text') return typeof cell === 'string' ? cell : undefined;
  const number = type === 'time' && typeof cell === 'string' ? parseInstant(cell) : numberOf(cell);
  return Number.isFinite(number) ? number : undefined;
}

/** Decimal notation only: `Number` alone would take `0x10`. */
const numberOf = (cell: NonNullable<Cell>): number =>
  typeof cell === 'string' && /[xXbBoO]|^\s*$/u.test(cell) ? Number.NaN : Number(cell);

function absent(name: string, names: readonly string[]): string {
  const missed = names.length === 1 ? missedDelimiter(names) : undefined;
  return missed === undefined
    ? `there is no column '${name}'${suggestion(name, names)}`
    : `there is no column '${name}', and the table has one column alone; if the fields of its file are ` +
        `separated otherwise, read it with delimiter: ${JSON.stringify(missed)}`;
}

function suggestion(name: string, names: readonly string[]): string {
  const meant = nearestName(name, names);
  return meant === undefined ? '' : `; is '${meant}' meant?`;
}

/**
 * A column that no record has is misspelt, and so is a name like that of a column that the record lacks,
 * unless other records have both.
 *
 * @throws {InvalidData} for misspelt columns.
 */
function assertColumns(data: readonly Row[], names: readonly string[]): void {
  const lacking = names.filter((name) => !data.some((row) => Object.hasOwn(row, name)));
  refuse(
    lacking.map(
      (name) =>
        `no record has '${name}' (null says that it is missing)${suggestion(name, Object.keys(data[0]))}`,
    ),
  );
  const known = new Map<string, boolean>();
  const isOther = (name: string, key: string): boolean => {
    const pair = JSON.stringify([name, key]);
    const is = known.get(pair) ?? data.some((row) => Object.hasOwn(row, name) && Object.hasOwn(row, key));
    known.set(pair, is);
    return is;
  };
  const mistakes: string[] = [];
  for (const [at, row] of data.entries()) {
    if (mistakes.length > most) break;
    const absentHere = names.filter((name) => !Object.hasOwn(row, name));
    if (absentHere.length === 0) continue;
    const strange = Object.keys(row).filter((key) => !names.includes(key));
    for (const name of absentHere) {
      const key = nearestName(name, strange);
      if (key !== undefined && !isOther(name, key))
        mistakes.push(`record ${at + 1} has '${key}' and no '${name}'; write '${name}', or give it as null`);
    }
  }
  refuse(mistakes);
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return;
  const shown = mistakes.slice(0, most);
  const more = mistakes.length > most ? [`and more: only the first ${most} are listed`] : [];
  throw new InvalidData([...shown, ...more].join('\n'), { mistakes: mistakes.length });
}

/** What {@link isData} asks for. */
export const dataRule =
  'must be a table, as readTable or parseCsv return it, or a list of records such as [{ age: 31 }]';

/** Whether data are a table or a list of records. */
export function isData(data: unknown): data is Data {
  if (Array.isArray(data))
    return data.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row));
  return typeof data === 'object' && data !== null && 'columns' in data && data.columns instanceof Map;
}
