import { mkdtempSync, readFileSync, rmSync, statSync, appendFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt } from '@lethe/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from './file-store.js';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'lethe-store-')); });
afterEach(() => rmSync(folder, { recursive: true }));

describe('file store', () => {
  test('keeps what was appended, cuts and replaces', () => {
    const path = join(folder, 'deep', 'log');
    const store = fileStore(path, { mode: 0o600 });
    store.append(Uint8Array.of(1, 2, 3));
    store.append(Uint8Array.of(4));
    expect([...store.read()]).toEqual([1, 2, 3, 4]);
    store.truncate(2);
    store.truncate(100);
    store.append(Uint8Array.of(9));
    expect([...readFileSync(path)]).toEqual([1, 2, 9]);
    store.replace(Uint8Array.of(7));
    store.append(Uint8Array.of(8));
    store.close();
    expect([...readFileSync(path)]).toEqual([7, 8]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = fileStore(path);
    again.append(Uint8Array.of(5));
    expect([...again.read()]).toEqual([7, 8, 5]);
    again.close();
  });

  test('a second writer is refused while the first lives', () => {
    const path = join(folder, 'log');
    const store = fileStore(path);
    expect(() => fileStore(path)).toThrow(Corrupt);
    store.close();
    fileStore(path).close();
  });

  test('the lock of a dead process is taken over', () => {
    const path = join(folder, 'log');
    writeFileSync(`${path}.lock`, '999999999');
    const store = fileStore(path);
    store.append(Uint8Array.of(1));
    store.close();
    expect([...readFileSync(path)]).toEqual([1]);
  });

  test('bytes of another writer stop this one before it writes', () => {
    const path = join(folder, 'log');
    const store = fileStore(path);
    store.append(Uint8Array.of(1));
    appendFileSync(path, Uint8Array.of(2));
    expect(() => store.append(Uint8Array.of(3))).toThrow(Corrupt);
    expect([...readFileSync(path)]).toEqual([1, 2]);
  });
});
