import {
  InvalidParameter,
  plainLoops,
  sameEvent,
  seededRandom,
  Unsupported,
  type MeanQuery,
  type Problem,
  type PublicPlan,
  type Ref,
  type Vector,
} from '@lethe/core';
import { calibrateByProfile, claimedProfile } from '@lethe/laws';
import {
  clippedMean,
  gaussian,
  gaussianL1Recovery,
  l2BallDomain,
  l2Clip,
  levelsFor,
  mechanisms,
  projectionMechanism,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, dimension as d, problem, records } from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { biasReducedSgd } from './bias-reduced-sgd.js';
import { likelyCalls } from './law-of-stopping.js';

type Params = Parameters<typeof biasReducedSgd.prepare>[0]['params'];
interface Plan extends PublicPlan {
  readonly calls: number;
  readonly expectedGradients: number;
  readonly stopped: number;
  readonly levels: readonly number[];
  readonly mean: Ref<'mean'>;
  readonly noiseMultiplier: number;
  readonly stepSize: number;
  readonly output: { readonly by: string; readonly iterates?: number; readonly index?: number };
  readonly median: { readonly bound: number } | null;
  readonly uncovered: string | null;
}

const ball = l2BallDomain({ radius: 1 });
const whole = { kind: 'domain', name: 'whole-space', params: {} } as const;
const calibrate = calibrateByProfile([]);
const prepare = (
  params: Params,
  given: Parameters<typeof problem>[0] = {},
  seed = 'coins',
  budget = context.budget,
) =>
  biasReducedSgd.prepare({
    registry: mechanisms,
    budget,
    calibrate,
    random: seededRandom(seed),
    problem: problem({ domain: ball, ...given }),
    params,
  });
const planOf = (...given: Parameters<typeof prepare>): Plan => prepare(...given).plan as Plan;
const planFor = (params: Params, posed: Problem): Plan =>
  biasReducedSgd.prepare({
    registry: mechanisms,
    budget: context.budget,
    calibrate,
    random: publicCoins,
    problem: posed,
    params,
  }).plan as Plan;
/** As `problem`, of a loss that is not declared convex. */
const nonconvexPlan = (params: Params, domain: Ref<'domain'> = whole): Plan =>
  planFor(params, { ...problem({ domain }), capabilities: { lipschitz: true } });

const answer = (t: number): Vector => Float64Array.of(Math.sin(t), 0.5, -Math.cos(3 * t), 0.25);
/** Iterates by the listing, from the answers to the four means of each call. */
const listed = ({ levels, stepSize }: Plan, start: readonly number[]): readonly (readonly number[])[] => {
  const iterates = [ontoBall(start, 1)];
  for (const [k, level] of levels.entries()) {
    const [all, odd, even, alone] = [0, 1, 2, 3].map((i) => answer(4 * k + i));
    const weight = 1 / levelsFor(records).probability(level);
    iterates.push(
      ontoBall(
        iterates[k].map((x, j) => x - stepSize * (weight * (all[j] - (odd[j] + even[j]) / 2) + alone[j])),
        1,
      ),
    );
  }
  return iterates;
};
const played = (run: ReturnType<typeof prepare>) =>
  play(
    run.steps({
      start: Float64Array.of(2, 0, 0, 0),
      allRecords: batchOf('all', records),
      random: publicCoins,
      ...plainLoops(),
    }),
    records,
    (_query, t) => answer(t),
  );

