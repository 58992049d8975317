import type { ColumnType } from './table.js';
import { largestInstant, parseInstant } from './time.js';

/** One value read: a number or string, `missing`, or what is wrong with it. */
export type CellReading =
  | { readonly value: number | string }
  | { readonly missing: true }
  | { readonly problem: string };

/** Reader of a format's cells, and the default type of a column. */
export interface CellDialect {
  read(cell: unknown, type: ColumnType): CellReading;
  guess(cell: unknown): ColumnType;
}

const missing = { missing: true } as const;
/** Texts of a missing value in a text format. */
export const missingWords: ReadonlySet<string> = new Set(['', 'NA', 'N/A', 'null', 'NULL', 'NaN', 'nan']);

/**
 * Cells of a text format. A field of a `number` or `time` column that is empty, `NA`, `N/A`, `null` or `NaN`
 * is missing; in a `text` column every field is a value.
 */
export const textCells: CellDialect = {
  read(cell, type) {
    const text = String(cell);
    if (type === 'text') return { value: text };
    if (missingWords.has(text.trim())) return missing;
    return type === 'number' ? finite(decimal(text), text) : instant(parseInstant(text));
  },
  guess: (cell) => (Number.isFinite(decimal(String(cell))) ? 'number' : 'text'),
};

/** Cells that already have a type (JSON, Parquet, Arrow): `null`, `undefined` and NaN are missing. */
export const typedCells: CellDialect = {
  read(cell, type) {
    if (cell === null || cell === undefined || Number.isNaN(cell)) return missing;
    if (type === 'text') return typeof cell === 'string' ? { value: cell } : { problem: 'is not text' };
    if (type === 'time') {
      const timeOf = () => {
        if (typeof cell === 'string') return parseInstant(cell);
        return cell instanceof Date ? cell.getTime() : toNumber(cell);
      };
      return instant(timeOf());
    }
    return finite(toNumber(cell), cell);
  },
  guess(cell) {
    if (typeof cell === 'string') return 'text';
    return cell instanceof Date ? 'time' : 'number';
  },
};

function toNumber(cell: unknown): number {
  return typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean'
    ? Number(cell)
    : NaN;
}

/** Decimal notation only: `Number` alone would take `0x10` and read a blank as zero. */
export function decimal(text: string): number {
  return /^\s*$|[xXbBoO]/.test(text) ? NaN : Number(text);
}

function finite(value: number, cell: unknown): CellReading {
  if (Number.isFinite(value)) return { value };
  return {
    problem:
      value === Infinity || value === -Infinity || /^[+-]?inf/i.test(String(cell).trim())
        ? 'is infinite; a finite number is needed'
        : 'is not a number',
  };
}

function instant(value: number): CellReading {
  return Math.abs(value) <= largestInstant
    ? { value }
    : { problem: 'is not a date or time such as 2001-03-25T08:33' };
}
