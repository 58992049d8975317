import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt } from '@lethe/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from './file-store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

describe('a file store', () => {
  test('appends, truncates and replaces, and leaves no other files', () => {
    const path = at(join('deep', 'log'));
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
    expect(readdirSync(at('deep'))).toEqual(['log']);
  });

  test('refuses all calls after close, and may be closed twice', () => {
    const path = at('log');
    const store = fileStore(path);
    store.close();
    store.close();
    const next = fileStore(path);
    for (const act of [
      () => store.append(Uint8Array.of(1)),
      () => store.read(),
      () => store.replace(Uint8Array.of(1)),
      () => store.truncate(0),
    ])
      expect(act).toThrow(/closed by this writer/u);
    next.append(Uint8Array.of(2));
    next.close();
    expect([...readFileSync(path)]).toEqual([2]);
  });

  test('detects bytes of another writer before it writes', () => {
    const path = at('log');
    const store = fileStore(path);
    store.append(Uint8Array.of(1));
    appendFileSync(path, Uint8Array.of(2));
    expect(() => store.append(Uint8Array.of(3))).toThrow(Corrupt);
    expect([...readFileSync(path)]).toEqual([1, 2]);
    store.close();
  });

  test.each<[string, (path: string) => void]>([
    ['moved', (path) => renameSync(path, `${path}.old`)],
    ['deleted', (path) => unlinkSync(path)],
    [
      'replaced by a copy of itself',
      (path) => {
        renameSync(path, `${path}.old`);
        copyFileSync(`${path}.old`, path);
      },
    ],
    ['in a folder that was moved', () => renameSync(at('deep'), at('elsewhere'))],
  ])('%s while it is open is refused before the next append', (_, change) => {
    mkdirSync(at('deep'));
    const path = at(join('deep', 'log'));
    const store = fileStore(path);
    store.append(Uint8Array.of(1, 2));
    change(path);
    for (const act of [
      () => store.append(Uint8Array.of(3)),
      () => store.replace(Uint8Array.of(3)),
      () => store.truncate(1),
      () => store.read(),
    ]) {
      expect(act).toThrow(Corrupt);
      expect(act).toThrow(/moved, deleted or replaced .* nothing was written/u);
    }
    store.close();
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(at(name)).isFile() && !name.includes('.lock'),
    );
    for (const name of left) expect([...readFileSync(at(name))]).toEqual([1, 2]);
  });

  test('resolves a symbolic link', () => {
    const path = at('log');
    writeFileSync(path, Uint8Array.of(1));
    symlinkSync(path, at('link'));
    const store = fileStore(at('link'));
    expect(() => fileStore(path)).toThrow(/in use by process/u);
    expect(existsSync(`${path}.lock`)).toBe(true);
    store.replace(Uint8Array.of(2));
    store.append(Uint8Array.of(3));
    store.close();
    expect([...readFileSync(path)]).toEqual([2, 3]);
    const direct = fileStore(path);
    expect(() => fileStore(at('link'))).toThrow(/in use by process/u);
    direct.close();
  });

  test('refuses the next append after its symbolic link has changed', () => {
    for (const name of ['one', 'two']) writeFileSync(at(name), Uint8Array.of(1));
    symlinkSync(at('one'), at('link'));
    const store = fileStore(at('link'));
    unlinkSync(at('link'));
    symlinkSync(at('two'), at('link'));
    expect(() => store.append(Uint8Array.of(2))).toThrow(/moved, deleted or replaced/u);
    store.close();
    for (const name of ['one', 'two']) expect([...readFileSync(at(name))]).toEqual([1]);
  });

  test('is not created for a dangling symbolic link', () => {
    symlinkSync(at('gone'), at('link'));
    expect(() => fileStore(at('link'))).toThrow(/symbolic link to a missing file/u);
    expect(readdirSync(folder)).toEqual(['link']);
  });

  test('refuses both names of a file with a hard link', () => {
    const path = at('log');
    const store = fileStore(path);
    store.append(Uint8Array.of(1));
    linkSync(path, at('other'));
    expect(() => fileStore(at('other'))).toThrow(Corrupt);
    store.append(Uint8Array.of(2));
    store.close();
    for (const name of ['log', 'other'])
      expect(() => fileStore(at(name))).toThrow(/has 2 names \(hard links\).*Delete the other names/u);
    expect(readdirSync(folder).toSorted()).toEqual(['log', 'other']);
    unlinkSync(at('other'));
    const again = fileStore(path);
    expect([...again.read()]).toEqual([1, 2]);
    again.close();
  });
});

