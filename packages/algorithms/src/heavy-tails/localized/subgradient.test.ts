import {
  IncompatiblePlugins,
  InvalidParameter,
  parallelEvent,
  relativeTo,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type MeanQuery,
  type Vector,
  plainLoops,
} from '@lethe/core';
import {
  clippedMean,
  coordinateMedianOfMeans,
  gaussian,
  l2Clip,
  mechanisms,
  poisson,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../../test/support/problems.js';
import { batchOf, play } from '../../../test/support/scripted-curator.js';
import { norm, ontoBall } from '../../../test/support/vectors.js';
import { localizedExcessRisk } from './excess-risk.js';
import { localizedPhases } from './phases.js';
import type { PlannedPhase } from './plan.js';
import { localizedSubgradient } from './subgradient.js';

type Given = NonNullable<Parameters<typeof problem>[0]>;
type Params = Parameters<typeof localizedSubgradient.prepare>[0]['params'];
const facts = {
  'uniformGradientMoment.4': 3,
  'uniformGradientMoment.2': 2,
  'gradientMoment.2': 1.5,
  populationLipschitz: 1,
};
const usual: Given = { slots: 20, dimension: 3, facts };

const prepare = (params: Params = {}, given: Given = usual, calibration = fixedCalibration(2.5)) =>
  localizedSubgradient.prepare({
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
    allRecords: batchOf('all', 20),
    random: publicCoins,
    ...plainLoops(),
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));
const planOf = (run: ReturnType<typeof prepare>) =>
  run.plan as unknown as {
    readonly phases: readonly PlannedPhase[];
    readonly stepSize: number;
    readonly momentOrder: number;
    readonly recordsRead: number;
    readonly recordsDropped: number;
  };

describe('localizedSubgradient', () => {
  it('is the listing: phases on halves, each in a ball around its start and pulled to it', () => {
    // Large steps, so that both the domain and the balls bind.
    const run = prepare({ mostRounds: 6, stepSize: 4 });
    const { phases } = planOf(run);
    const { queries, result } = play(stepsOf(run), 20, answers);
    expect(queries[0]).toEqual({
      ask: 'split',
      of: batchOf('all', 20),
      order: 'shuffled',
      parts: { by: 'size', sizes: [8, 4, 2, 1] },
    });
    expect(queries).toHaveLength(1 + phases.reduce((sum, { rounds }) => sum + rounds, 0));
    let w = [1, 0, 0];
    let asked = 1;
    phases.forEach(({ rounds, stepSize, strength, radius, clipNorm, noiseMultiplier }, i) => {
      const centre = w;
      for (let t = 0; t < rounds; t++, asked++) {
        const query = queries[asked] as MeanQuery;
        const g = answers(query, asked - 1);
        expect(query).toMatchObject({
          ask: 'mean',
          batch: { id: `part${i}` },
          mean: clippedMean({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) }),
          target: { noiseMultiplier },
        });
        w.forEach((entry, j) => expect(query.of.terms[0].at[j]).toBeCloseTo(entry, 10));
        const moved = w.map((entry, j) => entry - stepSize * (g[j] + strength * (entry - centre[j])));
        // In the ball around the phase's start, and in the domain: one of them is enough in every step here.
        const inBall = ontoBall(
          moved.map((entry, j) => entry - centre[j]),
          radius,
        ).map((entry, j) => entry + centre[j]);
        const inDomain = ontoBall(moved, 1);
        w = norm(inDomain.map((entry, j) => entry - centre[j])) <= radius ? inDomain : inBall;
        expect(norm(w)).toBeLessThanOrEqual(1 + 1e-9);
      }
    });
    w.forEach((entry, j) => expect(result[j]).toBeCloseTo(entry, 10));
  });

  it('keeps a phase in its ball', () => {
    const run = prepare({ mostRounds: 5, stepSize: 0.001 });
    const [first] = planOf(run).phases;
    const seen: number[][] = [];
    play(stepsOf(run), 20, (query) => {
      seen.push([...query.of.terms[0].at]);
      return Float64Array.of(1e6, 0, 0);
    });
    expect(first.radius).toBeLessThan(0.5);
    expect(seen[1][0]).toBeCloseTo(1 - first.radius, 10);
  });

  it('takes a sample in each round, in the variant that does', () => {
    const { queries } = play(stepsOf(prepare({ mostRounds: 2, variant: 'subsampled' })), 20, answers);
    expect(queries.map((query) => ('sampler' in query ? 'of a sample' : query.ask))).toEqual([
      'split',
      ...Array.from({ length: 6 }, () => 'of a sample'),
      'mean',
      'mean',
    ]);
    expect(queries[1]).toMatchObject({ sampler: poisson({ rate: 8 ** -0.5 }), batch: { id: 'part0' } });
  });

  it.each(['replace-one', 'zero-out'] satisfies Adjacency[])(
    'plans the event a curator charges under %s',
    (adjacency) => {
      const each = (multiplier: number, normaliser: number, radius: number) => {
        const one = radius / normaliser;
        return gaussian.event(
          {},
          multiplier,
          relativeTo({ 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one }, adjacency),
        );
      };
      for (const variant of ['full-batch', 'subsampled'] as const) {
        const calibration = fixedCalibration(2.5);
        const run = prepare({ mostRounds: 7, variant }, { ...usual, adjacency }, calibration);
        const { phases } = planOf(run);
        const charged = phases.map(({ records, rounds, clipNorm, noiseMultiplier, samplingRate }) => {
          const one = each(noiseMultiplier, samplingRate * records, clipNorm);
          return repeatedEvent(
            samplingRate < 1 ? sampledEvent({ kind: 'core/poisson', rate: samplingRate }, one) : one,
            rounds,
          );
        });
        expect(sameEvent(run.plan.event, parallelEvent(charged))).toBe(true);
        for (const request of calibration.requests)
          expect(request).toMatchObject({ target: budget, adjacency, direction: 'larger-is-private' });
        expect(calibration.requests[calibration.requests.length - 1].make(2.5)).toEqual(run.plan.event);
        expect(calibration.requests).toHaveLength(variant === 'full-batch' ? 2 : 6);
        for (const { rounds, noiseMultiplier } of phases)
          expect(noiseMultiplier).toBeCloseTo(variant === 'full-batch' ? 2.5 * Math.sqrt(rounds) : 6.25, 12);
      }
    },
  );

  it('uses the multiplier it is given, without calibrating', () => {
    const calibration = fixedCalibration(1);
    const { phases } = planOf(prepare({ noiseMultiplier: 3, mostRounds: 4 }, usual, calibration));
    expect(calibration.requests).toHaveLength(0);
    for (const { records, clipNorm, noise, noiseMultiplier, rounds } of phases) {
      expect(noiseMultiplier).toBe(3 * Math.sqrt(rounds));
      expect(noise).toBeCloseTo((2 * noiseMultiplier * clipNorm) / records, 12);
    }
    const sampled = prepare({ noiseMultiplier: 3, mostRounds: 4, variant: 'subsampled' }, usual, calibration);
    expect(calibration.requests).toHaveLength(0);
    for (const { rounds, noiseMultiplier } of planOf(sampled).phases)
      expect(noiseMultiplier).toBe(3 * Math.sqrt(rounds));
  });

  it('is planned by Theorem 41 from facts, and bounded by the explicit bound', () => {
    const run = prepare();
    const { phases, stepSize, momentOrder } = planOf(run);
    const reach = {
      dimension: 3,
      distance: 2,
      order: 2,
      uniformMoment: 2,
      uniformDoubleMoment: 3,
      secondMoment: 1.5,
      lipschitz: 1,
    };
    const expected = localizedPhases({ ...reach, records: 20, epsilon: 2 / (2.5 * 2) }, 'corrected');
    expect(momentOrder).toBe(2);
    expect(stepSize).toBe(expected.stepSize);
    for (const [i, phase] of phases.entries())
      for (const [name, value] of Object.entries(expected.phases[i]))
        expect(phase[name as keyof typeof phase] / value, name).toBeCloseTo(1, 12);
    expect(defined(run.plan.utility).bound).toBe(
      localizedExcessRisk({ ...reach, phases, extent: 2, uniformSecondMoment: 2 }),
    );
    expect(run.plan.gradients).toBe(phases.reduce((sum, { records, rounds }) => sum + records * rounds, 0));
    expect(planOf(run)).toMatchObject({ recordsRead: 15, recordsDropped: 5 });
    // The noise and the draws of a sample are in the bound, and as many gradients as it has on average.
    const sampled = prepare({ variant: 'subsampled' });
    expect(defined(sampled.plan.utility).bound).toBe(
      localizedExcessRisk({
        ...reach,
        phases: planOf(sampled).phases,
        extent: 2,
        uniformSecondMoment: 2,
      }),
    );
    expect(
      (sampled.plan as typeof sampled.plan & { expectedGradients: number }).expectedGradients,
    ).toBeCloseTo(
      planOf(sampled).phases.reduce((sum, { records, rounds }) => sum + Math.sqrt(records) * rounds, 0),
      9,
    );
    expect(JSON.parse(JSON.stringify(run.plan))).toEqual(run.plan);
  });

  it('chooses the k with the least bound, and reads a shorter distance', () => {
    const both = { ...usual, facts: { ...facts, 'uniformGradientMoment.16': 3 } };
    expect(planOf(prepare({}, both)).momentOrder).toBe(8);
    expect(
      planOf(prepare({}, { ...usual, facts: { ...facts, 'uniformGradientMoment.16': 1e6 } })).momentOrder,
    ).toBe(2);
    expect(planOf(prepare({ momentOrder: 2 }, both)).momentOrder).toBe(2);
    const near = prepare({}, { ...usual, facts: { ...facts, startDistance: 0.01 } });
    expect(near.plan).toMatchObject({ distance: 0.01 });
    expect(defined(near.plan.utility).bound).toBeLessThan(defined(prepare().plan.utility).bound);
    expect(prepare({ stepSize: 0.125, order: 'stored' }).plan).toMatchObject({
      stepSize: 0.125,
      order: 'stored',
    });
  });

  it('clips at the Lipschitz constant of every record at most, where nothing is cut', () => {
    // Few records have short clips, many the Lipschitz constant; a mean of radius 2 is scaled to half of it.
    const certain = { ...usual, slots: 2 ** 14, scope: 'every-record', facts: { lipschitz: 3 } } as const;
    const { phases } = planOf(prepare({ momentOrder: 2 }, certain));
    expect(phases[0]).toMatchObject({ clipNorm: 3, bias: 0 });
    const last = defined(phases.at(-1));
    expect(last.clipNorm).toBeLessThan(3);
    expect(last.bias).toBeGreaterThan(0);
    const wide = clippedMean({ clip: l2Clip({ radius: 2 }), mechanism: gaussian({}) });
    expect(planOf(prepare({ momentOrder: 2, mean: wide }, certain)).phases[0].clipNorm).toBe(1.5);
    const moments = prepare({ momentOrder: 2 }, { ...certain, scope: 'population', facts: { ...facts } });
    expect(planOf(moments).phases[0].clipNorm).toBeGreaterThan(3);
    const printed = planOf(prepare({ momentOrder: 2, schedule: 'printed' }, certain)).phases[0];
    expect(printed.clipNorm).toBeGreaterThan(3);
    expect(printed.bias).toBeGreaterThan(0);
  });

  it('is bounded by the ball that records are scaled into, and not where there is none', () => {
    const given = { stepSize: 0.125, mostRounds: 3, noiseMultiplier: 2 } as const;
    const wide = clippedMean({ clip: l2Clip({ radius: 2 }), mechanism: gaussian({}) });
    const boundOf = (params: Params) =>
      defined(prepare({ ...given, schedule: 'printed', ...params }).plan.utility).bound;
    expect(boundOf({ clipNorm: 1 })).not.toBeCloseTo(boundOf({ clipNorm: 2 }), 3);
    expect(boundOf({ mean: wide, clipNorm: 1 }) / boundOf({ clipNorm: 2 })).toBeCloseTo(1, 9);
    const { plan } = prepare({ mean: coordinateMedianOfMeans({ limit: 1, groups: 1 }), mostRounds: 1 });
    expect(plan.utility).toBeNull();
    expect(plan).toMatchObject({ uncovered: expect.stringMatching(/not that of records/u) as string });
  });

  it('refuses what it cannot do', () => {
    expect(() => prepare({}, { ...usual, adjacency: 'add-remove' })).toThrow(Unsupported);
    expect(() => prepare({}, { ...usual, facts: { 'gradientMoment.2': 1 } })).toThrow(
      /uniformGradientMoment\.4/u,
    );
    expect(() => prepare({ momentOrder: 3 })).toThrow(Unsupported);
    expect(() => prepare({}, { ...usual, slots: 1 })).toThrow(InvalidParameter);
    for (const bad of [
      { mostRounds: 0 },
      { clipNorm: 0 },
      { schedule: 'new' },
      { momentOrder: 1 },
      { variant: 'half' },
      { stepSize: -1 },
      { unknown: 1 },
    ])
      expect(() => prepare(bad as Params)).toThrow(InvalidParameter);
    const unbounded = {
      ...problem(usual),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    const context = { budget, params: {}, calibrate: fixedCalibration(1).calibrate, random: publicCoins };
    expect(() =>
      localizedSubgradient.prepare({ registry: mechanisms, ...context, problem: unbounded }),
    ).toThrow(/startDistance/u);
    expect(() =>
      localizedSubgradient.prepare({
        registry: mechanisms,
        ...context,
        problem: { ...problem(usual), capabilities: { convex: false } } as never,
      }),
    ).toThrow(IncompatiblePlugins);
    const ridge = { ...problem(usual), regulariser: { name: 'l2-squared', params: { strength: 1 } } };
    expect(() => localizedSubgradient.prepare({ registry: mechanisms, ...context, problem: ridge })).toThrow(
      IncompatiblePlugins,
    );
  });
});
