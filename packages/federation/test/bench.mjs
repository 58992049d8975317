/**
 * What the network adds to a round: 16 silos in two processes, 10,000 numbers a point, a nats-server and a
 * server. Prints the time of a round, what of it the silos computed and stored, and bytes against 8 a number.
 *
 *     node packages/federation/test/bench.mjs [--silos 16] [--dimension 10000] [--rounds 40]
 */
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drive, secureRandom } from '@lethe/core';
import { agreementFor, federation, siloCurator } from '@lethe/core/federation';
import {
  connectNats,
  natsLink,
  remoteSilo,
  sealedPlan,
  serveNats,
  siloService,
  subjectOf,
} from '@lethe/federation';
import { fileStore } from '@lethe/node';
import { dataOf, identityOf, publicCoins, registry, runName, runOf, sleep } from './faults/world.mjs';

const { values } = parseArgs({
  options: {
    silos: { type: 'string', default: '16' },
    dimension: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '40' },
    serve: { type: 'string' },
    folder: { type: 'string', default: '' },
  },
});
const size = {
  silos: Number(values.silos),
  rounds: Number(values.rounds),
  dimension: Number(values.dimension),
  batchSize: 1,
};
const servers = 'nats://127.0.0.1:14779';
const self = fileURLToPath(import.meta.url);

/** Serves some of the silos, and tells how long they computed and how long they handled requests. @param {number[]} own */
async function serve(own) {
  const connection = await connectNats({ servers });
  const time = { computed: 0, handled: 0 };
  for (const silo of own) {
    const identity = identityOf(`silo ${silo}`);
    const ledger = fileStore(join(values.folder, `${silo}.ledger`));
    const service = siloService({
      identity,
      serverKey: identityOf('server').public,
      records: size.rounds,
      adjacency: 'replace-one',
      unit: 'record',
      registry,
      store: fileStore(join(values.folder, `${silo}.log`)),
      confirm: () => Promise.resolve(true),
      open: ({ sealed, silo: index, place }) => {
        const curator = siloCurator({
          data: dataOf(size, silo, ledger),
          registry,
          agreement: sealed.plan.agreement,
          silo: index,
          place,
          random: secureRandom(),
        });
        return {
          ...curator,
          answerAt(at, points) {
            const begun = performance.now();
            const said = curator.answerAt(at, points);
            time.computed += performance.now() - begun;
            return said;
          },
        };
      },
    });
    serveNats(connection, subjectOf(identity.public), {
      async request(bytes) {
        const begun = performance.now();
        const reply = await service.request(bytes);
        time.handled += performance.now() - begun;
        return reply;
      },
    });
  }
  process.on('message', () => process.send?.(time));
  process.send?.('ready');
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'lethe-bench-'));
  const nats = spawn('nats-server', ['-a', '127.0.0.1', '-p', '14779', '-l', join(folder, 'nats.log')]);
  const children = [0, 1].map((half) => {
    const own = Array.from({ length: size.silos }, (_, i) => i).filter((i) => i % 2 === half);
    const sizes = ['silos', 'dimension', 'rounds'].flatMap((name) => [
      `--${name}`,
      String(Reflect.get(size, name)),
    ]);
    return fork(self, ['--serve', own.join(','), '--folder', folder, ...sizes]);
  });
  /** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
  const said = (child) => new Promise((resolve) => void child.once('message', resolve));
  await Promise.all(children.map(said));
  const run = runOf(size);
  const start = new Float64Array(size.dimension);
  const silos = Array.from({ length: size.silos }, (_, i) => identityOf(`silo ${i}`));
  const identity = identityOf('server');
  const sealed = sealedPlan({
    format: 'lethe/federated-plan',
    v: 2,
    title: 'bench',
    server: identity.public.text,
    silos: silos.map((one, i) => ({ name: `silo-${i}`, key: one.public.text })),
    unit: 'record',
    data: {},
    gaps: false,
    deadline: 60,
    agreement: agreementFor(run, { name: runName, start, random: publicCoins() }),
  });
  const connection = await connectNats({ servers });
  const remotes = await Promise.all(
    silos.map((one, i) =>
      remoteSilo(sealed, i, {
        link: natsLink(connection, subjectOf(one.public), 60),
        identity,
        siloKey: one.public,
        attempts: 100,
        pause: () => sleep(0.05),
        clock: () => performance.now() / 1000,
      }),
    ),
  );
  const told = async () => {
    const replies = children.map(said);
    for (const child of children) child.send('time');
    return await Promise.all(replies);
  };
  const joined = federation({ silos: remotes });
  const before = await told();
  const traffic = remotes.map((silo) => ({ ...silo.traffic }));
  /** @type {number[]} */
  const ends = [];
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await drive(run, joined, {
    start,
    random: publicCoins(),
    progress: () => void ends.push(performance.now()),
  });
  const all = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  const after = await told();
  const sum = (/** @type {'computed' | 'handled'} */ what) =>
    after.reduce((total, one, i) => total + one[what] - before[i][what], 0);
  const lasts = ends.slice(2).map((end, i) => end - ends[i + 1]);
  const bytes = remotes.reduce(
    (total, silo, i) =>
      total + silo.traffic.sent + silo.traffic.received - traffic[i].sent - traffic[i].received,
    0,
  );
  const median = lasts.toSorted((one, other) => one - other)[Math.floor(lasts.length / 2)];
  const rounds = size.rounds;
  process.stdout.write(
    `${JSON.stringify({
      ...size,
      roundMs: all / rounds,
      medianRoundMs: median,
      silosComputedMs: sum('computed') / rounds,
      silosHandledMs: sum('handled') / rounds,
      serverCpuMs: (user + system) / 1000 / rounds,
      beyondComputingMs: median - sum('computed') / rounds / 2,
      beyondHandlingMs: median - sum('handled') / rounds / 2,
      bytesRatio: bytes / (size.silos * rounds * 16 * size.dimension),
    })}\n`,
  );
  for (const child of children) child.kill();
  nats.kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

await (values.serve === undefined ? main() : serve(values.serve.split(',').map(Number)));
