import { afterEach, beforeEach, expect, test } from 'vitest';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Release } from '../src/experiment/schema.js';
import { loadRecords } from '../src/run/load.js';
import { recordsOfRelease } from '../src/run/release-records.js';
import { labFolder, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const releaseOf = (inMemory: boolean) =>
  ({
    adjacency: 'replace-one',
    problem: {
      data: {
        file: 'data.csv',
        inMemory,
        shuffle: 0,
        layout: 'rows',
        read: { columns: { x: 'number', y: 'number' } },
        design: {
          features: [{ column: 'x', encoding: 'scale', lower: -1, upper: 1 }],
          label: { column: 'y', threshold: 0 },
        },
      },
      record: {},
    },
  }) as unknown as Release;

for (const inMemory of [true, false]) {
  test(`no ledger of another file is found for records that were read (in memory: ${inMemory})`, async () => {
    const path = folder.write('data.csv', 'x,y\n0.1,1\n0.2,-1\n');
    const records = await recordsOfRelease(releaseOf(inMemory), dirname(path));
    await expect(records.source()).resolves.toBeDefined();
    const { atime, mtime } = statSync(path);
    await new Promise((done) => setTimeout(done, 20));
    writeFileSync(path, 'x,y\n0.3,1\n0.4,-1\n');
    utimesSync(path, atime, mtime);
    await expect(records.source()).rejects.toThrow(/was changed while it was read/);
  });
  test(`nor by the content of another file (in memory: ${inMemory})`, async () => {
    const path = folder.write('data.csv', 'x,y\n0.1,1\n0.2,-1\n');
    const records = await recordsOfRelease(releaseOf(inMemory), dirname(path));
    const source = await records.source();
    await new Promise((done) => setTimeout(done, 20));
    writeFileSync(path, 'x,y\n0.3,1\n0.4,-1\n');
    expect(() => source.bytes()).toThrow(/was changed while it was read/);
  });
}

test('nor for records of an IDX file whose labels were replaced', async () => {
  folder.write('images', Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 9));
  const labels = Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 0, 1);
  folder.write('labels', labels);
  const data = {
    file: 'images',
    shuffle: 0,
    layout: 'rows',
    idx: { labels: 'labels', columns: 1, unit: 255 },
  };
  const spec = { data, record: {} } as unknown as Release['problem'];
  const records = await loadRecords(spec, folder.path);
  await expect(records.source()).resolves.toBeDefined();
  await new Promise((done) => setTimeout(done, 20));
  folder.write('labels', labels.with(8, 1));
  await expect(records.source()).rejects.toThrow(/labels was changed while it was read/);
});
