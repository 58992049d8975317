import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventKindsOf } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { main } from '../src/cli/main.js';
import { registry } from '../src/registry.js';
import { readLedger } from '../src/run/read-ledger.js';
import { labFolder, lethe, type LabFolder, type Outcome } from './support/lab-folder.js';

const steps = 120;
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
  optimizer: { name: 'dp-sgd', params: { steps, rate: 1, clipNorm: 1, stepSize: 0.1 } },
  budget: { epsilon: 0.5, delta: 1e-5 },
  limit: { epsilon: 2, delta: 1e-4 },
};

let folder: LabFolder;
const at = (name: string): string => folder.file(name);
const run = (...options: readonly string[]): Promise<Outcome> =>
  lethe('run', at('people.json'), '--out', at('out'), ...options);
const transcript = 'out/people/transcript.lethe';
const runFile = 'out/people/run.json';
const ledgers = (): string[] => readdirSync(at('home')).filter((name) => name.endsWith('.ledger'));
const ledger = (): string => join(at('home'), ledgers()[0]);
/** Names of runs that were charged, with what each cost. */
const charged = (): Record<string, unknown> => {
  const kept = readLedger(readFileSync(ledger()), eventKindsOf(registry));
  return Object.fromEntries(
    kept
      .runs()
      .map((name) => [name, kept.chargedBy(name)] as const)
      .filter(([, { kind }]) => kind !== 'core/free'),
  );
};
const flip = (path: string): void => {
  const bytes = readFileSync(path);
  bytes[Math.floor(bytes.length / 3)] ^= 1;
  writeFileSync(path, bytes);
};
const model = (): unknown => (JSON.parse(folder.read('out/results.json')) as [{ model: unknown }])[0].model;

/** A release that an interrupt ended when some of its answers were on disk. */
async function interrupted(): Promise<void> {
  const stop = new AbortController();
  const timer = setInterval(() => {
    if (folder.has(transcript) && statSync(at(transcript)).size > 3000) stop.abort();
  }, 1);
  const code = await main(
    ['run', at('people.json'), '--out', at('out')],
    { out: () => undefined, error: () => undefined },
    stop.signal,
  );
  clearInterval(timer);
  expect(code).toBe(1);
}

let whole: unknown;
let name: string;
beforeAll(async () => {
  folder = labFolder();
  vi.stubEnv('LETHE_HOME', at('home'));
  folder.write('people.csv', readFileSync(new URL('support/people.csv', import.meta.url)));
  folder.write('people.json', experiment);
  await interrupted();
  mkdirSync(at('kept'));
  for (const part of ['out', 'home']) cpSync(at(part), join(at('kept'), part), { recursive: true });
  name = (JSON.parse(folder.read(runFile)) as { run: string }).run;
  expect(await run('--resume')).toMatchObject({ code: 0 });
  whole = model();
}, 60_000);
afterAll(() => {
  vi.unstubAllEnvs();
  folder.remove();
});
/** What the interrupt left. */
beforeEach(() => {
  for (const part of ['out', 'home']) {
    rmSync(at(part), { recursive: true, force: true });
    cpSync(join(at('kept'), part), at(part), { recursive: true });
  }
});

const refused = async (...options: readonly string[]): Promise<string> => {
  const before = charged();
  const { code, out, error } = await run(...options);
  expect([code === 1 || code === 2, out]).toEqual([true, '']);
  expect(charged()).toEqual(before);
  return error;
};
const endsAsIfNothingHappened = async (...options: readonly string[]): Promise<string> => {
  const { code, error } = await run('--resume', ...options);
  expect(code, error).toBe(0);
  expect(model()).toEqual(whole);
  expect(Object.keys(charged())).toEqual([name]);
  return error;
};

