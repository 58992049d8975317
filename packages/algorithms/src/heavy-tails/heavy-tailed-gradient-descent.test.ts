import {
  InvalidParameter,
  meanShape,
  parallelEvent,
  relativeTo,
  repeatedEvent,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type MeanQuery,
  type Vector,
  plainLoops,
} from '@lethe/core';
import { clippedMean, coordinateMedianOfMeans, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { descentDistanceBound } from './descent-distance.js';
import { heavyTailedGradientDescent } from './heavy-tailed-gradient-descent.js';

type Given = NonNullable<Parameters<typeof problem>[0]>;
type Params = Parameters<typeof heavyTailedGradientDescent.prepare>[0]['params'];
const clipped = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
const medians = coordinateMedianOfMeans({ limit: 1, groups: 4 });
const facts = {
  populationSmoothness: 3,
  populationStrongConvexity: 1,
  'gradientMoment.2': 2,
  'gradientMoment.4': 3,
};
const usual: Given = { slots: 1000, dimension: 3, facts };
const prepare = (params: Params = {}, given: Given = usual, calibration = fixedCalibration(2.5)) =>
  heavyTailedGradientDescent.prepare({
    registry: mechanisms,
    problem: problem(given),
    budget,
    params,
    calibrate: calibration.calibrate,
    random: publicCoins,
  });
const stepsOf = (run: ReturnType<typeof prepare>) =>
  run.steps({
    start: Float64Array.of(2, 0, 0),
    allRecords: batchOf('all', 1000),
    random: publicCoins,
    ...plainLoops(),
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));
const planOf = (run: ReturnType<typeof prepare>) =>
  run.plan as unknown as {
    readonly rounds: number;
    readonly clipNorm: number;
    readonly noise: number;
    readonly bias: number;
    readonly variance: number;
    readonly momentOrder: number;
  };

describe('heavyTailedGradientDescent', () => {
  it('needs no moment where the Lipschitz constant of every record is known: a clip there has no bias', () => {
    const known = problem({ ...usual, facts: { populationSmoothness: 3, populationStrongConvexity: 1 } });
    const planAt = (change: object, given: Params = {}) =>
      heavyTailedGradientDescent.prepare({
        registry: mechanisms,
        problem: { ...known, facts: { ...known.facts, ...change } },
        budget,
        params: { mean: clipped, batches: 'disjoint', ...given },
        calibrate: fixedCalibration(2.5).calibrate,
        random: publicCoins,
      }).plan;
    const lipschitz = { value: 2.65, scope: 'every-record', provenance: 'from-domain' };
    const whole = { clipNorm: 2.65, bias: 0 };
    expect(planAt({ lipschitz })).toMatchObject({ ...whole, momentOrder: null });
    const wide = { value: 400, scope: 'population', provenance: 'declared' };
    expect(planAt({ lipschitz, 'gradientMoment.2': wide }, { momentOrder: 2 })).toMatchObject(whole);
    expect(() => planAt({ lipschitz: { ...lipschitz, scope: 'population' } })).toThrow(Unsupported);
  });

  it.each(['everyone', 'disjoint'] as const)(
    'is the listing: steps of 1/(μ + β) on private means of %s',
    (batches) => {
      const run = prepare({ rounds: 6, batches, clipNorm: 1.5 });
      const { queries, result } = play(stepsOf(run), 1000, answers);
      const means = queries.filter(({ ask }) => ask === 'mean');
      expect(queries).toHaveLength(batches === 'everyone' ? 6 : 7);
      if (batches === 'disjoint')
        expect(queries[0]).toMatchObject({
          ask: 'split',
          order: 'shuffled',
          parts: { sizes: [166, 166, 166, 166, 166, 166] },
        });
      let w = [1, 0, 0];
      means.forEach((query, t) => {
        expect(query).toMatchObject({
          batch: { id: batches === 'everyone' ? 'all' : `part${t}` },
          mean: coordinateMedianOfMeans({ limit: 1.5, groups: 4 }),
          target: { noiseMultiplier: 2.5 },
        });
        (query as MeanQuery).of.terms[0].at.forEach((entry, j) => expect(entry).toBeCloseTo(w[j], 12));
        w = ontoBall(
          w.map((entry, j) => entry - answers(query as MeanQuery, t)[j] / 4),
          1,
        );
      });
      w.forEach((entry, j) => expect(result[j]).toBeCloseTo(entry, 12));
      expect(run.plan.gradients).toBe(batches === 'everyone' ? 6000 : 996);
    },
  );

  it('takes clipped means instead', () => {
    const [query] = play(stepsOf(prepare({ rounds: 1, clipNorm: 2, mean: clipped })), 1000, answers)
      .queries as readonly MeanQuery[];
    expect(query.mean).toEqual(clippedMean({ clip: l2Clip({ radius: 2 }), mechanism: gaussian({}) }));
    expect(() => prepare({ mean: { name: 'holland' } })).toThrow(/median-of-means/u);
  });

  it.each(['replace-one', 'zero-out'] satisfies Adjacency[])(
    'plans the event a curator charges under %s',
    (adjacency) => {
      for (const batches of ['everyone', 'disjoint'] as const)
        for (const mean of [medians, clipped]) {
          const calibration = fixedCalibration(2.5);
          const run = prepare({ rounds: 4, batches, mean }, { ...usual, adjacency }, calibration);
          const slots = batches === 'everyone' ? 1000 : 250;
          const { clipNorm } = planOf(run);
          const one = clipNorm / slots;
          const sensitivity =
            mean === clipped
              ? { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one }
              : coordinateMedianOfMeans.sensitivity(
                  { limit: clipNorm, groups: 4 },
                  meanShape({ dimension: 3, slots }),
                );
          const each = gaussian.event({}, 2.5, relativeTo(sensitivity, adjacency));
          expect(
            sameEvent(
              run.plan.event,
              batches === 'everyone' ? repeatedEvent(each, 4) : parallelEvent([each, each, each, each]),
            ),
          ).toBe(true);
          expect(calibration.requests[0].make(2.5)).toEqual(run.plan.event);
        }
    },
  );

  it('chooses rounds, the clip and the order of the moment', () => {
    const { rounds, clipNorm, noise, bias, variance, momentOrder } = planOf(prepare({ mean: clipped }));
    expect(rounds).toBe(Math.ceil(Math.log(1000) / -Math.log(0.75)));
    expect(noise).toBeCloseTo((2 * 2.5 * clipNorm) / 1000, 14);
    const moment = defined({ 2: 2, 4: 3 }[momentOrder]);
    // The published bias, r (r/C)^(k−1), meets √d σ.
    expect((moment * (moment / clipNorm) ** (momentOrder - 1)) / (Math.sqrt(3) * noise)).toBeCloseTo(1, 10);
    const errors = [2, 4]
      .map((order) => planOf(prepare({ mean: clipped, momentOrder: order })))
      .map((plan) => plan.bias ** 2 + plan.variance);
    expect(bias ** 2 + variance).toBe(Math.min(...errors));
    expect(planOf(prepare({ batches: 'disjoint', mean: clipped }, { ...usual, slots: 4 })).rounds).toBe(4);
    expect(
      planOf(
        prepare({ batches: 'disjoint' }, { ...usual, facts: { ...facts, populationStrongConvexity: 1e-17 } }),
      ).rounds,
    ).toBe(250);
    expect(() => prepare({}, { ...usual, facts: { ...facts, populationStrongConvexity: 1e-17 } })).toThrow(
      InvalidParameter,
    );
  });

  it('bounds the risk where records are disjoint, and says why it does not elsewhere', () => {
    const run = prepare({ batches: 'disjoint', rounds: 8, interiorMinimiser: true });
    const { bias, variance } = planOf(run);
    const distance = descentDistanceBound({
      convexity: 1,
      smoothness: 3,
      rounds: 8,
      startDistance: 2,
      error: Math.sqrt(bias ** 2 + variance),
    });
    expect(run.plan).toMatchObject({ uncovered: null, stepSize: 0.25 });
    expect(defined(run.plan.utility).bound).toBeCloseTo(1.5 * distance ** 2, 10);
    const { plan } = prepare(
      { batches: 'disjoint', rounds: 8 },
      { ...usual, facts: { ...facts, populationLipschitz: 0.5 } },
    );
    expect(defined(plan.utility).bound).toBeCloseTo(0.5 * distance + 1.5 * distance ** 2, 10);
    expect(prepare().plan).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('disjoint') as string,
    });
    const unbounded = {
      ...problem(usual),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    const far = heavyTailedGradientDescent.prepare({
      registry: mechanisms,
      problem: unbounded,
      budget,
      params: { batches: 'disjoint' },
      calibrate: fixedCalibration(1).calibrate,
      random: publicCoins,
    });
    expect(far.plan).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('startDistance') as string,
    });
  });

  it('has a bound that holds where the minimiser is on the boundary, unless it is told that it is not', () => {
    // ½(w − 5/3)² on [−1, 1], of a law without spread: one step of ½ from −1 leads to ⅓, and 2/3 remain.
    const given: Given = {
      slots: 1e6,
      dimension: 1,
      facts: { populationSmoothness: 1, populationStrongConvexity: 1, 'gradientMoment.50': 8 / 3 },
    };
    const params = {
      batches: 'disjoint',
      rounds: 1,
      mean: clipped,
      clipNorm: 8 / 3,
    } as const;
    const [boundary, interior] = [false, true].map(
      (interiorMinimiser) =>
        defined(
          heavyTailedGradientDescent.prepare({
            registry: mechanisms,
            problem: problem(given),
            budget,
            params: { ...params, interiorMinimiser },
            calibrate: fixedCalibration(1e-3).calibrate,
            random: publicCoins,
          }).plan.utility,
        ).bound,
    );
    expect(defined(prepare(params, given, fixedCalibration(1e-3)).plan.utility).bound).toBe(boundary);
    const excess = (5 / 3 - 1 / 3) ** 2 / 2 - (5 / 3 - 1) ** 2 / 2;
    expect(boundary).toBeGreaterThan(excess);
    expect(interior).toBeLessThan(excess);
  });

  it('takes no more rounds than have records for the groups of medians', () => {
    expect(
      planOf(
        prepare(
          { batches: 'disjoint' },
          { ...usual, slots: 20, facts: { ...facts, populationSmoothness: 100 } },
        ),
      ).rounds,
    ).toBe(5);
    expect(
      planOf(
        prepare(
          { batches: 'disjoint', mean: coordinateMedianOfMeans({ limit: 1, groups: 7 }) },
          { ...usual, slots: 20, facts: { ...facts, populationSmoothness: 100 } },
        ),
      ).rounds,
    ).toBe(2);
  });

  it('refuses what it cannot do', () => {
    expect(() => prepare({}, { ...usual, adjacency: 'add-remove' })).toThrow(Unsupported);
    expect(() => prepare({}, { ...usual, facts: { smoothness: 3, 'gradientMoment.2': 1 } })).toThrow(
      /strongConvexity/u,
    );
    expect(() => prepare({}, { ...usual, facts: { strongConvexity: 3, 'gradientMoment.2': 1 } })).toThrow(
      /smoothness/u,
    );
    expect(() => prepare({}, { ...usual, facts: { smoothness: 3, strongConvexity: 1 } })).toThrow(
      /gradientMoment/u,
    );
    expect(() => prepare({ rounds: 1001, batches: 'disjoint' })).toThrow(InvalidParameter);
    for (const bad of [
      { rounds: 0 },
      { clipNorm: -1 },
      { batches: 'some' },
      { strongConvexity: 0 },
      { unknown: 1 },
    ])
      expect(() => prepare(bad as Params)).toThrow(InvalidParameter);
  });
});