describe('the lock of a file', () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const boot =
    process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : null;
  /** Content of a lock file of this process, without a pipe. */
  function record(change: object = {}): string {
    const path = at('model');
    const store = fileStore(path);
    const own = JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as object;
    store.close();
    return JSON.stringify({ ...own, id: '0123456789abcdef', pipe: false, ...change });
  }
  const expectOpens = (path: string): void => {
    const store = fileStore(path);
    store.append(Uint8Array.of(1));
    expect(() => fileStore(path)).toThrow(Corrupt);
    store.close();
    expect(readdirSync(folder).filter((name) => name.startsWith('log.'))).toEqual([]);
  };

  test('refuses a second writer while the first runs, and names the lock and the remedy', () => {
    const path = at('log');
    const store = fileStore(path);
    expect(() => fileStore(path)).toThrow(Corrupt);
    expect(() => fileStore(path)).toThrow(
      new RegExp(
        `in use by process ${process.pid}; .*If no such process exists, delete ${path}\\.lock\\.`,
        'u',
      ),
    );
    store.append(Uint8Array.of(1));
    store.close();
    expectOpens(path);
  });

  test.each<[string, () => string]>([
    ['names a process that has ended', () => record({ pid: dead })],
    ['names this process, which has no lock', () => String(process.pid)],
    ['contains only the number of a process that has ended', () => String(dead)],
  ])('is taken over when it %s', (_, text) => {
    writeFileSync(at('log.lock'), text());
    expectOpens(at('log'));
  });

  test.skipIf(boot === null).each<[string, () => string]>([
    ['the process number was reused for this process', () => record({ start: '1' })],
    [
      'the process number was reused for another running process',
      () => record({ pid: process.ppid, start: '1' }),
    ],
    [
      'the machine was started again',
      () => record({ machine: 'f1d3ff84-4329-7732-862d-f21dc4e57262', namespace: 'pid:[1]' }),
    ],
    ['a container has ended', () => record({ namespace: 'pid:[1]', pipe: true })],
  ])('is taken over when %s', (_, text) => {
    writeFileSync(at('log.lock'), text());
    if (text().includes('"pipe":true'))
      expect(spawnSync('mkfifo', [at('log.lock.0123456789abcdef')]).status).toBe(0);
    expectOpens(at('log'));
  });

  test.skipIf(boot === null).each<[string, () => string, RegExp]>([
    ['by a running process', () => record(), /in use by process/u],
    [
      'by another container',
      () => record({ namespace: 'pid:[1]' }),
      /may be in use by process .* container, which this process cannot check; .*delete .*log\.lock/u,
    ],
    [
      'by a file with invalid content',
      () => 'no number',
      /does not say which process .* delete .*log\.lock/u,
    ],
    ['by an empty file', () => '', /does not say which process/u],
    ['by a file with an invalid id', () => '{"id":"../../etc","pid":1}', /does not say which process/u],
  ])('is not changed when it is held %s', (_, text, message) => {
    const lock = text();
    writeFileSync(at('log.lock'), lock);
    expect(() => fileStore(at('log'))).toThrow(Corrupt);
    expect(() => fileStore(at('log'))).toThrow(message);
    expect(readFileSync(at('log.lock'), 'utf8')).toBe(lock);
    expect(readdirSync(folder).filter((name) => name.startsWith('log'))).toEqual(['log.lock']);
  });

  test('is taken over if the process that was taking it over was killed', () => {
    writeFileSync(at('log.lock'), record({ pid: dead }));
    writeFileSync(at('log.lock.0123456789abcdef.turn'), record({ pid: dead, id: 'fedcba9876543210' }));
    expectOpens(at('log'));
  });

  test('of another writer is not removed by a writer whose own lock was deleted', () => {
    const path = at('log');
    const store = fileStore(path);
    unlinkSync(`${path}.lock`);
    writeFileSync(`${path}.lock`, record());
    store.close();
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});
