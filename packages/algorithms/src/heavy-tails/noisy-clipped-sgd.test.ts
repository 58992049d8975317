import {
  defineMean,
  InvalidParameter,
  plainLoops,
  seededRandom,
  Unsupported,
  type MeanQuery,
  type Problem,
  type Vector,
} from '@lethe/core';
import {
  certifiedMean,
  clippedMean as clipped,
  coordinateMedianOfMeans,
  gaussian,
  l2Clip,
  mechanisms,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { noisyClippedSgd, noisySgd } from './noisy-clipped-sgd.js';
import { smoothStronglyConvexSchedule, stepsOf } from './schedules/smooth-strongly-convex-schedule.js';
import type { OnePassSchedule } from './schedules/least-bound.js';

const facts = {
  populationSmoothness: 4,
  populationStrongConvexity: 1,
  'gradientMoment.2': 2,
  'gradientMoment.4': 3,
};
type Params = Parameters<typeof noisyClippedSgd.prepare>[0]['params'];
type Given = NonNullable<Parameters<typeof problem>[0]>;
const usual: Given = { slots: 1000, dimension: 3, facts };

const prepare = (
  params: Params = {},
  given: Given = usual,
  change: Partial<Problem> = {},
  optimizer = noisyClippedSgd,
) =>
  optimizer.prepare({
    registry: mechanisms,
    problem: { ...problem(given), ...change } as never,
    budget,
    params,
    calibrate: fixedCalibration(2.5).calibrate,
    random: publicCoins,
  });
const stepsFrom = (run: ReturnType<typeof prepare>) =>
  run.steps({
    start: Float64Array.of(2, 0, 0),
    allRecords: batchOf('all', 1000),
    random: publicCoins,
    ...plainLoops(),
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));
type Plan = OnePassSchedule & {
  readonly momentOrder: number | null;
  readonly stepSize: number | null;
  readonly uncovered: string | null;
  readonly paperEpsilon: number;
};
const planOf = (run: ReturnType<typeof prepare>) => run.plan as typeof run.plan & Plan;

describe('noisyClippedSgd', () => {
  it.each(['corrected', 'printed'] as const)('is the listing on T + 1 batches: %s', (schedule) => {
    const run = prepare({ rounds: 8, schedule, momentOrder: 4 });
    const { clipNorm } = planOf(run);
    const { queries, result } = play(stepsFrom(run), 1000, answers);
    expect(queries[0]).toEqual({
      ask: 'split',
      of: batchOf('all', 1000),
      order: 'shuffled',
      parts: { by: 'size', sizes: Array.from({ length: 9 }, () => 111) },
    });
    expect(queries).toHaveLength(10);
    const { stepSizes, weights } = stepsOf({ smoothness: 4, convexity: 1, rounds: 8 }, schedule);
    let w = [1, 0, 0];
    let sum = [0, 0, 0];
    let total = 0;
    for (let t = 0; t <= 8; t++) {
      const query = queries[t + 1] as MeanQuery;
      expect(query).toMatchObject({
        batch: { id: `part${t}` },
        mean: clipped({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) }),
        target: { noiseMultiplier: 2.5 },
      });
      w.forEach((entry, j) => expect(query.of.terms[0].at[j]).toBeCloseTo(entry, 12));
      w = ontoBall(
        w.map((entry, j) => entry - stepSizes[t] * answers(query, t)[j]),
        1,
      );
      sum = sum.map((entry, j) => entry + weights[t] * w[j]);
      total += weights[t];
    }
    result.forEach((entry, j) => expect(entry).toBeCloseTo(sum[j] / total, 12));
  });

  it('plans by Theorem 34 with the noise calibrated, and chooses the moment with the least bound', () => {
    const plan = planOf(prepare({ schedule: 'corrected' }));
    const known = {
      slots: 1000,
      dimension: 3,
      secondMoment: 2,
      epsilon: 1 / 2.5,
      smoothness: 4,
      convexity: 1,
      diameter: 2,
    };
    const [second, fourth] = [
      smoothStronglyConvexSchedule({ ...known, order: 2, moment: 2 }, 'corrected'),
      smoothStronglyConvexSchedule({ ...known, order: 4, moment: 3 }, 'corrected'),
    ];
    const best = second.excessRisk < fourth.excessRisk ? second : fourth;
    expect(defined(plan.utility).bound / best.excessRisk).toBeCloseTo(1, 12);
    expect(defined(plan.printedBound) / defined(best.printedBound)).toBeCloseTo(1, 12);
    expect([plan.rounds, plan.batchSize, plan.uncovered]).toEqual([best.rounds, best.batchSize, null]);
    expect(plan.paperEpsilon).toBeCloseTo(1 / 2.5, 12);
    expect(plan.gradients).toBe(best.batches * best.batchSize);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('splits as stored, and asks the mean that is named', () => {
    const run = prepare({
      rounds: 3,
      clipNorm: 2,
      order: 'stored',
      mean: coordinateMedianOfMeans({ limit: 1, groups: 5 }),
    });
    const { queries } = play(stepsFrom(run), 1000, answers);
    expect(queries[0]).toMatchObject({ ask: 'split', order: 'stored' });
    expect(queries[1]).toMatchObject({ mean: coordinateMedianOfMeans({ limit: 2, groups: 5 }) });
    expect(run.plan).toMatchObject({ mean: coordinateMedianOfMeans({ limit: 1, groups: 5 }) });
  });

  it('takes constant steps and a plain average where the risk is only convex, for which no theorem chooses rounds', () => {
    const weak = { ...usual, facts: { smoothness: 4, 'gradientMoment.2': 2 } };
    const run = prepare({ rounds: 3 }, weak);
    const { stepSize, utility, printedBound } = planOf(run);
    const { result } = play(stepsFrom(run), 1000, answers);
    let w = [1, 0, 0];
    let sum = [0, 0, 0];
    for (let t = 0; t <= 3; t++) {
      w = ontoBall(
        w.map((entry, j) => entry - defined(stepSize) * answers({} as MeanQuery, t)[j]),
        1,
      );
      sum = sum.map((entry, j) => entry + w[j] / 4);
    }
    result.forEach((entry, j) => expect(entry).toBeCloseTo(sum[j], 12));
    expect(defined(utility).bound).toBeGreaterThan(0);
    expect(printedBound).toBe(null);
    expect(() => prepare({ schedule: 'corrected' }, weak)).toThrow(/or give rounds/u);
  });

  it('runs on a domain without bounds if the start is known to be near', () => {
    const everywhere = { domain: { kind: 'domain', name: 'whole-space', params: {} } } as const;
    expect(() => prepare({}, usual, everywhere)).toThrow(/startDistance/u);
    expect(
      defined(prepare({}, { ...usual, facts: { ...facts, startDistance: 2 } }, everywhere).plan.utility)
        .bound,
    ).toBe(defined(prepare({}, { ...usual, facts: { ...facts, startDistance: 2 } }).plan.utility).bound);
  });

  it('has no bound there without strong convexity, where a bias may take iterates anywhere', () => {
    const everywhere = { domain: { kind: 'domain', name: 'whole-space', params: {} } } as const;
    const weak = { ...usual, facts: { smoothness: 4, 'gradientMoment.2': 2, diameter: 2 } };
    expect(prepare({ rounds: 3 }, weak, everywhere).plan).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('unbounded') as string,
    });
    expect(prepare({ rounds: 3 }, weak).plan).toMatchObject({ uncovered: null });
  });

  it('refuses what it cannot do', () => {
    expect(() => prepare({}, { ...usual, facts: { ...facts, populationStrongConvexity: 5 } })).toThrow(
      InvalidParameter,
    );
    expect(() =>
      prepare({}, { ...usual, facts: { populationStrongConvexity: 1, populationSmoothness: 2 } }),
    ).toThrow(/gradientMoment\.2/u);
    expect(() => prepare({ rounds: 1001 })).toThrow(InvalidParameter);
    expect(() => prepare({}, { ...usual, slots: 1 })).toThrow(InvalidParameter);
    expect(() => prepare({}, { ...usual, adjacency: 'add-remove' })).toThrow(Unsupported);
    expect(() => prepare({ mean: { name: 'lipschitz-mean' } })).toThrow(/no mean named 'lipschitz-mean'/u);
    expect(() => prepare({ mean: certifiedMean({ mechanism: gaussian({}) }) })).toThrow(
      /rests on every-record constants, and that of 'noisy-clipped-sgd' on clipping alone/u,
    );
  });
});

