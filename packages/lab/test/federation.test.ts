import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lethe/core';
import { identityFrom } from '@lethe/federation';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Streams } from '../src/cli/command.js';
import { main } from '../src/cli/main.js';
import type { FederationResult } from '../src/federation/federation-result.js';
import { publicShape } from '../src/federation/public-shape.js';
import { readFederation } from '../src/federation/read-federation.js';
import { renderFederation } from '../src/report/federation.js';
import { bin, buildFirst } from './support/built.js';
import { freePort } from './support/free-port.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'lethe-federation-'));
const inside = (name: string): string => join(folder, name);

buildFirst();

const children = new Set<ChildProcess>();
const before = process.cwd();
beforeAll(() => {
  vi.stubEnv('LETHE_HOME', inside('home'));
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}
/** A command as a process of its own, where it is to be killed, or goes on after one that was. */
function started(parameters: readonly string[], input = '') {
  const child = spawn(process.execPath, [bin, ...parameters]);
  children.add(child);
  let out = '';
  let error = '';
  child.stdout.on('data', (text) => (out += String(text)));
  child.stderr.on('data', (text) => (error += String(text)));
  child.stdin.write(input);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code, out, error });
    });
  });
  return { child, ended };
}
/** A command in this process, where nothing hangs on its being one, until it ends or is interrupted. */
function begun(parameters: readonly string[], input = '') {
  const interrupt = new AbortController();
  let out = '';
  let error = '';
  const streams: Streams = {
    out: (text) => (out += text),
    error: (text) => (error += text),
    input: async function* typed() {
      yield new TextEncoder().encode(input);
    },
  };
  const ended = main(parameters, streams, interrupt.signal).then((code): Ended => ({ code, out, error }));
  return { stop: () => interrupt.abort(), ended, error: () => error };
}
const ran = (...parameters: readonly string[]): Promise<Ended> => begun(parameters).ended;
/** A nats-server, and the port at which it listens. */
async function natsServer(): Promise<number> {
  const port = await freePort();
  children.add(spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' }));
  return port;
}
/** Bytes of a transcript with some of 32 answers of three numbers, and not all. */
const fewAnswers = 2600;
const sleep = (seconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 * seconds);
  });
const keyIn = (text: string): string => /lethe-key:[\w-]+/u.exec(text)?.[0] ?? '';

function table(name: string, rows: number): void {
  const random = seededRandom(name);
  const lines = Array.from({ length: rows }, () => {
    const [age, dose] = [20 + 60 * random.uniform(), 10 * random.uniform()];
    return `${age.toFixed(1)},${dose.toFixed(2)},${dose + 5 * random.uniform() > 7 ? 1 : 0}`;
  });
  writeFileSync(inside(`${name}.csv`), `age,dose,better\n${lines.join('\n')}\n`);
}
const experiment = (port: number, rest: object = {}): object => ({
  lethe: 1,
  kind: 'federation',
  name: 'dose',
  title: 'Who gets better',
  server: `nats://127.0.0.1:${port}`,
  deadline: 2,
  problem: {
    name: 'dose',
    title: 'Who gets better',
    data: {
      read: { columns: { age: 'number', dose: 'number', better: 'number' } },
      design: {
        intercept: true,
        features: [
          { column: 'age', encoding: 'scale', lower: 20, upper: 80 },
          { column: 'dose', encoding: 'scale', lower: 0, upper: 10 },
        ],
        label: { column: 'better', threshold: 0.5 },
      },
    },
    loss: { name: 'logistic' },
    domain: { name: 'l2-ball', params: { radius: 3 } },
  },
  optimizer: { name: 'dp-mu2-sgd', params: { rounds: 30 } },
  budget: { epsilon: 1, delta: 1e-6 },
  ...rest,
});
const write = (name: string, content: object): string => {
  writeFileSync(inside(name), JSON.stringify(content));
  return inside(name);
};

const checked = async (path: string): Promise<readonly [number | null, string]> => {
  const { code, out, error } = await ran('check', path);
  return [code, out + error];
};

describe('the file of a federated run', () => {
  it('tells the shape of records that nobody has read', async () => {
    const {
      experiment: { problem },
    } = await readFederation(write('shape.json', experiment(1)));
    const shape = publicShape(problem);
    expect(shape).toMatchObject({ columns: 3, featureNames: ['intercept', 'age', 'dose'] });
    expect(shape.rowNorm).toBeCloseTo(Math.sqrt(3), 9);
  });

  it.each([
    [
      { problem: { ...(experiment(1) as { problem: object }).problem, data: { file: 'x.csv', design: {} } } },
      /data/u,
    ],
    [{ adjacency: 'add-remove' }, /adjacency/u],
    [{ silos: [{ name: 'North', key: 'x' }] }, /silos/u],
    [{ deadline: 0 }, /deadline/u],
    [{ trust: 'everybody' }, /trust/u],
  ])('is refused with a mistake: %j', async (mistake, message) => {
    await expect(readFederation(write('wrong.json', experiment(1, mistake)))).rejects.toThrow(message);
  });
});

