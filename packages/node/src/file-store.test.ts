import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt } from '@lethe/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from './file-store.js';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'lethe-store-')); });
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

describe('a file store', () => {
  test('keeps what was appended, cuts and replaces, and leaves nothing else', () => {
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

  test('that was closed takes nothing, and may be closed twice', () => {
    const path = at('log'), store = fileStore(path);
    store.close();
    store.close();
    const next = fileStore(path);
    for (const act of [() => store.append(Uint8Array.of(1)), () => store.read(), () => store.replace(Uint8Array.of(1)), () => store.truncate(0)]) expect(act).toThrow(/closed by this writer/u);
    next.append(Uint8Array.of(2));
    next.close();
    expect([...readFileSync(path)]).toEqual([2]);
  });

  test('bytes of another writer stop this one before it writes', () => {
    const path = at('log'), store = fileStore(path);
    store.append(Uint8Array.of(1));
    appendFileSync(path, Uint8Array.of(2));
    expect(() => store.append(Uint8Array.of(3))).toThrow(Corrupt);
    expect([...readFileSync(path)]).toEqual([1, 2]);
    store.close();
  });

  test.each<[string, (path: string) => void]>([
    ['moved', (path) => renameSync(path, `${path}.old`)],
    ['deleted', (path) => unlinkSync(path)],
    ['replaced by a copy of itself', (path) => { renameSync(path, `${path}.old`); copyFileSync(`${path}.old`, path); }],
    ['in a folder that was moved', () => renameSync(at('deep'), at('elsewhere'))],
  ])('%s while it is open is refused before the next append', (_, change) => {
    mkdirSync(at('deep'));
    const path = at(join('deep', 'log')), store = fileStore(path);
    store.append(Uint8Array.of(1, 2));
    change(path);
    for (const act of [() => store.append(Uint8Array.of(3)), () => store.replace(Uint8Array.of(3)), () => store.truncate(1), () => store.read()]) {
      expect(act).toThrow(Corrupt);
      expect(act).toThrow(/moved, deleted or replaced .* nothing was written/u);
    }
    store.close();
    const left = (readdirSync(folder, { recursive: true, encoding: 'utf8' })).filter((name) => statSync(at(name)).isFile() && !name.includes('.lock'));
    for (const name of left) expect([...readFileSync(at(name))]).toEqual([1, 2]);
  });

  test('reached by a symbolic link is the file that the link leads to', () => {
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

  test('reached by a link that is led elsewhere meanwhile is refused before the next append', () => {
    for (const name of ['one', 'two']) writeFileSync(at(name), Uint8Array.of(1));
    symlinkSync(at('one'), at('link'));
    const store = fileStore(at('link'));
    unlinkSync(at('link'));
    symlinkSync(at('two'), at('link'));
    expect(() => store.append(Uint8Array.of(2))).toThrow(/moved, deleted or replaced/u);
    store.close();
    for (const name of ['one', 'two']) expect([...readFileSync(at(name))]).toEqual([1]);
  });

  test('is not begun in place of a file that a link has lost', () => {
    symlinkSync(at('gone'), at('link'));
    expect(() => fileStore(at('link'))).toThrow(/symbolic link to a file that is not there/u);
    expect(readdirSync(folder)).toEqual(['link']);
  });

  test('with a second name is opened under neither', () => {
    const path = at('log'), store = fileStore(path);
    store.append(Uint8Array.of(1));
    linkSync(path, at('other'));
    expect(() => fileStore(at('other'))).toThrow(Corrupt);
    store.append(Uint8Array.of(2));
    store.close();
    for (const name of ['log', 'other']) expect(() => fileStore(at(name))).toThrow(/has 2 names \(hard links\).*Delete the other names/u);
    expect(readdirSync(folder).toSorted()).toEqual(['log', 'other']);
    unlinkSync(at('other'));
    const again = fileStore(path);
    expect([...again.read()]).toEqual([1, 2]);
    again.close();
  });
});

describe('the lock of a file', () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const boot = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : null;
  /** A lock as this process would have it, of a holder without a pipe. */
  function record(change: object = {}): string {
    const path = at('model'), store = fileStore(path), own = JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as object;
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

  test('refuses a second writer while the first lives, and names the lock and the way out', () => {
    const path = at('log'), store = fileStore(path);
    expect(() => fileStore(path)).toThrow(Corrupt);
    expect(() => fileStore(path)).toThrow(new RegExp(`in use by process ${process.pid}; .*Only where no such process is left, delete ${path}\\.lock\\.`, 'u'));
    store.append(Uint8Array.of(1));
    store.close();
    expectOpens(path);
  });

  test.each<[string, () => string]>([
    ['names a process that has ended', () => record({ pid: dead })],
    ['names this process, which did not take it', () => String(process.pid)],
    ['names a process that has ended, and no more', () => String(dead)],
  ])('is taken over when it %s', (_, text) => {
    writeFileSync(at('log.lock'), text());
    expectOpens(at('log'));
  });

  test.skipIf(boot === null).each<[string, () => string]>([
    ['this number was given out again', () => record({ start: '1' })],
    ['the number of a running process was given out again', () => record({ pid: process.ppid, start: '1' })],
    ['the machine was started again', () => record({ machine: 'f1d3ff84-4329-7732-862d-f21dc4e57262', namespace: 'pid:[1]' })],
    ['a container has ended', () => record({ namespace: 'pid:[1]', pipe: true })],
  ])('is taken over when %s', (_, text) => {
    writeFileSync(at('log.lock'), text());
    if (text().includes('"pipe":true')) expect(spawnSync('mkfifo', [at('log.lock.0123456789abcdef')]).status).toBe(0);
    expectOpens(at('log'));
  });

  test.skipIf(boot === null).each<[string, () => string, RegExp]>([
    ['by a running process', () => record(), /in use by process/u],
    ['by another container that cannot be seen', () => record({ namespace: 'pid:[1]' }), /may be in use by process .* container, which cannot be seen from here; .*delete .*log\.lock/u],
    ['by nobody that it names', () => 'no number', /does not say which process .* delete .*log\.lock/u],
    ['by nobody, being empty', () => '', /does not say which process/u],
    ['by something else', () => '{"id":"../../etc","pid":1}', /does not say which process/u],
  ])('is left alone when it is held %s', (_, text, message) => {
    const lock = text();
    writeFileSync(at('log.lock'), lock);
    expect(() => fileStore(at('log'))).toThrow(Corrupt);
    expect(() => fileStore(at('log'))).toThrow(message);
    expect(readFileSync(at('log.lock'), 'utf8')).toBe(lock);
    expect(readdirSync(folder).filter((name) => name.startsWith('log'))).toEqual(['log.lock']);
  });

  test('is taken over where the process that was taking it over was killed', () => {
    writeFileSync(at('log.lock'), record({ pid: dead }));
    writeFileSync(at('log.lock.0123456789abcdef.turn'), record({ pid: dead, id: 'fedcba9876543210' }));
    expectOpens(at('log'));
  });

  test('of another is not removed by a writer whose own was deleted', () => {
    const path = at('log'), store = fileStore(path);
    unlinkSync(`${path}.lock`);
    writeFileSync(`${path}.lock`, record());
    store.close();
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});
