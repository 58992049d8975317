import type { FileMetaData, SchemaElement } from 'hyparquet';
import { parquetSchema } from 'hyparquet';
import { Corrupt, InvalidData, Unsupported } from '@lethe/core';
import { typedCells } from '../data/cell.js';
import { assertFilled, fillOf } from '../data/fill.js';
import {
  invalidCell,
  noColumn,
  shorten,
  tableFrom,
  withFilled,
  withUnreadable,
  type ColumnType,
  type Table,
} from '../data/table.js';
import type { ParsedTableOptions } from '../data/table-options.js';
import { largestInstant } from '../data/time.js';

/** Takes decoded pieces of Parquet columns. */
export interface ColumnSink<Result = Table> {
  readonly names: readonly string[];
  fill(name: string, rowStart: number, cells: ArrayLike<unknown>): void;
  finish(): Result;
}

interface Slot {
  readonly name: string;
  readonly type: ColumnType;
  readonly numbers: Float64Array;
  readonly texts: string[];
  readonly fill: number | string | undefined;
  /** Rows of the file whose value was missing. */
  readonly gaps: number[];
  filled: number;
}

/** The number of rows and the columns that the options keep. @throws as {@link columnSink}. */
export function assertColumns(
  metadata: FileMetaData,
  options: ParsedTableOptions,
): { readonly rows: number; readonly typed: readonly (readonly [string, ColumnType])[] } {
  const rows = Number(metadata.num_rows);
  if (metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0) !== rows || rows < 0)
    throw new Corrupt('the row groups do not add up to the number of rows');
  if (rows === 0 && !options.allowEmpty)
    throw new InvalidData('the table has no record; at least one is needed', { rows });
  if (rows > options.maxRows)
    throw new InvalidData(`${rows} records are more than ${options.maxRows}; raise maxRows to read them`, {
      rows,
    });
  return { rows, typed: typedColumns(metadata, options) };
}

/**
 * A sink for the columns that the options keep, straight into typed arrays.
 *
 * @throws {InvalidData} for absent or repeated columns and too many or no records; {@link Unsupported} for
 * column types without a number, text or time in them;
 * {@link Corrupt} for row counts that contradict each other.
 */
export function columnSink(metadata: FileMetaData, options: ParsedTableOptions): ColumnSink {
  const { rows, typed } = assertColumns(metadata, options);
  const slots = new Map<string, Slot>();
  for (const [name, type] of typed) {
    slots.set(name, {
      name,
      type,
      numbers: new Float64Array(type === 'text' ? 0 : rows),
      texts: [],
      fill: fillOf(options.fill, name, type),
      gaps: [],
      filled: 0,
    });
  }
  assertFilled(options.fill, [...slots.keys()]);
  const missing = new Set<number>();
  const unreadable = new Set<number>();

  function fillSlowly(slot: Slot, index: number, cell: unknown): void {
    const reading = typedCells.read(cell, slot.type);
    const place = { row: index + 1, column: slot.name, value: cell };
    if ('problem' in reading && options.unreadable === 'null') {
      unreadable.add(index);
      if (slot.type === 'text') slot.texts[index] = '';
    } else if ('problem' in reading) throw invalidCell(place, reading.problem);
    else if ('missing' in reading && slot.fill !== undefined) {
      slot.gaps.push(index);
      if (typeof slot.fill === 'string') slot.texts[index] = slot.fill;
      else slot.numbers[index] = slot.fill;
    } else if ('missing' in reading) {
      if (options.missing === 'reject' && options.unreadable === 'reject')
        throw invalidCell(
          place,
          `is a missing value; give its column a public one to stand in, such as fill: { ${slot.name}: 0 }`,
        );
      (options.unreadable === 'null' ? unreadable : missing).add(index);
      if (slot.type === 'text') slot.texts[index] = '';
    } else if (typeof reading.value === 'string') slot.texts[index] = reading.value;
    else slot.numbers[index] = reading.value;
  }

  return {
    names: [...slots.keys()],
    fill(name, rowStart, cells) {
      const slot = slots.get(name);
      if (slot === undefined) return;
      if (rowStart + cells.length > rows)
        throw new Corrupt(`column '${shorten(name)}' has more values than the file has rows`, {
          column: name,
        });
      let limit: number;
      if (slot.type === 'number') limit = Number.MAX_VALUE;
      else if (slot.type === 'time') limit = largestInstant;
      else limit = -1;
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at];
        let value: number;
        if (typeof cell === 'number') value = cell;
        else if (typeof cell === 'bigint') value = Number(cell);
        else value = NaN;
        if (Math.abs(value) <= limit) slot.numbers[rowStart + at] = value;
        else fillSlowly(slot, rowStart + at, cell);
      }
      slot.filled += cells.length;
    },
    finish() {
      for (const { name, filled } of slots.values()) {
        if (filled !== rows)
          throw new Corrupt(`column '${shorten(name)}' has ${filled} values for ${rows} rows`, {
            column: name,
            filled,
            rows,
          });
      }
      const keep = (_: unknown, index: number): boolean => !missing.has(index);
      const before = [...missing].toSorted((a, b) => a - b);
      const rowOf = (index: number): number => index - before.filter((gone) => gone < index).length;
      const table = tableFrom(
        [...slots.values()].map(({ name, type, numbers, texts }) => {
          if (missing.size === 0) return [name, type === 'text' ? texts : numbers] as const;
          return [name, type === 'text' ? texts.filter(keep) : numbers.filter(keep)] as const;
        }),
        options.allowEmpty,
      );
      const known = withUnreadable(
        table,
        [...unreadable].toSorted((a, b) => a - b),
      );
      return withFilled(
        known,
        [...slots.values()].map(
          ({ name, gaps }) =>
            [name, before.length === 0 ? gaps : gaps.filter((at) => !missing.has(at)).map(rowOf)] as const,
        ),
      );
    },
  };
}

function typedColumns(
  metadata: FileMetaData,
  options: ParsedTableOptions,
): (readonly [string, ColumnType])[] {
  const { children } = parquetSchema(metadata);
  const elements = new Map(children.map(({ element }) => [element.name, element]));
  if (elements.size !== children.length)
    throw new InvalidData('two columns have the same name; names must be unique');
  const wanted =
    options.columns === undefined
      ? [...elements.keys()].map((name) => [name, undefined] as const)
      : Object.entries(options.columns);
  return wanted.map(([name, declared]) => {
    const element = elements.get(name);
    if (element === undefined) throw noColumn(name, [...elements.keys()]);
    const own = typeOf(element);
    return [name, declared ?? own] as const;
  });
}

/** Type of a column. @throws {Unsupported} for types that are not read. */
export function typeOf(element: SchemaElement): ColumnType {
  const { type, converted_type: converted, logical_type: logical } = element;
  const flat = element.num_children === undefined && element.repetition_type !== 'REPEATED';
  const kind: string = logical?.type ?? converted ?? type ?? 'group';
  if (flat && (/^(DATE|TIMESTAMP)/.test(kind) || type === 'INT96')) return 'time';
  if (flat && /^(STRING|UTF8|ENUM)$/.test(kind)) return 'text';
  if (flat && (/^(BOOLEAN|INT32|INT64|FLOAT|DOUBLE)$/.test(type ?? '') || /^(FLOAT16|DECIMAL)$/.test(kind)))
    return 'number';
  throw new Unsupported(
    `column '${shorten(element.name)}' is a ${kind}${flat ? '' : ' (nested)'}; ` +
      `leave it out by naming the others in \`columns\``,
    { column: element.name, kind },
  );
}
