import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { Corrupt, InvalidData, InvalidParameter, LetheError, Unsupported } from '@lethe/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Table } from '../data/table.js';
import { readParquet, readTable } from './index.js';

type Written = Parameters<typeof parquetWriteBuffer>[0];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'losses-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
function bytesToFile(bytes: Uint8Array): string {
  const path = join(folder, `${count++}.parquet`);
  writeFileSync(path, bytes);
  return path;
}
const write = (columnData: Written['columnData'], options: Partial<Written> = {}): string =>
  bytesToFile(new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
const plain = (table: Table): unknown =>
  Object.fromEntries([...table.columns].map(([name, column]) => [name, [...column]]));

describe('readParquet', () => {
  const when = [new Date('2001-01-01T06:55Z'), new Date('1969-12-31T23:59:59.5Z')];

  it('reads every flat type', async () => {
    const path = write([
      { name: 'double', data: Float64Array.of(0.1, -5e-324), type: 'DOUBLE' },
      { name: 'float', data: Float32Array.of(0.5, 2), type: 'FLOAT' },
      { name: 'int', data: Int32Array.of(-1, 7), type: 'INT32' },
      { name: 'long', data: [2n ** 53n, -3n], type: 'INT64' },
      { name: 'flag', data: [true, false], type: 'BOOLEAN' },
      { name: 'text', data: ['a', 'é'], type: 'STRING' },
      { name: 'time', data: when, type: 'TIMESTAMP' },
    ]);
    const expected = {
      double: [0.1, -5e-324],
      float: [0.5, 2],
      int: [-1, 7],
      long: [2 ** 53, -3],
      flag: [1, 0],
      text: ['a', 'é'],
      time: when.map(Number),
    };
    expect(plain(await readTable(path))).toEqual(expected);
    expect(plain(await readParquet(path, { columns: { int: 'number', text: 'text' } }))).toEqual({
      int: expected.int,
      text: expected.text,
    });
  });

  it('reads back what was written, whatever the row groups and codec', async () => {
    const doubles = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(
        doubles,
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom('SNAPPY', 'UNCOMPRESSED'),
        async (data, rowGroupSize, codec) => {
          const text = data.map(String);
          const path = write(
            [
              { name: 'x', data, type: 'DOUBLE' },
              { name: 't', data: text, type: 'STRING' },
            ],
            { rowGroupSize, codec },
          );
          expect(plain(await readParquet(path))).toEqual({ x: data, t: text });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('drops a record with a missing value only when told to, in every column', async () => {
    const path = write(
      [
        { name: 'x', data: [1, null, 3, NaN, 5], type: 'DOUBLE' },
        { name: 't', data: ['a', 'b', null, 'd', 'e'], type: 'STRING' },
      ],
      { rowGroupSize: 2 },
    );
    await expect(readParquet(path)).rejects.toThrow(/record 2, column 'x': null is a missing value/);
    await expect(readParquet(path, { columns: { t: 'text' } })).rejects.toThrow(/record 3, column 't'/);
    expect(plain(await readParquet(path, { missing: 'drop-row' }))).toEqual({ x: [1, 5], t: ['a', 'e'] });
  });

  it('refuses infinite values, wrong types, absent columns, too many records, no record', async () => {
    const path = write([
      { name: 'x', data: [1, Infinity], type: 'DOUBLE' },
      { name: 't', data: ['a', 'b'], type: 'STRING' },
    ]);
    await expect(readParquet(path)).rejects.toThrow(/record 2, column 'x': Infinity is infinite/);
    await expect(readParquet(path, { columns: { t: 'number' } })).rejects.toThrow(
      /record 1, column 't': a is not a number/,
    );
    await expect(readParquet(path, { columns: { y: 'number' } })).rejects.toThrow(
      /no column 'y'; the table has 2 columns/,
    );
    await expect(readParquet(path, { maxRows: 1 })).rejects.toThrow(/2 records are more than 1/);
    await expect(readParquet(write([{ name: 'x', data: [], type: 'DOUBLE' }]))).rejects.toThrow(InvalidData);
    await expect(readParquet(write([{ name: 'j', data: [{ a: 1 }], type: 'JSON' }]))).rejects.toThrow(
      Unsupported,
    );
    await expect(readParquet(join(folder, 'none.parquet'))).rejects.toThrow(InvalidParameter);
    await expect(readParquet(folder)).rejects.toThrow(LetheError);
    await expect(readParquet(bytesToFile(new Uint8Array()))).rejects.toThrow(/is empty/);
  });

  const whole = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'x', data: Float64Array.from({ length: 40 }, (_, index) => index), type: 'DOUBLE' },
        { name: 't', data: Array.from({ length: 40 }, (_, index) => `t${index % 3}`), type: 'STRING' },
      ],
      rowGroupSize: 16,
    }),
  );

  it('refuses every truncation', async () => {
    for (let length = 1; length < whole.length; length++) {
      await expect(readParquet(bytesToFile(whole.subarray(0, length))), `${length} bytes`).rejects.toThrow(
        Corrupt,
      );
    }
  });

  it('answers or refuses damaged bytes with typed errors only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (damage) => {
          const bytes = whole.slice();
          for (const [at, value] of damage) bytes[at] = value;
          try {
            const table = await readParquet(bytesToFile(bytes), { maxRows: 1000 });
            for (const column of table.columns.values()) expect(column).toHaveLength(table.rows);
          } catch (error) {
            expect(error).toBeInstanceOf(LetheError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
