import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { LetheError } from '@lethe/core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { TableOptions } from '../data/table-options.js';
import { readParquet } from './parquet.js';
import { plainColumns, readByDuckDb } from './parquet-by-duckdb.js';

type Written = Parameters<typeof parquetWriteBuffer>[0];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe's "));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let count = 0;
function written(columnData: Written['columnData'], rowGroupSize?: number) {
  const bytes = parquetWriteBuffer({ columnData, ...(rowGroupSize === undefined ? {} : { rowGroupSize }) });
  const path = join(folder, `${count++}.parquet`);
  writeFileSync(path, new Uint8Array(bytes));
  return { path, bytes };
}

/** The table, or how it is refused. @param many - 0 for DuckDB, Infinity without it. */
async function told(path: string, options: TableOptions, many: number): Promise<unknown> {
  try {
    const { rows, columns, filled, unreadable } = await readParquet(path, options, many);
    return { rows, columns: [...columns], filled, unreadable };
  } catch (error) {
    expect(error).toBeInstanceOf(LetheError);
    return (error as Error).message;
  }
}

test('rows come in their order from many row groups, under names with quotes', async () => {
  const rows = 200_000;
  const data = Float64Array.from({ length: rows }, (_, i) => i / 3);
  const { path } = written([{ name: 'a "b" \'c\'', data, type: 'DOUBLE' }], 7_001);
  const found = new Float64Array(rows);
  const sink = {
    fill: (_: string, at: number, cells: ArrayLike<unknown>) => found.set(cells as Float64Array, at),
  };
  expect(await readByDuckDb(path, ['a "b" \'c\''], sink)).toBe(rows);
  expect(found).toEqual(data);
});

test('a name that is a pattern, and names that differ in their case alone, are left to others', async () => {
  const { path, bytes } = written([
    { name: 'x', data: Float64Array.of(1), type: 'DOUBLE' },
    { name: 'X', data: Float64Array.of(2), type: 'DOUBLE' },
  ]);
  const metadata = parquetMetadata(bytes);
  expect(plainColumns(metadata, ['x', 'X'])).toEqual([]);
  expect(await readByDuckDb(`${path}*`, ['x'], { fill: () => undefined })).toBe(-1);
});

const row = fc.record({
  double: fc.option(fc.double(), { freq: 20 }),
  float: fc.option(fc.float({ noNaN: true, noDefaultInfinity: true }), { freq: 20 }),
  int: fc.option(fc.integer(), { freq: 20 }),
  long: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { freq: 20 }),
  text: fc.option(fc.string(), { freq: 20 }),
  flag: fc.boolean(),
});

test('tables and refusals are those without DuckDB', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom<TableOptions>(
        {},
        { missing: 'drop-row' },
        { unreadable: 'null' },
        { missing: 'drop-row', fill: { double: 7, int: -1, text: 'none' } },
        { columns: { long: 'number', int: 'time' }, missing: 'drop-row' },
        { columns: { double: 'text' } },
      ),
      async (records, rowGroupSize, options) => {
        const of = <K extends keyof (typeof records)[0]>(name: K) => records.map((one) => one[name]);
        const { path } = written(
          [
            { name: 'double', data: of('double'), type: 'DOUBLE' },
            { name: 'text', data: of('text'), type: 'STRING' },
            { name: 'float', data: of('float'), type: 'FLOAT' },
            { name: 'int', data: of('int'), type: 'INT32' },
            { name: 'flag', data: of('flag'), type: 'BOOLEAN' },
            { name: 'long', data: of('long'), type: 'INT64' },
          ],
          rowGroupSize,
        );
        expect(await told(path, options, 0)).toEqual(await told(path, options, Infinity));
      },
    ),
    { numRuns: 60 },
  );
});

test('damaged files are answered or refused with typed errors', async () => {
  const { bytes } = written([
    { name: 'x', data: Float64Array.from({ length: 40 }, (_, i) => i), type: 'DOUBLE' },
  ]);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.byteLength - 1), fc.nat(255), async (at, value) => {
      const damaged = new Uint8Array(bytes.slice(0));
      damaged[at] = value;
      const path = join(folder, `${count++}.parquet`);
      writeFileSync(path, damaged);
      await told(path, { maxRows: 1000 }, 0);
    }),
    { numRuns: 60 },
  );
});
