import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt } from '@lethe/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Release } from '../experiment/schema.js';
import { ledgerPlace, sourceOf, type LedgerPlace, type Source } from './ledger-path.js';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const digest = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const release = {} as Release;
const from = (path: string, byte: number, bytes = text(path)): Source => ({
  bytes: () => bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  file: { path, digest: digest(byte) },
});

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'lethe-home-')), 'owner');
  vi.stubEnv('LETHE_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(home, '..'), { recursive: true, force: true });
});

/** As a release does: looks, begins the ledger, and writes down where it is. */
function begun(experiment: Release, source: Source): LedgerPlace {
  const place = ledgerPlace(experiment, join(home, '..'), source);
  if (!existsSync(place.path)) writeFileSync(place.path, 'a ledger');
  place.remember();
  return place;
}

test('one ledger for the same records, whatever the experiment, its folder, order, adjacency, design or bytes', () => {
  const { path, warnings } = begun(release, from('/data/a.csv', 1));
  expect(path).toMatch(/[/\\]owner[/\\][0-9a-f]{32}\.ledger$/u);
  expect(warnings).toEqual([]);
  expect(
    ledgerPlace(
      { ...release, adjacency: 'zero-out' } as Release,
      '/two',
      from('/data/crlf.csv', 1, text('a\r\n')),
    ),
  ).toMatchObject({ path, warnings: [] });
  expect(ledgerPlace(release, '/one', from('/data/b.csv', 2))).toMatchObject({ warnings: [] });
  expect(ledgerPlace(release, '/one', from('/data/b.csv', 2)).path).not.toBe(path);
});

test("its name depends on a secret of its folder, which is the owner's alone and is made once", () => {
  const { path } = begun(release, from('/data/a.csv', 1));
  const secret = readFileSync(join(home, 'secret'));
  expect(secret).toHaveLength(32);
  if (process.platform !== 'win32')
    expect(
      [home, join(home, 'secret'), join(home, 'ledgers.jsonl')].map((name) => statSync(name).mode & 0o777),
    ).toEqual([0o700, 0o600, 0o600]);
  begun(release, from('/data/b.csv', 2));
  expect(readFileSync(join(home, 'secret'))).toEqual(secret);
  vi.stubEnv('LETHE_HOME', join(home, '..', 'another'));
  expect(ledgerPlace(release, '/one', from('/data/a.csv', 1)).path.slice(-39)).not.toBe(path.slice(-39));
  vi.stubEnv('LETHE_HOME', home);
  writeFileSync(join(home, 'secret'), 'short');
  expect(() => ledgerPlace(release, '/one', from('/data/a.csv', 1))).toThrow(Corrupt);
  expect(() => ledgerPlace(release, '/one', from('/data/a.csv', 1))).toThrow(/has 5 bytes; .*Restore it/u);
});

test('a folder that others may look into is said', () => {
  mkdirSync(home);
  chmodSync(home, 0o755);
  expect(ledgerPlace(release, '/one', from('/data/a.csv', 1)).warnings).toEqual([
    expect.stringMatching(/others may look into .*chmod 700/u),
  ]);
});

test("the folder in the account's own is closed, if older versions left it open", () => {
  vi.stubEnv('LETHE_HOME', undefined);
  vi.stubEnv('HOME', join(home, '..'));
  mkdirSync(join(home, '..', '.lethe'));
  chmodSync(join(home, '..', '.lethe'), 0o755);
  expect(ledgerPlace(release, '/one', from('/data/a.csv', 1)).warnings).toEqual([]);
  expect(statSync(join(home, '..', '.lethe')).mode & 0o777).toBe(0o700);
});

test('a ledger named after the bytes is gone on with, and found for the same records from then on', () => {
  mkdirSync(home, { mode: 0o700 });
  const old = join(home, '02f775c92313199da6edeafc4f5e30dc.ledger');
  writeFileSync(old, 'a ledger');
  const bytes = readFileSync(new URL('../../test/support/people.csv', import.meta.url));
  expect(begun(release, from('/data/people.csv', 1, bytes))).toMatchObject({ path: old, warnings: [] });
  expect(ledgerPlace(release, '/one', from('/data/quoted.csv', 1, text('other bytes')))).toMatchObject({
    path: old,
    warnings: [],
  });
});

test('generated data keep the ledger of their recipe, without a folder of secrets', () => {
  expect(ledgerPlace(release, '/one', sourceOf('recipe'))).toMatchObject({
    path: join(home, 'e1d8e552330911f9f779f85b6f2c00a1.ledger'),
    warnings: [],
  });
  expect(existsSync(home)).toBe(false);
});

test('a path in the experiment starts from the experiment, and its owner is told of every other ledger of these data', () => {
  const own = { ledger: 'x.ledger' } as Release;
  const path = join(home, '..', 'x.ledger');
  const first = begun(release, from('/data/a.csv', 1));
  const second = begun(own, from('/data/copy.csv', 1));
  expect(second.path).toBe(path);
  expect(second.warnings).toEqual([
    expect.stringContaining(`${first.path} already holds what was spent on the same records`),
  ]);
  expect(ledgerPlace(own, join(home, '..'), from('/data/copy.csv', 1)).warnings).toEqual([]);
  expect(ledgerPlace(release, '/one', from('/data/a.csv', 1))).toMatchObject({
    path: first.path,
    warnings: [],
  });
});

test('a new ledger beside one of the same file is said', () => {
  const first = begun(release, from('/data/a.csv', 1));
  const changed = begun(release, from('/data/a.csv', 2));
  expect(changed.path).not.toBe(first.path);
  expect(changed.warnings).toEqual([
    `a new ledger is begun at ${changed.path}, although ${first.path} already holds what was spent on ` +
      'the file /data/a.csv. None knows of the others, and a limit of one does not hold for all: ' +
      'go on with an old one (ledger: in the experiment) unless these are other records.',
  ]);
  rmSync(changed.path);
  rmSync(first.path);
  expect(ledgerPlace(release, '/one', from('/data/a.csv', 2)).warnings).toEqual([]);
});

test('a folder that cannot be made stops no ledger that is elsewhere', () => {
  writeFileSync(home, 'a file');
  const { path, warnings } = ledgerPlace({ ledger: 'x.ledger' } as Release, '/one', from('/data/a.csv', 1));
  expect([path, warnings]).toEqual([
    join('/', 'one', 'x.ledger'),
    [expect.stringContaining(`${home} cannot be used`)],
  ]);
  expect(() => ledgerPlace(release, '/one', from('/data/a.csv', 1))).toThrow(/EEXIST|ENOTDIR/u);
});
