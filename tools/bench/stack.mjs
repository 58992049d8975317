import {
  ask,
  clippedMeanEvent,
  driveSync,
  parallelEvent,
  repeatedEvent,
  secureRandom,
  seededRandom,
} from '@lethe/core';
import { attachData, attachStored, centralCurator, defineOptimizer, openLedger } from '@lethe/curator';
import { acceleratedDpSrgd, dpSgd, noisyClippedAcSa } from '@lethe/algorithms';
import { losses } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import * as z from 'zod';

const registry = [...mechanisms, ...losses];
const loss = /** @type {const} */ ({ kind: 'loss', name: 'logistic', params: {} });
const adjacency = 'zero-out';
const budget = { epsilon: 1, delta: 1e-6 };

/** Multipliers are given, since calibration happens once and is not measured here. */
const calibrate = () => {
  throw new Error('no benchmark calibrates');
};

/** One gradient step on each of `rounds` batches in stored order. */
const onePass = defineOptimizer({
  name: 'bench-one-pass',
  summary: 'One noisy step on each of T disjoint batches.',
  source: { id: 'lethe', item: 'benchmark' },
  params: z.strictObject({ rounds: z.int().positive(), stepSize: z.number().positive() }),
  claims: [],
  needs: {},
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: ({ problem, params }) => ({
    ...params,
    batchSize: Math.floor(problem.slots[0] / params.rounds),
    event: parallelEvent([clippedMeanEvent(1, problem.adjacency)]),
    utility: null,
    gradients: problem.slots[0],
  }),
  *steps({ plan, start, allRecords }) {
    const release = {
      mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
      target: { noiseMultiplier: 1 },
    };
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: Array.from({ length: plan.rounds }, () => plan.batchSize) },
    });
    for (const batch of batches) {
      const gradient = yield* ask.mean({ at: start, batch, ...release });
      for (let j = 0; j < start.length; j++) start[j] -= plan.stepSize * gradient[j];
    }
    return start;
  },
});

/** Coordinate descent in the order of the columns: each step queries the clipped mean of one coordinate. */
const coordinatePass = defineOptimizer({
  name: 'bench-coordinate-pass',
  summary: 'One step along every coordinate.',
  source: { id: 'lethe', item: 'benchmark' },
  params: z.strictObject({
    stepSize: z.number().positive(),
    clip: z.number().positive(),
    noisy: z.boolean(),
  }),
  claims: [],
  needs: {},
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: ({ problem, params }) => ({
    ...params,
    event: repeatedEvent(clippedMeanEvent(1, problem.adjacency), problem.dimension),
    utility: null,
    gradients: problem.slots[0] * problem.dimension,
  }),
  *steps({ plan, start, allRecords }) {
    const target = plan.noisy ? { noiseMultiplier: 1 } : /** @type {const} */ ({ unprotected: true });
    const release = {
      mean: clippedMean({ clip: l2Clip({ radius: plan.clip }), mechanism: gaussian({}) }),
      target,
    };
    for (let j = 0; j < start.length; j++) {
      const [slope] = yield* ask.mean({
        at: start,
        coordinates: Uint32Array.of(j),
        batch: allRecords,
        ...release,
      });
      start[j] -= plan.stepSize * slope;
    }
    return start;
  },
});

/**
 * Private data attached to a new ledger. Not timed: it validates, computes norms and hashes every byte once.
 * @param {Pick<import('./data.mjs').Records, 'X' | 'labels'>} records
 * @param {Omit<import('@lethe/curator').LedgerOptions, 'adjacency'>} [ledger] kept in memory and without a limit, if left out
 */
export function attach({ X, labels }, ledger = {}) {
  return attachData({ features: X, labels, loss, registry, ledger: openLedger({ adjacency, ...ledger }) });
}

/**
 * The same for records outside memory, which are recognised by a name.
 * @param {import('@lethe/core').StoredRows} features
 */
export const attachRowsOnDisk = (features) =>
  attachStored({
    features,
    loss,
    registry,
    identity: [new TextEncoder().encode('bench')],
    ledger: openLedger({ adjacency }),
  });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {'whole-space' | 'l2-ball'} [domain]
 * @returns {import('@lethe/core').Problem<any>}
 */
