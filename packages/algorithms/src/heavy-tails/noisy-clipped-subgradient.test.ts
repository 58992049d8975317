import {
  IncompatiblePlugins,
  InvalidParameter,
  relativeTo,
  repeatedEvent,
  sameEvent,
  seededRandom,
  type Adjacency,
  type MeanQuery,
  type Vector,
  plainLoops,
} from '@lethe/core';
import { clippedMean, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { noisyClippedSubgradient } from './noisy-clipped-subgradient.js';
import { subgradientDistanceBound } from './schedules/subgradient-distance.js';

type Given = NonNullable<Parameters<typeof problem>[0]>;
type Params = Parameters<typeof noisyClippedSubgradient.prepare>[0]['params'];
const facts = { 'uniformGradientMoment.4': 3, 'gradientMoment.2': 1.5, populationLipschitz: 1 };
const usual: Given = { slots: 50, dimension: 3, facts };
const params = { rounds: 9, stepSize: 0.25, strength: 0.5, clipNorm: 2 } satisfies Params;
const prepare = (given: Params = params, of: Given = usual, calibration = fixedCalibration(2.5)) =>
  noisyClippedSubgradient.prepare({
    registry: mechanisms,
    problem: problem(of),
    budget,
    params: given,
    calibrate: calibration.calibrate,
    random: publicCoins,
  });
const stepsOf = (run: ReturnType<typeof prepare>) =>
  run.steps({
    start: Float64Array.of(2, 0, 0),
    allRecords: batchOf('all', 50),
    random: publicCoins,
    ...plainLoops(),
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));

describe('noisyClippedSubgradient', () => {
  it('is the listing: every record in every round, the pull outside of the clip', () => {
    const { queries, result } = play(stepsOf(prepare()), 50, answers);
    let w = [1, 0, 0];
    queries.forEach((query, t) => {
      expect(query).toMatchObject({
        ask: 'mean',
        batch: { id: 'all' },
        mean: clippedMean({ clip: l2Clip({ radius: 2 }), mechanism: gaussian({}) }),
        target: { noiseMultiplier: 2.5 },
      });
      const g = answers(query as MeanQuery, t);
      w = ontoBall(
        w.map((entry, j) => entry - 0.25 * (g[j] + 0.5 * (entry - (j === 0 ? 1 : 0)))),
        1,
      );
    });
    expect(queries).toHaveLength(9);
    w.forEach((entry, j) => expect(result[j]).toBeCloseTo(entry, 12));
  });

  it.each(['replace-one', 'add-remove', 'zero-out'] satisfies Adjacency[])(
    'plans the event a curator charges under %s, whatever the strength',
    (adjacency) => {
      const calibration = fixedCalibration(2.5);
      const run = prepare(params, { ...usual, adjacency }, calibration);
      const one = 2 / 50;
      const event = repeatedEvent(
        gaussian.event(
          {},
          2.5,
          relativeTo({ 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one }, adjacency),
        ),
        9,
      );
      expect(sameEvent(run.plan.event, event)).toBe(true);
      expect(calibration.requests[0].make(2.5)).toEqual(run.plan.event);
      expect(prepare({ ...params, strength: 8 }, { ...usual, adjacency }).plan.event).toEqual(run.plan.event);
      expect(run.plan).toMatchObject({
        noise: ((adjacency === 'replace-one' ? 2 : 1) * 2.5 * 2) / 50,
        gradients: 450,
      });
    },
  );

  it('bounds distance and risk where it can', () => {
    expect(prepare().plan).toMatchObject({ meanSquaredDistance: 4, uncovered: null });
    const fine = { ...params, rounds: 4000, stepSize: 0.01, clipNorm: 50, noiseMultiplier: 0.001 };
    const { plan: near } = prepare(fine, { ...usual, slots: 10_000 });
    const left = (near as unknown as { meanSquaredDistance: number }).meanSquaredDistance;
    expect(left).toBeLessThan(0.9);
    const run = {
      rounds: 4000,
      stepSize: 0.01,
      strength: 0.5,
      startDistance: 2,
      diameter: 2,
      moment: 3,
      noiseVariance: 3 * ((2 * 0.001 * 50) / 10_000) ** 2,
      bias: 9 / (4 * 50),
    };
    expect(left / subgradientDistanceBound(run, 'sharp')).toBeCloseTo(1, 10);
    // A mean of another size clips at its own radius.
    const mean = clippedMean({ clip: l2Clip({ radius: 0.25 }), mechanism: gaussian({}) });
    const scaled = prepare({ ...fine, clipNorm: 200, mean }, { ...usual, slots: 10_000 }).plan;
    expect(scaled).toMatchObject({ meanSquaredDistance: expect.closeTo(left, 10) as number });
    // A clip beyond the Lipschitz constant of every record has no bias.
    const certain = { slots: 10_000, scope: 'every-record', facts: { lipschitz: 3 } } as const;
    const { plan: better } = prepare(fine, certain);
    expect(
      (better as unknown as { meanSquaredDistance: number }).meanSquaredDistance /
        subgradientDistanceBound({ ...run, bias: 0 }, 'sharp'),
    ).toBeCloseTo(1, 10);
    expect(defined(near.utility).bound).toBeCloseTo(
      (2 * 1.5 ** 2) / (0.5 * 10_000) + 0.25 * 4 + Math.sqrt(left),
      10,
    );
  });

  it.each([
    ['strength', { ...params, strength: 0 }, usual],
    [
      'uniformGradientMoment.4',
      params,
      { ...usual, facts: { 'gradientMoment.8': 1, 'uniformGradientMoment.3': 2 } },
    ],
    ['add-remove', params, { ...usual, adjacency: 'add-remove' }],
  ] satisfies [string, Params, Given][])('says why there is no bound: %s', (reason, given, of) => {
    const { plan } = prepare(given, of);
    expect(plan).toMatchObject({
      utility: null,
      meanSquaredDistance: null,
      uncovered: expect.stringContaining(reason) as string,
    });
  });

  it('says why there is none on an unbounded domain', () => {
    const on = (of: Given, given: Params) =>
      noisyClippedSubgradient.prepare({
        registry: mechanisms,
        problem: { ...problem(of), domain: { kind: 'domain', name: 'whole-space', params: {} } },
        budget,
        params: given,
        calibrate: fixedCalibration(1).calibrate,
        random: publicCoins,
      }).plan;
    expect(on(usual, params)).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('startDistance') as string,
    });
    const declared = { ...usual, facts: { ...facts, startDistance: 3 } };
    expect(on(declared, { ...params, stepSize: 3 })).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('1/strength') as string,
    });
    expect(defined(on(declared, params).utility).bound).toBeLessThan(Infinity);
  });

  it('refuses what it cannot do', () => {
    for (const bad of [
      { ...params, stepSize: 4.1 },
      { ...params, stepSize: 0 },
      { ...params, rounds: 0 },
      { ...params, strength: -1 },
      { ...params, clipNorm: 0 },
      { ...params, unknown: 1 },
      {},
    ])
      expect(() => prepare(bad as Params)).toThrow(InvalidParameter);
    const ridge = { ...problem(usual), regulariser: { name: 'l2-squared', params: { strength: 1 } } };
    expect(() =>
      noisyClippedSubgradient.prepare({
        registry: mechanisms,
        problem: ridge,
        budget,
        params,
        calibrate: fixedCalibration(1).calibrate,
        random: publicCoins,
      }),
    ).toThrow(IncompatiblePlugins);
    expect(JSON.parse(JSON.stringify(prepare().plan))).toEqual(prepare().plan);
  });
});
