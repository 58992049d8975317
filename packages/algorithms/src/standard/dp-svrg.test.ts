import {
  clippedMeanEvent,
  countedEvent,
  IncompatiblePlugins,
  InvalidParameter,
  sameEvent,
  sampledEvent,
  Unsupported,
  type MeanQuery,
  type Query,
  plainLoops,
} from '@lethe/core';
import {
  certifiedMean,
  clippedMean,
  fixedSize,
  gaussian,
  l1Clip,
  l2Clip,
  laplace,
  latticeMean,
  mechanisms,
  poisson,
  shuffledMean,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import {
  carriedOut,
  context,
  declared,
  dimension as d,
  problem,
  records,
} from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { dpSvrg } from './dp-svrg.js';

type Params = Parameters<typeof dpSvrg.prepare>[0]['params'];
const usual = { epochs: 3, innerSteps: 4, stepSize: 0.25, noiseMultiplier: 2 } satisfies Params;
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  dpSvrg.prepare({ registry: mechanisms, ...context, problem: problem(given), params });
const played = (
  run: ReturnType<typeof prepare>,
  answer: (query: MeanQuery, number: number) => Float64Array,
) =>
  play(
    run.steps({
      start: Float64Array.of(1, 0, -1, 0),
      allRecords: batchOf('all', records),
      random: publicCoins,
      ...plainLoops(),
    }),
    records,
    answer,
  );
const slope = (at: ArrayLike<number>): number[] => Array.from(at, (x, j) => Math.sin(x) + j / 4);
/** True gradients of a smooth function, weighted as asked. */
const truthful = ({ of: { terms } }: MeanQuery): Float64Array =>
  terms.reduce((sum, { weight, at }) => sum.map((x, j) => x + weight * slope(at)[j]), new Float64Array(d));
const isMean = (query: Query): query is MeanQuery => query.ask === 'mean';

describe('dpSvrg', () => {
  it.each([
    ['plainly', undefined, (x: number) => x],
    [
      'with a lasso',
      { name: 'l1', params: { strength: 0.5 } },
      (x: number) => Math.sign(x) * Math.max(0, Math.abs(x) - 0.125),
    ],
  ] as const)(
    'is the listing: gradient steps on the whole where answers are exact, averaged by epochs, %s',
    (_name, regulariser, prox) => {
      const run = prepare(usual, regulariser === undefined ? {} : { regulariser });
      let snapshot = [1, 0, -1, 0];
      for (let s = 0; s < 3; s++) {
        let x = snapshot;
        const sum = [0, 0, 0, 0];
        for (let t = 0; t < 4; t++) {
          x = x.map((value, j) => prox(value - 0.25 * slope(x)[j]));
          x.forEach((value, j) => {
            sum[j] += value;
          });
        }
        snapshot = sum.map((value) => value / 4);
      }
      played(run, truthful).result.forEach((x, j) => expect(Math.abs(x - snapshot[j])).toBeLessThan(1e-12));
    },
  );

  it('asks for everybody once an epoch, and for weighted differences on samples', () => {
    const { queries } = played(
      prepare({ ...usual, batchSize: 3, clip: { gradient: 1, difference: 0.25 }, snapshotRatio: 0.5 }),
      truthful,
    );
    expect(queries.map((query) => ('sampler' in query ? `${query.ask} of a sample` : query.ask))).toEqual(
      Array.from({ length: 3 }, () => [
        'mean',
        ...Array.from({ length: 4 }, () => 'mean of a sample'),
      ]).flat(),
    );
    const means = queries.filter(isMean);
    const snapshot = means[0].of.terms[0].at;
    expect(means[0]).toMatchObject({
      batch: { id: 'all' },
      mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
      target: { noiseMultiplier: 1 },
    });
    expect(means[2]).toMatchObject({
      of: { terms: [{ weight: 1 }, { weight: -1, at: snapshot }] },
      mean: clippedMean({ clip: l2Clip({ radius: 0.25 }), mechanism: gaussian({}) }),
      target: { noiseMultiplier: 2 },
    });
    expect(queries[1]).toMatchObject({ batch: { id: 'all' }, sampler: fixedSize({ size: 3 }) });
    const certified = played(prepare(usual), truthful).queries.filter(isMean);
    for (const query of certified)
      expect(query).toMatchObject({ mean: certifiedMean({ mechanism: gaussian({}) }) });
  });

  it.each(['replace-one', 'zero-out'] as const)('costs what it planned under %s', (adjacency) => {
    for (const params of [usual, { ...usual, batchSize: 5, snapshotRatio: 3 }]) {
      const run = prepare(params, { adjacency });
      const { ratio, size } = 'batchSize' in params ? { ratio: 3, size: 5 } : { ratio: 1, size: 1 };
      const sampler = defined(defined(fixedSize.amplification({ size }, records)[adjacency]).sampler);
      const event = countedEvent([
        { event: clippedMeanEvent(2 * ratio, adjacency), count: 3 },
        { event: sampledEvent(sampler, clippedMeanEvent(2, adjacency)), count: 12 },
      ]);
      expect(sameEvent(run.plan.event, event)).toBe(true);
      expect(sameEvent(carriedOut(run).spent, event)).toBe(true);
      expect(run.plan).toMatchObject({ utility: null, gradients: 3 * (records + 8 * size) });
    }
  });
});

describe('with sampler and means by reference', () => {
  const clippedTo = (radius: number) => clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
  const bySize = { batchSize: 3, clip: { gradient: 1, difference: 0.5 } };
  const named = {
    sampler: fixedSize({ size: 3 }),
    mean: { gradient: clippedTo(1), difference: clippedTo(0.5) },
  };

  it('is the same run as with their short forms', () => {
    const [long, short] = [prepare({ ...usual, ...named }), prepare({ ...usual, ...bySize })];
    expect(long.plan).toEqual(short.plan);
    expect(played(long, truthful)).toEqual(played(short, truthful));
  });

  it.each([
    ['Poisson batches', { sampler: poisson({ rate: 0.25 }) }],
    [
      'clips of other kinds, one for each mean',
      {
        mean: {
          gradient: clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: laplace({}) }),
          difference: latticeMean({ radius: 0.5, spacing: 2 ** -12 }),
        },
      },
    ],
    [
      'certified differences',
      { mean: { gradient: clippedTo(1), difference: certifiedMean({ mechanism: gaussian({}) }) } },
    ],
  ])('asks with %s, and costs what it planned', (_name, parts) => {
    const run = prepare({ ...usual, ...named, ...parts });
    const { queries, spent } = carriedOut(run);
    const { sampler, mean } = { ...named, ...parts };
    expect(queries[1]).toMatchObject({ sampler });
    const asked = queries.filter(isMean).map((query) => query.mean);
    expect(asked.slice(0, 3)).toEqual([mean.gradient, mean.difference, mean.difference]);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
  });

  it('refuses parts that do not fit, with the reason', () => {
    const refused =
      (parts: object, given: Parameters<typeof problem>[0] = {}) =>
      () =>
        prepare({ ...usual, ...named, ...parts } as Params, given);
    expect(refused({ batchSize: 3 })).toThrow(/at most one of batchSize, sampler/u);
    expect(refused({ clip: { gradient: 1, difference: 1 } })).toThrow(/at most one of clip, mean/u);
    expect(refused({ mean: { gradient: clippedTo(1) } })).toThrow(InvalidParameter);
    const shuffled = shuffledMean({ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) });
    expect(refused({ mean: { ...named.mean, gradient: shuffled } })).toThrow(/of the shuffle model/u);
    const certified = certifiedMean({ mechanism: gaussian({}), fact: 'smoothness' });
    expect(refused({ mean: { ...named.mean, gradient: certified } })).not.toThrow();
    expect(refused({ mean: { ...named.mean, gradient: certified } }, { facts: { smoothness: 1 } })).toThrow(
      /holds for the population only/u,
    );
    const mixed = clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: gaussian({}) });
    expect(refused({ mean: { ...named.mean, difference: mixed } })).toThrow(IncompatiblePlugins);
  });
});

test('what does not fit is refused', () => {
  const bad: object[] = [
    { epochs: 0 },
    { innerSteps: 1.5 },
    { batchSize: records + 1 },
    { stepSize: 0 },
    { clip: { gradient: 1 } },
    { clip: { gradient: 1, difference: Number.NaN } },
    { snapshotRatio: -1 },
    { more: 1 },
  ];
  for (const params of bad) expect(() => prepare({ ...usual, ...params })).toThrow(InvalidParameter);
  expect(() => prepare(usual, { regulariser: { name: 'l1', params: { strength: -1 } } })).toThrow(
    InvalidParameter,
  );
  expect(() =>
    dpSvrg.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...problem(), facts: { lipschitz: declared(1) } },
      params: usual,
    }),
  ).toThrow(Unsupported);
});
