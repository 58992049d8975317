import { driveSync, seededRandom, type Fact, type Optimizer, type Problem, type Run } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { losses, squaredDistance } from '@lethe/losses';
import { coordinateMedianOfMeans, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import {
  noisyAcSa,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyProximalSgd,
  noisySgd,
} from '../src/index.js';
import { budget, fixedCalibration, publicCoins } from './support/problems.js';

const registry = [...mechanisms, ...losses];
const rows = 600;
const columns = 2;
/** One record in fifty is far away; all could be, up to a norm of 99. */
const law = [
  { p: 0.49, x: [0.3, 0.1] },
  { p: 0.49, x: [-0.2, 0.2] },
  { p: 0.02, x: [10, 0] },
] as const;
const mean = [0, 1].map((j) => law.reduce((sum, { p, x }) => sum + p * x[j], 0));
/** At least `sup_{‖w‖ ≤ 1} (E‖w − x‖^k)^(1/k)`. */
const moment = (k: number): number =>
  law.reduce((sum, { p, x }) => sum + p * (1 + Math.hypot(...x)) ** k, 0) ** (1 / k);
const declared = (value: number, scope: Fact['scope'] = 'population'): Fact => ({
  value,
  scope,
  provenance: 'declared',
});
const problem: Problem<typeof squaredDistance.capabilities> = {
  adjacency: 'replace-one',
  dimension: columns,
  slots: [rows],
  trust: { model: 'central' },
  domain: l2BallDomain({ radius: 1 }),
  loss: squaredDistance({}),
  capabilities: squaredDistance.capabilities,
  facts: {
    smoothness: declared(1),
    strongConvexity: declared(1),
    'gradientMoment.2': declared(moment(2)),
    'gradientMoment.3': declared(moment(3)),
    lipschitz: declared(100, 'every-record'),
  },
};

const plannedBy = (optimizer: Optimizer, params: unknown) =>
  optimizer.prepare({
    problem,
    registry: mechanisms,
    budget,
    params,
    calibrate: fixedCalibration(0.5).calibrate,
    random: publicCoins,
  } as never);

function excessOf(run: Run, seed: number): number {
  const random = seededRandom(seed);
  const features = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    const u = random.uniform();
    const entry = () => {
      if (u < 0.02) return law[2].x;
      return u < 0.51 ? law[1].x : law[0].x;
    };
    features.set(entry(), i * columns);
  }
  const data = attachData({
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: new Float64Array(rows),
    nulls: new Uint8Array(rows),
    loss: squaredDistance({}),
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
    domain: { featureNorm: 99, iterateNorm: 1 },
  });
  const curator = centralCurator({ data, registry, run: 'test', random: random.fork('curator') });
  const { output } = driveSync(run, curator, {
    start: Float64Array.of(-1, 0),
    random: publicCoins,
  });
  curator.end();
  return 0.5 * mean.reduce((sum, m, j) => sum + (output[j] - m) ** 2, 0);
}

describe.each([
  ['accelerated', noisyClippedAcSa, noisyAcSa],
  ['averaged', noisyClippedSgd, noisySgd],
  ['proximal', noisyClippedProximalSgd, noisyProximalSgd],
] as const)('one pass, %s, on records with outliers', (_name, clipped, lipschitz) => {
  const averageOf = (optimizer: Optimizer, params: unknown): number => {
    const run = plannedBy(optimizer, params);
    return Array.from({ length: 40 }, (_, seed) => excessOf(run, seed)).reduce((a, b) => a + b, 0) / 40;
  };

  it.each([
    ['clipped means', {}],
    ['clipped means by the theorem', { schedule: 'corrected' }],
    ['clipped means by the printed theorem', { schedule: 'printed' }],
    ['medians of means', { mean: coordinateMedianOfMeans({ limit: 1, groups: 4 }) }],
    ['records as stored', { order: 'stored' }],
  ])('has an excess risk within its bound: %s', (_what, params) => {
    const { utility } = plannedBy(clipped as unknown as Optimizer, params).plan;
    expect(averageOf(clipped as unknown as Optimizer, params)).toBeLessThanOrEqual(defined(utility).bound);
  });

  it('is bounded, and measured, below its sibling for the Lipschitz constant of all records there could be', () => {
    const bounds = [clipped, lipschitz].map(
      (optimizer) => defined(plannedBy(optimizer as unknown as Optimizer, {}).plan.utility).bound,
    );
    expect(bounds[0]).toBeLessThan(0.7 * bounds[1]);
    const measured = averageOf(lipschitz as unknown as Optimizer, {});
    expect(measured).toBeLessThanOrEqual(bounds[1]);
    expect(averageOf(clipped as unknown as Optimizer, {})).toBeLessThan(measured);
  });
});
