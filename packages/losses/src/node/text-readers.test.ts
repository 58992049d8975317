import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidData, InvalidParameter } from '@lethe/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../data/csv.js';
import { readCsv, readJson, readJsonLines, readLibsvm, readTable } from './index.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'losses-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('text readers', () => {
  it('read every format by its extension, case ignored', async () => {
    const table = parseCsv('a,b\n1,x\n2,y\n');
    expect(await readTable(file('t.csv', 'a,b\n1,x\n2,y\n'))).toEqual(table);
    expect(await readTable(file('t.TSV', 'a\tb\n1\tx\n2\ty\n'))).toEqual(table);
    const { lines: _, ...values } = table;
    expect(await readTable(file('t.json', '{"a":[1,2],"b":["x","y"]}'))).toEqual(values);
    expect(await readTable(file('t.ndjson', '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'))).toEqual({
      ...values,
      lines: [[0, 1]],
    });
    expect(await readTable(file('t.dat', 'a;b\n1;x\n2;y\n'), { format: 'csv', delimiter: ';' })).toEqual(
      table,
    );
    expect(await readLibsvm(file('t.svm', '1 2:3\n'))).toMatchObject({ features: { rows: 1, columns: 2 } });
  });

  it('read files longer than a piece, characters across its edge unharmed', async () => {
    const rows = Array.from({ length: 150_000 }, (_, index) => `${index},"🛫é\n${index}"`);
    const table = await readCsv(file('long.csv', `n,t\n${rows.join('\n')}`), {
      columns: { n: 'number', t: 'text' },
    });
    expect(table.rows).toBe(150_000);
    expect(table.columns.get('n')).toEqual(Float64Array.from({ length: 150_000 }, (_, index) => index));
    expect((table.columns.get('t') as string[]).every((text, index) => text === `🛫é\n${index}`)).toBe(true);
  });

  it('skip a byte-order mark', async () => {
    expect((await readCsv(file('bom.csv', '\ufeffa\n1\n'))).names).toEqual(['a']);
  });

  it('take the same mark at the beginning of a later piece for a character', async () => {
    const head = 't\n';
    const ascii = `${head}${'x'.repeat(2 ** 20 - head.length)}`;
    for (const [k, [before, mark]] of [
      [ascii, '\ufeff'],
      [`${ascii.slice(0, -1)}\n`, '\ufeff'],
      [ascii.slice(0, -1), 'é'],
    ].entries()) {
      const { columns } = await readCsv(file(`piece${k}.csv`, `${before}${mark}y\n`));
      expect(columns.get('t')).toEqual(`${before}${mark}y`.split('\n').slice(1));
    }
  });

  it.each([
    ['empty.csv', '', readCsv, /empty/],
    ['empty.json', '', readJson, /not JSON/],
    ['empty.jsonl', '', readJsonLines, /no record/],
    ['empty.svm', '', readLibsvm, /no record/],
    ['latin1.csv', Uint8Array.of(97, 10, 0xe9, 10), readCsv, /not UTF-8/],
    ['cut.csv', Uint8Array.of(97, 10, 49, 10, 0xf0, 0x9f), readCsv, /not UTF-8/],
    ['binary.json', Uint8Array.of(0xff, 0xfe, 0), readJson, /not UTF-8/],
    ['nul.csv', new Uint8Array(100), readCsv, /no record/],
  ] as const)('refuse %s', async (name, content, read, message) => {
    const refused = read(file(name, content));
    await expect(refused).rejects.toThrow(InvalidData);
    await expect(refused).rejects.toThrow(message);
  });

  it.each([readCsv, readJson, readJsonLines, readLibsvm, readTable])(
    'refuse an absent file and a folder: %o',
    async (read) => {
      await expect(read(join(folder, 'none.csv'))).rejects.toThrow(InvalidParameter);
      await expect(read(join(folder, 'none.csv'))).rejects.toThrow(/ENOENT/);
      if (read !== readTable) await expect(read(folder)).rejects.toThrow(InvalidParameter);
    },
  );

  it('refuse a name without a format, and wrong options', async () => {
    await expect(readTable(file('t.xlsx', ''))).rejects.toThrow(
      /t\.xlsx has no ending of a table format; use one of \.csv/,
    );
    await expect(readTable(file('t.svm', '1 1:1'))).rejects.toThrow(
      /LIBSVM files have a reader of their own/,
    );
    await expect(readTable(file('t.csv', 'a\n1\n'), { format: 'toString' as never })).rejects.toThrow(
      InvalidParameter,
    );
    await expect(readCsv(file('t.csv', 'a\n1\n'), { missing: 'zero' as never })).rejects.toThrow(
      InvalidParameter,
    );
  });
});
