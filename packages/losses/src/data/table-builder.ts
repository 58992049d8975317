import { InvalidData } from '@lethe/core';
import type { CellDialect } from './cell.js';
import { assertFilled, fillOf } from './fill.js';
import { appendNumber, foresee, newNumberList, takeNumbers, type NumberList } from './number-list.js';
import type { PlainText, TakenLines } from './plain-lines.js';
import {
  invalidCell,
  noColumn,
  recordText,
  tableFrom,
  withFilled,
  withUnreadable,
  type ColumnType,
  type RecordLine,
  type Table,
} from './table.js';
import type { ParsedTableOptions } from './table-options.js';

/** Collects records into a {@link Table}; the first bad one throws, or stands as a null record. */
export interface TableBuilder {
  /**
   * Adds a record whose cells stand in the order of the header.
   *
   * @param line - Line of a text file at which it begins.
   */
  add(cells: readonly unknown[], line?: number): void;
  /**
   * Takes whole lines of plain fields, from the beginning of one on, as `add` would take their cells one by
   * one.
   *
   * @param line - Line of the file at `from`.
   * @returns the beginning of the first line that it leaves to `add`, and the number of those before it.
   */
  addLines(text: PlainText, delimiter: number, from: number, line: number): TakenLines;
  /** Makes room for numbers of so many records in all. */
  foresee(records: number): void;
  /** Records taken so far, those that were dropped too. */
  readonly taken: number;
  /** Types of the columns, as far as they are known. */
  types(): Readonly<Record<string, ColumnType>>;
  finish(): Table;
}

interface Slot {
  readonly name: string;
  readonly at: number;
  type: ColumnType | undefined;
  readonly numbers: NumberList;
  readonly texts: string[];
  /** Whether a public value stands in for one that is missing. */
  readonly isFilled: boolean;
  /** Rows of the table whose value was missing. */
  readonly filled: number[];
}

/**
 * A builder for records with the given header.
 *
 * @param before - Records of the file before these.
 * @throws {InvalidData} for a header that is empty, repeats a name or lacks a declared column.
 */
export function tableBuilder(
  header: readonly string[],
  dialect: CellDialect,
  options: ParsedTableOptions,
  before = 0,
): TableBuilder {
  const slots = slotsOf(header, options);
  const record: (number | string)[] = [];
  const gaps: Slot[] = [];
  const unreadable: number[] = [];
  const lines: RecordLine[] = [];
  let row = before;
  let line: number | undefined;
  let kept = 0;
  assertFilled(
    options.fill,
    slots.map(({ name }) => name),
  );

  function readCell(slot: Slot, cell: unknown): boolean {
    const type = slot.type ?? dialect.guess(cell);
    const reading = dialect.read(cell, type);
    if ('problem' in reading && options.unreadable === 'null') return false;
    if ('problem' in reading) {
      const isNumber = slot.type === 'number' && typeof cell === 'string';
      const why =
        options.columns === undefined ? 'the first record has a number there' : 'numbers were declared';
      throw invalidCell(
        { row, line, column: slot.name, value: cell },
        reading.problem,
        isNumber ? `${why}: correct it, or declare the column otherwise` : undefined,
      );
    }
    const fill = Object.hasOwn(options.fill, slot.name) ? fillOf(options.fill, slot.name, type) : undefined;
    const isGap =
      'missing' in reading || (fill !== undefined && type === 'text' && String(cell).trim() === '');
    if (!isGap) return record.push(reading.value) > 0;
    if (fill !== undefined) {
      gaps.push(slot);
      return record.push(fill) > 0;
    }
    if (options.missing === 'reject' && options.unreadable === 'reject')
      throw invalidCell(
        { row, line, column: slot.name, value: cell },
        'is a missing value',
        `give its column a public one to stand in, such as fill: { ${slot.name}: 0 }`,
      );
    return false;
  }

  /** Values of a null record that can be read are kept: they may say whose it is. */
  function addNull(cells: readonly unknown[]): void {
    unreadable.push(kept++);
    for (const { at, type, texts, numbers } of slots) {
      const reading = type === undefined ? undefined : dialect.read(cells[at] ?? '', type);
      const value = reading !== undefined && 'value' in reading ? reading.value : undefined;
      // Of a column without a type so far it is not known which is used.
      if (type !== 'number' && type !== 'time') texts.push(typeof value === 'string' ? value : '');
      if (type !== 'text') appendNumber(numbers, typeof value === 'number' ? value : 0);
    }
  }

  /** Remembers the line of the next row, where it does not follow from the row before. */
  function noteLine(now: number | undefined): void {
    line = now;
    if (line === undefined) return;
    const last = lines.at(-1);
    if (last === undefined || last[1] + kept - last[0] !== line) lines.push([kept, line]);
  }

  return {
    add(cells, at) {
      row++;
      noteLine(at);
      if (row > options.maxRows)
        throw new InvalidData(`more than ${options.maxRows} records; raise maxRows to read them`, { row });
      const isRagged = cells.length !== header.length;
      if (isRagged && options.unreadable === 'reject') {
        throw new InvalidData(
          `${recordText({ row, line })} has ${cells.length} fields, the header ${header.length}`,
          { row, ...(line === undefined ? {} : { line }), fields: cells.length, expected: header.length },
        );
      }
      record.length = 0;
      gaps.length = 0;
      if (isRagged || !slots.every((slot) => readCell(slot, cells[slot.at]))) {
        if (options.unreadable === 'null') addNull(isRagged ? [] : cells);
        return;
      }
      for (const slot of gaps) slot.filled.push(kept);
      kept++;
      slots.forEach((slot, index) => {
        const value = record[index] as number | string;
        slot.type ??= dialect.guess(cells[slot.at]);
        if (typeof value === 'string') slot.texts.push(value);
        else appendNumber(slot.numbers, value);
      });
    },
    addLines(text, delimiter, from, at) {
      const table = { width: header.length, columns: slots, dialect };
      const taken = text.read(table, delimiter, from, options.maxRows - row);
      if (taken.lines > 0) noteLine(at);
      row += taken.lines;
      kept += taken.lines;
      return taken;
    },
    foresee(records) {
      const most = Math.min(records, options.maxRows);
      for (const { type, numbers } of slots) if (type !== 'text') foresee(numbers, most);
    },
    get taken() {
      return row - before;
    },
    types: () =>
      Object.fromEntries(slots.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]]))),
    finish() {
      const table = withUnreadable(
        withFilled(
          tableFrom(
            slots.map(
              (slot) => [slot.name, slot.type === 'text' ? slot.texts : takeNumbers(slot.numbers)] as const,
            ),
            options.allowEmpty,
          ),
          slots.map(({ name, filled }) => [name, filled] as const),
        ),
        unreadable,
      );
      return lines.length === 0 ? table : { ...table, lines };
    },
  };
}

function slotsOf(header: readonly string[], options: ParsedTableOptions): Slot[] {
  const position = new Map<string, number>();
  header.forEach((name, at) => {
    const before = position.get(name);
    if (before !== undefined)
      throw new InvalidData(
        `columns ${before + 1} and ${at + 1} of the header have the same name; names must be unique`,
        { column: at + 1 },
      );
    position.set(name, at);
  });
  const wanted =
    options.columns === undefined
      ? header.map((name) => [name, undefined] as const)
      : Object.entries(options.columns);
  return wanted.map(([name, type]) => {
    const at = position.get(name);
    if (at === undefined) throw noColumn(name, header);
    const isFilled = Object.hasOwn(options.fill, name);
    return { name, at, type, isFilled, numbers: newNumberList(), texts: [], filled: [] };
  });
}
