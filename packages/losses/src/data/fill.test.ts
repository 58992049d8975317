import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attachData, openLedger } from '@lethe/curator';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { averageRisk } from '../average-risk.js';
import { losses } from '../losses.js';
import { readTable } from '../node/read-table.js';
import { squared } from '../squared.js';
import { parseCsv } from './csv.js';
import { designMatrix, featureMatrix } from './design.js';
import { parseJson } from './json-table.js';

const columns = { age: 'number', when: 'time', city: 'text' } as const;
const fill = { age: 40, when: '2001-01-01T12:00', city: 'nowhere' };
const noon = Date.UTC(2001, 0, 1, 12);
const filledIn = {
  age: [40, 31, 40],
  when: [noon, noon, Date.UTC(2002, 0, 1)],
  city: ['Rome', 'nowhere', 'Oslo'],
};
const folder = mkdtempSync(join(tmpdir(), 'fill-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a missing value', () => {
  const path = join(folder, 'a.parquet');
  parquetWriteFile({
    filename: path,
    columnData: [
      { name: 'age', data: [null, 31, null], type: 'DOUBLE', nullable: true },
      { name: 'when', data: [null, null, new Date(Date.UTC(2002, 0, 1))], type: 'TIMESTAMP', nullable: true },
      { name: 'city', data: ['Rome', null, 'Oslo'], type: 'STRING', nullable: true },
    ],
  });
  const csv = 'age,when,city\n,,Rome\n31,NA,\nNaN,2002-01-01,Oslo\n';
  const json = JSON.stringify([
    { city: 'Rome' },
    { age: 31, when: null },
    { when: '2002-01-01', city: 'Oslo' },
  ]);

  it.each([
    ['CSV', () => parseCsv(csv, { columns, fill })],
    ['JSON', () => parseJson(json, { columns, fill })],
    ['Parquet', () => readTable(path, { columns, fill })],
  ])('of %s takes the declared value, and the table says where', async (_name, read) => {
    const table = await read();
    expect(Object.fromEntries([...table.columns].map(([name, values]) => [name, [...values]]))).toEqual(
      filledIn,
    );
    expect(table.filled).toEqual(
      new Map([
        ['age', [0, 2]],
        ['when', [0, 1]],
        ['city', [1]],
      ]),
    );
  });

  it('keeps its row where others are dropped', async () => {
    for (const table of [
      parseCsv(csv, { columns, fill: { age: 40 }, missing: 'drop-row' }),
      await readTable(path, { columns, fill: { age: 40 }, missing: 'drop-row' }),
    ]) {
      expect([...(table.columns.get('city') ?? [])]).toEqual(['Oslo']);
      expect(table.filled).toEqual(new Map([['age', [0]]]));
    }
  });

  it('without one is refused with the way out, and a fill that does not fit is refused', () => {
    expect(() => parseCsv(csv, { columns })).toThrow(
      "record 1 (line 2), column 'age': an empty field is a missing value; give its column a public one " +
        'to stand in, such as fill: { age: 0 }',
    );
    expect(() => parseCsv(csv, { columns, fill: { age: 'old' } })).toThrow(
      /fill\.age is "old"; the column holds numbers/u,
    );
    expect(() => parseCsv(csv, { columns, fill: { ...fill, when: 'noon' } })).toThrow(
      /fill\.when is "noon"; the column holds times/u,
    );
    expect(() => parseCsv(csv, { columns, fill: { agee: 1, x: 2 } })).toThrow(
      /fill names 'agee', 'x', which are not among/u,
    );
    expect(parseCsv(csv, { columns: { city: 'text' } }).filled).toBeUndefined();
  });
});

describe('a design', () => {
  const table = parseCsv('x,y\n1,2\n3,4\n');
  const features = [{ column: 'x', encoding: 'scale', lower: 0, upper: 4 }] as const;
  const design = designMatrix(table, { features: [...features], label: { column: 'y' } });

  it('is an array that attachData takes, of any stride', () => {
    if ('rowStarts' in design.features) throw new Error('not sparse');
    expect(design.features.shape).toEqual([2, 2]);
    expect(design.features.get(1, 1)).toBe(0.5);
    const attach = (matrix: typeof design.features) =>
      attachData({
        features: matrix,
        labels: design.labels,
        loss: squared({}),
        registry: losses,
        ledger: openLedger({ adjacency: 'replace-one' }),
      });
    expect([...attach(design.features).norms]).toEqual([Math.hypot(1, -0.5), Math.hypot(1, 0.5)]);
    expect(attach(design.features.step(-1, 1)).norms[0]).toBe(Math.hypot(1, 0.5));
    const reversed = { ...design, features: design.features.step(-1, 1), labels: design.labels.toReversed() };
    const loss = { plugin: squared, params: {} };
    const w = Float64Array.of(0.3, -2);
    expect(averageRisk(loss, reversed, w)).toBeCloseTo(averageRisk(loss, design, w), 14);
    expect(() => averageRisk(loss, { ...design, rows: 1 }, w)).toThrow(
      /the features are 2 by 2, the records 1 of 2/u,
    );
  });

  it('has the same features without labels', () => {
    const { labels: _labels, labelWidth: _width, facts, ...rest } = design;
    const { labelBounds: _bounds, ...own } = facts;
    expect(featureMatrix(table, { features: [...features] })).toEqual({ ...rest, facts: own });
  });
});
