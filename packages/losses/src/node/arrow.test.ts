import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Bool,
  Dictionary,
  Int32,
  Int64,
  List,
  Table as ArrowTable,
  TimestampMicrosecond,
  Utf8,
  Field,
  Float64,
  tableFromArrays,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { Corrupt, InvalidParameter, LetheError, Unsupported } from '@lethe/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Table } from '../data/table.js';
import { readArrow, readTable } from './index.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'losses-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
function bytesToFile(bytes: Uint8Array): string {
  const path = join(folder, `${count++}.arrow`);
  writeFileSync(path, bytes);
  return path;
}
const plain = (table: Table): unknown =>
  Object.fromEntries([...table.columns].map(([name, column]) => [name, [...column]]));
const kinds = ['file', 'stream'] as const;

describe('readArrow', () => {
  it.each(kinds)('reads every flat type from a %s', async (kind) => {
    const instants = [Date.UTC(2001, 0, 1, 6, 55), -500];
    const table = new ArrowTable({
      double: vectorFromArray([0.1, -5e-324], new Float64()),
      int: vectorFromArray([-1, 7], new Int32()),
      long: vectorFromArray([2n ** 53n, -3n], new Int64()),
      flag: vectorFromArray([true, false], new Bool()),
      text: vectorFromArray(['a', 'é'], new Utf8()),
      word: vectorFromArray(['x', 'x'], new Dictionary(new Utf8(), new Int32())),
      time: vectorFromArray(instants, new TimestampMicrosecond()),
    });
    const expected = {
      double: [0.1, -5e-324],
      int: [-1, 7],
      long: [2 ** 53, -3],
      flag: [1, 0],
      text: ['a', 'é'],
      word: ['x', 'x'],
      time: instants,
    };
    const path = bytesToFile(tableToIPC(table, kind));
    expect(plain(await readTable(path))).toEqual(expected);
    expect(plain(await readArrow(path, { columns: { word: 'text', int: 'number' } }))).toEqual({
      word: expected.word,
      int: expected.int,
    });
  });

  it('reads back what was written', async () => {
    const doubles = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(doubles, fc.constantFrom(...kinds), async (x, kind) => {
        const path = bytesToFile(tableToIPC(tableFromArrays({ x: Float64Array.from(x) }), kind));
        expect(plain(await readArrow(path))).toEqual({ x });
      }),
      { numRuns: 60 },
    );
  });

  it('drops a record with a missing value only when told to', async () => {
    const path = bytesToFile(
      tableToIPC(
        new ArrowTable({
          x: vectorFromArray([1, null, NaN, 4], new Float64()),
          y: vectorFromArray([1, 2, 3, 4], new Int32()),
        }),
      ),
    );
    await expect(readArrow(path)).rejects.toThrow(/record 2, column 'x': null is a missing value/);
    expect(plain(await readArrow(path, { missing: 'drop-row' }))).toEqual({ x: [1, 4], y: [1, 4] });
  });

  it('refuses infinite values, nested columns, absent ones, no record, an absent file', async () => {
    await expect(
      readArrow(bytesToFile(tableToIPC(tableFromArrays({ x: Float64Array.of(1, -Infinity) })))),
    ).rejects.toThrow(/record 2, column 'x': -Infinity is infinite/);
    const nested = bytesToFile(
      tableToIPC(
        new ArrowTable({
          x: vectorFromArray([1], new Float64()),
          list: vectorFromArray([[1]], new List(new Field('item', new Float64()))),
        }),
      ),
    );
    await expect(readArrow(nested)).rejects.toThrow(Unsupported);
    expect(plain(await readArrow(nested, { columns: { x: 'number' } }))).toEqual({ x: [1] });
    await expect(readArrow(nested, { columns: { y: 'number' } })).rejects.toThrow(/no column 'y'/);
    await expect(
      readArrow(bytesToFile(tableToIPC(tableFromArrays({ x: new Float64Array() })))),
    ).rejects.toThrow(/no record/);
    await expect(readArrow(bytesToFile(new Uint8Array()))).rejects.toThrow(/is empty/);
    await expect(readArrow(join(folder, 'none.arrow'))).rejects.toThrow(InvalidParameter);
  });

  const written = tableFromArrays({
    x: Float64Array.from({ length: 20 }, (_, index) => index),
    t: Array.from({ length: 20 }, (_, index) => `t${index % 3}`),
  });

  it.each(kinds)('refuses every truncation of a %s', async (kind) => {
    const whole = tableToIPC(written, kind);
    for (let length = 1; length < whole.length; length++) {
      const refused = readArrow(bytesToFile(whole.subarray(0, length)));
      await expect(refused, `${length} of ${whole.length} bytes`).rejects.toThrow(LetheError);
    }
    await expect(readArrow(bytesToFile(whole.subarray(0, whole.length - 9)))).rejects.toThrow(Corrupt);
  });

  it('answers or refuses damaged bytes with typed errors only', async () => {
    const wholes = kinds.map((kind) => tableToIPC(written, kind));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1),
        fc.array(fc.tuple(fc.nat(10_000), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (which, damage) => {
          const bytes = wholes[which].slice();
          for (const [at, value] of damage) bytes[at % bytes.length] = value;
          try {
            const table = await readArrow(bytesToFile(bytes), { maxRows: 1000 });
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