const problemOf = (data, domain = 'whole-space') => ({
  adjacency,
  trust: { model: 'central' },
  dimension: data.dimension,
  slots: [data.slots],
  loss,
  domain: { kind: 'domain', name: domain, params: domain === 'l2-ball' ? { radius: 10 } : {} },
  capabilities: { convex: true, smooth: true },
  facts: {
    smoothness: { value: 1, scope: 'population', provenance: 'declared' },
    'gradientMoment.2': { value: 1, scope: 'population', provenance: 'declared' },
  },
});

const publicCoins = seededRandom('bench/public');
/** @type {(value: number) => import('@lethe/core').Fact} */
const ofEveryRecord = (value) => ({ value, scope: 'every-record', provenance: 'declared' });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {{ readonly steps: number, readonly rate: number, readonly stepSize: number, readonly arithmetic?: 'exact' }} params
 */
export const planDpSgd = (data, params) =>
  dpSgd.prepare({
    registry,
    problem: problemOf(data),
    budget,
    calibrate,
    random: publicCoins,
    params: { ...params, clipNorm: 1, noiseMultiplier: 1 },
  });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {{ readonly rounds: number, readonly stepSize: number }} params
 */
export const planOnePass = (data, params) =>
  onePass.prepare({ registry, problem: problemOf(data), budget, calibrate, random: publicCoins, params });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {{ readonly stepSize: number, readonly clip: number, readonly noisy: boolean }} params
 */
export const planCoordinatePass = (data, params) =>
  coordinatePass.prepare({
    registry,
    problem: problemOf(data),
    budget,
    calibrate,
    random: publicCoins,
    params,
  });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {number} rounds
 * @param {'shuffled' | 'stored'} [order]
 */
export const planAcSa = (data, rounds, order = 'shuffled') =>
  noisyClippedAcSa.prepare({
    registry,
    problem: problemOf(data, 'l2-ball'),
    budget,
    calibrate,
    random: publicCoins,
    params: { rounds, clipNorm: 1, noiseMultiplier: 1, order },
  });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {number} rounds
 * @param {{ readonly name: string, readonly params?: object }} prefixSum
 */
export const planRecursive = (data, rounds, { name, params = {} }) =>
  acceleratedDpSrgd.prepare({
    registry,
    problem: problemOf(data, 'l2-ball'),
    budget,
    calibrate,
    random: publicCoins,
    params: {
      rounds,
      beta: 2 * rounds,
      clipNorm: 1,
      noiseMultiplier: 1,
      prefixSum: { kind: 'prefixSum', name, params },
    },
  });

/**
 * The default plan, from the constants of the loss alone; its multiplier is about that of ε = 1 and δ = 10⁻⁶.
 * @param {import('@lethe/curator').DataSet} data
 */
export function planRecursiveByDefault(data) {
  const problem = problemOf(data, 'l2-ball');
  const facts = { lipschitz: ofEveryRecord(1), smoothness: ofEveryRecord(0.25) };
  return acceleratedDpSrgd.prepare({
    registry,
    problem: { ...problem, facts },
    budget,
    calibrate,
    random: publicCoins,
    params: { noiseMultiplier: 4.2 },
  });
}

/** Starts at zero, by their length; a driver copies them.
 * @type {Map<number, Float64Array>}
 */
const starts = new Map();
/** @param {number} dimension */
function zerosOf(dimension) {
  const zeros = starts.get(dimension) ?? new Float64Array(dimension);
  starts.set(dimension, zeros);
  return zeros;
}

let runs = 0;

/**
 * One whole run through the real stack, with fresh secure randomness: a curator, every query checked,
 * digested and written to the ledger, noise, steps.
 * @param {import('@lethe/curator').DataSet} data
 * @param {import('@lethe/core').Run} run
 * @param {{ readonly transcript?: import('@lethe/core').Store, readonly planned?: import('@lethe/core').PrivacyEvent }} [options] `planned`: the reservation of the run
 */
export function runOnce(data, run, { planned, ...options } = {}) {
  const curator = centralCurator({
    data,
    registry,
    run: `bench-${runs++}`,
    random: secureRandom(),
    allowUnprotected: true,
    planned,
  });
  const { output } = driveSync(run, curator, {
    start: zerosOf(data.dimension),
    random: publicCoins,
    ...options,
  });
  curator.end();
  return output;
}
