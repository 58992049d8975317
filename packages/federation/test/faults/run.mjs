/**
 * Federated runs on a real nats-server with faults at random: `kill -9` of silos, server and nats-server,
 * silos that stand still or come back later, messages lost, repeated, delayed and reordered. Each run prints
 * a line of JSON: whether its output is that of the run without faults, whether any query was answered twice
 * with other bytes, and whether every ledger holds what the plan costs, once.
 *
 *     node packages/federation/test/faults/run.mjs --runs 200 --seed 1
 *
 * The first disk of one silo may be full after some kilobytes. Faults come at numbers of answered queries,
 * and a run is given up when it gets no further for `--seconds`: how fast the machine is decides nothing.
 *
 * With `--survivors M` the server sees secure sums of at least M silos. Where a sum is lost, since the server
 * died after its survivors were signed, or lacks a silo, the output is another one; nothing else may differ.
 * With `--gone` one more run follows, in which silos are killed for good, one in each sum: it goes on while
 * as many are left as a sum needs, and then ends.
 * With `--lies` the server shows each silo other survivors, one fewer than silos: there is no sum.
 * With `--rollback` a silo comes back with the files of an earlier time: the run ends, unless it had answered
 * nothing since.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { driveSync, memoryStore, sameEvent, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import {
  agreementFor,
  federation,
  heldAddendSilo,
  secureFederation,
  siloCurator,
} from '@lethe/curator/federation';
import { fileStore } from '@lethe/node';
import { rolldown } from 'rolldown';
import { freePort } from '../support/free-port.mjs';
import { dataOf, diskFull, publicCoins, registry, runName, runOf, sleep } from './world.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    silos: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '120' },
    'at-once': { type: 'string', default: '1' },
    calm: { type: 'boolean', default: false },
    survivors: { type: 'string' },
    lies: { type: 'boolean', default: false },
    rollback: { type: 'boolean', default: false },
    gone: { type: 'boolean', default: false },
  },
});
const { lies, rollback } = values;
const size = {
  silos: Number(values.silos),
  rounds: Number(values.rounds),
  dimension: 5,
  batchSize: 2,
  survivors: values.survivors === undefined ? undefined : Number(values.survivors),
};
if (lies && !(Number(size.survivors) < size.silos)) {
  process.stderr.write('--lies needs --survivors below --silos: sets of fewer than all are signed\n');
  process.exit(2);
}
/** @param {string} name */
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const bundle = mkdtempSync(join(tmpdir(), 'lethe-bundle-'));
// Processes are started by the hundred: one small file loads ten times as fast as all of the packages.
const modules = await rolldown({
  input: [file('silo.mjs'), file('server.mjs')],
  platform: 'node',
  logLevel: 'silent',
});
await modules.write({
  dir: bundle,
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name].mjs',
  minify: { compress: false, mangle: false, codegen: true },
});
await modules.close();

/** @param {string} path */
const linesOf = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').filter(Boolean) : [];

/** The output of the same silos in this process, without links. */
function near() {
  const run = runOf(size);
  const start = new Float64Array(size.dimension);
  const agreement = agreementFor(run, { name: runName, start, random: publicCoins() });
  /** @param {number} silo */
  const opening = (silo) => ({
    data: dataOf(size, silo, memoryStore()),
    registry,
    agreement,
    silo,
    random: seededRandom(`coins ${silo}`),
  });
  const silos = Array.from({ length: size.silos }, (_, silo) => opening(silo));
  const curator =
    size.survivors === undefined
      ? federation({ silos: silos.map((one) => siloCurator(one)) })
      : secureFederation({
          silos: silos.map((one) => heldAddendSilo(one)),
          corrupted: 0,
          survivors: size.survivors,
          registry,
        });
  return { run, output: [...driveSync(run, curator, { start, random: publicCoins() }).output] };
}

