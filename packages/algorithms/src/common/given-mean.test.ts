import {
  defineMean,
  IncompatiblePlugins,
  meanShape,
  resolvePlugin,
  seededRandom,
  Unsupported,
  type Adjacency,
  type CentralMean,
  type MeanRun,
  type Ref,
  type Vector,
} from '@lethe/core';
import {
  certifiedMean,
  clippedMean,
  coordinateClip,
  coordinateMedianOfMeans,
  gaussian,
  l1Clip,
  l2Clip,
  laplace,
  latticeMean,
  mechanisms,
  shuffledMean,
  shuffledMedianOfMeans,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ballRadius,
  errorOfMean,
  fewestRecords,
  givenMean,
  meanAt,
  standardMean,
  type MeanBatches,
  type MeanNeeds,
  type Moments,
} from './given-mean.js';

const needs: MeanNeeds = { optimizer: 'mine', trust: 'central', privacyRestsOn: 'clip' };
const among: MeanNeeds = { ...needs, trust: 'shuffle' };
const constants: MeanNeeds = { ...needs, privacyRestsOn: 'every-record constants' };
const clipped = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
const medians = (groups: number): Ref<'mean'> => coordinateMedianOfMeans({ limit: 1, groups });
const lipschitz = { value: 5, scope: 'every-record', provenance: 'declared' } as const;
const batchesOf = ({
  dimension = 3,
  adjacency = 'replace-one' as Adjacency,
  target = { noiseMultiplier: 2 } as MeanBatches['target'],
  facts = {} as MeanBatches['problem']['facts'],
} = {}): MeanBatches => ({
  problem: { adjacency, dimension, facts },
  target,
  honestIn: (size) => size,
});
const law: Moments = { order: 4, moment: 3, secondMoment: 2 };
const errorOf = (
  ref: Ref<'mean'>,
  { batches = batchesOf(), moments = law, its = needs, registry = mechanisms } = {},
) => {
  const error = errorOfMean(givenMean(ref, registry, its), batches, moments);
  return (clipNorm: number, batchSize: number) => defined(error(clipNorm, batchSize));
};

describe('givenMean', () => {
  it('is the one that is named, or the one for the model of trust and what privacy rests on', () => {
    expect(givenMean(undefined, mechanisms, needs)).toMatchObject({ ref: clipped, hasUnits: true });
    expect(givenMean(undefined, mechanisms, among)).toMatchObject({
      ref: shuffledMean({ randomiser: shuffledVectorSum({ radius: 1 }) }),
      hasUnits: true,
    });
    expect(givenMean(undefined, mechanisms, constants)).toMatchObject({
      ref: certifiedMean({ mechanism: gaussian({}) }),
      hasUnits: false,
    });
    expect(givenMean(medians(7), mechanisms, needs)).toMatchObject({ ref: medians(7), hasUnits: true });
  });
  it('refuses another model of trust, and privacy that rests on something else, with the reason', () => {
    const refused = (ref: Ref<'mean'>, its: MeanNeeds) => (): unknown => givenMean(ref, mechanisms, its);
    expect(refused(standardMean(among), needs)).toThrow(IncompatiblePlugins);
    expect(refused(standardMean(among), needs)).toThrow(
      /of the shuffle model, and 'mine' runs with a central curator; take a central mean, such as 'clipped'/u,
    );
    expect(refused(clipped, among)).toThrow(
      /of the central model, and 'mine' runs in the shuffle model; take a shuffled mean, such as 'shuffled'/u,
    );
    expect(refused(standardMean(constants), needs)).toThrow(/on clipping alone; take a mean that clips/u);
    expect(refused(clipped, constants)).toThrow(/on every-record constants.*such as 'certified'/u);
  });
  it('is scaled to a clip norm where it has units', () => {
    expect(meanAt(mechanisms, clipped, 5)).toEqual(
      clippedMean({ clip: l2Clip({ radius: 5 }), mechanism: gaussian({}) }),
    );
    expect(meanAt(mechanisms, standardMean(constants), 5)).toEqual(standardMean(constants));
  });
});

