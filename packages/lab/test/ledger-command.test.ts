import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { accountants, bestOf } from '@lethe/accountants';
import {
  BudgetExceeded,
  clippedMeanEvent,
  eventKindsOf,
  memoryStore,
  openLog,
  repeatedEvent,
  seededRandom,
  type Store,
} from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { fileStore } from '@lethe/node';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountOf } from '../src/run/ledger-account.js';
import { registry } from '../src/registry.js';
import { readLedger } from '../src/run/read-ledger.js';
import { labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

const kinds = eventKindsOf(registry);
let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
  vi.stubEnv('LETHE_HOME', folder.file('home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

type Told = readonly {
  readonly ledger: string;
  readonly error?: string;
  readonly spent: { readonly upper: number };
  readonly limit: null | { readonly epsilon: number; readonly share: number; readonly left: number };
  readonly runs: readonly { readonly run: string; readonly ended: boolean; readonly reserved: unknown }[];
}[];
const told = async (...args: readonly string[]): Promise<Told> =>
  JSON.parse((await lethe('ledger', ...args, '--json')).out) as Told;

describe('lethe ledger --end', () => {
  test('ends an open run by hand, and releases what it did not answer', async () => {
    const path = folder.file('open.ledger');
    const store = fileStore(path);
    const limit = { epsilon: 2, delta: 1e-6, accountant: bestOf(accountants, kinds) };
    const planned = clippedMeanEvent(4, 'replace-one');
    openLedger({ adjacency: 'replace-one', store, limit }).openRun('left', seededRandom('left'), { planned });
    const inUse = await lethe('ledger', path, '--end', 'left');
    expect([inUse.code, inUse.error]).toStrictEqual([1, expect.stringContaining('open.ledger')]);
    store.close();
    expect((await told(path))[0].runs).toMatchObject([{ ended: false }]);
    // A ledger cannot tell by itself whether it came back from a backup.
    const blind = await lethe('ledger', path, '--end', 'left');
    expect([blind.code, blind.error]).toStrictEqual([2, expect.stringContaining('--never-restored')]);
    expect((await told(path))[0].runs).toMatchObject([{ ended: false }]);
    const { code, out, error } = await lethe('ledger', folder.path, '--end', 'left', '--never-restored');
    expect([code, error]).toStrictEqual([0, expect.stringContaining('did not answer is released')]);
    expect(out).toMatch(/left +ended/u);
    expect((await told(path))[0]).toMatchObject({
      limit: { share: 0 },
      runs: [{ ended: true, reserved: null }],
    });
    expect((await lethe('ledger', path, '--end', 'left')).error).toContain('has ended already');
    expect((await lethe('ledger', path, '--never-restored')).error).toContain('--end');
    expect((await lethe('ledger', path, '--end', 'other')).error).toContain("has a run 'other'");
  });

  // What the transcript says was answered, and whether the ledger, of 2 queries, may release the rest.
  test.each([
    [1, true],
    [2, true],
    [3, false],
    [0, false],
  ])('compares with a transcript of %d answers', async (answered, isReleased) => {
    const path = folder.file('kept.ledger');
    const store = fileStore(path);
    const event = clippedMeanEvent(4, 'replace-one');
    const ledger = openLedger({ adjacency: 'replace-one', store });
    const planned = repeatedEvent(event, 4);
    const { random } = ledger.openRun('left', seededRandom('left'), { planned });
    for (const index of [0, 1])
      ledger.append({
        run: 'left',
        index,
        digest: '0'.repeat(32),
        effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event } },
      });
    store.close();
    const transcript = memoryStore();
    const key = random.fork('transcript').key().slice(0, 16);
    const log = openLog(transcript, { magic: 'lethe-transcript', key });
    log.append({ run: 'left' });
    for (let index = 0; index < answered; index++) log.append({ index, digest: '', answer: 0 });
    // A checkpoint in place of what came before it.
    if (answered === 2) log.rewrite([{ run: 'left' }, { snapshot: 2, state: null }]);
    const file = folder.write('transcript.lethe', transcript.read());
    const { code, error } = await lethe('ledger', path, '--end', 'left', '--transcript', file);
    expect([code, error.includes('is released')]).toStrictEqual([0, isReleased]);
    const { ended, reserved } = readLedger(readFileSync(path), kinds).standing('left');
    expect([ended, reserved === null]).toStrictEqual([true, isReleased]);
  });
});

describe('lethe ledger', { timeout: 60_000 }, () => {
  test('shows what releases have spent, the limit and what is left, and changes nothing', async () => {
    folder.write('a.json', { ...release, limit: { epsilon: 3, delta: 1e-4 } });
    for (const out of ['one', 'two'])
      expect((await lethe('run', folder.file('a.json'), '--out', folder.file(out))).code).toBe(0);
    const path = folder.file('data.ledger');
    const before = readFileSync(path);
    const { mtimeMs } = statSync(path);
    const [found] = await told(path);
    const [again] = await told(folder.path);
    expect(again).toEqual(found);
    expect(found.runs.map(({ ended, reserved }) => [ended, reserved])).toEqual([
      [true, null],
      [true, null],
    ]);
    expect(found.spent.upper > 0.5 && found.spent.upper < 2).toBe(true);
    expect(defined(found.limit).share > 0.1 && defined(found.limit).share < 1).toBe(true);
    const { out } = await lethe('ledger', path);
    expect(out).toMatch(
      /adjacency +zero-out\n +spent +epsilon in \[.*\] at delta 1e-4 over 2 runs\n.*\n +limit +epsilon 3 at delta 1e-4; .* % of it is taken; shares .*\n +left +a release with Gaussian noise of epsilon up to /u,
    );
    expect([
      readFileSync(path),
      statSync(path).mtimeMs,
      readdirSync(folder.path).filter((name) => name.includes('lock')),
    ]).toEqual([before, mtimeMs, []]);
  });

  test('tells a damaged one, goes on with others, and ends with 1', async () => {
    folder.write('a.json', release);
    expect((await lethe('run', folder.file('a.json'), '--out', folder.file('out'))).code).toBe(0);
    mkdirSync(folder.file('home'));
    const bytes = readFileSync(folder.file('data.ledger'));
    cpSync(folder.file('data.ledger'), folder.file('home/b.ledger'));
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(folder.file('home/a.ledger'), bytes);
    const { code, out } = await lethe('ledger');
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/a\.ledger\n +error .*damaged[\s\S]*b\.ledger\n[\s\S]*limit +none/u),
    ]);
    const [damaged, whole] = await told();
    expect([typeof damaged.error, whole.limit]).toEqual(['string', null]);
  });

  test('refuses what is no ledger, or none', async () => {
    expect(await lethe('ledger', folder.file('nobody'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('there is no ledger at') as string,
    });
    expect(await lethe('ledger', folder.path)).toMatchObject({
      code: 2,
      error: expect.stringContaining('has no ledgers') as string,
    });
    expect(await lethe('ledger', '--delta', '2')).toMatchObject({ code: 2 });
  });
});

