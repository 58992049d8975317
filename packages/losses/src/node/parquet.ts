import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetSchema,
  type AsyncBuffer,
  type FileMetaData,
} from 'hyparquet';
import { readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { Corrupt, InvalidData, LetheError } from '@lethe/core';
import type { Table } from '../data/table.js';
import { parseTableOptions, type TableOptions } from '../data/table-options.js';
import { fileError } from './file-error.js';
import { assertColumns, columnSink, type ColumnSink } from './parquet-columns.js';
import { manyNumbers, plainColumns, readByDuckDb } from './parquet-by-duckdb.js';
import { openPages } from './parquet-pages.js';

/** Instants as plain milliseconds: no `Date` per value. */
const parsers = {
  ...DEFAULT_PARSERS,
  timestampFromMilliseconds: Number,
  timestampFromMicroseconds: (micros: bigint) => Number(micros) / 1e3,
  timestampFromNanoseconds: (nanos: bigint) => Number(nanos) / 1e6,
  dateFromDays: (days: number) => days * 86_400_000,
};

/**
 * See `binary-readers.ts`.
 *
 * @param many - Numbers from which DuckDB reads those that are plain, where it is installed. Whatever it does
 * not read, or what is refused, is read without it, so that records and errors are the same.
 */
export async function readParquet(path: string, options?: TableOptions, many = manyNumbers): Promise<Table> {
  const parsed = parseTableOptions(options);
  return fromFile(path, async (file, metadata) => {
    let sink = columnSink(metadata, parsed);
    const rows = Number(metadata.num_rows);
    const plain = rows * sink.names.length < many ? [] : plainColumns(metadata, sink.names);
    if (plain.length === 0) return readGroups(file, metadata, sink);
    const read = await readByDuckDb(path, plain, sink).catch(() => -1);
    // What was refused may have left cells.
    if (read !== rows) sink = columnSink(metadata, parsed);
    const left = sink.names.filter((name) => read !== rows || !plain.includes(name));
    return readGroups(file, metadata, sink, left);
  });
}

/** Feeds the columns that a sink names to it, one row group at a time. @throws as {@link readParquet}. */
export async function readColumns<Result>(
  path: string,
  sinkFor: (metadata: FileMetaData) => ColumnSink<Result>,
): Promise<Result> {
  return fromFile(path, async (file, metadata) => readGroups(file, metadata, sinkFor(metadata)));
}

/** Feeds columns to a sink, one row group at a time; the sink has the others. */
async function readGroups<Result>(
  file: AsyncBuffer,
  metadata: FileMetaData,
  sink: ColumnSink<Result>,
  names = sink.names,
): Promise<Result> {
  const schema = parquetSchema(metadata);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    for (const name of rows > 0 ? names : [])
      await readChunk(file, schema, { name, group, rowStart, rows }, sink);
    rowStart += rows;
  }
  return sink.finish();
}

/**
 * A table of each row group, in turn.
 *
 * @param use - Takes the records of the next row group. No table is empty.
 * @throws as {@link readParquet}, and what `use` throws.
 */
export async function readParquetParts(
  path: string,
  options: TableOptions | undefined,
  use: (part: Table) => void,
): Promise<void> {
  const parsed = parseTableOptions(options);
  await fromFile(path, async (file, metadata) => {
    // Refuses what is wrong with the whole, before any of it is read.
    assertColumns(metadata, parsed);
    const schema = parquetSchema(metadata);
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      if (rows === 0) continue;
      const alone = { ...metadata, num_rows: group.num_rows, row_groups: [group] };
      const sink = columnSink(alone, { ...parsed, allowEmpty: true });
      for (const name of sink.names) await readChunk(file, schema, { name, group, rowStart: 0, rows }, sink);
      const part = sink.finish();
      if (part.rows > 0) use(part);
    }
  });
}

/** Opens a file and reads its metadata; what goes wrong with its bytes is `Corrupt`. */
async function fromFile<Result>(
  path: string,
  read: (file: AsyncBuffer, metadata: FileMetaData) => Promise<Result>,
): Promise<Result> {
  const file = await asyncBufferFromFile(path).catch((cause: unknown) => {
    throw fileError(path, cause);
  });
  if (file.byteLength === 0) throw new InvalidData(`${path} is empty`, { path });
  try {
    return await read(file, await parquetMetadataAsync(file));
  } catch (cause) {
    if (cause instanceof LetheError) throw cause;
    const known = fileError(path, cause);
    if (
      known instanceof LetheError &&
      known.details['code'] !== 'ERR_OUT_OF_RANGE' &&
      known.code === 'invalid-parameter'
    )
      throw known;
    throw new Corrupt(
      `${path} is not a whole Parquet file ` +
        `(${String((cause as Error).message).slice(0, 120)}); write it again`,
      { path },
      { cause },
    );
  }
}

interface Chunk {
  readonly name: string;
  readonly group: Awaited<ReturnType<typeof parquetMetadataAsync>>['row_groups'][number];
  readonly rowStart: number;
  readonly rows: number;
}

async function readChunk(
  file: AsyncBuffer,
  schema: ReturnType<typeof parquetSchema>,
  { name, group, rowStart, rows }: Chunk,
  sink: ColumnSink<unknown>,
): Promise<void> {
  const metadata = group.columns.find((column) => column.meta_data?.path_in_schema[0] === name)?.meta_data;
  const leaf = schema.children.find(({ element }) => element.name === name);
  if (metadata === undefined || leaf === undefined || leaf.element.type !== metadata.type)
    throw new RangeError(`no data for column ${name}`);
  const start = Number(metadata.dictionary_page_offset ?? metadata.data_page_offset);
  const end = start + Number(metadata.total_compressed_size);
  if (start < 4 || end <= start || end > file.byteLength)
    throw new RangeError(`column ${name} lies outside the file`);
  const bytes = await file.slice(start, end);
  const pages = openPages(bytes, { metadata, isOptional: leaf.element.repetition_type === 'OPTIONAL', rows });
  const opened = (input: Uint8Array): Uint8Array => pages.get(input.byteOffset) ?? new Uint8Array();
  const { data } = readColumn(
    { view: new DataView(bytes), offset: 0 },
    { groupStart: rowStart, selectStart: 0, selectEnd: rows, groupRows: rows },
    {
      pathInSchema: [name],
      type: metadata.type,
      element: leaf.element,
      schemaPath: [schema, leaf],
      codec: metadata.codec,
      parsers,
      compressors: { [metadata.codec]: opened },
    },
  );
  let at = rowStart;
  for (const cells of data) {
    sink.fill(name, at, cells);
    at += cells.length;
  }
}