describe('a release goes on, charged once, when', { timeout: 60_000 }, () => {
  test('the transcript is damaged: by what the message says', async () => {
    flip(at(transcript));
    expect(await refused('--resume')).toContain(`Delete ${at(transcript)}, then --resume`);
    rmSync(at(transcript));
    await endsAsIfNothingHappened();
  });

  test.each([
    [
      'is lost',
      () => {
        rmSync(at(runFile));
      },
    ],
    [
      'is damaged',
      () => {
        writeFileSync(at(runFile), 'xx');
      },
    ],
    [
      'is lost, and the transcript',
      () => {
        rmSync(at('out'), { recursive: true });
      },
    ],
  ] as const)('run.json %s', async (_what, damage) => {
    damage();
    expect(await endsAsIfNothingHappened()).toContain(`going on with run ${name}, which the ledger holds`);
    expect(JSON.parse(folder.read(runFile))).toEqual({ run: name, seed: name, opened: true });
  });

  test('all was charged, and the results, the transcript and run.json are lost', async () => {
    await endsAsIfNothingHappened();
    rmSync(at('out'), { recursive: true });
    await endsAsIfNothingHappened();
  });

  test('run.json is lost, and the ledger holds several runs that were interrupted: by what the message says', async () => {
    renameSync(at('out'), at('first'));
    await interrupted();
    rmSync(at(runFile));
    const text = defined(/that file as (\{[^}]*\})/u.exec(await refused('--resume')))[1];
    writeFileSync(at(runFile), text);
    const { code, error } = await run('--resume');
    expect(code, error).toBe(0);
    expect(Object.keys(charged())).toHaveLength(2);
  });
});

test('a lost run.json is never taken for no release: the transcript stays', async () => {
  rmSync(at(runFile));
  const before = readFileSync(at(transcript));
  expect(await refused()).toContain('already holds a release; go on with --resume');
  expect(readFileSync(at(transcript))).toEqual(before);
});

describe('a ledger', { timeout: 60_000 }, () => {
  const forgets = /counted nowhere/u;

  test('that is lost is not begun anew by --resume, by --again, or for another folder', async () => {
    const kept = ledger();
    rmSync(kept);
    for (const options of [['--resume'], ['--again'], ['--out', at('elsewhere')]]) {
      const { code, out, error } = await run(...options);
      expect([code, out, ledgers()]).toEqual([1, '', []]);
      expect(error).toContain(`the ledger ${kept}`);
      expect(error).toMatch(/what was spent.*bring it back from a copy.*--again --new-ledger/u);
    }
    expect(folder.has(runFile)).toBe(true);
    const { code, error } = await run('--again', '--new-ledger');
    expect([code, error]).toEqual([0, expect.stringMatching(forgets)]);
    expect(Object.keys(charged())).toHaveLength(1);
  });

  test('that is damaged is not begun anew either, and is kept beside the new one', async () => {
    const kept = ledger();
    const bytes = (flip(kept), readFileSync(kept));
    for (const options of [['--resume'], ['--again']]) {
      const { code, out, error } = await run(...options);
      expect([code, out]).toEqual([1, '']);
      expect(error).toMatch(/is damaged: bring it back from a copy.*--again --new-ledger/u);
      expect(error).not.toContain('start a new run');
    }
    expect(readFileSync(kept)).toEqual(bytes);
    const { code, error } = await run('--again', '--new-ledger');
    expect([code, error]).toEqual([0, expect.stringMatching(forgets)]);
    const aside = readdirSync(at('home')).find((each) => each.includes('.damaged-'));
    expect(readFileSync(join(at('home'), defined(aside)))).toEqual(bytes);
  });

  test('that is in order is not given up', async () => {
    expect(await refused('--again', '--new-ledger')).toContain('is in order; leave --new-ledger out');
    expect(await refused('--resume', '--new-ledger')).toContain('give --new-ledger with --again');
  });

  test('that does not hold the run, such as a copy of before it, is told from one that does', async () => {
    const held = readFileSync(ledger());
    renameSync(at('out'), at('other'));
    rmSync(ledger());
    expect(await run('--new-ledger')).toMatchObject({ code: 0 });
    rmSync(at('out'), { recursive: true });
    renameSync(at('other'), at('out'));
    for (const file of ['', transcript]) {
      if (file !== '') rmSync(at(file));
      expect(await refused('--resume')).toMatch(
        new RegExp(`does not hold run ${name}: it is an older copy, or another ledger`, 'u'),
      );
    }
    writeFileSync(ledger(), held);
    await endsAsIfNothingHappened();
  });

  test('that is an older copy of the run: by what the message says', async () => {
    const older = readFileSync(ledger());
    await endsAsIfNothingHappened();
    writeFileSync(ledger(), older);
    expect(await refused('--resume')).toMatch(
      /Bring back the newest copy of the ledger\. Without one: Delete .*, then --resume/u,
    );
    rmSync(at(transcript));
    await endsAsIfNothingHappened();
  });
});