/** @param {number} seed @param {ReturnType<typeof near>} reference @param {boolean} gone */
async function faultyRun(seed, reference, gone) {
  const calm = values.calm || gone;
  const folder = mkdtempSync(join(tmpdir(), 'lethe-faults-'));
  const dice = seededRandom(`schedule ${seed}`);
  const port = await freePort();
  const servers = `nats://127.0.0.1:${port}`;
  const counts = { siloKills: 0, serverKills: 0, natsKills: 0, pauses: 0, fullDisks: 0 };
  let over = false;
  /** Numbers of answers at which faults come, out of all of the run. @param {number} most */
  const marks = (most) =>
    Array.from({ length: calm ? 0 : dice.integer(most + 1) }, () =>
      dice.integer(size.silos * (size.rounds + 2)),
    );
  const natsMarks = marks(3);
  const pauseMarks = marks(4);
  /** A silo whose disk is full at first, and after how many kilobytes of a file. */
  const full = { silo: calm ? -1 : dice.integer(2 * size.silos), kilobytes: 2 + dice.integer(5) };
  /** What silos sent, one line each: the query and a hash. @param {number} silo */
  const answersOf = (silo) => linesOf(join(folder, `silo-${silo}.sent`));
  /** Queries that a silo has answered, each once. @param {number} silo */
  const answeredBy = (silo) => new Set(answersOf(silo).map((line) => line.split(' ')[0])).size;
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  /**
   * Keeps a process running, and starts it again some time after its end.
   * @param {() => [string, string[]]} command by the number of the start
   * @param {(code: number | null) => boolean} isDone
   * @param {(code: number | null) => void} died
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
        died(code);
        setTimeout(begin, 1000 * (dice.uniform() < 0.1 ? 1 : 0.1 * dice.uniform()));
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
  const rateAt = (start) => (calm || start > 3 ? 0 : 0.04);
  /** Silos that are killed for good: one too many for a sum. */
  const leaving = gone && size.survivors !== undefined ? size.silos - size.survivors + 1 : 0;
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
          // One in each sum from the second on.
          ...(silo < leaving ? { diesAt: 3 + silo } : {}),
        };
        const started = [join(bundle, 'silo.mjs'), JSON.stringify(given)];
        if (silo !== full.silo || start > 1) return [process.execPath, started];
        const limited = `ulimit -f ${full.kilobytes}; exec "$0" "$@"`;
        return ['bash', ['-c', limited, process.execPath, ...started]];
      },
      () => silo < leaving,
      (code) => {
        if (code === diskFull) counts.fullDisks += 1;
        else counts.siloKills += 1;
      },
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
        deadline: gone ? 20 : 0.4,
        lies,
        gone,
      };
      return [process.execPath, [join(bundle, 'server.mjs'), JSON.stringify(given)]];
    },
    (code) => code === 0,
    () => (counts.serverKills += 1),
  );
  /** Files of silo 0, the one that is rolled back. */
  const owned = ['ledger', 'log'].map((name) => join(folder, `silo-0.${name}`));
  let copied = 0;
  let restored = false;
  /** Whether the silo had answered all before it was restored: its ledger then keeps all of the plan. */
  let isWhole = false;
  const result = join(folder, 'result.json');
  /** What silos have answered, and bytes of what the server keeps. */
  const standing = () => {
    const answered = silos.map((_, silo) => answeredBy(silo));
    const kept = ['transcript', 'sums', 'rounds'].map((name) =>
      existsSync(join(folder, name)) ? statSync(join(folder, name)).size : 0,
    );
    return { answered: answered.reduce((sum, one) => sum + one, 0), text: [...answered, ...kept].join(' ') };
  };
  let last = { text: '', at: performance.now() };
  while (!existsSync(result) && performance.now() < last.at + 1000 * Number(values.seconds)) {
    await sleep(0.05);
    const { answered, text } = standing();
    if (text !== last.text) last = { text, at: performance.now() };
    if (rollback && !restored && owned.every((path) => existsSync(path))) {
      const own = answeredBy(0);
      if (copied === 0 && own > 2) {
        for (const path of owned) copyFileSync(path, `${path}.old`);
        copied = own;
      } else if (copied > 0 && own > copied + 2) {
        // Restored while nobody has them open.
        restored = true;
        isWhole = own === size.rounds + 2;
        const child = silos[0]();
        const exit = new Promise((resolve) => void child.once('exit', resolve));
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGCONT');
          child.kill('SIGKILL');
          await exit;
        }
        for (const path of owned) copyFileSync(`${path}.old`, path);
      }
    }
    if (take(natsMarks, answered)) nats().kill('SIGKILL');
    if (take(pauseMarks, answered)) {
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
    for (const line of answersOf(silo)) {
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
  const sums = new Map(
    linesOf(join(folder, 'rounds')).map((line) => /** @type {[string, string]} */ (line.split(' '))),
  );
  const lost = [...sums.values()].filter((one) => one === 'lost').length;
  const partial = [...sums.values()].filter((one) => one !== 'lost' && Number(one) < size.silos).length;
  const same =
    said.output?.length === reference.output.length &&
    reference.output.every((/** @type {number} */ one, /** @type {number} */ j) => one === said.output[j]);
  const isRight =
    said.output !== undefined &&
    (lies
      ? said.output.every((/** @type {number} */ one) => one === 0)
      : same || (lost + partial > 0 && said.output.every(Number.isFinite)));
  const hasGone = partial > 0 && said.ended === 'few-survivors' && wrongLedgers === 0;
  const isEnded =
    restored && ['rolled-back', 'older-than-transcript', 'skipped-round', 'ended'].includes(said.ended);
  // A run that ends early keeps what it reserved where a ledger is older than the answers.
  const passed =
    twice === 0 && (gone ? hasGone : isEnded || (isRight && wrongLedgers === 0 && (!restored || isWhole)));
  if (passed) rmSync(folder, { recursive: true, force: true });
  return {
    seed,
    passed,
    same,
    twice,
    again,
    lost,
    partial,
    wrongLedgers,
    restored,
    ...(said.ended === undefined ? {} : { ended: said.ended }),
    ...counts,
    refused: Object.fromEntries(
      [...new Set(refused)].map((code) => [code, refused.filter((one) => one === code).length]),
    ),
    ...(passed ? {} : { folder, ended: said.ended, message: said.message }),
  };
}

/** Takes out one mark that is passed, if there is one. @param {number[]} marks @param {number} now */
function take(marks, now) {
  const at = marks.findIndex((mark) => mark <= now);
  if (at < 0) return false;
  marks.splice(at, 1);
  return true;
}

const reference = near();
let failed = 0;
/** @type {Record<string, number>} */
const sums = {};
const runs = Number(values.runs) + (values.gone ? 1 : 0);
/** @param {string} name @param {number} more */
const count = (name, more) => {
  sums[name] = (sums[name] ?? 0) + more;
};
let next = 0;
/** Makes one run after another; most of the time of each is waiting. */
async function worker() {
  while (next < runs) {
    const i = next++;
    const result = await faultyRun(Number(values.seed) + i, reference, i === Number(values.runs));
    if (!result.passed) failed += 1;
    for (const [name, value] of Object.entries(result))
      if (typeof value === 'number') count(name, value);
      else if (value === true) count(`${name} runs`, 1);
    if (result.ended !== undefined) count(`ended: ${result.ended}`, 1);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
rmSync(bundle, { recursive: true, force: true });
delete sums['seed'];
process.stdout.write(`${JSON.stringify({ runs, failed, ...sums })}\n`);
process.exitCode = failed === 0 ? 0 : 1;
