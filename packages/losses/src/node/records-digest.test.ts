import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { InvalidData, InvalidParameter } from '@lethe/core';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { recordsDigest } from './records-digest.js';
import type { ReadTableOptions } from './read-table.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-digest-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function digest(
  name: string,
  content: string | Uint8Array,
  options?: ReadTableOptions,
): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return Buffer.from(await recordsDigest(path, options)).toString('hex');
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('the digest of records', () => {
  it('is the same in every format', async () => {
    const age = [31, 32.5, -0.25];
    const city = ['Oslo', 'Ro"me', 'Li,ma'];
    const columns = { age: Float64Array.from(age), city };
    const ways = [
      await digest('a.csv', `age,city\n31,Oslo\n32.5,"Ro""me"\n-0.25,"Li,ma"\n`),
      await digest('a.tsv', `city\tage\r\nOslo\t31.0\r\n"Ro""me"\t3.25e1\r\nLi,ma\t-.25`),
      await digest('b.csv', `\uFEFFage;city\n"31";Oslo\n32.50;"Ro""me"\n-0.25;Li,ma`, { delimiter: ';' }),
      await digest('a.json', JSON.stringify(age.map((value, i) => ({ city: city[i], age: value })))),
      await digest('b.json', `\uFEFF${JSON.stringify({ age, city })}`),
      await digest(
        'a.jsonl',
        age.map((value, i) => JSON.stringify({ age: value, city: city[i] })).join('\r\n\n'),
      ),
      await digest('a.arrow', tableToIPC(tableFromArrays(columns), 'file')),
      await digest(
        'a.parquet',
        new Uint8Array(
          parquetWriteBuffer({
            columnData: [
              { name: 'city', data: city, type: 'STRING' },
              { name: 'age', data: age, type: 'DOUBLE' },
            ],
          }),
        ),
      ),
    ];
    expect(new Set(ways)).toEqual(new Set([ways[0]]));
  });

  it('takes an instant for its milliseconds, and every word for a missing value for one value', async () => {
    expect(await digest('t.csv', 'at\n2001-01-01T00:00Z\n2001/01/01 06:55\n')).toBe(
      await digest('t.json', JSON.stringify({ at: [Date.UTC(2001, 0, 1), Date.UTC(2001, 0, 1, 6, 55)] })),
    );
    const missing = await digest('m.csv', 'a,b\n1,\n2,x\n');
    for (const same of ['a,b\n1,NA\n2,x\n', 'a,b\n1,"N/A"\n2,x\n'])
      expect(await digest('m.csv', same)).toBe(missing);
    expect(await digest('m.jsonl', '{"a":1}\n{"a":2,"b":"x"}\n')).toBe(missing);
    expect(await digest('m.json', '[{"a":1,"b":null},{"b":"x","a":2}]')).toBe(missing);
  });

  it('does not depend on which columns are wanted, or on what becomes of missing values', async () => {
    const content = 'a,b\n1,x\n,y\n';
    expect(await digest('w.csv', content, { columns: { b: 'text' }, missing: 'drop-row', maxRows: 7 })).toBe(
      await digest('w.csv', content),
    );
  });

  it('differs where a cell, a name, a row or their order does, and cells never run together', async () => {
    const cell = fc.oneof(
      fc.integer().map(String),
      fc.constantFrom(
        '',
        'a',
        'b',
        'a,',
        ',a',
        '"',
        '\n',
        '\r\n',
        '\u0000',
        '1e5',
        '100000',
        '-0',
        '0',
        'NA',
        '2001-01-01',
        '978307200000',
      ),
      fc.string(),
    );
    const table = fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }))
      .chain(([width, height]) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
          minLength: height,
          maxLength: height,
        }),
      );
    const value = (text: string): string => {
      const trimmed = text.trim();
      if (['', 'NA', 'N/A', 'null', 'NULL', 'NaN', 'nan'].includes(trimmed)) return 'missing';
      if (!/[xXbBoO]/u.test(text) && Number.isFinite(Number(text))) return `number ${Number(text) + 0}`;
      return trimmed === '2001-01-01' ? 'number 978307200000' : `text ${text}`;
    };
    const csv = (rows: readonly (readonly string[])[]): string =>
      [rows[0].map((_, j) => `c${j}`), ...rows].map((row) => row.map(quoted).join(',')).join('\n');
    const plain = (rows: readonly (readonly string[])[]): string =>
      JSON.stringify(rows.map((row) => row.map(value)));
    await fc.assert(
      fc.asyncProperty(table, table, async (one, two) => {
        expect((await digest('p.csv', csv(one))) === (await digest('q.csv', csv(two)))).toBe(
          plain(one) === plain(two),
        );
      }),
      {
        numRuns: 300,
        examples: [
          [[['a', 'b']], [['ab', '']]],
          [[['1']], [['1.0']]],
          [[['-0']], [['0']]],
          [
            [['a'], ['b']],
            [['b'], ['a']],
          ],
          [[['2001-01-01']], [['978307200000']]],
        ],
      },
    );
  });

  it('holds the memory of columns alone for long ones, and pieces do not show', async () => {
    const long = Array.from({ length: 30_000 }, (_, i) => (i % 3 === 0 ? `${i}` : `text ${i % 7000}`));
    expect(await digest('l.csv', `a\n${long.join('\n')}\n`)).toBe(
      await digest('l.json', JSON.stringify({ a: long })),
    );
    expect(await digest('h.csv', `a\n${'x'.repeat(100_000)}\n`)).not.toBe(
      await digest('h.csv', `a\n${'x'.repeat(100_001)}\n`),
    );
  });

  it('refuses what is not a table as its reader does', async () => {
    await expect(digest('x.txt', 'a\n1\n')).rejects.toThrow(InvalidParameter);
    await expect(recordsDigest(join(folder, 'none.csv'))).rejects.toThrow(InvalidParameter);
    await expect(digest('x.csv', 'a\n"1\n')).rejects.toThrow(InvalidData);
    for (const name of ['x.json', 'x.jsonl'])
      await expect(digest(name, '{"a":')).rejects.toThrow(InvalidData);
  });
});
