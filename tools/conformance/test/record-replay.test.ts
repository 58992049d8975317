import { dpSgd, noisyClippedAcSa } from '@lethe/algorithms';
import {
  driveSync,
  InvalidParameter,
  seededRandom,
  type Adjacency,
  type Problem,
  type Run,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { recordReplay, type PreparedRun } from '@lethe/laws';
import { squared } from '@lethe/losses';
import { coordinateMedianOfMeans, l2BallDomain } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { dimension, records, registry } from './world.js';
import { cheapAccountant, rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const n = 24;
const problemUnder = (adjacency: Adjacency): Problem<typeof squared.capabilities> => ({
  adjacency,
  trust: { model: 'central' },
  dimension,
  slots: [n],
  domain: l2BallDomain({ radius: 5 }),
  loss: squared({}),
  capabilities: squared.capabilities,
  facts: {
    smoothness: { value: 20, scope: 'every-record', provenance: 'declared' },
    diameter: { value: 10, scope: 'every-record', provenance: 'from-domain' },
    'gradientMoment.2': { value: 4, scope: 'population', provenance: 'declared' },
  },
});
const context = (adjacency: Adjacency) => ({
  problem: problemUnder(adjacency),
  budget: { epsilon: 2, delta: 1e-5 },
  calibrate,
  random: seededRandom('plan'),
});
const planners: readonly (readonly [string, Adjacency, () => Run])[] = [
  [
    'dp-sgd',
    'replace-one',
    () =>
      dpSgd.prepare({
        registry,
        ...context('replace-one'),
        params: { steps: 5, rate: 0.5, clipNorm: 1, stepSize: 0.1, average: 'polyak' },
      }),
  ],
  [
    'dp-sgd',
    'add-remove',
    () =>
      dpSgd.prepare({
        registry,
        ...context('add-remove'),
        params: { steps: 5, batchSize: 6, clipNorm: 1, stepSize: 0.1, schedule: 'inverse-sqrt' },
      }),
  ],
  [
    'noisy-clipped-ac-sa by noise',
    'replace-one',
    () =>
      noisyClippedAcSa.prepare({ registry, ...context('replace-one'), params: { rounds: 4, clipNorm: 1 } }),
  ],
  [
    'noisy-clipped-ac-sa by medians',
    'zero-out',
    () =>
      noisyClippedAcSa.prepare({
        registry,
        ...context('zero-out'),
        params: { rounds: 4, clipNorm: 1, mean: coordinateMedianOfMeans({ limit: 1, groups: 4 }) },
      }),
  ],
];

/** A data set with another record 3, or, with `rows` other than n, of another size. */
function world(plan: () => Run, adjacency: Adjacency, change: number, rows = n): PreparedRun {
  const { features, labels } = records(rows);
  labels[3] += change;
  features[9] += change;
  const data = attachData({
    features: { data: features, rows, columns: dimension, offset: 0, rowStride: dimension, columnStride: 1 },
    labels,
    loss: squared({}),
    registry,
    ledger: openLedger({ adjacency }),
  });
  return {
    run: plan(),
    curator: centralCurator({
      data,
      registry,
      run: 'run',
      random: seededRandom('curator'),
      ...(adjacency === 'add-remove' ? { publicSlots: n } : {}),
    }),
  };
}

describe.each(planners)('%s under %s', (_name, adjacency, plan) => {
  const options = { start: new Float64Array(dimension), random: seededRandom('public') };
  test('sends the same queries on neighbouring data when it gets the same answers', () => {
    expect(
      recordReplay(
        () => world(plan, adjacency, 0),
        () => world(plan, adjacency, 1e3),
        options,
      ),
    ).toBeUndefined();
    if (adjacency === 'add-remove')
      expect(
        recordReplay(
          () => world(plan, adjacency, 0),
          () => world(plan, adjacency, 0, n - 1),
          options,
        ),
      ).toBeUndefined();
  });
  test("is not given the curator's own randomness", () => {
    const { run, curator } = world(plan, adjacency, 0);
    expect(() => driveSync(run, curator, { ...options, random: seededRandom('curator') })).toThrow(
      InvalidParameter,
    );
    expect(curator.recorded()).toBe(0);
  });
});
