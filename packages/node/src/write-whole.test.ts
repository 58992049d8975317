import type * as fileSystem from 'node:fs';
import { fstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileStore } from './file-store.js';
import { makeFolder } from './folder.js';
import { writeWhole } from './write-whole.js';

/** What reached the disk, in order: inodes that were flushed, and names given. */
const deeds: (number | string)[] = [];
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof fileSystem>();
  return {
    ...fs,
    fsyncSync(file: number) {
      deeds.push(fstatSync(file).ino);
      fs.fsyncSync(file);
    },
    renameSync(from: string, to: string) {
      fs.renameSync(from, to);
      deeds.push(to);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-whole-'));
  deeds.length = 0;
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const inode = (path: string): number => statSync(path).ino;

test('a file is flushed before it has its name, and its folder and the folders that were made after', () => {
  const path = join(folder, 'deep', 'er', 'results.json');
  writeWhole(path, 'all of it');
  expect(readFileSync(path, 'utf8')).toBe('all of it');
  expect(deeds).toEqual([
    inode(join(folder, 'deep')),
    inode(folder),
    inode(path),
    path,
    inode(dirname(path)),
  ]);
  expect(readdirSync(dirname(path))).toEqual(['results.json']);
});

test('a file that cannot be written leaves the old one and nothing else', () => {
  const path = join(folder, 'a');
  writeWhole(path, 'old', { mode: 0o600 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() => writeWhole(path, { length: 3 } as never)).toThrow(TypeError);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['a']);
  expect(() => writeWhole(folder, 'x')).toThrow(/EISDIR|EEXIST|EPERM/u);
  expect(readdirSync(folder)).toEqual(['a']);
});

test('what a store replaces is flushed before it has its name, and its folder after', () => {
  const path = join(folder, 'log');
  const store = fileStore(path);
  store.append(Uint8Array.of(1));
  deeds.length = 0;
  store.replace(Uint8Array.of(2));
  expect(deeds).toEqual([inode(path), path, inode(folder)]);
  store.close();
});

test('folders that are there are left as they are', () => {
  makeFolder(join(folder, 'own'), 0o700);
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700);
  deeds.length = 0;
  makeFolder(join(folder, 'own'));
  expect(deeds).toEqual([]);
});
