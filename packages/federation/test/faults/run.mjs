/**
 * Federated runs on a real nats-server with faults at random: `kill -9` of silos, server and nats-server,
 * silos that stand still or come back later, messages lost, repeated, delayed and reordered. Each run prints
 * a line of JSON: whether its output is that of the run without faults, whether any query was answered twice
 * with other bytes, and whether every ledger holds what the plan costs, once.
 *
 *     node packages/federation/test/faults/run.mjs --runs 200 --seed 1
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { driveSync, memoryStore, openLedger, sameEvent, seededRandom } from '@lethe/core';
import { agreementFor, federation, siloCurator } from '@lethe/core/federation';
import { fileStore } from '@lethe/node';
import { build } from 'vite';
import { freePort } from '../support/free-port.mjs';
import { dataOf, publicCoins, registry, runName, runOf, sleep } from './world.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    silos: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '90' },
    calm: { type: 'boolean', default: false },
  },
});
const calm = values.calm;
const size = { silos: Number(values.silos), rounds: Number(values.rounds), dimension: 5, batchSize: 2 };
/** @param {string} name */
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const bundle = mkdtempSync(join(tmpdir(), 'lethe-bundle-'));
// Processes are started by the hundred: one file loads five times as fast as all of the packages.
await build({
  configFile: false,
  logLevel: 'silent',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: bundle,
    minify: false,
    rollupOptions: {
      input: [file('silo.mjs'), file('server.mjs')],
      output: { entryFileNames: '[name].mjs' },
    },
  },
});

/** The output of the same silos in this process, without links. */
function near() {
  const run = runOf(size);
  const start = new Float64Array(size.dimension);
  const agreement = agreementFor(run, { name: runName, start, random: publicCoins() });
  const silos = Array.from({ length: size.silos }, (_, silo) =>
    siloCurator({
      data: dataOf(size, silo, memoryStore()),
      registry,
      agreement,
      silo,
      random: seededRandom(`coins ${silo}`),
    }),
  );
  return { run, output: [...driveSync(run, federation({ silos }), { start, random: publicCoins() }).output] };
}