describe('lethe check', () => {
  it('knows federated runs: all mistakes with line and column, a wrong letter of a key among them', async () => {
    const silos = ['north', 'south'].map((name) => ({
      name,
      key: identityFrom(seededRandom(name).bytes(64)).public.text,
    }));
    const right = write('right.json', experiment(1, { silos }));
    expect(await checked(right)).toStrictEqual([
      0,
      expect.stringContaining("federated run 'dose' of 2 silos"),
    ]);
    const [{ key }] = silos;
    const wrong = write('mistaken.json', {
      ...experiment(1, {
        silos: [{ name: 'north', key: key.replace(/.$/u, key.endsWith('w') ? 'Q' : 'w') }],
      }),
      optimizer: { name: 'dp-mu3-sgd', params: {} },
      deadline: -1,
    });
    const [code, text] = await checked(wrong);
    expect(code).toBe(2);
    for (const path of ['silos.0.key: the public key', 'deadline', 'dp-mu3-sgd'])
      expect(text).toContain(path);
    expect(text.match(/mistaken\.json:\d+:\d+: /gu)).toHaveLength(3);
  });
});

describe.skipIf(!hasNatsServer)('lethe silo and lethe federate, over a nats-server', () => {
  it('make a run that survives killed silos and a killed server, and keep to limits', async () => {
    const port = await natsServer();
    const names = ['north', 'south'];
    names.forEach((name, i) => table(name, 60 + 30 * i));
    const first = await ran('federate', write('dose.json', experiment(port)));
    expect([first.code, keyIn(first.out)]).toStrictEqual([0, expect.stringMatching(/^lethe-key:/u)]);
    const server = keyIn(first.out);
    const silos: { name: string; key: string }[] = [];
    for (const name of names) {
      const { out, error } = await ran('silo', '--data', `${name}.csv`, '--folder', `silo-${name}`);
      expect(error).toContain('--server-key');
      silos.push({ name, key: keyIn(out) });
    }
    write('dose.json', experiment(port, { silos }));
    const silo = (name: string, ...more: readonly string[]): readonly string[] => [
      'silo',
      '--data',
      `${name}.csv`,
      '--folder',
      `silo-${name}`,
      '--limit',
      '1.5,1e-6',
      '--server',
      `nats://127.0.0.1:${port}`,
      '--server-key',
      server,
      ...more,
    ];
    // One owner is asked and says yes; the other is killed when it has answered a few queries.
    const north = started(silo('north', '--once'), 'y\n');
    const killed = [
      started(silo('south', '--yes', '--json')),
      started(['federate', 'dose.json', '--out', 'out']),
    ];
    // After a few of 32 answers: whoever is killed once the run has ended leaves its lock behind.
    const transcript = inside('out/transcript.lethe');
    while (!existsSync(transcript) || statSync(transcript).size < fewAnswers) await sleep(0.005);
    for (const { child } of killed) child.kill('SIGKILL');
    await Promise.all(killed.map(({ ended }) => ended));
    const south = started(silo('south', '--yes', '--json'));
    const resumed = await started(['federate', 'dose.json', '--out', 'out', '--resume']).ended;
    expect(resumed.code, resumed.error).toBe(0);
    const said = await north.ended;
    expect([said.code, said.error]).toStrictEqual([0, expect.stringContaining('costs you  epsilon 1')]);
    expect(said.error).toContain(
      'so far     nothing spent; limit epsilon 1.5 at delta 1e-6, 0 % of it taken',
    );
    expect(said.out).toContain('the run has ended');
    south.child.kill();
    await south.ended;
    const finished = await ran('federate', 'dose.json', '--out', 'out', '--resume');
    expect([finished.code, finished.error]).toStrictEqual([0, expect.stringContaining('finished before')]);
    const result = JSON.parse(readFileSync(inside('out/results.json'), 'utf8')) as {
      label: string;
      queries: number;
      output: number[];
      silos: { name: string; records: number; epsilon: { upper: number } }[];
    };
    expect(result).toMatchObject({ label: 'release', queries: 32 });
    expect(result.output).toHaveLength(3);
    expect(result.silos.map(({ name, records }) => [name, records])).toStrictEqual([
      ['north', 60],
      ['south', 90],
    ]);
    for (const { epsilon } of result.silos) expect(epsilon.upper).toBeLessThanOrEqual(1);
    const page = readFileSync(inside('out/report.html'), 'utf8');
    for (const text of ['north', 'south', 'without a reply', 'KiB from it', 'what its ledger holds'])
      expect(page).toContain(text);
    expect(page).not.toContain('results.csv');
    const predicted = await ran('predict', inside('out/model.json'), inside('north.csv'));
    expect(predicted.code, predicted.error).toBe(0);
    expect(predicted.out.trim().split('\n')).toHaveLength(61);
    expect((await ran('inspect', inside('out/model.json'))).out).toContain('on 2 silos');
    const evaluated = await ran(
      'evaluate',
      'out/model.json',
      'north.csv',
      '--epsilon',
      '0.1',
      '--ledger',
      'e.ledger',
      '--yes',
    );
    expect([evaluated.code, evaluated.error]).toStrictEqual([0, expect.any(String)]);
    const own = readdirSync(inside('silo-north')).find((name) => name.startsWith('certificate-')) ?? '';
    expect(JSON.parse(readFileSync(inside(`silo-north/${own}`), 'utf8'))).toMatchObject({
      silo: 'north',
      records: 60,
      answered: 32,
    });
    expect(readdirSync(inside('out')).filter((name) => name.includes('lock'))).toStrictEqual([]);
    const ledgers = JSON.parse((await ran('ledger', '--json')).out) as readonly {
      readonly runs: readonly object[];
    }[];
    expect(ledgers.flatMap(({ runs }) => runs)).toMatchObject([{ ended: true }, { ended: true }]);

    // The limit has no room for a second run of the same cost, and a run is not made twice by the way.
    expect((await ran('federate', 'dose.json', '--out', 'out')).error).toContain('finished; make another');
    const paidFor = readFileSync(inside('out/model.json'), 'utf8');
    const { run } = JSON.parse(readFileSync(inside('out/results.json'), 'utf8')) as { readonly run: string };
    // No start loosens the limit of an earlier one, and the owner is told before the question.
    const both = names.map((name) => begun([...silo(name), '--limit', '9,1e-6'], 'y\n'));
    const refused = await ran('federate', 'dose.json', '--out', 'out', '--again');
    expect([refused.code, refused.error]).toStrictEqual([
      1,
      expect.stringMatching(/silo '(north|south)' refuses \(no-room\)/u),
    ]);
    const owners = both.map(({ error }) => error());
    const asked = owners.find((text) => text.includes('A plan was proposed'));
    expect(asked).toContain('keeps a limit of epsilon 1.5 at delta 1e-6, which is not loosened');
    expect(asked).toMatch(/No room: .* for a budget\.epsilon of [\d.]+ or less.*\nTake part/u);
    expect(refused.error).not.toMatch(/1\.5|raiseLimit/u);
    expect(readFileSync(inside(`out/earlier-${run}/model.json`), 'utf8')).toBe(paidFor);
    expect(existsSync(inside('out/model.json'))).toBe(false);
    for (const { stop } of both) stop();
    for (const { ended } of both) expect((await ended).code).toBe(0);
    // Nothing stays set aside, and the next attempt needs no word of anybody, nor the limit that is kept.
    const willing = names.map((name) => {
      const words = silo(name, '--yes');
      const limit = words.indexOf('--limit');
      return begun(words.filter((_, i) => i !== limit && i !== limit + 1));
    });
    const next = await ran('federate', 'dose.json', '--out', 'out');
    expect(next.error).toMatch(/silo '(north|south)' refuses \(no-room\).*limit/u);
    for (const { stop } of willing) stop();
    for (const { ended } of willing) expect((await ended).code).toBe(0);
  }, 240_000);

  it('let the server add one noise where it is trusted, and an owner say no', async () => {
    const port = await natsServer();
    const server = keyIn((await ran('federate', write('dose.json', experiment(port)))).out);
    table('east', 90);
    const { out } = await ran('silo', '--data', 'east.csv', '--folder', 'silo-east');
    expect(await ran('silo', '--data', 'east.csv', '--folder', 'other', '--owner', 'Age')).toMatchObject({
      code: 2,
      error: expect.stringMatching(/--owner is 'Age', and .*east\.csv has no column of that name/u) as string,
    });
    const silos = [{ name: 'east', key: keyIn(out) }];
    write('dose.json', experiment(port, { silos, patience: 0.1 }));
    const alone = await ran('federate', 'dose.json', '--out', 'alone');
    expect([alone.code, alone.error.replaceAll('\n', ' ')]).toStrictEqual([
      2,
      expect.stringMatching(/waiting for east by nats:.* until \d\d:.* did not answer .* federate again/u),
    ]);
    // A silo with the key of another server replies, and nobody can read what.
    const silo = ['silo', '--data', 'east.csv', '--folder', 'silo-east'];
    const stranger = begun([...silo, '--server', `nats://127.0.0.1:${port}`, '--server-key', keyIn(out)]);
    while (!stranger.error().includes('Listening')) await sleep(0.01);
    write('dose.json', experiment(port, { silos, patience: 1 }));
    const unread = await ran('federate', 'dose.json', '--out', 'alone');
    expect(unread.error.match(/east: .*/gu)).toStrictEqual([
      expect.stringMatching(/does not answer by .* was given the key of another server/u),
    ]);
    stranger.stop();
    expect((await stranger.ended).out).toContain('compare --server-key with the key');
    write('dose.json', experiment(port, { silos, trust: 'trusted' }));
    const parameters = [...silo, '--server', `nats://127.0.0.1:${port}`, '--server-key', server];
    const declines = begun(parameters, 'n\n');
    const declined = await ran('federate', 'dose.json', '--out', 'trusted');
    expect([declined.code, declined.error]).toStrictEqual([2, expect.stringContaining('declined')]);
    declines.stop();
    await declines.ended;
    const agrees = begun([...parameters, '--yes', '--once']);
    const done = await ran('federate', 'dose.json', '--out', 'trusted', '--again');
    expect(done.code, done.error).toBe(0);
    expect(done.out).toContain('trusted-server');
    expect((await agrees.ended).error).toContain('sums of your records without noise');
  }, 240_000);

  it('are what the guide says, here for a server that sees sums alone', async () => {
    const cwd = inside('guide');
    mkdirSync(cwd);
    process.chdir(cwd);
    const guide = readFileSync(at('../../../docs/guide/federation.md'), 'utf8');
    const blocks = (kind: string): readonly string[] =>
      [...guide.matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\`$`, 'gmu'))].map(([, text]) => text);
    const data = blocks('sh').find((text) => text.startsWith('node -e')) ?? '';
    expect(spawnSync('sh', ['-c', data], { cwd }).status).toBe(0);
    const [, trust] = /With `(trust: [^`]*)`/u.exec(guide) ?? [];
    const [whole, silos] = blocks('yaml');
    const port = await natsServer();
    const file = (text: string): void =>
      writeFileSync(join(cwd, 'dose.yaml'), text.replace(':4222', `:${port}`));
    file(whole);
    const commands = blocks('sh').flatMap((text) =>
      text.split('\n').flatMap((line) => (line.startsWith('npx lethe ') ? [line.split(' ').slice(2)] : [])),
    );
    // The keys of all, the silos, the run.
    const [serverKeys, ...rest] = commands;
    const own = async (command: readonly string[]) => keyIn((await ran(...command)).out);
    const server = await own(serverKeys);
    const keys = await Promise.all(rest.slice(0, 3).map(own));
    expect([server, ...keys].every((key) => key !== '')).toBe(true);
    file(`${whole}${keys.reduce((text, key) => text.replace('lethe-key:…', key), silos)}${trust}\n`);
    const running = rest
      .slice(3, 6)
      .map((command) =>
        begun([
          ...command.map((word) => word.replace('lethe-key:…', server)),
          '--yes',
          '--once',
          '--server',
          `nats://127.0.0.1:${port}`,
        ]),
      );
    const done = await ran(...rest[6]);
    expect(done.code, done.error).toBe(0);
    for (const text of ['north', 'south', 'west', 'honest-silos', 'computational'])
      expect(done.out).toContain(text);
    for (const { ended } of running) {
      const { code, error } = await ended;
      expect([code, error]).toStrictEqual([
        0,
        expect.stringContaining('noisy sums of at least 3 of 3 silos'),
      ]);
    }
    const page = readFileSync(join(cwd, 'results/dose/report.html'), 'utf8');
    expect(page).toContain('masks that cancel in the sum');
    expect(page).toContain('The lower end is of the noise that is counted on');
    expect(page).toContain('nobody breaks the cryptography of keys and masks (computational)');
    // Of owners it says so.
    const result = JSON.parse(
      readFileSync(join(cwd, 'results/dose/results.json'), 'utf8'),
    ) as FederationResult;
    const { experiment: made } = result;
    const owned = { ...made.problem.data, owner: { column: 'patient', most: 3 } };
    const problem = { ...made.problem, data: owned } as typeof made.problem;
    const ofOwners = renderFederation({ ...result, experiment: { ...made, problem } });
    expect(ofOwners).toContain('ε of all records of any one owner of each silo');
    expect(ofOwners).not.toContain('ε of a record');
  }, 240_000);
});
