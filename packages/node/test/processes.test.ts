import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What is run here is what is shipped: a whole run has built it before. */
beforeAll(() => {
  if (process.env['LETHE_DIST'] !== undefined) return;
  const built = spawnSync(
    process.execPath,
    [at('../../../node_modules/@typescript/native/bin/tsc'), '-b', at('../tsconfig.json')],
    { encoding: 'utf8' },
  );
  expect(built.stdout + built.stderr).toBe('');
}, 120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-locks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Takes and leaves stores as its input says: `take PATH MOMENT`, `leave`. */
const program = `
  import { createInterface } from 'node:readline';
  import { fileStore } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
  let store;
  for await (const line of createInterface({ input: process.stdin })) {
    const [deed, path, moment] = line.split(' ');
    if (deed === 'leave') { store?.close(); store = undefined; console.log('left'); continue; }
    while (Date.now() < Number(moment));
    try { store = fileStore(path, { durable: false }); store.append(Uint8Array.of(1)); console.log('held'); }
    catch (error) { console.log(error.code + ': ' + error.message); }
  }
`;

interface Writer {
  ask(line: string): Promise<string>;
  end(signal?: NodeJS.Signals): Promise<void>;
}
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process that holds stores; `inside` is a command that it runs in, such as one that makes a container. */
function writer(inside: readonly string[] = []): Writer {
  const [command, ...args] = [...inside, process.execPath, '--input-type=module', '-e', program];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      running.delete(child);
      resolve();
    });
  });
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    },
    async end(signal) {
      if (signal === undefined) child.stdin.end();
      else child.kill(signal);
      return ended;
    },
  };
}

test(
  'of four processes that take the lock of one that was killed, one holds it, in every of 25 rounds',
  { timeout: 120_000 },
  async () => {
    const path = join(folder, 'ledger');
    const four = Array.from({ length: 4 }, () => writer());
    const killed = writer();
    expect(await killed.ask(`take ${path} 0`)).toBe('held');
    const lock = JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as object;
    await killed.end('SIGKILL');
    for (let round = 0; round < 25; round++) {
      // The first is what the kernel left; the others are that under
      // a name of their own, half of them with a pipe.
      if (round > 0) {
        const id = String(round).padStart(16, '0');
        writeFileSync(`${path}.lock`, JSON.stringify({ ...lock, id }));
        if (round % 2 === 0) spawnSync('mkfifo', [`${path}.lock.${id}`]);
      }
      const moment = Date.now() + 20;
      const answers = await Promise.all(four.map((each) => each.ask(`take ${path} ${moment}`)));
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
      for (const answer of answers.filter((each) => each !== 'held'))
        expect(answer).toMatch(/^corrupt: .* is in use by process \d+/u);
      expect(readFileSync(path)).toHaveLength(round + 2);
      await Promise.all(four.map((each) => each.ask('leave')));
      expect(readdirSync(folder)).toEqual(['ledger']);
    }
    await Promise.all(four.map((each) => each.end()));
  },
);

test(
  'killed while taking and leaving, over and over, processes leave a lock that the next one takes',
  { timeout: 120_000 },
  async () => {
    const path = join(folder, 'ledger');
    const endless = `import { fileStore } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
    for (;;) try { const store = fileStore(${JSON.stringify(path)}, { durable: false }); process.stdout.write('.'); store.close(); } catch (error) { if (error.code !== 'corrupt' || !error.message.includes('in use')) throw error; }`;
    const errors: string[] = [];
    let taken = 0;
    const next = writer();
    for (let round = 0; round < 4; round++) {
      const both = [0, 1].map(() =>
        spawn(process.execPath, ['--input-type=module', '-e', endless], {
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
      const closed = both.map(
        (child) =>
          new Promise((resolve) => {
            child.on('close', resolve);
          }),
      );
      await Promise.all(
        both.map(
          (child) =>
            new Promise((resolve) => {
              child.stdout.once('data', resolve);
              child.once('close', resolve);
              child.stdout.on('data', (bytes: Buffer) => {
                taken += bytes.length;
              });
              child.stderr.on('data', (bytes: Buffer) => {
                errors.push(String(bytes));
              });
            }),
        ),
      );
      await new Promise((resolve) => {
        setTimeout(resolve, 19 * round);
      });
      for (const child of both) child.kill('SIGKILL');
      await Promise.all(closed);
      expect(await next.ask(`take ${path} 0`)).toBe('held');
      await next.ask('leave');
      expect(readdirSync(folder)).not.toContain('ledger.lock');
    }
    await next.end();
    expect(errors).toEqual([]);
    expect(taken).toBeGreaterThan(8);
  },
);

const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const hasContainers = spawnSync(container[0], [...container.slice(1), 'true']).status === 0;

describe.skipIf(!hasContainers)('in a container', () => {
  test(
    'the lock of a killed process is taken over, also if its number belongs to another process',
    { timeout: 60_000 },
    async () => {
      const path = join(folder, 'ledger');
      for (let round = 0; round < 2; round++) {
        const each = writer(container);
        expect(await each.ask(`take ${path} 0`)).toBe('held');
        expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toMatchObject({ pid: 1 });
        await each.end('SIGKILL');
      }
      const outside = writer();
      expect(await outside.ask(`take ${path} 0`)).toBe('held');
      await outside.end();
    },
  );

  test(
    'the lock of a running process is refused to all others, in containers and outside',
    { timeout: 60_000 },
    async () => {
      const path = join(folder, 'ledger');
      const first = writer(container);
      const second = writer(container);
      const outside = writer();
      expect(await first.ask(`take ${path} 0`)).toBe('held');
      for (const other of [second, outside])
        expect(await other.ask(`take ${path} 0`)).toMatch(/in use by process 1;/u);
      await first.ask('leave');
      expect(await outside.ask(`take ${path} 0`)).toBe('held');
      expect(await second.ask(`take ${path} 0`)).toMatch(/in use by process \d+;/u);
      await Promise.all([first, second, outside].map((each) => each.end()));
    },
  );
});
