import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { readTable } from '../node/read-table.js';
import { parseCsv } from './csv.js';
import type { DesignSpec } from './design-spec.js';
import { designMatrix } from './design.js';
import { parseJson } from './json-table.js';

const columns = { age: 'number', when: 'time', city: 'text' } as const;
const options = { columns, fill: { age: 40 }, unreadable: 'null' } as const;
const folder = mkdtempSync(join(tmpdir(), 'unreadable-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a record that cannot be read stands as a null record', () => {
  const csv = 'age,when,city\n31,2001-01-01,Rome\nold,2001-01-01,Rome\n,2002-01-01,Oslo\n1,2\n31,,Rome\n';
  const records = [
    { age: 31, when: '2001-01-01', city: 'Rome' },
    { age: 'old', when: '2001-01-01', city: 'Rome' },
    { when: '2002-01-01', city: 'Oslo', more: 1 },
    { age: 1, when: 2, city: 3 },
    { age: 31, city: 'Rome' },
  ];
  const parquet = join(folder, 'a.parquet');
  parquetWriteFile({
    filename: parquet,
    columnData: [
      { name: 'age', data: ['31', null, '31'], type: 'STRING', nullable: true },
      { name: 'city', data: ['Rome', 'Rome', null], type: 'STRING', nullable: true },
    ],
  });
  it.each([
    ['CSV', () => parseCsv(csv, options)],
    ['JSON', () => parseJson(JSON.stringify(records), options)],
  ])('in %s', (_, read) => {
    const table = read();
    expect([table.rows, table.unreadable]).toStrictEqual([5, [1, 3, 4]]);
    expect([...(table.columns.get('age') as Float64Array)].filter((_age, i) => i % 2 === 0)).toStrictEqual([
      31, 40, 31,
    ]);
    expect(table.filled?.get('age')).toStrictEqual([2]);
  });
  it('in Parquet, and in columns without a declared type', async () => {
    const own = { columns: { age: 'number', city: 'text' }, unreadable: 'null' } as const;
    expect((await readTable(parquet, own)).unreadable).toStrictEqual([0, 1, 2]);
    expect((await readTable(parquet, { ...own, fill: { age: 1 } })).unreadable).toStrictEqual([0, 2]);
    expect(parseCsv('a,b\n1\n1,2\nx,2\n', { unreadable: 'null' })).toMatchObject({
      unreadable: [0, 2],
      rows: 3,
    });
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{"a":1}\n{"a":2,"b":3}\n');
    expect((await readTable(path, { unreadable: 'null' })).rows).toBe(2);
  });
  it('also by its label and its features, dense or sparse', () => {
    const table = parseCsv('x,c,t\n1,a,0\n,a,0\n1,z,0\n1,b,1e300\n1,b,0\n', {
      columns: { x: 'number', c: 'text', t: 'number' },
      unreadable: 'null',
    });
    const design: DesignSpec = {
      intercept: true,
      features: [
        { column: 'x', encoding: 'scale', lower: 0, upper: 1 },
        { column: 't', encoding: 'cyclic', part: 'hour' },
      ],
      label: { column: 'c', classes: ['a', 'b'] },
    };
    const order = Uint32Array.of(4, 3, 2, 1, 0);
    for (const sparse of [false, true]) {
      const made = designMatrix(table, { ...design, sparse }, { unreadable: 'null', order });
      expect([made.nulls, made.labels]).toStrictEqual([
        Uint8Array.of(0, 1, 1, 1, 0),
        Float64Array.of(1, 0, 0, 0, 0),
      ]);
    }
    expect(() => designMatrix(table, design)).toThrow(/could not be read/u);
  });
});
