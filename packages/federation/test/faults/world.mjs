/** What the processes of a run with faults have in common: the planned run, keys, records. All from seeds. */
import { dpMu2Sgd } from '@lethe/algorithms';
import { seededRandom } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { identityFrom } from '@lethe/federation';

export const registry = Object.freeze([...mechanisms, ...losses, dpMu2Sgd]);
/** Numbers of kinds of frames. */
export const kinds = { answer: 5, start: 10, signature: 12 };
/** How a silo ends that cannot store what it is about to send. */
export const diskFull = 3;
export const publicCoins = () => seededRandom('public');
/** @param {string} name */
export const identityOf = (name) => identityFrom(seededRandom(`identity ${name}`).bytes(64));
export const runName = '00112233445566778899aabbccddeeff';

/**
 * `survivors`: of secure sums, silos that a sum has at least; left out where silos add noise of their own.
 * @typedef {{ silos: number, rounds: number, dimension: number, batchSize: number, survivors?: number | undefined }} Size
 */

/** @param {Size} size */
export function runOf({ silos, rounds, dimension, batchSize, survivors }) {
  return dpMu2Sgd.prepare({
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    // The noise is given: every start of a process would find it again.
    calibrate: () => {
      throw new Error('no run with faults calibrates');
    },
    random: publicCoins(),
    problem: {
      adjacency: 'replace-one',
      trust:
        survivors === undefined
          ? { model: 'federated', silos, server: 'untrusted' }
          : { model: 'secure-aggregation', silos, corrupted: 0, survivors },
      dimension,
      slots: Array.from({ length: silos }, () => rounds * batchSize),
      domain: l2BallDomain({ radius: 1 }),
      loss: logistic({}),
      capabilities: logistic.capabilities,
      facts: logistic.facts({}, { columns: dimension, featureNorm: 1, labelBound: 1, iterateNorm: 1 }),
    },
    params: { rounds, noiseMultiplier: 5 },
  });
}

/** @param {Size} size @param {number} silo @param {import('@lethe/core').Store} store */
export function dataOf({ rounds, dimension, batchSize }, silo, store) {
  const records = rounds * batchSize;
  const features = seededRandom(`records ${silo}`).gaussianInto(new Float64Array(records * dimension));
  const labels = Float64Array.from({ length: records }, (_, i) => (features[i * dimension] > 0 ? 1 : -1));
  return attachData({
    features: {
      data: features,
      rows: records,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: logistic({}),
    registry,
    domain: { featureNorm: 1, labelBound: 1, iterateNorm: 1 },
    outside: 'clip',
    ledger: openLedger({ adjacency: 'replace-one', store }),
  });
}

/**
 * Dies at once, as by `kill -9`, with probability `rate`; at most `most` times over all starts.
 *
 * @param {import('@lethe/core').RandomSource} dice @param {number} rate
 */
export function mayDie(dice, rate) {
  if (rate > 0 && dice.uniform() < rate) process.kill(process.pid, 'SIGKILL');
}

/** A store whose writer may die before and after each write.
 * @param {import('@lethe/node').FileStore} store @param {() => void} perhaps */
export const mortal = (store, perhaps) => ({
  ...store,
  /** @param {Uint8Array} bytes */
  append(bytes) {
    perhaps();
    store.append(bytes);
    perhaps();
  },
  /** @param {Uint8Array} bytes */
  replace(bytes) {
    perhaps();
    store.replace(bytes);
    perhaps();
  },
});

/** @param {number} seconds @returns {Promise<void>} */
export const sleep = (seconds) => new Promise((resolve) => void setTimeout(resolve, 1000 * seconds));
