import {
  IncompatiblePlugins,
  InvalidParameter,
  meanShape,
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type Mean,
  type MeanRun,
  type Vector,
} from '@lethe/core';
import {
  clippedMean as clipped,
  coordinateMedianOfMeans,
  gaussian,
  l2Clip,
  mechanisms,
  shuffledMedianOfMeans,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clippedMean, lipschitzMean, medianOfMeans } from './central-means.js';
import { clippingBias, paperEpsilon, type MeanSetting, type PrivateMean } from './private-mean.js';
import { chosenMean, privateMeans } from './private-means.js';
import { shuffledMedian, shuffledSum } from './shuffled-means.js';

const setting: MeanSetting = {
  adjacency: 'replace-one',
  dimension: 3,
  batchSize: 100,
  honestUsers: 100,
  target: { noiseMultiplier: 2 },
  clipNorm: 5,
  order: 4,
  moment: 3,
  secondMoment: 2,
  schedule: 'corrected',
};
const crowd = { target: { epsilon: 1, delta: 1e-5 } };
const own = (mean: PrivateMean): unknown => mean.params.parse({});
const at = (mean: PrivateMean, change: Partial<MeanSetting> = {}): MeanSetting => ({
  ...setting,
  ...(mean.trust === 'shuffle' ? crowd : {}),
  ...(mean === lipschitzMean ? { order: Infinity, moment: 5 } : {}),
  ...change,
});

describe.each(privateMeans.map((mean) => [mean.name, mean] as const))('%s', (_name, mean) => {
  it('has a noise in proportion to its clip norm, a bias that falls and a variance that grows with it', () => {
    const [small, large] = [1, 10].map((factor) =>
      mean.error(own(mean), at(mean, { clipNorm: factor, order: mean === lipschitzMean ? Infinity : 4 })),
    );
    expect(large.noise / small.noise).toBeCloseTo(10, 9);
    expect(large.bias).toBeLessThanOrEqual(small.bias);
    expect(large.variance).toBeGreaterThan(small.variance);
    for (const value of [...Object.values(small), ...Object.values(large)])
      expect(value >= 0 && value < Infinity).toBe(true);
  });

  it('can be asked for as a query that keeps its parts', () => {
    const release = mean.release(own(mean), at(mean));
    const { plugin } = resolvePlugin<Mean>(mechanisms, release.mean);
    expect([plugin.trust, plugin.privacyRestsOn]).toEqual([mean.trust, mean.privacyRestsOn]);
    expect(JSON.stringify(release)).toContain(JSON.stringify(at(mean).target));
  });
});