test('what is left is what the ledger lets through, and no more; an open reservation takes of it', () => {
  const store: Store = memoryStore();
  const limit = { epsilon: 1, delta: 1e-5, accountant: bestOf(accountants, kinds) };
  const ledger = openLedger({ adjacency: 'replace-one', store, limit });
  const leftOf = (): number => defined(accountOf(ledger, { delta: 1e-6, kinds }).limit).left;
  const all = leftOf();
  expect(all).toBeLessThanOrEqual(1);
  expect(all).toBeGreaterThan(0.9);
  for (let noise = 0.5; noise < 64; noise *= 1.3) {
    const event = clippedMeanEvent(noise, 'replace-one');
    const epsilon = limit.accountant.epsilon(event, { adjacency: 'replace-one', delta: limit.delta });
    if (epsilon.upper < all)
      expect(() => {
        ledger.assertAffordable(event);
      }).not.toThrow();
    if (epsilon.lower > all * 1.0001)
      expect(() => {
        ledger.assertAffordable(event);
      }).toThrow(BudgetExceeded);
  }
  ledger.openRun('planned', seededRandom('a'), { planned: clippedMeanEvent(8, 'replace-one') });
  const account = accountOf(ledger, { delta: 1e-6, kinds });
  expect(account.runs).toMatchObject([{ run: 'planned', ended: false }]);
  expect(defined(account.runs[0].reserved).upper).toBeGreaterThan(0.1);
  expect(defined(account.limit).left).toBeLessThan(all);
  expect(account.spent.upper).toBe(0);
});
