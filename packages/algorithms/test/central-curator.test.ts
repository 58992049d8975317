import { squaredSum } from '@lethe/numerics';
import {
  defineLinearLoss,
  driveSync,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type Fact,
  type MeanQuery,
  type Problem,
  type Query,
  type Run,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type DataSet } from '@lethe/curator';
import {
  l2BallDomain,
  laplaceLatticeMean,
  latticeMean,
  mechanisms,
  skellamLatticeMean,
} from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dpSgd, noisyClippedAcSa } from '../src/index.js';
import { budget, fixedCalibration, publicCoins } from './support/problems.js';

const squared = defineLinearLoss({
  name: 'squared',
  summary: '',
  source: { id: 'textbook', item: '' },
  params: z.strictObject({}),
  claims: [],
  capabilities: { convex: true, smooth: true, linear: true, nullRecord: true },
  linear: { fused: () => squaredSum, value: (_p, m, y) => 0.5 * (m - y) ** 2, slope: (_p, m, y) => m - y },
  facts: () => ({}),
  labels: { rule: 'any', accepts: () => true },
});
const registry = [...mechanisms, squared];
const rows = 4000;
const columns = 3;
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });

/** Linear regression whose truth is (0.5, −0.5, 0.5). */
function dataOf(seed: number) {
  const random = seededRandom(seed);
  const features = random.fork('x').gaussianInto(new Float64Array(rows * columns));
  const labels = random
    .fork('y')
    .gaussianInto(new Float64Array(rows))
    .map((z1, i) => 0.1 * z1 + 0.5 * (features[3 * i] - features[3 * i + 1] + features[3 * i + 2]));
  return {
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels,
  };
}
const problemUnder = (adjacency: Adjacency): Problem<{ readonly convex: true; readonly smooth: true }> => ({
  adjacency,
  dimension: columns,
  slots: [rows],
  trust: { model: 'central' },
  domain: l2BallDomain({ radius: 2 }),
  loss: squared({}),
  capabilities: { convex: true, smooth: true },
  facts: { smoothness: declared(1.2), 'gradientMoment.2': declared(5), 'gradientMoment.4': declared(8) },
});

const { calibrate } = fixedCalibration(0.05);
const context = { budget, calibrate, random: publicCoins };
const sgd = (adjacency: Adjacency): Run =>
  dpSgd.prepare({
    registry,
    ...context,
    problem: problemUnder(adjacency),
    params: { steps: 40, batchSize: 200, clipNorm: 2, stepSize: 0.3, average: 'last' },
  });
const acSa = (adjacency: Adjacency): Run =>
  noisyClippedAcSa.prepare({ registry, ...context, problem: problemUnder(adjacency), params: {} });

function run(planned: Run, seed = 1) {
  const adjacency = planned.problem.adjacency;
  const data = attachData({
    ...dataOf(seed),
    loss: squared({}),
    registry,
    ledger: openLedger({ adjacency }),
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'test',
    random: seededRandom('secret'),
    ...(adjacency === 'add-remove' ? { publicSlots: rows } : {}),
  });
  const queries: Query[] = [];
  const { output } = driveSync(planned, curator, {
    start: new Float64Array(columns),
    random: publicCoins,
    observe: (query) => queries.push(structuredClone(query)),
  });
  curator.end();
  return { output, spent: data.ledger.spentBy('test'), queries };
}

describe.each([
  ['dp-sgd', sgd, ['replace-one', 'add-remove', 'zero-out']],
  ['noisy-clipped-ac-sa', acSa, ['replace-one', 'zero-out']],
] as const)('%s against a central curator', (_name, prepare, adjacencies) => {
  it.each(adjacencies)('costs exactly what it planned under %s', (adjacency) => {
    const planned = prepare(adjacency);
    expect(sameEvent(run(planned).spent, planned.plan.event)).toBe(true);
  });

  it('learns: the output is close to the truth where the noise is small', () => {
    const { output } = run(prepare('replace-one'));
    [0.5, -0.5, 0.5].forEach((truth, j) => expect(Math.abs(output[j] - truth)).toBeLessThan(0.1));
  });

  it('asks the same kinds of query in the same order on other data', () => {
    const shape = (seed: number): unknown => run(prepare('replace-one'), seed).queries.map(({ ask }) => ask);
    expect(shape(2)).toEqual(shape(1));
  });
});

describe('noise that its mechanism does not draw', () => {
  const ledger = () => openLedger({ adjacency: 'zero-out' });
  const askOnce = (data: DataSet, release: Pick<MeanQuery, 'mean' | 'target'>) => {
    const curator = centralCurator({ data, registry, run: 'test', random: seededRandom('secret') });
    const of = { terms: [{ weight: 1, at: new Float64Array(columns) }] };
    return curator.answer(0, { ask: 'mean', of, batch: curator.allRecords, ...release });
  };

  it.each([
    ['discrete-gaussian', latticeMean({ radius: 1, spacing: 2 ** -20 }), 2 ** 21],
    ['discrete-laplace', laplaceLatticeMean({ radius: 1, spacing: 2 ** -20 }), 2 ** 21],
    ['skellam, too much', skellamLatticeMean({ radius: 1, spacing: 2 ** -10 }), 17],
    ['skellam, too little', skellamLatticeMean({ radius: 1, spacing: 2 ** -10 }), 0.05],
  ])('is refused before it is charged: %s', (_name, mean, noiseMultiplier) => {
    const data = attachData({ ...dataOf(1), loss: squared({}), registry, ledger: ledger() });
    expect(() => askOnce(data, { mean, target: { noiseMultiplier } })).toThrow(Unsupported);
    expect(data.ledger.total().kind).toBe('core/free');
    askOnce(data, { mean, target: { noiseMultiplier: 1 } });
    expect(data.ledger.total().kind).not.toBe('core/free');
  });
});
