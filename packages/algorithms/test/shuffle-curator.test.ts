import {
  driveSync,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Fact,
  type Problem,
  type Query,
  type Run,
} from '@lethe/core';
import { attachData, openLedger, shuffleCurator } from '@lethe/curator';
import { losses, squared } from '@lethe/losses';
import {
  clippedMean,
  gaussian,
  l2BallDomain,
  l2Clip,
  mechanisms,
  shuffledMean,
  shuffledMedianOfMeans,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { noisyClippedAcSa, noisyClippedProximalSgd, noisyClippedSgd } from '../src/index.js';
import { budget, fixedCalibration, publicCoins } from './support/problems.js';

const registry = [...mechanisms, ...losses];
const rows = 4000;
const columns = 2;
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const problemUnder = (adjacency: Adjacency, honestUsers: number): Problem<typeof squared.capabilities> => ({
  adjacency,
  dimension: columns,
  slots: [rows],
  trust: { model: 'shuffle', honestUsers },
  domain: l2BallDomain({ radius: 2 }),
  loss: squared({}),
  capabilities: squared.capabilities,
  facts: {
    populationSmoothness: declared(1),
    populationStrongConvexity: declared(1),
    'gradientMoment.2': declared(2),
    'gradientMoment.4': declared(4),
  },
});
const context = {
  budget: { epsilon: 10, delta: 1e-3 },
  calibrate: fixedCalibration(1).calibrate,
  random: publicCoins,
};

function run(planned: Run, honestUsers: number) {
  const { adjacency } = planned.problem;
  const random = seededRandom('records');
  const features = random.fork('x').gaussianInto(new Float64Array(rows * columns));
  const labels = Float64Array.from({ length: rows }, (_, i) => 0.5 * (features[2 * i] - features[2 * i + 1]));
  const data = attachData({
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels,
    loss: squared({}),
    registry,
    ledger: openLedger({ adjacency }),
  });
  const curator = shuffleCurator({
    data,
    registry,
    run: 'test',
    random: seededRandom('secret'),
    honestUsers,
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
  ['noisy-clipped-ac-sa', noisyClippedAcSa],
  ['noisy-clipped-sgd', noisyClippedSgd],
  ['noisy-clipped-proximal-sgd', noisyClippedProximalSgd],
] as const)('%s against a shuffle curator', (_name, optimizer) => {
  it.each([
    ['replace-one', rows],
    ['zero-out', rows - 100],
  ] satisfies [Adjacency, number][])(
    'costs exactly what it planned under %s with %i honest users, and learns if all are',
    (adjacency, honestUsers) => {
      const planned = optimizer.prepare({
        registry,
        ...context,
        problem: problemUnder(adjacency, honestUsers),
        params: {},
      });
      const { output, spent, queries } = run(planned, honestUsers);
      expect(sameEvent(spent, planned.plan.event)).toBe(true);
      expect(planned.plan).toMatchObject({
        noiseMultiplier: null,
        mean: { name: 'shuffled', params: { randomiser: { name: 'shuffled-vector-sum' } } },
        event: { kind: 'core/shuffled', epsilon: 10, delta: 1e-3 },
      });
      expect(queries.slice(1).every((query) => query.ask === 'mean' && query.mean.name === 'shuffled')).toBe(
        true,
      );
      if (honestUsers === rows)
        [0.5, -0.5].forEach((truth, j) => expect(Math.abs(output[j] - truth)).toBeLessThan(0.35));
      expect(defined(planned.plan.utility).bound).toBeGreaterThan(0);
    },
  );

  it('runs on medians of means, for which it knows no bound', () => {
    const planned = optimizer.prepare({
      registry,
      ...context,
      problem: problemUnder('replace-one', rows),
      params: {
        rounds: 2,
        clipNorm: 3,
        mean: shuffledMean({ randomiser: shuffledMedianOfMeans({ bound: 1, groups: 3 }) }),
      },
    });
    expect(planned.plan).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining("'shuffled' states no bound") as string,
      noise: null,
      bias: null,
      variance: null,
      printedBound: null,
      clipNorm: 3,
    });
    expect(sameEvent(run(planned, rows).spent, planned.plan.event)).toBe(true);
  });

  it('takes batches of which most users are honest', () => {
    const problem = problemUnder('replace-one', rows - 100);
    const smoothness = { value: 1000, scope: 'population', provenance: 'declared' } as const;
    const steep = { ...problem, facts: { ...problem.facts, smoothness, populationSmoothness: smoothness } };
    const { plan } = optimizer.prepare({ registry, ...context, problem: steep, params: {} });
    expect((plan as unknown as { batchSize: number }).batchSize).toBeGreaterThan(2 * 100);
  });

  it('refuses means of the central model, a noise multiplier, and batches without an honest user', () => {
    const prepare = (params: Parameters<typeof optimizer.prepare>[0]['params'], honestUsers = rows): Run =>
      optimizer.prepare({ registry, ...context, problem: problemUnder('replace-one', honestUsers), params });
    expect(() =>
      prepare({ mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }) }),
    ).toThrow(/of the central model.*take a shuffled mean, such as 'shuffled'/u);
    expect(() => prepare({ noiseMultiplier: 1 })).toThrow(/leave it out/u);
    expect(() => prepare({ rounds: 40 }, 1000)).toThrow(/fewer rounds/u);
    expect(() => prepare({}, 0)).toThrow(/at least 1 honest users?$/u);
    expect(() =>
      optimizer.prepare({
        registry,
        ...context,
        budget: { ...budget, epsilon: 20 },
        problem: problemUnder('replace-one', rows),
        params: {},
      }),
    ).toThrow(/up to 15/u);
  });
});
