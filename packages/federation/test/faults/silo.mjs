/** One silo as a process of its own, on a network with faults. Its argument is JSON. */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom, secureRandom } from '@lethe/core';
import { heldAddendSilo, siloCurator } from '@lethe/curator/federation';
import { connectNats, pointsSubjectOf, serveNats, siloService, subjectOf } from '@lethe/federation';
import { fileStore } from '@lethe/node';
import { dataOf, diskFull, identityOf, kinds, mayDie, mortal, registry, sleep } from './world.mjs';

const {
  silo,
  folder,
  servers,
  size,
  rate,
  loss,
  seed,
  start,
  secure = false,
  diesAt = Infinity,
} = JSON.parse(process.argv[2]);
const dice = seededRandom(`faults ${seed}/silo ${silo}/${start}`);
const perhaps = () => mayDie(dice, rate);
/** @param {string} name */
const open = (name) => mortal(fileStore(join(folder, `silo-${silo}.${name}`), { mode: 0o600 }), perhaps);
const identity = identityOf(`silo ${silo}`);
const serverKey = identityOf('server').public;
const ledger = open('ledger');
const service = siloService({
  identity,
  serverKey,
  records: size.rounds * size.batchSize,
  adjacency: 'replace-one',
  unit: 'record',
  registry,
  store: open('log'),
  allowSimulation: !secure,
  confirm: () => Promise.resolve(true),
  open: ({ sealed, silo: index, place }) =>
    (size.survivors === undefined ? siloCurator : heldAddendSilo)({
      data: dataOf(size, silo, ledger),
      registry,
      agreement: sealed.plan.agreement,
      silo: index,
      place,
      random: secure ? secureRandom() : seededRandom(`coins ${silo}`),
    }),
  onEvent: (event) => {
    if (event.what === 'refused')
      appendFileSync(join(folder, `silo-${silo}.refused`), `${event.code} ${String(event.error)}\n`);
    // What cannot be stored is not sent; a new process finds out what is there.
    if (event.what === 'refused' && event.code === 'not-stored') process.exit(diskFull);
  },
});

/** Requests that come late, after others. @type {Uint8Array[]} */
const late = [];
/** Loses, repeats, delays and reorders requests and replies. */
const faulty = {
  /** @param {Uint8Array} bytes */
  async request(bytes) {
    const own = bytes.slice();
    // In the middle of a sum: the others hold shares of its secrets.
    if (own[4] === kinds.start && Buffer.from(own).readUInt32LE(12) >= diesAt)
      process.kill(process.pid, 'SIGKILL');
    if (late.length > 0 && dice.uniform() < 0.5)
      await service.request(late.splice(dice.integer(late.length), 1)[0]);
    if (dice.uniform() < loss) late.push(own);
    if (dice.uniform() < loss) throw new Error('lost');
    if (dice.uniform() < loss) await service.request(own);
    const reply = await service.request(own);
    const [kind, round] = [reply[4], Buffer.from(reply).readUInt32LE(12)];
    // Written before it is sent: what a server may have seen. Masked addends differ from attempt to attempt;
    // of a sum there is one set of survivors that a silo signs.
    if (kind === (size.survivors === undefined || isOpening(round) ? kinds.answer : kinds.signature))
      appendFileSync(
        join(folder, `silo-${silo}.sent`),
        `${round} ${createHash('sha256').update(reply).digest('hex')}\n`,
      );
    perhaps();
    if (dice.uniform() < loss) await sleep(0.3 * dice.uniform());
    if (dice.uniform() < loss) throw new Error('lost');
    return reply;
  },
};
/** Whether a query is one of the two before the first sum. @param {number} round */
function isOpening(round) {
  return round < 2;
}
const connection = await connectNats({ servers, name: `silo-${silo}` });
serveNats(connection, subjectOf(identity.public), faulty, {
  subject: pointsSubjectOf(serverKey),
  take(piece) {
    if (dice.uniform() >= loss) service.take(piece);
  },
});
await connection.closed();