describe('biasReducedSgd', () => {
  it.each([
    { calls: 5, stepSize: 0.1 },
    { stopping: 'printed', stepSize: 0.3 },
    { stopping: 'printed', literal: true, stepSize: 0.3 },
    { calls: 6, stepSize: 0.2, returns: 'uniform-iterate' },
  ] as const)('is the listing, with %o', (params) => {
    const run = prepare(params);
    const plan = run.plan as Plan;
    const { result, queries } = played(run);
    const iterates = listed(plan, [2, 0, 0, 0]);
    const { output } = plan;
    const wanted =
      output.index === undefined
        ? iterates[0].map(
            (_x, j) =>
              iterates.slice(0, output.iterates).reduce((sum, x) => sum + x[j], 0) / defined(output.iterates),
          )
        : iterates[output.index];
    result.forEach((x, j) => expect(x).toBeCloseTo(wanted[j], 12));
    const means = queries.filter((query): query is MeanQuery => query.ask === 'mean');
    expect(means).toHaveLength(4 * plan.levels.length);
    for (const { target, mean } of means)
      expect({ target, mean }).toEqual({
        target: { noiseMultiplier: plan.noiseMultiplier },
        mean: plan.mean,
      });
  });

  it.each(['replace-one', 'zero-out'] as const)(
    'costs what it planned, within the budget, under %s',
    (adjacency) => {
      const run = prepare({ calls: 8 }, { adjacency });
      expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
      expect(claimedProfile(run.plan.event, adjacency, []).delta(1)).toBeLessThanOrEqual(1e-6);
    },
  );

  it('fixes the noise before levels are drawn, and keeps every drawn schedule', () => {
    const plans = Array.from({ length: 6 }, (_, i) => planOf({ calls: 6 }, {}, `coins ${i}`));
    expect(new Set(plans.map(({ noiseMultiplier }) => noiseMultiplier)).size).toBe(1);
    expect(new Set(plans.map(({ levels }) => levels.join())).size).toBeGreaterThan(2);
    // With noise of one's own the budget ends runs, by the first level that does not fit.
    const short = Array.from({ length: 6 }, (_, i) =>
      planOf({ calls: 30, noiseMultiplier: 4, stepSize: 1 }, {}, `coins ${i}`),
    );
    const larger = planOf({ calls: 30, noiseMultiplier: 40, stepSize: 1 }, {}, 'coins 0');
    expect(larger.stopped).toBe(30);
    expect(larger.levels.slice(0, short[0].stopped)).toEqual(short[0].levels);
    expect(new Set(short.map(({ stopped }) => stopped)).size).toBeGreaterThan(1);
    for (const { event, stopped, uncovered } of short) {
      expect(stopped).toBeLessThan(30);
      expect(uncovered).toMatch(/noiseMultiplier/u);
      expect(claimedProfile(event, 'replace-one', []).delta(1)).toBeLessThanOrEqual(1e-6);
    }
  });

  it('has the printed noise, filter, cap and loop', () => {
    const plan = planOf({ stopping: 'printed', stepSize: 1 });
    expect(plan.noiseMultiplier).toBeCloseTo(32 * Math.sqrt(2 * Math.log(1.25 / (1e-6 / 16))), 9);
    expect(plan.calls).toBe(likelyCalls({ slots: records, epsilon: 1, delta: 1e-6 }, 0.25));
    expect(plan.levels).toHaveLength(plan.stopped);
    const literal = planOf({ stopping: 'printed', literal: true, stepSize: 1 });
    expect(literal.levels).toHaveLength(literal.stopped + 2);
    expect(literal.levels.slice(0, plan.stopped)).toEqual(plan.levels);
    expect(literal.output.iterates).toBe(literal.stopped + 2);
    expect(literal.utility).toBe(null);
    expect(literal.uncovered).toMatch(/cap/u);
  });

  it('bounds risk and gradient by the explicit forms of the theorems', () => {
    const plan = planOf({ calls: 9 }, { facts: {} });
    const L = (plan.mean.params as { radius: number }).radius;
    const sizes = [1, 2, 4, 8, 16, 32];
    const V = sizes.map((size) => {
      const scale = (plan.noiseMultiplier * 2 * L) / size;
      return Math.min(
        4 * L ** 2,
        d * scale ** 2,
        2 * L * Math.sqrt(d) * scale * Math.sqrt(2 * Math.log(2 * d)),
      );
    });
    const { inverseProbability } = levelsFor(records);
    const nu2 = [0, 1, 2, 3, 4].reduce(
      (sum, k) => sum + 4 * inverseProbability(k) * (V[k] + V[k + 1]),
      2 * L ** 2,
    );
    const eta = 2 / Math.sqrt(10 * nu2);
    const sum = 4 / (2 * eta) + 10 * ((eta * nu2) / 2 + 2 * Math.sqrt(V[5]));
    expect(plan.stepSize / eta).toBeCloseTo(1, 9);
    expect(defined(plan.median).bound / ((4 * sum) / 10)).toBeCloseTo(1, 9);
    expect(defined(plan.utility).bound / (sum / 10 + (L * 2) / 4)).toBeCloseTo(1, 9);
    const other = nonconvexPlan({ calls: 9, initialGap: 3 });
    const H = problem().facts['smoothness'].value;
    const step = Math.sqrt(6 / (H * 10 * nu2));
    const gradients = 3 / step + 10 * ((step * H * nu2) / 2 + L * Math.sqrt(V[5]));
    expect(other.stepSize / step).toBeCloseTo(1, 9);
    expect(defined(other.median).bound / ((4 * gradients) / 10)).toBeCloseTo(1, 9);
    expect(other).toMatchObject({ utility: null, uncovered: null, output: { by: 'iterate' } });
  });

  it('says why nothing is known, and asks for a step size then', () => {
    const L = problem().facts['lipschitz'].value;
    const cases: readonly (readonly [Params, Parameters<typeof problem>[0], RegExp])[] = [
      [{ clipNorm: L / 2 }, {}, /may be cut/u],
      [{ sparsity: 2 }, {}, /may have 4 entries/u],
      [{ mean: clippedMean({ clip: l2Clip({ radius: L }), mechanism: gaussian({}) }) }, {}, /is not known/u],
      [{}, { domain: whole }, /startDistance/u],
    ];
    for (const [params, given, why] of cases) {
      expect(() => planOf({ calls: 2, ...params }, given)).toThrow(InvalidParameter);
      const plan = planOf({ calls: 2, stepSize: 0.5, ...params }, given);
      expect(plan).toMatchObject({ utility: null, median: null, stepSize: 0.5 });
      expect(plan.uncovered).toMatch(why);
    }
    expect(planOf({ calls: 2, stepSize: 1, returns: 'uniform-iterate' }).uncovered).toMatch(/average/u);
    expect(nonconvexPlan({ calls: 2, stepSize: 1 }, ball).uncovered).toMatch(/projection/u);
    const undeclared = { ...problem({ domain: ball }), facts: {} };
    expect(planFor({ calls: 2, clipNorm: 1, stepSize: 0.5 }, undeclared).uncovered).toMatch(/lipschitz/u);
    expect(() => planFor({ calls: 2, clipNorm: 1 }, undeclared)).toThrow(/give stepSize/u);
    expect(() => planFor({ calls: 2, stepSize: 0.5 }, undeclared)).toThrow(/give clipNorm/u);
    // The bound on the start alone bounds the median, and no expectation.
    const far = planOf({ calls: 2 }, { domain: whole, facts: { startDistance: 2 } });
    expect([far.utility, far.median === null, far.uncovered]).toEqual([null, false, null]);
    // Iterates go farther than the start: the same distance for all of them has a smaller bound.
    const near = planOf(
      { calls: 2, stepSize: far.stepSize },
      { domain: l2BallDomain({ radius: 1 }), facts: {} },
    );
    expect(defined(far.median).bound).toBeGreaterThan(defined(near.median).bound * (1 + 1e-6));
    // A minimiser near the start does not keep iterates near it.
    const close = planOf({ calls: 2 }, { facts: { startDistance: 0.01 } });
    expect(close.utility).toEqual(planOf({ calls: 2 }).utility);
    const population = problem({ domain: whole });
    const plan = planFor(
      { calls: 2, initialGap: 3, stepSize: 1 },
      {
        ...population,
        capabilities: { lipschitz: true },
        facts: {
          ...population.facts,
          smoothness: { ...population.facts['smoothness'], scope: 'population' },
        },
      },
    );
    expect(plan.uncovered).toMatch(/every record/u);
  });

  it('steps with a private quantile as if nothing were cut, and counts its gradients', () => {
    const clipNorm = { by: 'private-quantile', share: 0.2, counts: 3, largest: 1 } as const;
    const found = planOf({ calls: 3, clipNorm });
    const { noiseMultiplier } = found;
    const plain = planOf({ calls: 3, noiseMultiplier });
    expect(found.stepSize / plain.stepSize).toBeCloseTo(1, 12);
    expect(found.expectedGradients - plain.expectedGradients).toBeCloseTo(3 * records, 9);
    expect(noiseMultiplier).toBeGreaterThan(planOf({ calls: 3 }).noiseMultiplier);
  });

  it('refuses budgets and means that the printed rule is not proved for', () => {
    const printed = { stopping: 'printed', stepSize: 1 } as const;
    expect(() => planOf(printed, {}, 'coins', { epsilon: 14, delta: 1e-6 })).toThrow(Unsupported);
    expect(() => planOf(printed, {}, 'coins', { epsilon: 1, delta: 0 })).toThrow(InvalidParameter);
    const mean = (failure: number): Ref<'mean'> =>
      gaussianL1Recovery({ mode: 'certified', radius: 1, sparsity: 1, measurements: 1, failure });
    expect(() => planOf({ ...printed, mean: mean(1e-6) })).toThrow(
      /is not shown to be \(ε\/32, δ\/16\)-private/u,
    );
    // An eighth of δ is more than a sixteenth.
    expect(() => planOf({ ...printed, mean: mean(1.25e-7) })).toThrow(/is not shown to be/u);
    expect(planOf({ ...printed, mean: mean(1e-9) }).mean.name).toBe('gaussian-l1-recovery');
    expect(() => planOf({ ...printed, noiseMultiplier: 3 })).toThrow(InvalidParameter);
    expect(() => planOf({ literal: true, stepSize: 1 })).toThrow(InvalidParameter);
    expect(() =>
      planOf({ calls: 2, clipNorm: 1, mean: projectionMechanism({ radius: 1, sparsity: 1 }) }),
    ).toThrow(InvalidParameter);
  });
});
