import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { LetheError } from '@lethe/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { designMatrix } from '../data/design.js';
import { readTable } from './index.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'losses-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const secret = 'root:hunter2:0:0';
const columns = { distance: 'number', delay: 'number' } as const;

/** Everything that an error says, its causes included. */
function said(error: unknown): string {
  const { message, details, cause } = error as LetheError;
  return `${message} ${JSON.stringify(details)} ${cause === undefined ? '' : said(cause)}`;
}

describe('a file that is not the one that was meant', () => {
  it.each<[string, string | Uint8Array]>([
    ['a.csv', `${secret}\ndaemon:*:1:1\n`],
    ['b.csv', `${secret},${secret}\n1,2\n`],
    ['c.csv', `${secret} "quoted" ${secret}\n1\n`],
    ['d.csv', `${secret},x,${secret}\n1,2,3\n`],
    ['a.json', secret],
    ['b.json', `{"${secret}": 1}`],
    ['c.json', `["${secret}"]`],
    ['a.jsonl', `${secret}\n`],
    ['b.jsonl', `"${secret}"\n`],
    [
      'a.parquet',
      new Uint8Array(parquetWriteBuffer({ columnData: [{ name: secret, data: [secret], type: 'STRING' }] })),
    ],
    ['a.arrow', tableToIPC(tableFromArrays({ [secret]: [secret] }), 'file')],
  ])('is refused without a word of it: %s', async (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const error = await readTable(path, { columns }).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(LetheError);
    expect(said(error)).not.toMatch(/root|hunter2/u);
    // Without declared columns it may be a table; then its design does not fit.
    const found = await readTable(path)
      .then((table) =>
        designMatrix(table, {
          features: [{ column: 'distance', encoding: 'scale', lower: 0, upper: 1 }],
          label: { column: 'delay' },
        }),
      )
      .catch((problem: unknown) => problem);
    expect(found).toBeInstanceOf(LetheError);
    expect(said(found)).not.toMatch(/root|hunter2/u);
  });

  it('of which a column has nearly the name that was meant is told apart by it', async () => {
    const path = join(folder, 'near.csv');
    writeFileSync(path, 'distances,delay,other\n1,2,3\n');
    await expect(readTable(path, { columns })).rejects.toThrow(
      "there is no column 'distance'; the table has 3 columns, one of them 'distances'",
    );
  });

  it('with a column __proto__ is read unless columns are named; that name is refused', async () => {
    const path = join(folder, 'proto.csv');
    writeFileSync(path, '__proto__,x\n1,2\n');
    expect((await readTable(path)).names).toEqual(['__proto__', 'x']);
    await expect(
      readTable(path, { columns: JSON.parse('{"__proto__":"number","x":"number"}') as typeof columns }),
    ).rejects.toThrow(/column '__proto__'/u);
  });
});
