import { InvalidParameter } from '@lethe/core';
import type { ColumnType } from './table.js';
import type { ParsedTableOptions } from './table-options.js';
import { largestInstant, parseInstant } from './time.js';

/**
 * The public value that stands in for a missing one in a column; `undefined` where none is declared.
 *
 * @throws {InvalidParameter} for a value that is not of the column's type.
 */
export function fillOf(
  fill: ParsedTableOptions['fill'],
  column: string,
  type: ColumnType,
): number | string | undefined {
  if (!Object.hasOwn(fill, column)) return undefined;
  const given = fill[column];
  const refused = (rule: string): InvalidParameter =>
    new InvalidParameter(`fill.${column} is ${JSON.stringify(given)}; the column holds ${rule}`, { column });
  if (type === 'text') {
    if (typeof given === 'string') return given;
    throw refused('text: write the value in quotes');
  }
  if (type === 'time') {
    const instant = typeof given === 'string' ? parseInstant(given) : given;
    if (Math.abs(instant) <= largestInstant) return instant;
    throw refused('times: give one such as 2001-03-25T08:33');
  }
  if (typeof given === 'number' && Number.isFinite(given)) return given;
  throw refused('numbers: give a finite one');
}

/** @throws {InvalidParameter} for a filled column that is not read. */
export function assertFilled(fill: ParsedTableOptions['fill'], read: readonly string[]): void {
  const stray = Object.keys(fill).filter((name) => !read.includes(name));
  if (stray.length > 0)
    throw new InvalidParameter(
      `fill names ${stray.map((name) => `'${name}'`).join(', ')}, which ` +
        `${stray.length === 1 ? 'is' : 'are'} ` +
        'not among the columns that are read; correct the name, or leave it out',
      { columns: stray },
    );
}
