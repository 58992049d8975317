import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { memoryStore, sameEvent, type PrivacyEvent, type Store } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { fileStore } from '@lethe/node';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bin, buildFirst } from './support/built.js';
import { labFolder, release, type LabFolder } from './support/lab-folder.js';

buildFirst();

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const steps = 150;
/**
 * A few hundred queries, each of them waiting for the disk twice.
 * Everybody is in every batch, so that planning takes no time to speak of.
 */
const long = {
  ...release,
  optimizer: { name: 'dp-sgd', params: { steps, rate: 1, clipNorm: 1, stepSize: 0.05 } },
};
const short = { ...long, optimizer: { ...long.optimizer, params: { ...long.optimizer.params, steps: 5 } } };

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
  readonly pid: number;
}

/** Runs the shipped command in a process of its own; `watch` may kill it. */
async function lethe(
  args: readonly string[],
  watch: (kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
  input?: string,
  hear: (said: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder.path,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString('utf8');
  });
  child.stderr.on('data', (bytes: Buffer) => {
    error += bytes.toString('utf8');
    hear(error, (signal) => child.kill(signal));
  });
  child.stdin.end(input);
  watch((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, out, error, pid: defined(child.pid) });
    });
  });
}

const run = ['run', 'one.json', '--out', 'out'];
/** A copy, which opening may write anew: a compacted ledger. */
const asRead = (path: string): Store => memoryStore(new Uint8Array(readFileSync(path)));
const ledgerOf = (): ReturnType<typeof openLedger> =>
  openLedger({ adjacency: 'zero-out', store: asRead(folder.file('data.ledger')) });
const sizeOf = (name: string): number => (folder.has(name) ? readFileSync(folder.file(name)).length : 0);

/** Kills once the two logs together have grown by `bytes`: a moment of the run, not of the clock. */
function killAfter(bytes: number, ...signals: readonly NodeJS.Signals[]) {
  return (kill: (signal: NodeJS.Signals) => void): void => {
    const written = (): number => sizeOf('data.ledger') + sizeOf('out/one/transcript.lethe');
    const from = written();
    const timer = setInterval(() => {
      if (written() - from >= bytes) {
        clearInterval(timer);
        for (const signal of signals) kill(signal);
      }
    }, 1);
    timer.unref();
  };
}

/** Ends a release that was killed, from whatever it left, and checks that it was paid for once. */
async function expectEndsWhole(): Promise<void> {
  const last = await lethe([...run, '--resume']);
  expect([last.code, last.error.split('\n').filter((line) => line.startsWith('lethe'))]).toEqual([0, []]);
  expect(last.out).toMatch(/privacy +epsilon in \[/u);
  expect(last.out).toContain('equals the plan');
  const [result] = JSON.parse(folder.read('out/results.json')) as [
    { spent: PrivacyEvent; plan: { event: PrivacyEvent }; run: string; ledgerMatchesPlan: boolean },
  ];
  const ledger = ledgerOf();
  const paid = ledger.runs().filter((name) => ledger.spentBy(name).kind !== 'core/free');
  expect(paid).toEqual([result.run]);
  for (const event of [result.spent, ledger.total(), ledger.spentBy(result.run)])
    expect(sameEvent(event, result.plan.event)).toBe(true);
  expect(result.ledgerMatchesPlan).toBe(true);
  expect(folder.all().filter((name) => name.includes('.lock') || name.endsWith('.next'))).toEqual([]);
}

test.skipIf(process.platform === 'win32')(
  'killed and interrupted at any moment, again and again, a release ends with its ledger equal to its plan',
  { timeout: 120_000 },
  async () => {
    folder.write('one.json', long);
    // From the first byte of the ledger to the middle of the last checkpoint, at moments with no pattern.
    const moments: readonly (readonly [number, ...NodeJS.Signals[]])[] = [
      [1, 'SIGKILL'],
      [700, 'SIGKILL'],
      [3001, 'SIGINT'],
      [5, 'SIGKILL'],
      [2000, 'SIGINT', 'SIGINT'],
      [4013, 'SIGKILL'],
    ];
    let charged = 0;
    let stale = 0;
    for (const [bytes, ...signals] of moments) {
      const { signal, code, out, error } = await lethe(
        folder.has('out/one/run.json') ? [...run, '--resume'] : run,
        killAfter(bytes, ...signals),
      );
      if (signals.length > 1)
        // The first may have ended it before the second came.
        expect([
          [null, 'SIGINT'],
          [1, null],
        ]).toContainEqual([code, signal]);
      else if (signals[0] === 'SIGKILL') expect(signal).toBe('SIGKILL');
      else {
        // An interrupt ends cleanly: exit 1, how to go on, no lock.
        expect([code, signal, out]).toEqual([1, null, '']);
        expect(error).toContain('--resume');
        expect(folder.all()).toEqual([
          'data.ledger',
          'one.json',
          'out/one/run.json',
          'out/one/transcript.lethe',
        ]);
      }
      if (folder.has('data.ledger.lock')) stale += 1;
      // The ledger of an ended process opens, and never holds less than before.
      const spent = countOf(ledgerOf().total());
      expect(spent).toBeGreaterThanOrEqual(charged);
      charged = spent;
    }
    expect(stale).toBeGreaterThan(0);
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBeLessThan(steps);
    await expectEndsWhole();
  },
);

/** Repetitions in a composition of equal events. */
const countOf = (event: PrivacyEvent): number =>
  event.kind === 'core/free'
    ? 0
    : ((event as unknown as { parts?: readonly { count: number }[] }).parts?.reduce(
        (sum, { count }) => sum + count,
        0,
      ) ?? 1);

test.skipIf(process.platform === 'win32')(
  'an interrupt during planning ends the process at once, and nothing is left',
  { timeout: 60_000 },
  async () => {
    // Hundreds of plans, one after another, without a pause in which anybody could listen.
    const { adjacency: _, budget, optimizer, ledger: _ledger, problem, ...shared } = long;
    const many = {
      ...shared,
      kind: 'evaluation',
      problems: [problem],
      seeds: { count: 1 },
      budgets: Array.from({ length: 900 }, (_unused, i) => ({ ...budget, epsilon: 1 + i / 100 })),
      optimizers: [{ ...optimizer, params: { ...optimizer.params, rate: 0.01 } }],
    };
    folder.write('one.json', many);
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      const child = await lethe(
        run,
        () => undefined,
        undefined,
        (said, kill) => {
          if (said.includes('planning')) kill(name);
        },
      );
      expect([child.code, child.signal, child.out]).toEqual([null, name, '']);
      expect(folder.all()).toEqual(['one.json']);
    }
  },
);

