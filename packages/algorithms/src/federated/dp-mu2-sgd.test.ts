import {
  clippedMeanEvent,
  InvalidParameter,
  sameEvent,
  Unsupported,
  type Fact,
  type Problem,
  type PushQuery,
} from '@lethe/core';
import { boxDomain, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, problem, records } from '../../test/support/logistic.js';
import { gradientOf, shortened } from '../../test/support/played-sums.js';
import { dpMu2Sgd } from './dp-mu2-sgd.js';
import { printedLevel } from './constants.js';
import { mu2StepSize } from './risk-bounds.js';
import { plainLoops, type Batch, type Run } from '@lethe/core';
import { fixedCalibration, publicCoins } from '../../test/support/problems.js';

type Params = Parameters<typeof dpMu2Sgd.prepare>[0]['params'];
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  dpMu2Sgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });
interface Planned {
  readonly rounds: number;
  readonly stepSize: number;
  readonly utility: { readonly bound: number } | null;
}
const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
/** A problem whose records have these constants. */
const bounded = (lipschitz: number, smoothness: number, rest: Partial<Problem> = {}) => ({
  registry: mechanisms,
  ...context,
  problem: {
    ...problem({ domain: l2BallDomain({ radius: 1 }) }),
    facts: { lipschitz: every(lipschitz), smoothness: every(smoothness) },
    ...rest,
  } as never,
});

/**
 * A run against answers of a curator without noise but that given on increments; batches of records by index.
 */
function play(run: Run, batches: readonly (readonly number[])[], noise: readonly (readonly number[])[]) {
  const { clipNorm } = run.plan as never as { clipNorm: number };
  const points: number[][] = [];
  const answers: number[][] = [];
  const residual = ({ of, centre }: PushQuery): Float64Array => {
    const t = answers.length;
    points.push([...of.terms[0].at]);
    const sum = batches[t]
      .map((record) => {
        if (record === 0) return [0, 0];
        const whole = [0, 1].map((j) =>
          of.terms.reduce(
            (all, { weight, at }) => all + weight * gradientOf(record, at)[j],
            -(centre?.[j] ?? 0),
          ),
        );
        return shortened(whole, clipNorm);
      })
      .reduce((all, one) => all.map((x, j) => x + one[j] / batches[t].length), [...noise[t]]);
    answers.push(sum);
    return Float64Array.from(sum);
  };
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: batches.flat().length } as Batch,
    start: new Float64Array(2),
    random: publicCoins,
  });
  let step = program.next(null as never);
  while (step.done !== true) {
    const query = step.value;
    if (query.ask === 'push') step = program.next(residual(query) as never);
    else
      step = program.next(
        (query.ask === 'split' ? batches.map((_, k) => ({ id: `${k}` })) : { id: 'stream' }) as never,
      );
  }
  return { points, answers, output: [...step.value] };
}