describe('the error of a mean', () => {
  it('is Lemma 6 for clipped means, with the factor of the adjacency', () => {
    for (const [adjacency, factor] of [
      ['replace-one', 2],
      ['zero-out', 1],
    ] satisfies [Adjacency, number][]) {
      const { noise, bias, variance } = clippedMean.error({}, { ...setting, adjacency });
      expect(noise).toBeCloseTo((2 * factor * 5) / 100, 14);
      expect(bias).toBeCloseTo(((27 / 256) * 3 ** 4) / 5 ** 3, 12);
      expect(variance).toBeCloseTo(3 * noise ** 2 + 4 / 100, 14);
      expect(paperEpsilon({ noise }, 5, 100)).toBeCloseTo(2 / (2 * factor), 14);
    }
    expect(clippedMean.error({}, { ...setting, schedule: 'printed' }).bias).toBeCloseTo(
      3 ** 4 / (3 * 5 ** 3),
      12,
    );
    expect(clippedMean.error({}, { ...setting, clipNorm: 1 }).variance).toBeLessThan(
      clippedMean.error({}, { ...setting, clipNorm: 1, schedule: 'printed' }).variance,
    );
  });

  it('is no bias and the largest gradient for Lipschitz losses', () => {
    expect(lipschitzMean.error({}, at(lipschitzMean))).toEqual({
      noise: 0.2,
      bias: 0,
      variance: 3 * 0.2 ** 2 + 4 / 100,
    });
    expect(clippingBias({ clipNorm: 2, order: Infinity, moment: 5, schedule: 'corrected' })).toBe(3);
  });

  /** Exact mean and spread of an oracle’s value over all draws of three records from a law on few points. */
  const enumerated = (
    begin: () => MeanRun,
    points: readonly Vector[],
    probabilities: readonly number[],
    slots: number,
  ) => {
    let mass: readonly (readonly [number, readonly number[]])[] = [[1, []]];
    for (let i = 0; i < slots; i++)
      mass = mass.flatMap(([p, drawn]) =>
        points.map((_, at_) => [p * probabilities[at_], [...drawn, at_]] as const),
      );
    const values = mass.map(([p, drawn]) => {
      const run = begin();
      drawn.forEach((at_, slot) => run.add(slot, points[at_]));
      return [p, run.value()] as const;
    });
    const mean = [0, 1].map((j) => values.reduce((sum, [p, value]) => sum + p * value[j], 0));
    return {
      mean,
      spread: values.reduce(
        (sum, [p, value]) => sum + p * mean.reduce((s, m, j) => s + (value[j] - m) ** 2, 0),
        0,
      ),
    };
  };

  it('covers the exact one of clipped means and of medians, on random laws of few points', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.constantFrom(2, 2.5, 4),
        fc.constantFrom(0.3, 1, 4),
        fc.constantFrom(1, 2, 3, 5),
        (seed, order, clipNorm, groups) => {
          const random = seededRandom(seed);
          const points = [0, 1, 2].map((i) =>
            random.gaussianInto(new Float64Array(2)).map((x) => x * 10 ** (i - 1)),
          );
          const probabilities = [0.7, 0.25, 0.05];
          const slots = 5;
          const momentOf = (k: number): number =>
            points.reduce((sum, z, i) => sum + probabilities[i] * Math.hypot(...z) ** k, 0) ** (1 / k);
          const truth = [0, 1].map((j) => points.reduce((sum, z, i) => sum + probabilities[i] * z[j], 0));
          const law = {
            ...setting,
            dimension: 2,
            batchSize: slots,
            clipNorm,
            order,
            moment: momentOf(order),
            secondMoment: momentOf(2),
          };
          const shape = meanShape({ dimension: 2, slots, registry: mechanisms });
          for (const [mean, params, begin] of [
            [
              clippedMean,
              {},
              () =>
                clipped.begin({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) }, shape, random),
            ],
            [
              medianOfMeans,
              { groups },
              () => coordinateMedianOfMeans.begin({ limit: clipNorm, groups }, shape, random),
            ],
          ] as const) {
            const { mean: exact, spread } = enumerated(begin, points, probabilities, slots);
            const bound = (mean as PrivateMean).error(params, law);
            expect(Math.hypot(...exact.map((x, j) => x - truth[j]))).toBeLessThanOrEqual(
              bound.bias * (1 + 1e-9) + 1e-12,
            );
            expect(spread).toBeLessThanOrEqual((bound.variance - 2 * bound.noise ** 2) * (1 + 1e-9) + 1e-12);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has the noise that a curator adds to medians', () => {
    for (const [groups, parts] of [
      [3, 33],
      [4, 25],
    ] as const) {
      const { noise } = medianOfMeans.error({ groups }, setting);
      expect(noise).toBeCloseTo((2 * (groups === 4 ? 1 : 2) * 5 * Math.sqrt(3)) / parts, 12);
    }
  });

  it('covers what shuffled users measure: mean square of a thousand runs', () => {
    const users = 60;
    const honestUsers = 60;
    const dimension = 2;
    const clipNorm = 2;
    const runs = 1000;
    const random = seededRandom('users');
    const truth = Float64Array.of(0.3, -0.2);
    const context = { dimension, users, honestUsers, target: { epsilon: 4, delta: 1e-3 } };
    type Records = readonly Vector[];
    for (const [mean, sumOf] of [
      [
        shuffledSum,
        (records: Records, i: number) =>
          defined(shuffledVectorSum.simulateSum)({ radius: clipNorm }, context, records, random.fork(i)),
      ],
      [
        shuffledMedian,
        (records: Records, i: number) =>
          defined(shuffledMedianOfMeans.simulateSum)(
            { bound: clipNorm, groups: 3 },
            context,
            records,
            random.fork(i),
          ),
      ],
    ] as const) {
      const bound = (mean as PrivateMean).error(own(mean), {
        ...setting,
        dimension,
        batchSize: users,
        honestUsers,
        target: context.target,
        clipNorm,
        order: Infinity,
        moment: 2,
        secondMoment: Math.hypot(0.3, 0.2, 0.5 * Math.SQRT2),
      });
      let square = 0;
      for (let i = 0; i < runs; i++) {
        const records = Array.from({ length: users }, () =>
          truth.map((x) => x + (random.uniform() < 0.5 ? 0.5 : -0.5)),
        );
        square += sumOf(records, i).reduce((total, x, j) => total + (x / users - truth[j]) ** 2, 0) / runs;
      }
      // The mean of so many squares of nearly normal errors is
      // within a quarter of its expectation but for odds of 1e-9.
      expect(square).toBeLessThan(1.25 * (bound.variance + bound.bias ** 2));
      expect(square).toBeGreaterThan(0.1 * (bound.variance + bound.bias ** 2));
    }
  });
});

describe('chosenMean', () => {
  const central = { trust: { model: 'central' }, adjacency: 'replace-one' } as const;
  const shuffle = { trust: { model: 'shuffle', honestUsers: 10 }, adjacency: 'zero-out' } as const;
  it('is the first that fits, or the one that is named', () => {
    expect(chosenMean(privateMeans, undefined, central)).toEqual({ mean: clippedMean, params: {} });
    expect(chosenMean(privateMeans, undefined, shuffle)).toEqual({ mean: shuffledSum, params: {} });
    expect(chosenMean(privateMeans, { name: 'median-of-means', params: { groups: 7 } }, central)).toEqual({
      mean: medianOfMeans,
      params: { groups: 7 },
    });
  });
  it('refuses other names, parameters, models and adjacencies', () => {
    expect(() => chosenMean(privateMeans, { name: 'mean', params: {} }, central)).toThrow(InvalidParameter);
    expect(() =>
      chosenMean(privateMeans, { name: 'median-of-means', params: { groups: 0 } }, central),
    ).toThrow(InvalidParameter);
    expect(() => chosenMean(privateMeans, { name: 'shuffled-sum', params: {} }, central)).toThrow(
      /take clipped-mean/u,
    );
    expect(() => chosenMean(privateMeans, { name: 'clipped-mean', params: {} }, shuffle)).toThrow(
      IncompatiblePlugins,
    );
    expect(() => chosenMean([clippedMean], undefined, shuffle)).toThrow(/none of this method/u);
    expect(() => chosenMean(privateMeans, undefined, { ...central, adjacency: 'add-remove' })).toThrow(
      IncompatiblePlugins,
    );
  });
});
