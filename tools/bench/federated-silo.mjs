/** A silo of the federated case as a process of its own; its argument is JSON. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { secureRandom, seededRandom } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { siloCurator } from '@lethe/curator/federation';
import { connectNats, pointsSubjectOf, serveNats, siloService, subjectOf } from '@lethe/federation';
import { logistic } from '@lethe/losses';
import { fileStore } from '@lethe/node';
import { bareOf, domain, frameOf, identityOf, registry, size } from './federated.mjs';

// As `lethe silo` does, and says why.
setFlagsFromString('--heap-growing-percent=300');
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');
const { folder, servers, silo } = JSON.parse(process.argv[2]);
const { dimension, rounds } = size;
const identity = identityOf(`silo ${silo}`);
const serverKey = identityOf('server').public;
const file = (/** @type {string} */ name) => fileStore(join(folder, `${silo}.${name}`));
/** Microseconds of processor time. */
const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const features = {
  data: seededRandom(`records ${silo}`).gaussianInto(new Float64Array(rounds * dimension)),
  rows: rounds,
  columns: dimension,
  offset: 0,
  rowStride: dimension,
  columnStride: 1,
};
const data = attachData({
  features,
  labels: Float64Array.from({ length: rounds }, (_, i) => (i % 2 === 0 ? 1 : -1)),
  loss: logistic({}),
  registry,
  domain,
  outside: 'clip',
  ledger: openLedger({ adjacency: 'replace-one', store: file('ledger') }),
});
let computed = 0;
const service = siloService({
  identity,
  serverKey,
  records: rounds,
  adjacency: 'replace-one',
  unit: 'record',
  registry,
  store: file('log'),
  confirm: () => Promise.resolve(true),
  open: ({ sealed, silo: index, place }) => {
    const { agreement } = sealed.plan;
    const curator = siloCurator({ data, registry, agreement, silo: index, place, random: secureRandom() });
    return {
      ...curator,
      answerAt(at, points) {
        const begun = used();
        const said = curator.answerAt(at, points);
        computed += used() - begun;
        return said;
      },
    };
  },
});
const connection = await connectNats({ servers });
const subject = subjectOf(identity.public);
serveNats(connection, subject, service, { subject: pointsSubjectOf(serverKey), take: service.take });
// What a round cannot do without: an answer of 4 bytes a number and a charge, both on disk, and the answer.
const [answer, charge] = [frameOf(4 * dimension + 18), new Uint8Array(256)];
const [ledger, log] = [file('bare-ledger'), file('bare-log')];
serveNats(connection, bareOf(subject), {
  async request() {
    ledger.append(charge);
    log.append(answer);
    return answer;
  },
});
process.on('message', () => process.send?.({ computed, used: used() }));
process.on('disconnect', () => process.exit());
process.send?.('ready');