test(
  'the lock of a dead process is taken over, that of a living one is not',
  { timeout: 60_000 },
  async () => {
    folder.write('one.json', short);
    const { pid } = spawnSync(process.execPath, ['--version']);
    const held = fileStore(folder.file('data.ledger'));
    const refused = await lethe(run);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.error).toContain(`in use by process ${process.pid}`);
    expect(refused.error).toContain(`delete ${folder.file('data.ledger.lock')}`);
    expect(folder.has('out')).toBe(false);
    held.close();
    folder.write('data.ledger.lock', String(pid));
    expect((await lethe(run)).code).toBe(0);
    expect(ledgerOf().runs()).toHaveLength(1);
  },
);

test(
  'standard input and standard output: an event, a batch of any lines, a reader that stops reading',
  { timeout: 60_000 },
  async () => {
    const gaussian = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1 } };
    const asked = ['--adjacency', 'replace-one', '--delta', '1e-6'];
    const one = await lethe(['account', '-', ...asked, '--json'], undefined, JSON.stringify(gaussian));
    expect([one.code, one.error]).toEqual([0, '']);
    expect(JSON.parse(one.out)).toHaveProperty('epsilon.upper');
    const lines = Array.from({ length: 150 }, (_, i) =>
      i % 3 === 1
        ? `{"id":${i}, broken`
        : JSON.stringify({
            id: i,
            event: i % 3 === 2 ? { kind: 'core/none', v: 1 } : gaussian,
            adjacency: 'replace-one',
            delta: 1e-6,
          }),
    );
    const batch = await lethe(['account', '--lines'], undefined, lines.join('\n'));
    expect([batch.code, batch.error]).toEqual([0, '']);
    const answers = batch.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null; epsilon?: unknown; error?: unknown });
    expect(answers).toHaveLength(150);
    answers.forEach((answer, i) => {
      expect([answer.id, 'epsilon' in answer, 'error' in answer]).toEqual([
        i % 3 === 1 ? null : i,
        i % 3 === 0,
        i % 3 !== 0,
      ]);
    });
    const bad = await lethe(['account', '-', ...asked], undefined, '');
    expect([bad.code, bad.out]).toEqual([2, '']);
    const nothing = await lethe(['account', '--lines'], undefined, '');
    expect([nothing.code, nothing.out, nothing.error]).toEqual([0, '', '']);
    const deaf = spawn(process.execPath, [bin, 'plugins', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    deaf.stdout.destroy();
    let error = '';
    deaf.stderr.on('data', (bytes: Buffer) => {
      error += bytes.toString('utf8');
    });
    expect(
      await new Promise((resolve) => {
        deaf.on('close', resolve);
      }),
    ).toBe(0);
    expect(error).toBe('');
  },
);

test(
  'a batch waits for its reader, whoever writes, and ends with the reader though its input does not',
  { timeout: 60_000 },
  async () => {
    const line =
      JSON.stringify({
        id: 1,
        event: { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1 } },
        adjacency: 'replace-one',
        epsilon: 1,
      }) + `\n`;
    const child = spawn(process.execPath, [bin, 'account', '--lines'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => undefined);
    const chunks = 400;
    let sent = 0;
    // What does not fit into pipes and buffers stays with the writer.
    const pump = (): void => {
      while (sent < chunks && child.stdin.write(line.repeat(500))) sent++;
    };
    child.stdin.on('drain', pump);
    pump();
    const ended = new Promise((resolve) => {
      child.on('close', resolve);
    });
    let last = -1;
    for (let still = 0; still < 6; still = sent === last ? still + 1 : 0) {
      last = sent;
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
    expect(sent).toBeLessThan(chunks);
    child.stdout.destroy();
    expect(await ended).toBe(0);
  },
);
