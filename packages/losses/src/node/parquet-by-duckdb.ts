import { resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { FileMetaData, SchemaElement } from 'hyparquet';
import { parquetSchema } from 'hyparquet';
import type { ColumnSink } from './parquet-columns.js';

/** Numbers of a file from which the start of DuckDB pays. */
export const manyNumbers = 4e6;

/** Signs of a path that DuckDB would read as a pattern of many files. */
const pattern = /[*?[\]{}]/;

/** Plain numbers: of these DuckDB and `hyparquet` have no two readings. */
const isPlain = ({
  type,
  converted_type: converted,
  logical_type: logical,
  num_children: children,
  ...rest
}: SchemaElement): boolean =>
  children === undefined &&
  rest.repetition_type !== 'REPEATED' &&
  converted === undefined &&
  logical === undefined &&
  (type === 'DOUBLE' || type === 'FLOAT' || type === 'INT32' || type === 'INT64');

/** The columns of a file, of those that are wanted, that hold plain numbers. */
export function plainColumns(metadata: FileMetaData, wanted: readonly string[]): readonly string[] {
  const elements = parquetSchema(metadata).children.map(({ element }) => element);
  // DuckDB takes names that differ in their case alone for one, and calls the second one otherwise.
  if (new Set(elements.map(({ name }) => name.toLowerCase())).size < elements.length) return [];
  const plain = new Set(elements.filter(isPlain).map(({ name }) => name));
  return wanted.filter((name) => plain.has(name));
}

/**
 * Feeds columns of plain numbers to a sink, by DuckDB where it is installed: `@duckdb/node-api` is optional.
 * A missing value is NaN. The rows come in their order.
 *
 * @returns the number of rows; -1 where there is no DuckDB.
 * @throws what DuckDB and the sink throw; the sink may have cells then.
 */
export async function readByDuckDb(
  path: string,
  names: readonly string[],
  sink: Pick<ColumnSink<unknown>, 'fill'>,
): Promise<number> {
  const duck = pattern.test(path) ? null : await installed();
  if (duck === null) return -1;
  // It asks no server for extensions, and none are needed.
  const instance = await duck.DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    try {
      const columns = names.map((name) => `coalesce(${quoted(name, '"')}::DOUBLE, 'nan'::DOUBLE)`);
      const file = `read_parquet(${quoted(resolve(path), "'")}, hive_partitioning = false)`;
      const result = await connection.stream(`SELECT ${columns.join(', ')} FROM ${file}`);
      for (let row = 0; ;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return row;
        for (const [k, name] of names.entries()) {
          const { items } = chunk.getColumnVector(k) as { readonly items?: unknown };
          if (!(items instanceof Float64Array)) throw new TypeError('DuckDB gives numbers in another form');
          sink.fill(name, row, items.subarray(0, chunk.rowCount));
        }
        row += chunk.rowCount;
      }
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

interface DuckDb {
  readonly DuckDBInstance: typeof DuckDBInstance;
}

let found: Promise<DuckDb | null> | undefined;

async function installed(): Promise<DuckDb | null> {
  found ??= import('@duckdb/node-api').catch(() => null);
  return found;
}

/** A name or a text of SQL. */
const quoted = (text: string, sign: '"' | "'"): string =>
  `${sign}${text.replaceAll(sign, sign + sign)}${sign}`;
