/** What server and silos of the federated case have in common: keys, the planned run and its size. */
import { dpMu2Sgd } from '@lethe/algorithms';
import { seededRandom } from '@lethe/core';
import { identityFrom } from '@lethe/federation';
import { logistic, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';

export const size = { silos: 16, dimension: 10_000, rounds: 400 };
export const registry = Object.freeze([...mechanisms, ...losses, dpMu2Sgd]);
export const domain = { featureNorm: 1, labelBound: 1, iterateNorm: 1 };
export const publicCoins = () => seededRandom('public');

/** @param {string} name */
export const identityOf = (name) => identityFrom(seededRandom(`identity ${name}`).bytes(64));

/** One record of each silo a round. */
export function plannedRun() {
  const { silos, dimension, rounds } = size;
  return dpMu2Sgd.prepare({
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    calibrate: () => {
      throw new Error('no benchmark calibrates');
    },
    random: publicCoins(),
    problem: {
      adjacency: 'replace-one',
      trust: { model: 'federated', silos, server: 'untrusted' },
      dimension,
      slots: Array.from({ length: silos }, () => rounds),
      domain: l2BallDomain({ radius: 1 }),
      loss: logistic({}),
      capabilities: logistic.capabilities,
      facts: logistic.facts({}, { columns: dimension, ...domain }),
    },
    params: { rounds, noiseMultiplier: 4 },
  });
}

/** Bytes of a frame that transports carry, with a body of so many. @param {number} length */
export function frameOf(length) {
  const frame = Buffer.alloc(104 + length);
  frame.write('LFL1');
  frame.writeUInt16LE(1, 18);
  frame.writeUInt32LE(length, 20);
  return new Uint8Array(frame);
}

/** Where a silo sends bytes back without a look at them. @param {string} subject */
export const bareOf = (subject) => `${subject}.bare`;
