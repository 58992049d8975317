import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bin } from './support/built.js';
import { main } from '../src/cli/main.js';
import { readText } from '../src/experiment/read-all.js';
import { evaluation, labFolder, lethe, type LabFolder } from './support/lab-folder.js';
import { connectNats } from '@lethe/federation';
import { jetstream } from '@nats-io/jetstream';
import { openQueue, readJob, readOrder, readOutcome } from '../src/queue/queue.js';
import { freePort } from './support/free-port.js';
import { halfSpace, writePlugins } from './support/plain-plugins.js';

const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

test('a nats-server is there to share the runs of an evaluation, or this machine says that it has none', ({
  skip,
}) => {
  if (!hasNatsServer) skip('no nats-server on PATH: the work queue was not tried');
  expect(hasNatsServer).toBe(true);
});

test.each([
  [['--patience', '5'], '--patience is about the queue of --server'],
  [['--server', 'nats://127.0.0.1:1', '--jobs', '2'], 'give one of them'],
  [['--server', 'nats://127.0.0.1:1', '--patience', '0'], 'at least 1 second'],
])('lethe run %j is refused', async (args, message) => {
  const { code, error } = await lethe('run', folder.write('a.json', evaluation), ...args);
  expect([code, error]).toEqual([2, expect.stringContaining(message) as string]);
});

test('a worker says that it waits for a NATS server, and that Ctrl-C ends the wait', async () => {
  const interrupt = new AbortController();
  const said: string[] = [];
  const error = (text: string) => {
    said.push(text);
    interrupt.abort();
  };
  const server = `nats://127.0.0.1:${await freePort()}`;
  const code = await main(['worker', '--server', server], { out: () => {}, error }, interrupt.signal);
  expect(code).toBe(1);
  expect(said).toEqual([
    `No NATS server answers at ${server} (--server); it is tried again. Ctrl-C stops.\n`,
    expect.stringContaining('interrupted') as string,
  ]);
});

test.each([
  ['on a line of its own', 'lethe: 1\nplugins:\n  - ./plugin.mjs\n', []],
  ['in one line', '{ "lethe": 1, "plugins": ["./plugin.mjs"] }', []],
  ['by an escaped key', '{ "lethe": 1, "plug\\u0069ns": ["./plugin.mjs"] }', []],
  ['by --set', 'lethe: 1\n', ['plugins=[./plugin.mjs]']],
])('a module that a job names %s is not loaded', async (_how, text, set) => {
  const loaded = folder.file('loaded');
  folder.write('plugin.mjs', `import { writeFileSync } from 'node:fs';\nwriteFileSync('${loaded}', '');\n`);
  const { read, mistakes } = await readText(text, folder.file('a.yaml'), { set, named: 'refuse' });
  expect(read).toBeNull();
  expect(mistakes.map(({ message }) => message)).toContain(
    'it names plugins; give them to both sides with --plugin',
  );
  expect(existsSync(loaded)).toBe(false);
  await readText(text, folder.file('a.yaml'), { set });
  expect(existsSync(loaded)).toBe(true);
});

test.each([readJob, readOrder, readOutcome])('a message that is none of %o ends nobody', (read) => {
  for (const junk of ['', '{"key":', '{"key":5}', '[]', '{"path":"a","text":"","set":"x"}', '\u0000'])
    expect(read(new TextEncoder().encode(junk))).toBeNull();
});

/** Starts a nats-server and commands, and ends them. */
async function beside(
  use: (server: string, start: (args: readonly string[]) => ChildProcess) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const server = `nats://127.0.0.1:${port}`;
  const children: ChildProcess[] = [];
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    return child;
  };
  try {
    start('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder.file('js')]);
    await junkFirst(server);
    await use(server, (args) => start(process.execPath, [bin, ...args]));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(
      children.map(
        async (child) =>
          child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once('exit', resolve)),
      ),
    );
  }
}
const exitOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', resolve));

/** A domain that holds its thread once, longer than the queue is patient: after the 6 calls of planning. */
const slow = halfSpace('slow').replace(
  'projectInto(out, point) {',
  `projectInto(out, point) {
        if (++calls === 7) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);`,
);

describe.skipIf(!hasNatsServer)('the queue of a nats-server', () => {
  test('four workers, one of them killed at its work, come to the bits of one process', async () => {
    await beside(async (server, start) => {
      const path = folder.write('a.json', {
        ...evaluation,
        optimizers: [{ name: 'dp-sgd', params: { steps: 200, rate: 1, clipNorm: 1, stepSize: [0.1, 0.2] } }],
        seeds: { count: 3 },
      });
      const run = start(['run', path, '--out', folder.file('shared'), '--server', server, '--patience', '1']);
      const others = folder.write('elsewhere/a.json', 'not the experiment: workers have it from the queue');
      const workers = Array.from({ length: 4 }, () =>
        start(['worker', '--server', server, '--folder', others.replace(/a\.json$/u, '')]),
      );
      const [victim] = workers;
      victim.stderr?.once('data', () => void wait(5).then(() => victim.kill('SIGKILL')));
      expect(await exitOf(run)).toBe(0);
      const [, idle] = workers;
      idle.kill('SIGINT');
      expect(await exitOf(idle)).toBe(0);
    });
    const problemsOf = (out: string): unknown =>
      (JSON.parse(folder.read(`${out}/results.json`)) as readonly [{ readonly problems: unknown }])[0]
        .problems;
    const alone = await lethe('run', folder.file('a.json'), '--out', folder.file('alone'));
    expect(alone.code).toBe(0);
    expect(problemsOf('shared')).toEqual(problemsOf('alone'));
    expect(folder.all().filter((name) => name.startsWith('shared/cells/')).length).toBe(12);
  });

  test('a run whose one step takes longer than the queue waits is given to nobody else', async () => {
    const plugin = ['--plugin', writePlugins(folder, 'slow.mjs', 'let calls = 0;', slow)];
    const said: string[] = [];
    await beside(async (server, start) => {
      const path = folder.write('a.json', {
        ...evaluation,
        problems: [{ ...evaluation.problems[0], domain: { name: 'slow', params: { least: -100 } } }],
        optimizers: [{ name: 'dp-sgd', params: { steps: 2, rate: 1, clipNorm: 1, stepSize: 0.1 } }],
        sizes: [60],
        seeds: { count: 1 },
      });
      const args = ['--server', server, ...plugin];
      const run = start(['run', path, '--out', folder.file('slow'), '--patience', '2', ...args]);
      for (const worker of [0, 1].map(() => start(['worker', ...args])))
        worker.stderr?.on('data', (text: Buffer) => said.push(text.toString()));
      expect(await exitOf(run)).toBe(0);
    });
    expect(said.join('')).toMatch(/done: /u);
    expect(said.join('')).not.toMatch(/silent/u);
  });
});

/** A message that is no job: workers pass it over. */
async function junkFirst(server: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      const connection = await connectNats({ servers: server, name: 'junk' });
      await openQueue(connection);
      await jetstream(connection as Parameters<typeof jetstream>[0]).publish('lethe.job.junk', 'junk');
      await connection.drain();
      return;
    } catch (error) {
      if (tries > 50) throw error;
      await wait(100);
    }
  }
}
