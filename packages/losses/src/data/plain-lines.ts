import type { CellDialect } from './cell.js';
import { appendNumber, appendNumbers, type NumberList } from './number-list.js';
import type { ColumnType } from './table.js';

/** A column that is kept: its place in the header, and the values so far. */
export interface PlainColumn {
  readonly at: number;
  readonly type: ColumnType | undefined;
  /** Whether a public value stands in for one that is missing, as an empty text is then. */
  readonly isFilled: boolean;
  readonly numbers: NumberList;
  readonly texts: string[];
}

/** What a {@link PlainText} needs to know of a table that is being built. */
export interface PlainTable {
  /** Fields of a line. */
  readonly width: number;
  readonly columns: readonly PlainColumn[];
  readonly dialect: CellDialect;
}

/** Powers of ten that are doubles, by which a whole number below 2^53 is divided with one rounding. */
const powers = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));
/** Digits that always make a whole number below 2^53. */
const exactDigits = 15;
/** Digits that always make one below 2^31. */
const shortDigits = 9;
/** Lines whose numbers are put into their columns together, and the most numbers of these. */
const mostBlockLines = 256;
const blockNumbers = 2 ** 16;
const [newline, carriageReturn, point, minus, zero] = Array.from('\n\r.-0', (sign) => sign.charCodeAt(0));

/** Whether lines of fields cut at a delimiter can be plain: a number must not hold one. */
export const isPlainDelimiter = (delimiter: string): boolean => !/[\d.eE+-]/.test(delimiter);

/** Lines that were taken, and the beginning of the first line that was not. */
export interface TakenLines {
  readonly end: number;
  readonly lines: number;
}

/** A text of ASCII without quotes, whose lines can be read without a text for each field. */
export interface PlainText {
  readonly text: string;
  /**
   * Reads whole lines of plain fields into columns whose types are known: numbers of digits with a sign and a
   * point, and fields that the dialect takes as they are. Numbers are those of `Number`.
   *
   * @param from - The beginning of a line.
   * @param most - Lines to read at most.
   * @returns where it ends: of the first line that is not plain nothing is taken.
   */
  read(table: PlainTable, delimiter: number, from: number, most: number): TakenLines;
}

/** Makes plain texts, in memory that is used again where a text fits in; null of another text. */
export type PlainTexts = (text: string) => PlainText | null;

/**
 * Plain texts that are read in JavaScript. Numbers of up to 15 digits are made by one division, which rounds
 * once, others by `Number` itself.
 */
export function plainTexts(): PlainTexts {
  let room = new Uint8Array(0);
  return (text) => {
    if (text.includes('"')) return null;
    if (room.length < text.length) room = new Uint8Array(text.length);
    const { read, written } = new TextEncoder().encodeInto(text, room);
    if (read !== text.length || written !== text.length) return null;
    const bytes = room.subarray(0, written);
    return {
      text,
      read: (table, delimiter, from, most) => plainLines(table, { text, bytes }, delimiter, from, most),
    };
  };
}

interface TextBytes {
  readonly text: string;
  /** One a character. */
  readonly bytes: Uint8Array;
}

function plainLines(
  { width, columns, dialect }: PlainTable,
  { text, bytes }: TextBytes,
  delimiter: number,
  from: number,
  most: number,
): TakenLines {
  if (columns.some(({ type }) => type === undefined)) return { end: from, lines: 0 };
  const numeric = columns.filter(({ type }) => type === 'number');
  const others = columns.filter(({ type }) => type !== 'number');
  const isNumber = new Uint8Array(width);
  for (const { at } of numeric) isNumber[at] = 1;
  const blockLines = Math.max(1, Math.min(mostBlockLines, Math.floor(blockNumbers / width)));
  /** Numbers of the lines that are read and not yet in their columns, line by line. */
  const block = new Float64Array(blockLines * width);
  const column = new Float64Array(blockLines);
  const line: Line = { text, bytes, delimiter, width, isNumber, starts: new Uint32Array(width + 1) };
  const fieldOf = ({ at }: PlainColumn): string => text.slice(line.starts[at], line.starts[at + 1] - 1);
  let end = from;
  let lines = 0;
  let held = 0;
  while (lines < most && end < bytes.length) {
    const next = readLine(line, end, block, held * width);
    if (next === 0 || !takeOthers(others, dialect, fieldOf)) break;
    lines++;
    end = next;
    if (++held < blockLines) continue;
    putBlock(numeric, block, width, column.subarray(0, held));
    held = 0;
  }
  putBlock(numeric, block, width, column.subarray(0, held));
  return { end, lines };
}

interface Line extends TextBytes {
  readonly delimiter: number;
  readonly width: number;
  /** 1 for each field that is read as a number. */
  readonly isNumber: Uint8Array;
  /** Where each field of the line that was read begins, and one place behind the end of the last. */
  readonly starts: Uint32Array;
}

