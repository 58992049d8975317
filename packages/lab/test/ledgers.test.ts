import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountants, bestOf } from '@lethe/accountants';
import { memoryStore, type Store } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { recordsDigest } from '@lethe/losses/node';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { labFolder, lethe, type LabFolder, type Outcome } from './support/lab-folder.js';

const people = readFileSync(new URL('support/people.csv', import.meta.url), 'utf8');
/**
 * The release that made `people-before-0.2.ledger`, which is named and bound after the bytes of its file, but
 * on all records in every step: the noise is calibrated in closed form.
 */
const experiment = {
  lethe: 1,
  kind: 'release',
  name: 'people',
  title: 'People',
  adjacency: 'replace-one',
  problem: {
    name: 'p',
    title: 'P',
    loss: { name: 'squared' },
    domain: { name: 'l2-ball', params: { radius: 1 } },
    record: { labelBound: 1 },
    data: {
      file: 'people.csv',
      read: { columns: { age: 'number', paid: 'number' } },
      design: {
        features: [{ column: 'age', encoding: 'scale', lower: 0, upper: 100 }],
        label: { column: 'paid' },
      },
    },
  },
  optimizer: { name: 'dp-sgd', params: { steps: 3, rate: 1, clipNorm: 1, stepSize: 0.1 } },
  budget: { epsilon: 0.5, delta: 1e-5 },
  limit: { epsilon: 2, delta: 1e-4 },
};

let folder: LabFolder;
let home: string;
beforeEach(() => {
  folder = labFolder();
  home = folder.file('home');
  vi.stubEnv('LETHE_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

let runs = 0;
/** Releases once from a file of that content. */
async function released(
  content: string,
  change: {
    readonly file?: string;
    readonly data?: object;
    readonly ledger?: string;
    readonly budget?: object;
  } = {},
): Promise<Outcome> {
  const { file = `people-${++runs}.csv`, data = {}, ...rest } = change;
  folder.write(file, content);
  folder.write('people.json', {
    ...experiment,
    ...rest,
    problem: { ...experiment.problem, data: { ...experiment.problem.data, file, ...data } },
  });
  return lethe('run', folder.file('people.json'), '--out', folder.file(`out-${++runs}`));
}
const ledgers = (): string[] => readdirSync(home).filter((name) => name.endsWith('.ledger'));
/** A copy, which opening may write anew: a compacted ledger. */
const asRead = (path: string): Store => memoryStore(new Uint8Array(readFileSync(path)));
const runsIn = (name: string): readonly string[] =>
  openLedger({
    adjacency: 'replace-one',
    store: asRead(join(home, name)),
    limit: { ...experiment.limit, accountant: bestOf(accountants) },
  }).runs();

const rows = people
  .trim()
  .split('\n')
  .map((line) => line.split(','));
const written = (
  cell: (text: string, column: number, row: number) => string,
  order = [0, 1, 2],
  end = '\n',
): string => rows.map((row, i) => order.map((j) => cell(row[j], j, i)).join(',')).join(end) + end;

describe('the same records', () => {
  test('in other bytes have one ledger, and one limit', { timeout: 120_000 }, async () => {
    const ways = [
      people,
      people.replaceAll('\n', '\r\n'),
      `\uFEFF${people}`,
      written((text) => `"${text}"`),
      written((text) => text, [2, 0, 1]),
      written((text, column, row) => (row > 0 && column === 0 ? `${text}.0` : text)),
    ];
    const digests = new Set<string>();
    for (const content of ways) digests.add(String(await recordsDigest(folder.write('way.csv', content))));
    expect(digests.size).toBe(1);
    for (const content of ways.slice(0, 3)) expect(await released(content)).toMatchObject({ code: 0 });
    // Other columns of the same file are the same records too.
    expect(
      await released(people, {
        data: { read: { columns: { age: 'number', city: 'text', paid: 'number' } } },
      }),
    ).toMatchObject({ code: 0 });
    expect(ledgers()).toHaveLength(1);
    expect(runsIn(ledgers()[0])).toHaveLength(4);
    // More than the whole limit, from bytes that the ledger has not seen.
    expect(await released(ways[3], { budget: { epsilon: 6, delta: 1e-5 } })).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /may spend epsilon 2 at delta 1e-4 .*Give budget\.epsilon|Nothing is left/u,
      ) as string,
    });
    expect(ledgers()).toHaveLength(1);
  });

  test('are no others: a value, a row, a name or the order of the rows', async () => {
    const lines = people.trim().split('\n');
    const other = [
      people.replace('\n', '\n99,Oslo,0.1\n'),
      [lines[0], ...lines.slice(2)].join('\n'),
      people.replace('city', 'town'),
      people.replace('Oslo', 'oslo'),
      [lines[0], ...lines.slice(1).toReversed()].join('\n'),
      people.replace(/,[^,\n]*\n$/u, ',\n'),
    ];
    const digests = new Set<string>();
    for (const content of [people, ...other])
      digests.add(String(await recordsDigest(folder.write('other.csv', content))));
    expect(digests.size).toBe(other.length + 1);
  });
});

