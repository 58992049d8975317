import { fork, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { fileURLToPath } from 'node:url';
import { drive } from '@lethe/core';
import { agreementFor, federation } from '@lethe/curator/federation';
import {
  connectNats,
  natsLink,
  natsPoints,
  pointsSubjectOf,
  remoteSilo,
  sealedPlan,
  subjectOf,
} from '@lethe/federation';
import { milliseconds } from '../case.mjs';
import { bareOf, frameOf, identityOf, plannedRun, publicCoins, size } from '../federated.mjs';
import { resultsFolder } from '../results.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const siloFile = fileURLToPath(new URL('../federated-silo.mjs', import.meta.url));
const seconds = 60;

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
const saidBy = (child) => new Promise((resolve) => void child.once('message', resolve));

/** Lets a run go on by so many queries, and tells when they are answered. */
function turnstile() {
  let open = 0;
  /** @type {(() => void) | null} */
  let enter = null;
  /** @type {() => void} */
  let done = () => {};
  return {
    /** Before each query: waits where none is admitted. */
    pause() {
      if (open > 0) {
        open -= 1;
        return undefined;
      }
      done();
      return new Promise((/** @type {(value: void) => void} */ resolve) => {
        enter = resolve;
      });
    },
    /** @param {number} queries @returns {Promise<void>} */
    admit: (queries) =>
      new Promise((resolve) => {
        done = resolve;
        open = queries - 1;
        enter?.();
      }),
  };
}

/** @returns {Promise<import('../case.mjs').Prepared>} */
async function prepare() {
  if (spawnSync('nats-server', ['--version']).status !== 0)
    return { skipped: 'nats-server is not installed (on Debian: apt-get install nats-server)' };
  mkdirSync(resultsFolder, { recursive: true });
  const folder = mkdtempSync(join(resultsFolder, 'bench-federated-'));
  const port = await freePort();
  const servers = `nats://127.0.0.1:${port}`;
  const nats = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-l', join(folder, 'nats.log')]);
  const children = Array.from({ length: size.silos }, (_, silo) =>
    fork(siloFile, [JSON.stringify({ folder, servers, silo })]),
  );
  await Promise.all(children.map(saidBy));
  // As `lethe federate` does, and says why.
  setFlagsFromString('--heap-growing-percent=300');
  const run = plannedRun();
  const start = new Float64Array(size.dimension);
  const keys = children.map((_, silo) => identityOf(`silo ${silo}`).public);
  const identity = identityOf('server');
  const sealed = sealedPlan({
    format: 'lethe/federated-plan',
    v: 2,
    title: 'bench',
    server: identity.public.text,
    silos: keys.map(({ text }, silo) => ({ name: `silo-${silo}`, key: text })),
    unit: 'record',
    data: {},
    gaps: false,
    deadline: seconds,
    agreement: agreementFor(run, { name: '0'.repeat(32), start, random: publicCoins() }),
  });
  const connection = await connectNats({ servers });
  const points = natsPoints(connection, pointsSubjectOf(identity.public));
  const silos = await Promise.all(
    keys.map((siloKey, silo) =>
      remoteSilo(sealed, silo, {
        link: natsLink(connection, subjectOf(siloKey), seconds, points),
        identity,
        siloKey,
        points,
        attempts: 100,
        pause: () => sleep(50),
      }),
    ),
  );
  const bare = keys.map((key) => natsLink(connection, bareOf(subjectOf(key)), seconds));
  const { pause, admit } = turnstile();
  const ending = new AbortController();
  const running = drive(run, federation({ silos }), {
    start,
    random: publicCoins(),
    pause,
    signal: ending.signal,
  });
  // Rejects when it is ended.
  running.catch(() => undefined);
  // The two queries before the first round: batches and the stream.
  await admit(2);
  /** Milliseconds of processor time so far: of silos in answers and in all, and of the server. */
  const told = async () => {
    const replies = children.map(saidBy);
    for (const child of children) child.send('time');
    const all = await Promise.all(replies);
    const { user, system } = process.cpuUsage();
    const sum = (/** @type {'computed' | 'used'} */ name) =>
      all.reduce((total, one) => total + one[name], 0) / 1000;
    return { computed: sum('computed'), silos: sum('used'), server: (user + system) / 1000 };
  };
  /** Of all rounds, as {@link told}. */
  const took = { computed: 0, silos: 0, server: 0 };
  const travelled = () => silos.reduce((total, { traffic }) => total + traffic.sent + traffic.received, 0);
  const before = travelled();
  let rounds = 0;
  const point = frameOf(8 * size.dimension);
  return {
    async run(repeats) {
      rounds += repeats;
      if (rounds >= size.rounds) throw new Error(`the plan has ${size.rounds} rounds; give fewer --pairs`);
      const earlier = await told();
      const begun = performance.now();
      await admit(repeats);
      const passed = performance.now() - begun;
      const later = await told();
      for (const name of /** @type {const} */ (['computed', 'silos', 'server']))
        took[name] += later[name] - earlier[name];
      // Silos compute side by side, as many as there are processors.
      const computed = later.computed - earlier.computed;
      return 1e6 * (passed - computed / Math.min(size.silos, availableParallelism()));
    },
    async other(repeats) {
      const begun = performance.now();
      for (let k = 0; k < repeats; k++) await Promise.all(bare.map((link) => link.request(point)));
      return 1e6 * (performance.now() - begun);
    },
    detail: () =>
      `${((travelled() - before) / (rounds * size.silos * 16 * size.dimension)).toFixed(2)} of 8 bytes a ` +
      'number each way, goal ≤ 1.1; processor time of a round: ' +
      `server ${(took.server / rounds).toFixed(1)} ms, silos ` +
      `${((took.silos - took.computed) / rounds).toFixed(1)} beyond ` +
      `${(took.computed / rounds).toFixed(1)} for answers`,
    async dispose() {
      ending.abort();
      for (const child of children) child.disconnect();
      await connection.close();
      nats.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @type {readonly Case[]} */
export const federated = [
  {
    name: 'federated/round',
    what:
      'a federated round of 16 silos in processes over nats, 10 000 numbers, beyond the silos’ own ' +
      'computing',
    ...milliseconds,
    against: 'the same bytes over nats and to disk alone',
    most: { time: 20, width: null },
    // V8 compiles what runs once a round within some 200.
    runs: { warmUp: 200, reading: 10 },
    prepare,
  },
];