describe('errorOfMean', () => {
  it('is Lemma 6 for clipped means, with the factor of the adjacency', () => {
    for (const [adjacency, factor] of [
      ['replace-one', 2],
      ['zero-out', 1],
    ] satisfies [Adjacency, number][]) {
      const { noise, bias, variance } = errorOf(clipped, { batches: batchesOf({ adjacency }) })(5, 100);
      expect(noise).toBeCloseTo((2 * factor * 5) / 100, 14);
      expect(bias).toBeCloseTo(((27 / 256) * 3 ** 4) / 5 ** 3, 12);
      expect(variance).toBeCloseTo(3 * noise ** 2 + 4 / 100, 14);
    }
    expect(errorOf(clipped)(1, 100).variance).toBeCloseTo(3 * 0.04 ** 2 + 1 / 100, 14);
  });

  it('is no bias and the largest gradient for Lipschitz losses, whatever the clip norm', () => {
    const batches = batchesOf({ facts: { lipschitz } });
    const moments = { order: Infinity, moment: 5, secondMoment: 2 };
    const error = errorOf(standardMean(constants), { batches, moments, its: constants });
    expect(error(1, 100)).toEqual(error(7, 100));
    const { noise, bias, variance } = error(1, 100);
    expect([noise, bias]).toEqual([expect.closeTo(0.2, 14), 0]);
    expect(variance).toBeCloseTo(3 * 0.2 ** 2 + 4 / 100, 14);
  });

  it('takes bounded gradients for ones with moments of every order', () => {
    const bounded = (moment: number) =>
      errorOf(clipped, { moments: { order: Infinity, moment, secondMoment: 2 } })(2, 100).bias;
    expect(bounded(5)).toBeCloseTo(3, 8);
    expect(bounded(2)).toBeLessThan(1e-8);
    expect(bounded(1.9)).toBeLessThan(1e-100);
  });

  it.each([
    ['clipped', clipped, needs],
    ['medians', medians(3), needs],
    ['lattice', latticeMean({ radius: 1, spacing: 2 ** -20 }), needs],
    ['shuffled', standardMean(among), among],
  ] as const)('is the same in other units, at any scale: %s', (_name, ref, its) => {
    const batches = batchesOf(its === among ? { target: { epsilon: 1, delta: 1e-5 } } : {});
    const at = (scale: number) =>
      errorOf(ref, { batches, its, moments: { order: 8, moment: 3 * scale, secondMoment: 2 * scale } });
    for (const clipNorm of [0.01, 1, 3, 50]) {
      const { noise, bias, variance } = at(1)(clipNorm, 100);
      for (const scale of [1e-140, 1e-30, 1e9, 1e140]) {
        const scaled = at(scale)(clipNorm * scale, 100);
        expect(scaled.noise / scale / noise).toBeCloseTo(1, 12);
        expect(scaled.bias / scale / bias).toBeCloseTo(1, 12);
        expect(scaled.variance / scale / scale / variance).toBeCloseTo(1, 12);
      }
    }
    expect(at(1)(1e-30, 100).bias).toBeGreaterThanOrEqual(3 * (1 - 1e-12));
  });

  it('has as much noise as a curator adds, by the law of the mechanism', () => {
    for (const [groups, parts] of [
      [3, 33],
      [4, 25],
    ] as const)
      expect(errorOf(medians(groups))(5, 100).noise).toBeCloseTo(
        (2 * (groups === 4 ? 1 : 2) * 5 * Math.sqrt(3)) / parts,
        12,
      );
    const whole = latticeMean({ radius: 1, spacing: 2 ** -20 });
    expect(errorOf(whole)(5, 100).noise / errorOf(clipped)(5, 100).noise).toBeCloseTo(1, 4);
    const scalar = batchesOf({ dimension: 1 });
    const pure = clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: laplace({}) });
    expect(errorOf(pure, { batches: scalar })(5, 100).noise).toBeCloseTo(Math.SQRT2 * 0.2, 12);
  });

  it('is in ℓ2 whatever the norm of the clip', () => {
    // The most that clips of three equal entries lose: z = (3, 3, 3)/√3 · m.
    const moments = { order: 8, moment: 3, secondMoment: 3 };
    for (const [clip, lost] of [
      [l1Clip({ radius: 1 }), 3 - 1 / Math.sqrt(3)],
      [coordinateClip({ radius: 1 }), 3 - Math.sqrt(3)],
    ] as const) {
      const mechanism = clip.name === 'l1' ? laplace({}) : gaussian({});
      const { bias, variance } = errorOf(clippedMean({ clip, mechanism }), { moments })(1, 100);
      expect(bias).toBeGreaterThanOrEqual(lost);
      expect(variance).toBeGreaterThan(0);
    }
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
          const moments = { order, moment: momentOf(order), secondMoment: momentOf(2) };
          const shape = meanShape({ dimension: 2, slots, registry: mechanisms });
          for (const ref of [clipped, medians(groups)]) {
            const { plugin, params } = resolvePlugin<CentralMean>(
              mechanisms,
              meanAt(mechanisms, ref, clipNorm),
            );
            const { mean: exact, spread } = enumerated(
              () => plugin.begin(params, shape, random),
              points,
              probabilities,
              slots,
            );
            const bound = errorOf(ref, { batches: batchesOf({ dimension: 2 }), moments })(clipNorm, slots);
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

  it('covers what shuffled users measure: mean square of a thousand runs', () => {
    const users = 60;
    const dimension = 2;
    const clipNorm = 2;
    const runs = 1000;
    const random = seededRandom('users');
    const truth = Float64Array.of(0.3, -0.2);
    const target = { epsilon: 4, delta: 1e-3 };
    const context = { dimension, users, honestUsers: users, target };
    const bound = errorOf(standardMean(among), {
      its: among,
      batches: batchesOf({ dimension, target }),
      moments: { order: Infinity, moment: 2, secondMoment: Math.hypot(0.3, 0.2, 0.5 * Math.SQRT2) },
    })(clipNorm, users);
    let square = 0;
    for (let i = 0; i < runs; i++) {
      const records = Array.from({ length: users }, () =>
        truth.map((x) => x + (random.uniform() < 0.5 ? 0.5 : -0.5)),
      );
      const sum = defined(shuffledVectorSum.simulateSum)(
        { radius: clipNorm },
        context,
        records,
        random.fork(i),
      );
      square += sum.reduce((total, x, j) => total + (x / users - truth[j]) ** 2, 0) / runs;
    }
    // The mean of so many squares of nearly normal errors is
    // within a quarter of its expectation but for odds of 1e-9.
    expect(square).toBeLessThan(1.25 * (bound.variance + bound.bias ** 2));
    expect(square).toBeGreaterThan(0.1 * (bound.variance + bound.bias ** 2));
  });

  it('is none where the mean states no bounds, and refuses an adjacency without a sensitivity', () => {
    const silent = shuffledMean({ randomiser: shuffledMedianOfMeans({ bound: 1, groups: 3 }) });
    const batches = batchesOf({ target: { epsilon: 1, delta: 1e-5 } });
    expect(errorOfMean(givenMean(silent, mechanisms, among), batches, law)(1, 100)).toBe(null);
    expect(() => errorOf(medians(3), { batches: batchesOf({ adjacency: 'add-remove' }) })(1, 100)).toThrow(
      Unsupported,
    );
    expect(() => errorOf(clipped, { batches })(1, 100)).toThrow(/by a noise multiplier/u);
  });
});

describe('fewestRecords and ballRadius', () => {
  it('are found by asking the mean', () => {
    const given = (ref: Ref<'mean'>) => givenMean(ref, mechanisms, needs);
    expect(fewestRecords(given(clipped), batchesOf(), 1000)).toBe(1);
    for (const groups of [1, 4, 7, 1000])
      expect(fewestRecords(given(medians(groups)), batchesOf(), 1000)).toBe(groups);
    const faulty = defineMean({
      ...clippedMean,
      name: 'faulty',
      sensitivity() {
        throw new RangeError('a fault of its own');
      },
    });
    const ref = faulty({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
    const its = givenMean(ref, [...mechanisms, faulty], needs);
    expect(() => fewestRecords(its, batchesOf(), 1000)).toThrow(RangeError);
    const { problem } = batchesOf();
    expect(ballRadius(given(clipped), problem)).toBe(1);
    expect(ballRadius(given(meanAt(mechanisms, clipped, 3)), problem)).toBe(3);
    expect(ballRadius(given(medians(1)), problem)).toBe(null);
    expect(ballRadius(givenMean(undefined, mechanisms, among), problem)).toBe(null);
  });
});
