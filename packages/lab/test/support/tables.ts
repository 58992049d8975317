import {
  tableFromArrays,
  tableToIPC,
  Utf8,
  vectorFromArray,
  Float64,
  Table as ArrowTable,
} from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';

/**
 * A record of the tables that are tried: a number that may be missing, a category, an instant and a label.
 */
export interface Row {
  readonly x: number | null;
  readonly c: string;
  readonly t: string;
  readonly y: number;
}

const names = ['x', 'c', 't', 'y'] as const;
const columnsOf = (rows: readonly Row[]): { readonly [Name in keyof Row]: Row[Name][] } => ({
  x: rows.map(({ x }) => x),
  c: rows.map(({ c }) => c),
  t: rows.map(({ t }) => t),
  y: rows.map(({ y }) => y),
});
const separated = (rows: readonly Row[], by: string): string =>
  [names.join(by), ...rows.map((row) => names.map((name) => row[name] ?? 'NA').join(by))].join('\n');

function arrow(rows: readonly Row[]): Uint8Array {
  const { x, c, t, y } = columnsOf(rows);
  if (rows.length === 0)
    return tableToIPC(
      tableFromArrays({ x: new Float64Array(), c: [] as string[], t: [] as string[], y: new Float64Array() }),
      'file',
    );
  return tableToIPC(
    new ArrowTable({
      x: vectorFromArray(x, new Float64()),
      c: vectorFromArray(c, new Utf8()),
      t: vectorFromArray(t, new Utf8()),
      y: vectorFromArray(y, new Float64()),
    }),
    'file',
  );
}

function parquet(rows: readonly Row[]): Uint8Array {
  const { x, c, t, y } = columnsOf(rows);
  const columnData = [
    { name: 'x', data: x, type: 'DOUBLE' as const, nullable: true },
    { name: 'c', data: c, type: 'STRING' as const },
    { name: 't', data: t, type: 'STRING' as const },
    { name: 'y', data: y, type: 'DOUBLE' as const },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 3 }));
}

/** The same records in every format that the lab reads, by extension. */
export const formats: Readonly<Record<string, (rows: readonly Row[]) => string | Uint8Array>> = {
  csv: (rows) => `${separated(rows, ',')}\n`,
  tsv: (rows) => separated(rows, '\t'),
  json: (rows) => JSON.stringify(rows),
  jsonl: (rows) => rows.map((row) => JSON.stringify(row)).join('\n'),
  parquet,
  arrow,
};