describe('noisySgd', () => {
  const everyRecord = { lipschitz: { value: 6, scope: 'every-record', provenance: 'declared' } } as const;
  const withLipschitz = (given: Given, params: Params = {}) =>
    prepare(
      params,
      given,
      { facts: { ...problem(given).facts, ...everyRecord } },
      noisySgd as unknown as typeof noisyClippedSgd,
    );

  it('does not clip, has no bias, and noise for the Lipschitz constant', () => {
    const run = withLipschitz(usual);
    const plan = planOf(run);
    const { queries } = play(stepsFrom(run), 1000, answers);
    expect(queries[1]).toMatchObject({ mean: certifiedMean({ mechanism: gaussian({}) }) });
    expect(plan).toMatchObject({ clipNorm: 6, bias: 0, momentOrder: null, moment: 6, secondMoment: 2 });
    expect(plan.noise).toBeCloseTo((2.5 * 2 * 6) / plan.batchSize, 12);
    expect(() =>
      withLipschitz(usual, { mean: clipped({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }) }),
    ).toThrow(/rests on clip, and that of 'noisy-sgd' on every-record constants/u);
    expect(noisySgd.privacyRestsOn).toBe('every-record constants');
    expect(noisyClippedSgd.privacyRestsOn).toBe('clip');
  });
  it('needs no moments, and refuses parameters that clip', () => {
    expect(
      withLipschitz({ ...usual, facts: { populationSmoothness: 4, populationStrongConvexity: 1 } }).plan,
    ).toMatchObject({ secondMoment: 6 });
    expect(() => withLipschitz(usual, { clipNorm: 1 })).toThrow(/cannot be scaled/u);
    expect(() => withLipschitz(usual, { momentOrder: 2 })).toThrow(/does not clip/u);
    expect(() =>
      prepare(
        {},
        { ...usual, facts: { ...facts, lipschitz: 6 } },
        {},
        noisySgd as unknown as typeof noisyClippedSgd,
      ),
    ).toThrow(
      /holds for the population only, and that is not enough.*featureNorm.*labelBound.*bounded domain/u,
    );
    expect(() =>
      noisySgd.prepare({
        problem: problem(usual),
        registry: mechanisms,
        budget,
        params: {},
        calibrate: fixedCalibration(2.5).calibrate,
        random: publicCoins,
      } as never),
    ).toThrow(/featureNorm.*labelBound.*bounded domain/u);
  });
});

