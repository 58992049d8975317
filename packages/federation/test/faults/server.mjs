/** The server of a run as a process of its own; it resumes from its transcript. Its argument is JSON. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drive, sameEvent, seededRandom } from '@lethe/core';
import { agreementFor, federation, secureFederation } from '@lethe/curator/federation';
import {
  connectNats,
  meetSilo,
  natsLink,
  natsPoints,
  networkSums,
  pointsSubjectOf,
  refusalOf,
  remoteAddendSilo,
  remoteSilo,
  sealedPlan,
  subjectOf,
} from '@lethe/federation';
import { fileStore, writeWhole } from '@lethe/node';
import { encode } from '@lethe/numerics';
import { identityOf, mayDie, mortal, publicCoins, registry, runName, runOf, sleep } from './world.mjs';

const {
  folder,
  servers,
  size,
  rate,
  seed,
  start,
  deadline = 1,
  clocked = false,
  lies = false,
  gone = false,
} = JSON.parse(process.argv[2]);
const dice = seededRandom(`faults ${seed}/server/${start}`);
const perhaps = () => mayDie(dice, rate);
const run = runOf(size);
const begin = new Float64Array(size.dimension);
const silos = Array.from({ length: size.silos }, (_, i) => identityOf(`silo ${i}`));
const server = identityOf('server');
const sealed = sealedPlan({
  format: 'lethe/federated-plan',
  v: 2,
  title: 'faults',
  server: server.public.text,
  silos: silos.map((one, i) => ({ name: `silo-${i}`, key: one.public.text })),
  unit: 'record',
  data: {},
  gaps: size.survivors !== undefined && size.survivors < size.silos,
  ...(size.survivors === undefined ? {} : { secure: { width: 32 } }),
  deadline,
  agreement: agreementFor(run, { name: runName, start: begin, random: publicCoins() }),
});
const outputFile = join(folder, 'output.json');
const connection = await connectNats({ servers, name: 'server' });
/** @param {object} result */
const finish = (result) => {
  writeWhole(join(folder, 'result.json'), JSON.stringify(result));
  process.exit(0);
};
try {
  const points = natsPoints(connection, pointsSubjectOf(server.public));
  /** @param {import('@lethe/federation').Identity} one @param {number} attempts */
  const reach = (one, attempts) => ({
    link: natsLink(connection, subjectOf(one.public), deadline, points),
    identity: server,
    siloKey: one.public,
    points,
    attempts,
    /** @param {number} failures */
    pause: (failures) => sleep(Math.min(0.2, 0.02 * failures)),
    clock: () => performance.now() / 1000,
  });
  // Silos are waited for, so that how fast they start decides nothing.
  for (const [i, one] of silos.entries()) await meetSilo(`silo-${i}`, reach(one, 4000));
  const own =
    size.survivors === undefined
      ? await Promise.all(silos.map((one, i) => remoteSilo(sealed, i, reach(one, 400))))
      : [];
  const adding =
    size.survivors === undefined
      ? []
      : await Promise.all(silos.map((one, i) => remoteAddendSilo(sealed, i, reach(one, gone ? 3 : 12))));
  const remotes = [...own, ...adding];
  const transcript = mortal(fileStore(join(folder, 'transcript')), perhaps);
  const clock = performance.now();
  const curator = size.survivors === undefined ? federation({ silos: own }) : sums(adding, size.survivors);
  const { output, queries, resumedAt } = await drive(run, curator, {
    start: begin,
    random: publicCoins(),
    ...(clocked ? {} : { transcript }),
    ...(size.survivors === undefined ? {} : { checkpointEvery: Infinity }),
  });
  const seconds = (performance.now() - clock) / 1000;
  // Written before silos end: a server that dies between two of them is not answered any more.
  const result = { output: [...output], queries, resumedAt, seconds };
  writeWhole(outputFile, JSON.stringify(result));
  const spent = [];
  for (const silo of remotes) spent.push(await silo.end('done'));
  finish({
    ...result,
    spentIsPlan: spent.every((event) => sameEvent(event, run.plan.event)),
    traffic: remotes.map(({ traffic }) => traffic),
  });
} catch (error) {
  // Silos are away: the run is resumed, or ends where they do not come back.
  const why = error instanceof Error ? error.cause : undefined;
  if (gone && refusalOf(why) === 'few-survivors') finish({ ended: 'few-survivors', message: String(error) });
  const isAway = /out of reach/u.test(String(error));
  const isOlder = /the ledger is older than the transcript/u.test(String(error));
  if (refusalOf(error) === undefined && (size.survivors !== undefined || isAway)) process.exit(1);
  if (refusalOf(error) === 'ended' && existsSync(outputFile))
    finish(JSON.parse(readFileSync(outputFile, 'utf8')));
  // A clear end: a refusal by its code, or a silo that stayed away.
  const before = existsSync(join(folder, 'result.json'))
    ? JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))
    : null;
  if (before === null || before.output === undefined)
    finish({
      ended: refusalOf(error) ?? (isOlder ? 'older-than-transcript' : 'error'),
      message: error instanceof Error ? error.stack : String(error),
    });
  process.exit(0);
}

/**
 * The silos as one curator of secure sums. A server that lies tells each silo that another one is missing.
 *
 * @param {import('@lethe/federation').RemoteAddendSilo[]} remotes @param {number} survivors
 */
function sums(remotes, survivors) {
  const everyone = remotes.map((_, i) => i);
  const asked = remotes.map((silo, i) => ({
    ...silo,
    /** @param {import('@lethe/federation').Outgoing} message */
    sumStep: (message) =>
      silo.sumStep(
        lies && message.kind === 'set'
          ? {
              ...message,
              body: encode({ survivors: everyone.filter((one) => one !== (i + 1) % size.silos) }),
            }
          : message,
      ),
  }));
  return secureFederation({
    silos: asked,
    corrupted: 0,
    survivors,
    registry,
    sums: networkSums(sealed, asked, {
      store: mortal(fileStore(join(folder, 'sums')), perhaps),
      attempts: gone ? 2 : 5,
      onRound: (index, heard) =>
        appendFileSync(join(folder, 'rounds'), `${index} ${heard === null ? 'lost' : heard.length}\n`),
    }),
  });
}
