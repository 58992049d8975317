/** The server of a run as a process of its own; it resumes from its transcript. Its argument is JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drive, sameEvent, seededRandom } from '@lethe/core';
import { agreementFor, federation } from '@lethe/core/federation';
import { connectNats, natsLink, refusalOf, remoteSilo, sealedPlan, subjectOf } from '@lethe/federation';
import { fileStore, writeWhole } from '@lethe/node';
import { identityOf, mayDie, mortal, publicCoins, runName, runOf, sleep } from './world.mjs';

const {
  folder,
  servers,
  size,
  rate,
  seed,
  start,
  deadline = 1,
  clocked = false,
} = JSON.parse(process.argv[2]);
const dice = seededRandom(`faults ${seed}/server/${start}`);
const perhaps = () => mayDie(dice, rate);
const run = runOf(size);
const begin = new Float64Array(size.dimension);
const silos = Array.from({ length: size.silos }, (_, i) => identityOf(`silo ${i}`));
const server = identityOf('server');
const sealed = sealedPlan({
  format: 'lethe/federated-plan',
  v: 1,
  title: 'faults',
  server: server.public.text,
  silos: silos.map((one, i) => ({ name: `silo-${i}`, key: one.public.text })),
  unit: 'record',
  data: {},
  gaps: false,
  deadline,
  agreement: agreementFor(run, { name: runName, start: begin, random: publicCoins() }),
});
const connection = await connectNats({ servers, name: 'server' });
/** @param {object} result */
const finish = (result) => {
  writeWhole(join(folder, 'result.json'), JSON.stringify(result));
  process.exit(0);
};
try {
  const remotes = await Promise.all(
    silos.map((one, i) =>
      remoteSilo(sealed, i, {
        link: natsLink(connection, subjectOf(one.public), deadline),
        identity: server,
        siloKey: one.public,
        attempts: 400,
        pause: (failures) => sleep(Math.min(0.2, 0.02 * failures)),
        clock: () => performance.now() / 1000,
      }),
    ),
  );
  const transcript = mortal(fileStore(join(folder, 'transcript')), perhaps);
  const clock = performance.now();
  const { output, queries, resumedAt } = await drive(run, federation({ silos: remotes }), {
    start: begin,
    random: publicCoins(),
    ...(clocked ? {} : { transcript }),
  });
  const seconds = (performance.now() - clock) / 1000;
  const spent = [];
  for (const silo of remotes) spent.push(await silo.end('done'));
  finish({
    output: [...output],
    queries,
    resumedAt,
    seconds,
    spentIsPlan: spent.every((event) => sameEvent(event, run.plan.event)),
    traffic: remotes.map(({ traffic }) => traffic),
  });
} catch (error) {
  // A clear end: a refusal by its code, or a silo that stayed away.
  const before = existsSync(join(folder, 'result.json'))
    ? JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))
    : null;
  if (before === null || before.output === undefined)
    finish({
      ended: refusalOf(error) ?? 'error',
      message: error instanceof Error ? error.stack : String(error),
    });
  process.exit(0);
}