/**
 * Reads the line at `start`: its numbers are written to `block` from `row` on, a place for every field.
 *
 * @returns the beginning of the next line; 0 where a field is not plain, or their number is another.
 */
function readLine(line: Line, start: number, block: Float64Array, row: number): number {
  const { text, bytes, delimiter, width, isNumber, starts } = line;
  // Whether a blank line is a record depends on what follows.
  if (bytes[start] === newline || bytes[start] === carriageReturn) return 0;
  let at = start;
  for (let k = 0; k < width; k++) {
    starts[k] = at;
    if (isNumber[k] === 0) at = fieldEnd(bytes, at, delimiter);
    else {
      const begin = at;
      at = readNumber(bytes, at, block, row + k);
      if (at < 0) {
        at = -at;
        const value = numberOf(text, bytes, begin, at);
        if (!Number.isFinite(value)) return 0;
        block[row + k] = value;
      }
      if (at === 0) return 0;
    }
    if (k + 1 === width) break;
    if (bytes[at] !== delimiter) return 0;
    at++;
  }
  starts[width] = at + 1;
  if (bytes[at] === carriageReturn) at++;
  return bytes[at] === newline ? at + 1 : 0;
}

/** The end of a field of any characters. */
function fieldEnd(bytes: Uint8Array, from: number, delimiter: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === delimiter || byte === newline || byte === carriageReturn) break;
    at++;
  }
  return at;
}

/**
 * Reads digits with a sign and a point at `begin`, and writes their value where they are nine at most.
 *
 * @returns the end of the number; its negative where there are more digits; 0 where there are none.
 */
function readNumber(bytes: Uint8Array, begin: number, block: Float64Array, place: number): number {
  let at = begin;
  const isNegative = bytes[at] === minus;
  if (isNegative) at++;
  // As integers of 32 bits, which up to nine digits are.
  let whole = 0;
  const first = at;
  let digit = bytes[at] - zero;
  while (digit >= 0 && digit <= 9) {
    whole = (Math.imul(whole, 10) + digit) | 0;
    digit = bytes[++at] - zero;
  }
  let digits = at - first;
  let places = 0;
  if (digit === point - zero) {
    const after = ++at;
    digit = bytes[at] - zero;
    while (digit >= 0 && digit <= 9) {
      whole = (Math.imul(whole, 10) + digit) | 0;
      digit = bytes[++at] - zero;
    }
    places = at - after;
    digits += places;
  }
  if (digits === 0) return 0;
  if (digits > shortDigits) return -at;
  const size = whole / powers[places];
  block[place] = isNegative ? -size : size;
  return at;
}

/** The value of the digits, the sign and the point from `from` to `to`, for any number of digits. */
function numberOf(text: string, bytes: Uint8Array, from: number, to: number): number {
  let whole = 0;
  let digits = 0;
  let places = -1;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === point) places = 0;
    else if (byte !== minus) {
      whole = whole * 10 + (byte - zero);
      digits++;
      if (places >= 0) places++;
    }
  }
  if (digits > exactDigits) return Number(text.slice(from, to));
  const size = whole / powers[Math.max(0, places)];
  return bytes[from] === minus ? -size : size;
}

/**
 * Takes the fields of a line that are no numbers, all of them or none: false where the dialect reads one
 * otherwise.
 *
 * @param fieldOf - The field of the k-th of `others`.
 */
export function takeOthers(
  others: readonly PlainColumn[],
  dialect: CellDialect,
  fieldOf: (column: PlainColumn, k: number) => string,
): boolean {
  if (others.length === 0) return true;
  const values: (number | string)[] = [];
  for (const [k, column] of others.entries()) {
    const field = fieldOf(column, k);
    const reading = dialect.read(field, column.type ?? 'text');
    if (!('value' in reading) || (column.isFilled && field.trim() === '')) return false;
    values.push(reading.value);
  }
  others.forEach(({ numbers, texts }, k) => {
    const value = values[k];
    if (typeof value === 'string') texts.push(value);
    else appendNumber(numbers, value);
  });
  return true;
}

/** Puts the numbers of lines behind those of their columns. @param column - Room for one of each line. */
function putBlock(
  numeric: readonly PlainColumn[],
  block: Float64Array,
  width: number,
  column: Float64Array,
): void {
  for (const { at: first, numbers } of numeric) {
    for (let i = 0, at = first; i < column.length; i++, at += width) column[i] = block[at];
    appendNumbers(numbers, column);
  }
}

/**
 * The end of the lines that are read otherwise, from a line on that is not plain: that line, and the blank
 * ones before it, which count as records only where another follows.
 */
export function endOfOddLines(text: string, from: number): number {
  for (let start = from; ;) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    if (text.slice(start, end).trim() !== '') return end + 1;
    start = end + 1;
  }
}