describe('a mean of one’s own', () => {
  const numbers = { biasBound: clipped.biasBound, varianceBound: clipped.varianceBound };
  const own = (change: Partial<typeof numbers>) =>
    defineMean({ ...clipped, ...numbers, ...change, name: 'mine' });
  const context = { budget, calibrate: fixedCalibration(2.5).calibrate, random: publicCoins };

  it.each([
    { biasBound: () => Number.NaN },
    { varianceBound: () => 0 },
    { varianceBound: () => -1 },
    { varianceBound: () => Number.NaN },
  ])('is named where its error is no error: %o', (wrong) => {
    const mine = own(wrong);
    for (const schedule of ['least-bound', 'corrected'] as const) {
      const plan = (): unknown =>
        noisyClippedSgd.prepare({
          registry: [...mechanisms, mine],
          ...context,
          problem: problem(usual),
          params: { schedule, mean: mine({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }) },
        });
      expect(plan).toThrow(InvalidParameter);
      expect(plan).toThrow(/the mean 'mine' says of its error.*Correct its biasBound or varianceBound/u);
    }
  });
  it('has to be in the registry, and its parameters are checked', () => {
    expect(() => prepare({ mean: { name: 'mine' } })).toThrow(/no mean named 'mine'/u);
    expect(() => prepare({ mean: { name: 'coordinate-median-of-means', params: { groups: 0 } } })).toThrow(
      InvalidParameter,
    );
  });
});

it('noisyClippedSgd says in plain words that one record is too few', () => {
  for (const known of [facts, { smoothness: 4, 'gradientMoment.2': 2 }])
    expect(() => prepare({}, { ...usual, slots: 1, facts: known })).toThrow(
      /there is 1 slot, and the method needs at least 2/u,
    );
});