describe('dpMu2Sgd', () => {
  it('is the listing with projections and clips that bind', () => {
    const batches = [
      [1, 2],
      [1, 1],
      [2, 2],
      [1, 0],
    ];
    const noise = [
      [4, -3],
      [-6, 2],
      [1, 5],
      [0, 0],
    ];
    const [eta, R, half] = [0.2, 1.1, 0.5];
    const box = { lower: [-0.5, -0.4], upper: [0.5, 0.6] };
    const run = dpMu2Sgd.prepare({
      ...bounded(3, 2 * half, { dimension: 2, slots: [8], domain: boxDomain(box) }),
      params: { rounds: 4, stepSize: eta, clipNorm: R, noiseMultiplier: 1 },
    });
    const { points, answers, output } = play(run, batches, noise);
    // The listing, with Equation 6 for the momentum: d_t = g_t + (1 − 1/t)(d_{t−1} − g̃_t), and noise on the
    // sums.
    let [x, w, before, q] = [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ];
    let cuts = 0;
    for (let t = 1; t <= 4; t++) {
      expect(points[t - 1]).toEqual(x.map((one) => expect.closeTo(one, 13)));
      const c = x.map((one, j) => (t - 1) * half * (one - before[j]));
      const parts = batches[t - 1].map((record) => {
        const g = gradientOf(record, x);
        const old = gradientOf(record, before);
        const s = g.map((one, j) => one + (t - 1) * (one - old[j]) - c[j]);
        if (record !== 0 && Math.hypot(...s) > R) cuts++;
        return record === 0 ? [0, 0] : shortened(s, R);
      });
      q = q.map((one, j) => one + c[j] + (parts[0][j] + parts[1][j]) / 2 + noise[t - 1][j]);
      expect(answers[t - 1][0]).toBeCloseTo((parts[0][0] + parts[1][0]) / 2 + noise[t - 1][0], 12);
      w = w.map((one, j) => Math.min(box.upper[j], Math.max(box.lower[j], one - eta * q[j])));
      before = x;
      if (t < 4) x = x.map((one, j) => (t / (t + 2)) * one + (2 / (t + 2)) * w[j]);
    }
    expect(cuts).toBeGreaterThan(0);
    expect(output).toEqual(x.map((one) => expect.closeTo(one, 13)));
  });

  it('asks for two gradients of each record, one in the first batch, and costs one Gaussian', () => {
    const run = prepare({ rounds: 6, noiseMultiplier: 2 });
    const { queries, spent } = carriedOut(run, undefined, new Float64Array(4).fill(3));
    const pushes = queries.filter((query): query is { ask: 'push' } & PushQuery => query.ask === 'push');
    // The start is projected before a gradient is asked for.
    expect(pushes[0].of.terms[0].at).toEqual(new Float64Array(4).fill(0.5));
    expect(pushes.map(({ of }) => of.terms.map(({ weight }) => weight))).toEqual([
      [1],
      ...[2, 3, 4, 5, 6].map((weight) => [weight, 1 - weight]),
    ]);
    expect(pushes.map(({ centre }) => centre !== undefined)).toEqual([
      false,
      ...Array.from({ length: 5 }, () => true),
    ]);
    expect(run.plan.gradients).toBe(2 * 36 - 6);
    expect(sameEvent(spent, clippedMeanEvent(2, 'replace-one'))).toBe(true);
    expect(sameEvent(run.plan.event, spent)).toBe(true);
  });

  it('takes radius, step and noise from the constants, as printed and rebuilt', () => {
    const planOf = (params: Params) =>
      dpMu2Sgd.prepare({ ...bounded(3, 0.5), params }).plan as never as Record<string, number>;
    const [D, G, L, d] = [2, 3, 0.5, 4];
    const printed = planOf({ schedule: 'printed' });
    const rho = printedLevel(context.budget);
    const S = G + 2 * L * D;
    expect(printed).toMatchObject({
      rounds: records,
      batchSize: 1,
      halfSmoothness: 0,
      noiseMultiplier: 1 / rho,
    });
    expect(printed['clipNorm']).toBeCloseTo(S, 12);
    expect(printed['stepSize']).toBeCloseTo(
      Math.min((rho * D) / (2 * S * records * Math.sqrt(d)), 1 / (4 * L * records)),
      12,
    );
    const rebuilt = planOf({ rounds: 10 });
    const R = G + L * D;
    const deviation = (rebuilt['noiseMultiplier'] * 2 * R * Math.sqrt(10)) / 4;
    expect(rebuilt).toMatchObject({ batchSize: 4, halfSmoothness: 0.25 });
    expect(rebuilt['clipNorm']).toBeCloseTo(R, 12);
    expect(rebuilt['stepSize']).toBeCloseTo(
      Math.min(D / (deviation * Math.sqrt(10 * d)), 1 / (4 * L * 10)),
      12,
    );
    expect(rebuilt['noiseMultiplier']).toBeLessThan(1 / rho);
  });

  it('has a bound where no increment is cut, and says why it has none elsewhere', () => {
    const plan = (params: Params) => dpMu2Sgd.prepare({ ...bounded(3, 0.5), params }).plan;
    expect(plan({}).utility?.bound).toBeGreaterThan(0);
    expect((plan({ clipNorm: 0.1 }) as never as { uncovered: string }).uncovered).toMatch(/may cut/u);
    expect((plan({ stepSize: 10 }) as never as { uncovered: string }).uncovered).toMatch(/above 1\/\(4LT\)/u);
  });

  it('bounds the risk by constants, clip, noise and silos', () => {
    const [D, G, L, d, T] = [2, 3, 0.5, 4, 10];
    const R = G + L * D;
    const planOf = (params: Params, rest: Partial<Problem> = {}) => {
      const given = { noiseMultiplier: 0.01, rounds: T, ...params };
      return dpMu2Sgd.prepare({ ...bounded(G, L, rest), params: given }).plan as never as Planned;
    };
    /** `(4/T²)[D²/(2η) + noise + DRT^{3/2}/√b + TDG*]`. */
    const bound = (stepSize: number, noise: number, b: number, slope: number, rounds = T): number =>
      (4 / rounds ** 2) *
      (D ** 2 / (2 * stepSize) + noise + (D * R * rounds ** 1.5) / Math.sqrt(b) + rounds * D * slope);
    const expectBound = ({ utility }: Planned, wanted: number): void =>
      expect((utility?.bound ?? NaN) / wanted).toBeCloseTo(1, 12);
    // Noise is for the clip norm that is given, errors of batches are for increments as long as they may be.
    for (const clipNorm of [R, 7])
      for (const [setting, slope] of [
        ['any', G],
        ['realizable', 0],
      ] as const) {
        const plan = planOf({ clipNorm, setting });
        const variance = ((0.01 * 2 * clipNorm) / 4) ** 2 * T;
        expectBound(plan, bound(plan.stepSize, (plan.stepSize / 2) * d * T * variance, 4, slope));
      }
    expect(planOf({ clipNorm: 0.9 * R })).toMatchObject({
      utility: null,
      uncovered: expect.stringMatching(/may cut/u) as string,
    });
    // Correlated noise: levels of the tree, nodes of each prefix.
    const tree = planOf({ prefixSum: { name: 'binary-tree' } });
    const sizes = Array.from({ length: T }, (_, t) =>
      Math.sqrt((t + 1).toString(2).replaceAll('0', '').length),
    );
    const scale = ((0.01 * 2 * R) / 4) * Math.sqrt(1 + Math.floor(Math.log2(T)));
    const all = sizes.reduce((sum, one) => sum + one * scale, 0);
    expectBound(tree, bound(1 / (4 * L * T), D * Math.sqrt(d) * all, 4, G));
    // Silos of unequal size: two rounds of 15, 6 and 10 records.
    const shares = [0.5, 0.2, 0.3];
    const trust = { model: 'federated', silos: 3, server: 'untrusted', weights: shares } as const;
    const silos = planOf({ rounds: 2 }, { slots: [30, 12, 20], trust });
    const over = (power: number): number =>
      shares.reduce((sum, one, i) => sum + one ** 2 / [15, 6, 10][i] ** power, 0);
    const variance = (0.01 * 2 * R) ** 2 * 2 * over(2);
    expectBound(silos, bound(silos.stepSize, (silos.stepSize / 2) * d * 2 * variance, 1 / over(1), G, 2));
    for (const schedule of ['printed', 'rebuilt'] as const) {
      const most = planOf({ rounds: undefined, schedule }, { slots: [30, 12, 20], trust });
      expect(most.rounds).toBeLessThanOrEqual(12);
    }
  });

  it('has neither centre nor bound for a loss that is not convex, and whole noise where it is asked for', () => {
    const { capabilities } = problem();
    const posed = bounded(3, 0.5, { capabilities: { ...capabilities, convex: false } });
    expect(dpMu2Sgd.prepare({ ...posed, params: {} }).plan).toMatchObject({
      clipNorm: 5,
      halfSmoothness: 0,
      utility: null,
      uncovered: expect.stringMatching(/not convex/u) as string,
    });
    const exact = (params: Params) => prepare({ rounds: 4, arithmetic: 'exact', ...params });
    const run = exact({});
    expect(run.plan).toMatchObject({ mechanism: { name: 'discrete-gaussian' } });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
    // Calibrated for all releases of the run.
    const { calibrate, requests } = fixedCalibration(3);
    const { plan } = dpMu2Sgd.prepare({
      ...bounded(3, 0.5),
      calibrate,
      params: { rounds: 4, arithmetic: 'exact' },
    });
    expect(sameEvent(requests[0].make(3), plan.event)).toBe(true);
    expect(() => exact({ schedule: 'printed' })).toThrow(/other noise than the paper prints/u);
    expect(() => exact({ clip: { name: 'l2', params: { radius: 1 } } })).toThrow(/leave out clip/u);
    expect(() => exact({ prefixSum: { name: 'binary-tree' } })).toThrow(/leave out prefixSum/u);
  });

  it('takes the centre from the smoothness of every record, and from no other', () => {
    const given = { rounds: 4, stepSize: 0.1, clipNorm: 1 };
    const at = (smoothness: Fact) => {
      const posed = bounded(1, 1);
      const facts = { smoothness };
      return dpMu2Sgd.prepare({
        ...posed,
        problem: { ...problem({ domain: l2BallDomain({ radius: 1 }) }), facts },
        params: given,
      }).plan;
    };
    expect(at(every(0.5))).toMatchObject({ halfSmoothness: 0.25, utility: null });
    expect(at({ ...every(0.5), scope: 'population' })).toMatchObject({ halfSmoothness: 0, utility: null });
    const whole = { lipschitz: every(3), smoothness: { ...every(0.5), scope: 'population' } } as const;
    const posed = {
      ...bounded(3, 0.5),
      problem: { ...problem({ domain: l2BallDomain({ radius: 1 }) }), facts: whole },
    };
    expect(() => dpMu2Sgd.prepare({ ...posed, params: {} })).toThrow(/'smoothness' holds for every record/u);
  });

  it('takes the step for which the terms of linear losses without noise are alike', () => {
    const run = { rounds: 9, dimension: 4, diameter: 2, smoothness: 0, increments: 3, deviations: [] };
    expect(mu2StepSize({ ...run, deviations: new Float64Array(9), independent: true })).toBeCloseTo(
      1 / 81,
      15,
    );
  });

  it('has a bound up to the step 1/(4LT), and none above', () => {
    const at = (factor: number) =>
      dpMu2Sgd.prepare({ ...bounded(3, 0.5), params: { rounds: 10, stepSize: factor / (4 * 0.5 * 10) } })
        .plan;
    expect(at(1).utility?.bound).toBeGreaterThan(0);
    expect(at(1.01)).toMatchObject({ utility: null, uncovered: expect.stringMatching(/above 1/u) as string });
  });

  it('takes as long a step for linear losses without noise as makes two terms of its bound equal', () => {
    const [rounds, diameter, increments] = [9, 3, 2];
    const stepSize = mu2StepSize({
      rounds,
      diameter,
      increments,
      dimension: 4,
      smoothness: 0,
      deviations: new Float64Array(rounds),
      independent: true,
    });
    expect(diameter ** 2 / (2 * stepSize)).toBeCloseTo(diameter * increments * rounds ** 1.5, 9);
  });

  it('refuses a schedule that nothing tells, and rounds without records', () => {
    const bare = { ...bounded(1, 1), params: { rounds: 4 } };
    const without = { ...bare, problem: { ...problem(), facts: {} } };
    expect(() => dpMu2Sgd.prepare(without)).toThrow(Unsupported);
    expect(() => dpMu2Sgd.prepare(without)).toThrow(/give rounds, stepSize and clipNorm/u);
    expect(() => prepare({ rounds: records + 1 })).toThrow(InvalidParameter);
    expect(() => printedLevel({ epsilon: 1, delta: 0 })).toThrow(InvalidParameter);
  });
});
