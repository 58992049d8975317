import type { Table } from '../data/table.js';
import type { TableOptions } from '../data/table-options.js';

// The libraries of these formats are large, and are loaded by the first file of theirs.

/**
 * Reads an Arrow IPC file or stream. Integers, floats and booleans are numbers, dates and timestamps times,
 * strings (dictionaries too) text.
 *
 * @throws {InvalidParameter} for a file that cannot be read or wrong options.
 * @throws {Corrupt} for bytes that are cut off or not Arrow; `InvalidData` for missing or non-finite
 * values and absent columns; `Unsupported` for columns of another type that are not left out.
 */
export async function readArrow(path: string, options?: TableOptions): Promise<Table> {
  const arrow = await import('./arrow.js');
  return arrow.readArrow(path, options);
}

/**
 * Reads flat columns of a Parquet file (every common compression), one row group at a time. Integers, floats,
 * decimals and booleans are numbers, dates and timestamps times, strings text; `options.columns` reads only
 * what it names. Where `@duckdb/node-api` is installed it decodes the numbers of large files: the table is
 * the same.
 *
 * @throws {InvalidParameter} for a file that cannot be read or wrong options.
 * @throws {Corrupt} for bytes that are cut off or not Parquet; `InvalidData` for missing or non-finite
 * values, absent columns, no record; `Unsupported` for nested or binary columns that are not left out.
 */
export async function readParquet(path: string, options?: TableOptions): Promise<Table> {
  const parquet = await import('./parquet.js');
  return parquet.readParquet(path, options);
}