/** @param {number} seed @param {ReturnType<typeof near>} reference */
async function faultyRun(seed, reference) {
  const folder = mkdtempSync(join(tmpdir(), 'lethe-faults-'));
  const dice = seededRandom(`schedule ${seed}`);
  const port = await freePort();
  const servers = `nats://127.0.0.1:${port}`;
  const counts = { siloKills: 0, serverKills: 0, natsKills: 0, pauses: 0 };
  let over = false;
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  /**
   * Keeps a process running, and starts it again some time after its end.
   * @param {() => [string, string[]]} command by the number of the start
   * @param {(code: number | null) => boolean} isDone
   * @param {() => void} died
   */
  const keep = (command, isDone, died) => {
    /** @type {import('node:child_process').ChildProcess} */
    let child;
    const begin = () => {
      if (over) return;
      const [program, parameters] = command();
      child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
      children.add(child);
      child.on('exit', (code) => {
        children.delete(child);
        if (over || isDone(code)) return;
        died();
        setTimeout(begin, 1000 * (dice.uniform() < 0.1 ? 1.5 : 0.2 * dice.uniform()));
      });
    };
    begin();
    return () => child;
  };
  const nats = keep(
    () => ['nats-server', ['-a', '127.0.0.1', '-p', String(port), '-l', join(folder, 'nats.log')]],
    () => false,
    () => (counts.natsKills += 1),
  );
  // Faults become rarer with each start, so that every run ends.
  /** @param {number} start */
  const rateAt = (start) => (calm || start > 4 ? 0 : 0.03);
  const silos = Array.from({ length: size.silos }, (_, silo) => {
    let start = 0;
    return keep(
      () => {
        start += 1;
        const given = {
          silo,
          folder,
          servers,
          size,
          seed,
          start,
          rate: rateAt(start),
          loss: calm ? 0 : 0.08,
        };
        return [process.execPath, [join(bundle, 'silo.mjs'), JSON.stringify(given)]];
      },
      () => false,
      () => (counts.siloKills += 1),
    );
  });
  let serverStart = 0;
  keep(
    () => {
      serverStart += 1;
      const given = {
        folder,
        servers,
        size,
        seed,
        start: serverStart,
        rate: rateAt(serverStart),
        deadline: 0.7,
      };
      return [process.execPath, [join(bundle, 'server.mjs'), JSON.stringify(given)]];
    },
    (code) => code === 0,
    () => (counts.serverKills += 1),
  );
  const deadline = performance.now() + 1000 * Number(values.seconds);
  const result = join(folder, 'result.json');
  while (!existsSync(result) && performance.now() < deadline) {
    await sleep(0.1);
    if (calm) continue;
    const fault = dice.uniform();
    if (fault < 0.01 && counts.natsKills < 2) nats().kill('SIGKILL');
    else if (fault < 0.03) {
      // A silo that stands still is a partition that heals.
      const child = silos[dice.integer(size.silos)]();
      counts.pauses += 1;
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), 1000 * dice.uniform());
    }
  }
  over = true;
  const ends = [...children].map((child) => new Promise((resolve) => void child.on('exit', resolve)));
  for (const child of children) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  }
  await Promise.all(ends);
  const said = existsSync(result) ? JSON.parse(readFileSync(result, 'utf8')) : { ended: 'out of time' };
  let twice = 0;
  let again = 0;
  let wrongLedgers = 0;
  for (let silo = 0; silo < size.silos; silo++) {
    /** @type {Map<string, string>} */
    const seen = new Map();
    const sent = join(folder, `silo-${silo}.sent`);
    for (const line of existsSync(sent) ? readFileSync(sent, 'utf8').trim().split('\n') : []) {
      const [round, hash] = line.split(' ');
      if (seen.has(round)) again += 1;
      if (seen.has(round) && seen.get(round) !== hash) twice += 1;
      seen.set(round, hash);
    }
    const store = fileStore(join(folder, `silo-${silo}.ledger`));
    const ledger = openLedger({ adjacency: 'replace-one', store });
    const isSpent =
      ledger.runs().length === 1 &&
      sameEvent(ledger.chargedBy(runName), reference.run.plan.event) &&
      sameEvent(ledger.total(), reference.run.plan.event);
    if (!isSpent) wrongLedgers += 1;
    store.close();
  }
  const refused = Array.from({ length: size.silos }, (_, silo) => join(folder, `silo-${silo}.refused`))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
    .map((line) => line.split(' ')[0]);
  const same =
    said.output?.length === reference.output.length &&
    reference.output.every((/** @type {number} */ one, /** @type {number} */ j) => one === said.output[j]);
  const passed = said.output !== undefined && same && twice === 0 && wrongLedgers === 0;
  if (passed) rmSync(folder, { recursive: true, force: true });
  return {
    seed,
    passed,
    same,
    twice,
    again,
    wrongLedgers,
    ...counts,
    refused: Object.fromEntries(
      [...new Set(refused)].map((code) => [code, refused.filter((one) => one === code).length]),
    ),
    ...(passed ? {} : { folder, ended: said.ended, message: said.message }),
  };
}

const reference = near();
let failed = 0;
/** @type {Record<string, number>} */
const sums = {};
for (let i = 0; i < Number(values.runs); i++) {
  const result = await faultyRun(Number(values.seed) + i, reference);
  if (!result.passed) failed += 1;
  for (const [name, value] of Object.entries(result))
    if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
rmSync(bundle, { recursive: true, force: true });
delete sums['seed'];
process.stdout.write(`${JSON.stringify({ runs: Number(values.runs), failed, ...sums })}\n`);
process.exitCode = failed === 0 ? 0 : 1;