test(
  'a second ledger of the same file is begun with a word to its owner, and nothing of it is in the results',
  { timeout: 60_000 },
  async () => {
    const first = await released(people, { file: 'people.csv' });
    expect(first.error).not.toContain('warning');
    const changed = await released(people.replace('Oslo', 'Rome'), { file: 'people.csv' });
    expect(changed.error).toMatch(
      /^warning: a new ledger is begun at .* although .* already holds what was spent on the file .*people\.csv/mu,
    );
    expect(ledgers()).toHaveLength(2);
    const digest = Buffer.from(await recordsDigest(folder.file('people.csv'))).toString('hex');
    const secret = readFileSync(join(home, 'secret'));
    const hidden = [
      ...ledgers().map((name) => name.slice(0, 32)),
      digest,
      digest.slice(0, 32),
      secret.toString('hex'),
      secret.toString('latin1'),
    ];
    const results = folder.all().filter((name) => name.startsWith('out-'));
    expect(results.length).toBeGreaterThanOrEqual(8);
    for (const name of results)
      for (const text of hidden) expect(readFileSync(folder.file(name), 'latin1').includes(text)).toBe(false);
    if (process.platform !== 'win32') expect(statSync(home).mode & 0o777).toBe(0o700);
  },
);

test('where several older ledgers lie beside, one line says so', { timeout: 60_000 }, async () => {
  for (const city of ['Rome', 'Bern', 'Lima', 'Cork', 'Nice']) {
    expect(
      (await released(people.replace('Oslo', city), { file: 'people.csv' })).error
        .split('\n')
        .filter((line) => line.startsWith('warning')),
    ).toHaveLength(city === 'Rome' ? 0 : 1);
  }
  expect((await released(people, { file: 'people.csv' })).error).toMatch(
    /^warning: a new ledger is begun at .*, although (?:[^,]*, ){2}[^,]* and 2 more already hold what was spent/mu,
  );
});

describe('a ledger of an older version', () => {
  const old = readFileSync(new URL('support/people-before-0.2.ledger', import.meta.url));
  test('is found by the bytes of its file, and gone on with', { timeout: 60_000 }, async () => {
    mkdirSync(home, { mode: 0o700 });
    const name = '02f775c92313199da6edeafc4f5e30dc.ledger';
    writeFileSync(join(home, name), old);
    expect(await released(people)).toMatchObject({ code: 0 });
    expect(ledgers()).toEqual([name]);
    expect(runsIn(name)).toHaveLength(2);
    // What it recognises are those bytes; other bytes of the same records do not get a fresh limit.
    expect(await released(people.replaceAll('\n', '\r\n'))).toMatchObject({
      code: 1,
      error: expect.stringContaining('belongs to other data') as string,
    });
    expect(ledgers()).toEqual([name]);
  });

  test('is gone on with where an experiment names it', { timeout: 60_000 }, async () => {
    writeFileSync(folder.file('own.ledger'), old);
    expect(await released(people, { ledger: 'own.ledger' })).toMatchObject({ code: 0 });
    expect(ledgers()).toEqual([]);
    expect(await released(people.replace('Oslo', 'Rome'), { ledger: 'own.ledger' })).toMatchObject({
      code: 1,
      error: expect.stringContaining('belongs to other data') as string,
    });
  });
});
