import type * as fileSystem from 'node:fs';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWhole } from './create-whole.js';
import { fileStore } from './file-store.js';

let hasHardLinks = true;
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof fileSystem>();
  return {
    ...fs,
    linkSync(from: string, to: string) {
      if (!hasHardLinks) throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
      fs.linkSync(from, to);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-create-'));
});
afterEach(() => {
  hasHardLinks = true;
  rmSync(folder, { recursive: true });
});

test.each([true, false])('only the first call creates the file; with hard links: %s', (links) => {
  hasHardLinks = links;
  const path = join(folder, 'secret');
  expect(createWhole(path, 'one', { mode: 0o600 })).toBe(true);
  expect(createWhole(path, 'two')).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('one');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['secret']);
  expect(() => createWhole(join(folder, 'none', 'secret'), 'x')).toThrow(/ENOENT/u);
});

test('a store locks where there are no hard links', () => {
  hasHardLinks = false;
  const store = fileStore(join(folder, 'log'));
  expect(() => fileStore(join(folder, 'log'))).toThrow(/in use by process/u);
  store.close();
  expect(readdirSync(folder)).toEqual(['log']);
});
