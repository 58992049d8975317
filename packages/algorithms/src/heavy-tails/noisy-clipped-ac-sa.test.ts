import {
  ask,
  IncompatiblePlugins,
  InvalidParameter,
  parallelEvent,
  plainLoops,
  relativeTo,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type MeanQuery,
  type Vector,
} from '@lethe/core';
import { defined, wholeSpace } from '@lethe/numerics';
import {
  certifiedMean,
  clippedMean,
  coordinateMedianOfMeans,
  gaussian,
  l2Clip,
  mechanisms,
} from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { acSa, acSaExcessRisk } from './ac-sa.js';
import { noisyAcSa, noisyClippedAcSa } from './noisy-clipped-ac-sa.js';
import { smoothConvexSchedule, type SmoothConvexSchedule } from './schedules/smooth-convex-schedule.js';
import { gaussianMean } from '../common/problem-facts.js';

type Given = NonNullable<Parameters<typeof problem>[0]>;
type Params = Parameters<typeof noisyClippedAcSa.prepare>[0]['params'];
const facts = { smoothness: 4, 'gradientMoment.2': 2, 'gradientMoment.4': 3 };
const usual: Given = { slots: 1000, dimension: 3, facts };

const prepare = (params: Params = {}, given: Given = usual, calibration = fixedCalibration(2.5)) =>
  noisyClippedAcSa.prepare({
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
const scheduleOf = (run: ReturnType<typeof prepare>) =>
  run.plan as unknown as SmoothConvexSchedule & { momentOrder: number; noiseMultiplier: number };

describe('noisyClippedAcSa', () => {
  it('is the listing: shuffle, split, one batch a round', () => {
    const run = prepare({ rounds: 7, momentOrder: 2 });
    const { eta, clipNorm } = scheduleOf(run);
    const { queries, result } = play(stepsOf(run), 1000, answers);
    expect(queries[0]).toEqual({
      ask: 'split',
      of: batchOf('all', 1000),
      order: 'shuffled',
      parts: { by: 'size', sizes: Array.from({ length: 7 }, () => 142) },
    });
    expect(queries).toHaveLength(8);
    let w = [1, 0, 0];
    let ag = w;
    for (let t = 1; t <= 7; t++) {
      const alpha = 2 / (t + 1);
      const query = queries[t] as MeanQuery;
      expect(query).toMatchObject({
        ask: 'mean',
        batch: { id: `part${t - 1}` },
        mean: clippedMean({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) }),
        target: { noiseMultiplier: 2.5 },
      });
      ag.forEach((entry, j) =>
        expect(query.of.terms[0].at[j]).toBeCloseTo((1 - alpha) * entry + alpha * w[j], 12),
      );
      const g = answers(query, t - 1);
      w = ontoBall(
        w.map((entry, j) => entry - (alpha / ((4 * eta) / (t * (t + 1)))) * g[j]),
        1,
      );
      ag = ag.map((entry, j) => alpha * w[j] + (1 - alpha) * entry);
    }
    ag.forEach((entry, j) => expect(result[j]).toBeCloseTo(entry, 12));
  });

  it.each(['replace-one', 'zero-out'] satisfies Adjacency[])(
    'plans the event a curator charges for disjoint batches under %s',
    (adjacency) => {
      const calibration = fixedCalibration(2.5);
      const run = prepare({ rounds: 4 }, { ...usual, adjacency }, calibration);
      const { clipNorm, batchSize } = scheduleOf(run);
      const one = clipNorm / batchSize;
      const each = gaussian.event(
        {},
        2.5,
        relativeTo({ 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one }, adjacency),
      );
      expect(sameEvent(run.plan.event, parallelEvent([each, each, each, each]))).toBe(true);
      expect(calibration.requests[0]).toMatchObject({
        target: budget,
        adjacency,
        direction: 'larger-is-private',
      });
      expect(calibration.requests[0].make(2.5)).toEqual(run.plan.event);
    },
  );

  it('halves the noise under zero-out, and plans for it', () => {
    const known = { slots: 1000, dimension: 3, smoothness: 4, diameter: 2 };
    const { noise } = smoothConvexSchedule(
      { ...known, order: 2, moment: 2, secondMoment: 2, epsilon: 2 / 2.5 },
      'corrected',
    );
    const planned = scheduleOf(
      prepare({ momentOrder: 2, schedule: 'corrected' }, { ...usual, adjacency: 'zero-out' }),
    );
    // The plugin rounds its sensitivity up.
    expect(planned.noise / noise).toBeCloseTo(1, 14);
  });

  it('chooses the declared order with the least bound', () => {
    const bounds = [2, 4].map((momentOrder) => defined(prepare({ momentOrder }).plan.utility).bound);
    const best = prepare();
    expect(defined(best.plan.utility).bound).toBe(Math.min(...bounds));
    expect(scheduleOf(best).momentOrder).toBe(bounds[0] < bounds[1] ? 2 : 4);
    const flat = { ...usual, facts: { ...facts, 'gradientMoment.4': 2 } };
    const steep = { ...usual, facts: { ...facts, 'gradientMoment.4': 1e6 } };
    expect(scheduleOf(prepare({}, flat)).momentOrder).toBe(4);
    expect(scheduleOf(prepare({}, steep)).momentOrder).toBe(2);
  });

  it('reads the smoothness of the risk where it is declared, and a diameter where the domain has none', () => {
    const declared = { ...usual, facts: { ...facts, populationSmoothness: 0.5, diameter: 1.5 } };
    expect(prepare({}, declared).plan).toMatchObject({ smoothness: 0.5, diameter: 2 });
    const everywhere = {
      ...problem(declared),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    expect(
      noisyClippedAcSa.prepare({
        registry: mechanisms,
        problem: everywhere,
        budget,
        params: {},
        calibrate: fixedCalibration(2.5).calibrate,
        random: publicCoins,
      }).plan,
    ).toMatchObject({ diameter: 1.5 });
    expect(prepare().plan).toMatchObject({ smoothness: 4, diameter: 2 });
    const { smoothness: _, ...rest } = facts;
    expect(prepare({}, { ...usual, facts: { ...rest, populationSmoothness: 4 } }).plan.utility).toEqual(
      prepare().plan.utility,
    );
  });

  it('takes uniform moments for pointwise ones, and reports what it chose and what the paper prints', () => {
    const uniform = prepare(
      {},
      { ...usual, facts: { smoothness: 4, 'uniformGradientMoment.2': 2, 'uniformGradientMoment.4': 3 } },
    );
    expect(uniform.plan).toEqual(prepare().plan);
    expect(uniform.plan).toMatchObject({
      schedule: 'least-bound',
      order: 'shuffled',
      mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
      paperEpsilon: expect.closeTo(1 / 2.5, 12) as number,
      uncovered: null,
    });
    expect((uniform.plan as unknown as SmoothConvexSchedule).printedBound).toBeGreaterThan(
      defined(uniform.plan.utility).bound,
    );
  });

  it('splits as stored, and takes medians of means, never more groups than a batch has records', () => {
    const run = prepare({ order: 'stored', mean: coordinateMedianOfMeans({ limit: 1, groups: 400 }) });
    expect(play(stepsOf(run), 1000, answers).queries[0]).toMatchObject({ ask: 'split', order: 'stored' });
    expect(scheduleOf(run).batchSize).toBeGreaterThanOrEqual(400);
    expect(() => prepare({ rounds: 3, mean: coordinateMedianOfMeans({ limit: 1, groups: 400 }) })).toThrow(
      /400 groups/u,
    );
  });

  it('starts as near as is declared, as the bound without it has the diameter only', () => {
    const boundOf = (startDistance: number, params: Params = {}): number => {
      const { plan } = prepare(params, { ...usual, facts: { ...facts, startDistance } });
      const { rounds, eta, bias, variance } = plan as unknown as SmoothConvexSchedule;
      const bound = defined(plan.utility).bound;
      expect(plan).toMatchObject({ diameter: 2, startDistance: Math.min(startDistance, 2) });
      const error = Math.sqrt(variance + bias ** 2);
      const path = { rounds, eta, error, bias, diameter: 2 };
      const wanted =
        params.schedule === 'printed' ? path : { ...path, startDistance: Math.min(startDistance, 2) };
      expect(bound / acSaExcessRisk(wanted)).toBeCloseTo(1, 12);
      return bound;
    };
    const whole = defined(prepare().plan.utility).bound;
    expect(boundOf(3)).toBe(whole);
    expect(boundOf(1)).toBeLessThan(0.7 * whole);
    expect(boundOf(0.25)).toBeLessThan(0.3 * whole);
    expect(boundOf(0)).toBeLessThan(1e-6);
    const corrected = defined(prepare({ schedule: 'corrected' }).plan.utility).bound;
    expect(boundOf(0.5, { schedule: 'corrected' })).toBeLessThan(corrected);
    expect(boundOf(0.5, { schedule: 'printed' })).toBe(boundOf(3, { schedule: 'printed' }));
  });

  describe('where the Lipschitz constant of every record is known', () => {
    const lipschitz = { value: 2.65, scope: 'every-record', provenance: 'from-domain' } as const;
    const plannedFrom = (
      given: Readonly<Record<string, number>>,
      params: Params = {},
      change: object = {},
    ) => {
      const known = problem({ ...usual, facts: { smoothness: 4, ...given } });
      return noisyClippedAcSa.prepare({
        registry: mechanisms,
        problem: { ...known, facts: { ...known.facts, lipschitz }, ...change },
        budget,
        params,
        calibrate: fixedCalibration(2.5).calibrate,
        random: publicCoins,
      }).plan as unknown as SmoothConvexSchedule & { momentOrder: number | null };
    };
    const everywhere = { kind: 'domain', name: 'whole-space', params: {} } as const;

    it('needs no moment, clips at the constant and has no bias, as its sibling that does not clip', () => {
      const { plan } = noisyAcSa.prepare({
        registry: mechanisms,
        problem: {
          ...problem({ ...usual, facts: { smoothness: 4 } }),
          facts: { ...problem({ ...usual, facts: { smoothness: 4 } }).facts, lipschitz },
        },
        budget,
        params: {},
        calibrate: fixedCalibration(2.5).calibrate,
        random: publicCoins,
      });
      const clipped = plannedFrom({});
      expect(clipped).toMatchObject({ clipNorm: 2.65, bias: 0, momentOrder: null, moment: 2.65 });
      const { rounds, noise, variance, utility } = plan as unknown as SmoothConvexSchedule & {
        utility: { bound: number };
      };
      expect(clipped.rounds).toBe(rounds);
      expect(clipped.noise / noise).toBeCloseTo(1, 12);
      expect(clipped.variance / variance).toBeCloseTo(1, 12);
      expect(
        (clipped as unknown as { utility: { bound: number } }).utility.bound / utility.bound,
      ).toBeCloseTo(1, 12);
    });

    it.each([2, 4, 8] as const)('never clips beyond it, whatever moment of order %i is declared', (order) => {
      for (const moment of [1.5, 3, 400])
        for (const schedule of ['least-bound', 'corrected'] as const)
          for (const momentOrder of [undefined, order, order + 1]) {
            const plan = plannedFrom(
              { [`gradientMoment.${order}`]: moment },
              { schedule, ...(momentOrder === undefined ? {} : { momentOrder }) },
            );
            expect(plan.clipNorm).toBeLessThanOrEqual(2.65);
            if (plan.clipNorm === 2.65) expect(plan.bias).toBe(0);
            else expect(plan.bias).toBeGreaterThan(0);
          }
    });

    it('is never worse for it', () => {
      const boundOf = (plan: object): number => (plan as { utility: { bound: number } }).utility.bound;
      for (const moment of [0.5, 1.5, 3]) {
        const given = { 'gradientMoment.2': moment, 'gradientMoment.4': 1.2 * moment };
        const without = prepare({}, { ...usual, facts: { smoothness: 4, ...given } }).plan;
        expect(boundOf(plannedFrom(given))).toBeLessThanOrEqual(boundOf(without));
      }
    });

    it('scales a mean of another radius so that this is the constant', () => {
      expect(
        plannedFrom({}, { mean: clippedMean({ clip: l2Clip({ radius: 3 }), mechanism: gaussian({}) }) }),
      ).toMatchObject({
        clipNorm: 2.65 / 3,
        bias: 0,
      });
    });

    it('has a bias at a clip norm that is given below it, and none above', () => {
      expect(plannedFrom({}, { clipNorm: 2 }).bias).toBeGreaterThan(0.65);
      expect(plannedFrom({}, { clipNorm: 2 }).bias).toBeLessThan(0.67);
      expect(plannedFrom({}, { clipNorm: 5 })).toMatchObject({ clipNorm: 5, bias: 0 });
    });

    it('does not count on it where it holds on bounded sets, or for the population, only', () => {
      const declared = { 'gradientMoment.2': 400, diameter: 2 };
      const population = { ...lipschitz, scope: 'population' };
      const { facts: known } = problem({ ...usual, facts: { smoothness: 4, ...declared } });
      for (const change of [{ domain: everywhere }, { facts: { ...known, lipschitz: population } }])
        expect(plannedFrom(declared, {}, change)).toMatchObject({ moment: 400, momentOrder: 2 });
      expect(
        plannedFrom(
          declared,
          {},
          {
            domain: everywhere,
            capabilities: { convex: true, smooth: true, lipschitz: true },
          },
        ),
      ).toMatchObject({ clipNorm: 2.65, bias: 0, uncovered: null });
    });

    it('prints no less than is proved of a mean that clips to a tenth', () => {
      const mean = clippedMean({ clip: l2Clip({ radius: 0.1 }), mechanism: gaussian({}) });
      const errorOf = (schedule: 'corrected' | 'printed') =>
        scheduleOf(prepare({ rounds: 4, clipNorm: 40, mean, schedule, momentOrder: 2 }));
      const [proved, printed] = [errorOf('corrected'), errorOf('printed')];
      expect(proved.bias).toBeGreaterThan(2 ** 2 / 40);
      expect(printed.bias).toBe(proved.bias);
    });

    it('leaves the printed schedule to the moments it is printed in', () => {
      expect(plannedFrom({ 'gradientMoment.2': 3 }, { schedule: 'printed' })).toMatchObject({ moment: 3 });
      expect(() => plannedFrom({}, { schedule: 'printed' })).toThrow(/no gradient moment/u);
    });
  });

  it('has a sibling that does not clip, which knows its bound where the loss is Lipschitz on the domain', () => {
    const lipschitz = { value: 6, scope: 'every-record', provenance: 'declared' } as const;
    const everywhere = { kind: 'domain', name: 'whole-space', params: {} } as const;
    const known = { ...problem({ ...usual, facts: { smoothness: 4, diameter: 2 } }) };
    const context = { budget, params: {}, calibrate: fixedCalibration(2.5).calibrate, random: publicCoins };
    const plannedOn = (change: object) =>
      noisyAcSa.prepare({
        registry: mechanisms,
        ...context,
        problem: { ...known, facts: { ...known.facts, lipschitz }, ...change },
      }).plan;
    expect(plannedOn({})).toMatchObject({
      clipNorm: 6,
      bias: 0,
      momentOrder: null,
      uncovered: null,
      release: { mean: certifiedMean({ mechanism: gaussian({}) }) },
    });
    expect(plannedOn({ domain: everywhere })).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('bounded sets') as string,
    });
    expect(
      plannedOn({ domain: everywhere, capabilities: { convex: true, smooth: true, lipschitz: true } }),
    ).toMatchObject({ uncovered: null });
  });

  it('has no bound where the domain is not bounded and the mean has a bias: a diameter that is declared keeps nothing in', () => {
    const everywhere = {
      ...problem({ ...usual, facts: { ...facts, diameter: 2 } }),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    const { plan } = noisyClippedAcSa.prepare({
      registry: mechanisms,
      problem: everywhere,
      budget,
      params: {},
      calibrate: fixedCalibration(2.5).calibrate,
      random: publicCoins,
    });
    expect(plan).toMatchObject({ utility: null, uncovered: expect.stringContaining('unbounded') as string });
    // A risk of slope ½ at most, of which the oracle answers 1 too little:
    // the bound for a set of diameter 2 around the minimiser is exceeded.
    const rounds = 4000;
    const slope = (w: number): number => Math.max(-0.5, Math.min(0.5, (5 * w) / Math.sqrt(rounds)));
    const eta = rounds ** 1.5 / 2;
    const oracle = (at: Vector) =>
      ask.mean({ at, batch: batchOf('all', 1), mean: gaussianMean(1), target: { noiseMultiplier: 1 } });
    const { result } = play(
      acSa({ rounds, eta, domain: wholeSpace(1), start: new Float64Array(1), oracle }),
      1,
      ({ of }) => Float64Array.of(slope(of.terms[0].at[0]) - 1),
    );
    const risk = 0.5 * result[0] - 0.025 * Math.sqrt(rounds);
    expect(risk).toBeGreaterThan(1.2 * acSaExcessRisk({ rounds, eta, error: 1, bias: 1, diameter: 2 }));
  });

  it('is JSON, touches no record twice and says so', () => {
    const { plan } = prepare({ rounds: 7 });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(plan.gradients).toBe(7 * 142);
  });

  it('refuses what it cannot do', () => {
    expect(() => prepare({}, { ...usual, adjacency: 'add-remove' })).toThrow(Unsupported);
    expect(() => prepare({}, { ...usual, facts: { smoothness: 1 } })).toThrow(/gradientMoment\.2/u);
    expect(() => prepare({ momentOrder: 3 })).toThrow(Unsupported);
    expect(() => prepare({}, { ...usual, facts: { 'gradientMoment.2': 1 } })).toThrow(Unsupported);
    expect(() => prepare({ rounds: 1001 })).toThrow(InvalidParameter);
    for (const bad of [
      { rounds: 0 },
      { clipNorm: 0 },
      { schedule: 'new' },
      { momentOrder: 1 },
      { unknown: 1 },
    ])
      expect(() => prepare(bad as Params)).toThrow(InvalidParameter);
    const unbounded = {
      ...problem(usual),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    const context = { budget, params: {}, calibrate: fixedCalibration(1).calibrate, random: publicCoins };
    expect(() => noisyClippedAcSa.prepare({ registry: mechanisms, ...context, problem: unbounded })).toThrow(
      /diameter/u,
    );
    const bent = { ...problem(usual), capabilities: { convex: true, smooth: false } } as never;
    expect(() => noisyClippedAcSa.prepare({ registry: mechanisms, ...context, problem: bent })).toThrow(
      IncompatiblePlugins,
    );
  });
});
