import {
  InvalidParameter,
  seededRandom,
  Unsupported,
  type MeanQuery,
  type Vector,
  plainLoops,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../../test/support/problems.js';
import { batchOf, play } from '../../../test/support/scripted-curator.js';
import { localizedExcessRisk } from './excess-risk.js';
import { localizedPhases } from './phases.js';
import type { PlannedPhase } from './plan.js';
import { localizedStronglyConvex } from './strongly-convex.js';

type Given = NonNullable<Parameters<typeof problem>[0]>;
type Params = Parameters<typeof localizedStronglyConvex.prepare>[0]['params'];
const facts = {
  'uniformGradientMoment.4': 3,
  'uniformGradientMoment.2': 2,
  'gradientMoment.2': 1.5,
  populationLipschitz: 1,
  populationStrongConvexity: 0.25,
};
const usual: Given = { slots: 64, dimension: 3, facts };
const large: Given = { ...usual, slots: 2 ** 22 };
const prepare = (params: Params = {}, given: Given = usual, multiplier = 0.5) =>
  localizedStronglyConvex.prepare({
    registry: mechanisms,
    problem: problem(given),
    budget,
    params,
    calibrate: fixedCalibration(multiplier).calibrate,
    random: publicCoins,
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));
interface Plan {
  readonly blocks: readonly {
    readonly records: number;
    readonly phases: number;
    readonly distance: number;
  }[];
  readonly phases: readonly PlannedPhase[];
}
const planOf = (run: ReturnType<typeof prepare>) => run.plan as unknown as Plan;
const reach = {
  dimension: 3,
  order: 2,
  uniformMoment: 2,
  uniformDoubleMoment: 3,
  uniformSecondMoment: 2,
  secondMoment: 1.5,
  lipschitz: 1,
  extent: 2,
  epsilon: 2,
};

describe('localizedStronglyConvex', () => {
  it('deals all phases of all blocks at once, and plans them for distances the proved bound leaves', () => {
    const { blocks, phases } = planOf(prepare({}, large, 0.001));
    const wide = { ...reach, epsilon: 1000 };
    // 2μ⁻¹L is 8, the diameter 2.
    let distance = 2;
    let at = 0;
    let excess = Infinity;
    for (const block of blocks) {
      expect(block.distance / distance).toBeCloseTo(1, 10);
      const expected = localizedPhases({ ...wide, records: block.records, distance }, 'corrected').phases;
      expect(block.phases).toBe(Math.log2(block.records));
      expected.forEach((phase, i) => {
        for (const [name, value] of Object.entries(phase))
          expect(phases[at + i][name as keyof PlannedPhase] / value, name).toBeCloseTo(1, 9);
      });
      excess = localizedExcessRisk({ ...wide, distance, phases: phases.slice(at, (at += block.phases)) });
      distance = Math.min(2, Math.sqrt((2 * excess) / 0.25));
    }
    expect(at).toBe(phases.length);
    expect(blocks.map(({ records }) => records)).toEqual([65536, 131072, 262144, 524288, 1048576]);
    expect(defined(prepare({}, large, 0.001).plan.utility).bound / excess).toBeCloseTo(1, 12);
    expect(distance).toBeLessThan(0.4);
  });

  it('gains on the method for convex losses', () => {
    const { bound } = defined(prepare({}, large, 0.001).plan.utility);
    expect(bound).toBeLessThan(0.02);
    const { plan } = prepare({ rateConstant: 2 }, large, 0.001);
    const distances = (plan as unknown as Plan).blocks.map(({ distance }) => distance);
    const shrunk = (from: number, records: number): number =>
      Math.min(
        from,
        Math.sqrt(
          (2 *
            2 *
            from *
            3 *
            (records ** -0.5 + (Math.sqrt(3 * Math.log(records)) / (1000 * records)) ** 0.5)) /
            0.25,
        ),
      );
    distances.forEach((distance, j) =>
      expect(distance / (j === 0 ? 2 : shrunk(distances[j - 1], 2 ** (15 + j)))).toBeCloseTo(1, 10),
    );
    expect(defined(plan.utility).bound).toBeGreaterThan(0);
  });

  it('runs every block from the result of the one before', () => {
    const run = prepare({ mostRounds: 3, order: 'stored' });
    const { phases } = planOf(run);
    const steps = () =>
      run.steps({
        start: new Float64Array(3),
        allRecords: batchOf('all', 64),
        random: publicCoins,
        ...plainLoops(),
      });
    const whole = play(steps(), 64, answers);
    expect(whole.queries[0]).toMatchObject({
      ask: 'split',
      order: 'stored',
      parts: { sizes: [2, 1, 4, 2, 1, 8, 4, 2, 1] },
    });
    expect(whole.queries).toHaveLength(1 + phases.reduce((sum, { rounds }) => sum + rounds, 0));
    expect(run.plan).toMatchObject({
      recordsRead: 25,
      recordsDropped: 39,
      gradients: phases.reduce((sum, { records, rounds }) => sum + records * rounds, 0),
    });
    expect(JSON.parse(JSON.stringify(run.plan))).toEqual(run.plan);
  });

  it('calibrates phases that are alike once', () => {
    const calibrated = (params: Params) => {
      const { calibrate, requests } = fixedCalibration(2.5);
      const { plan } = localizedStronglyConvex.prepare({
        registry: mechanisms,
        problem: problem(usual),
        budget,
        params: { variant: 'subsampled', ...params },
        calibrate,
        random: publicCoins,
      });
      return { plan, requests };
    };
    const { plan, requests } = calibrated({ mostRounds: 2 });
    // ε of the phases; 8, 4, 2 and 1 records; and all together.
    expect((plan as unknown as Plan).phases).toHaveLength(9);
    expect(requests).toHaveLength(1 + 4 + 1);
    // Of other rounds, those of a later block cost otherwise.
    const other = calibrated({});
    const kinds = (other.plan as unknown as Plan).phases.map((one) => `${one.records} ${one.rounds}`);
    expect(new Set(kinds).size).toBeGreaterThan(4);
    expect(other.requests).toHaveLength(1 + new Set(kinds).size + 1);
    for (const { samplingRate, records } of (plan as unknown as Plan).phases)
      expect(samplingRate).toBe(records ** -0.5);
  });

  it('bounds the distance by what strong convexity leaves, even on an unbounded domain', () => {
    const unbounded = {
      ...problem({ ...usual, facts: { ...facts, populationStrongConvexity: 4 } }),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    } as const;
    const { plan } = localizedStronglyConvex.prepare({
      registry: mechanisms,
      problem: unbounded,
      budget,
      params: {},
      calibrate: fixedCalibration(1).calibrate,
      random: publicCoins,
    });
    expect((plan as unknown as Plan).blocks[0].distance).toBe(0.5);
    expect(planOf(prepare({ strongConvexity: 2 })).blocks[0].distance).toBe(1);
  });

  it('chooses the k with the least bound, with the noise and the draws of its phases', () => {
    const both = { ...large, facts: { ...facts, 'uniformGradientMoment.16': 3 } };
    const bounds = [{ momentOrder: 2 }, { momentOrder: 8 }, {}].map(
      (params) => defined(prepare(params, both).plan.utility).bound,
    );
    expect(bounds[0]).not.toBe(bounds[1]);
    expect(bounds[2]).toBe(Math.min(...bounds));
    const sampled = prepare({ variant: 'subsampled', mostRounds: 2, noiseMultiplier: 1 });
    const { blocks, phases } = planOf(sampled);
    let [at, distance, excess] = [0, 2, Infinity];
    for (const block of blocks) {
      excess = localizedExcessRisk({ ...reach, distance, phases: phases.slice(at, (at += block.phases)) });
      distance = Math.min(2, Math.sqrt((2 * excess) / 0.25));
    }
    expect(defined(sampled.plan.utility).bound / excess).toBeCloseTo(1, 12);
  });

  it('refuses what it cannot do', () => {
    expect(() => prepare({}, { ...usual, slots: 15 })).toThrow(/at least 16/u);
    expect(() => prepare({}, { ...usual, facts: { 'uniformGradientMoment.4': 1 } })).toThrow(
      /populationStrongConvexity/u,
    );
    expect(() => prepare({}, { ...usual, facts: { strongConvexity: 1 } })).toThrow(Unsupported);
    for (const bad of [{ strongConvexity: 0 }, { rateConstant: 0.5 }, { stepSize: 1 }])
      expect(() => prepare(bad as Params)).toThrow(InvalidParameter);
  });
});
