import { csvFormat } from 'd3-dsv';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Result } from '../experiment/results.js';
import { columns, measurements, type Measurement } from './measurements.js';

/**
 * Results as long tables for notebooks: CSV, newline-delimited JSON and Parquet with the same rows and
 * columns. A number that is not finite is `Infinity` in CSV and a string in JSON, as in `results.json`.
 * In CSV a text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function tableFiles(results: readonly Result[]): Readonly<Record<string, string | Uint8Array>> {
  const rows = measurements(results);
  const names = Object.keys(columns) as (keyof Measurement)[];
  const columnData = names.map((name) => ({
    name,
    data: rows.map((row) => row[name]),
    type: columns[name] === 'text' ? ('STRING' as const) : ('DOUBLE' as const),
    nullable: true,
  }));
  return {
    'results.csv': `${csvFormat(rows.map(textsOf), names)}\n`,
    'results.ndjson': rows.map((row) => `${JSON.stringify(row, finite)}\n`).join(''),
    'results.parquet': new Uint8Array(parquetWriteBuffer({ columnData })),
  };
}

const textsOf = (row: Measurement): Record<string, string> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)]));

/** Experiment files come from others, and their labels may be written for whoever opens the table. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  return typeof value === 'string' && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value);
}

const finite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
