import {
  plainLoops,
  sameEvent,
  Unsupported,
  type Batch,
  type MinimiserQuery,
  type PublicPlan,
} from '@lethe/core';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, declared, problem, records } from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { phasedErm } from './phased-erm.js';

type Params = Parameters<typeof phasedErm.prepare>[0]['params'];
type Planned = PublicPlan & {
  readonly phases: readonly {
    readonly records: number;
    readonly lambda: number;
    readonly tolerance: number;
  }[];
  readonly stepSize: number;
};
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  phasedErm.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });

describe('phasedErm', () => {
  it('halves the records and multiplies the regulariser by eight', () => {
    const { phases } = prepare({ stepSize: 0.5, noiseMultiplier: 1 }).plan as Planned;
    expect(phases.map(({ records: count }) => count)).toEqual([20, 10, 5, 2, 1]);
    phases.forEach(({ records: count, lambda }, i) =>
      expect((lambda * 0.5 * count) / (2 * 4 ** (i + 1))).toBeCloseTo(1, 12),
    );
  });

  it('costs one release, and each record is in one phase', () => {
    const run = prepare({ stepSize: 0.5 });
    const { spent, queries } = carriedOut(run);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    expect(queries.map(({ ask }) => ask)).toEqual(['split', ...Array.from({ length: 5 }, () => 'minimiser')]);
    const [split] = queries;
    expect(split).toMatchObject({ order: 'stored', parts: { by: 'size', sizes: [20, 10, 5, 2, 1] } });
  });

  it('centres each phase at the projection of what the last one released', () => {
    const run = prepare({ stepSize: 0.5, noiseMultiplier: 1 });
    const answers = [
      [3, 0, 0, 4],
      [0.1, 0.2, 0, 0],
      [0, 0, -5, 0],
      [0.3, 0, 0, 0],
      [0, 0.5, 0, 0],
    ];
    const centres: number[][] = [];
    const program = run.steps({
      ...plainLoops(),
      allRecords: { id: 'all', normaliser: records } as Batch,
      start: Float64Array.of(0, 0, 2, 0),
      random: publicCoins,
    });
    let step = program.next(null as never);
    while (step.done !== true) {
      if (step.value.ask === 'split') {
        step = program.next([0, 1, 2, 3, 4].map((k) => ({ id: `${k}`, normaliser: 1 })) as never);
        continue;
      }
      const { centre, batch } = step.value as MinimiserQuery;
      expect(batch.id).toBe(`${centres.length}`);
      centres.push([...centre]);
      step = program.next(Float64Array.from(answers[centres.length - 1]) as never);
    }
    const expected = [[0, 0, 1, 0], [0.6, 0, 0, 0.8], answers[1], [0, 0, -1, 0], answers[3]];
    centres.flat().forEach((entry, k) => expect(entry).toBeCloseTo(expected.flat()[k], 12));
    expect([...step.value]).toEqual(answers[4]);
  });

  it('has the bound of its sum, which is least at the step it chooses', () => {
    const at = (stepSize?: number): Planned =>
      prepare({ noiseMultiplier: 1, ...(stepSize === undefined ? {} : { stepSize }) }).plan as Planned;
    const L = problem().facts['lipschitz']?.value ?? Number.NaN;
    const { phases, utility } = at(0.1);
    let [squared, bound, last] = [4, 0, 0];
    phases.forEach(({ records: count, lambda, tolerance }, i) => {
      const eta = 0.1 / 4 ** (i + 1);
      bound += squared / (eta * count) + L ** 2 * eta;
      // A replaced record moves a minimiser by 2L/(λn) and the solver's point by twice the tolerance more,
      // twice.
      const deviation = (2 * L) / (lambda * count) + 4 * tolerance;
      squared = 4 * deviation ** 2 + tolerance ** 2;
      last = 2 * deviation + tolerance;
    });
    expect((utility?.bound ?? Number.NaN) / (bound + L * last)).toBeCloseTo(1, 4);
    const chosen = at();
    const least = chosen.utility?.bound ?? Number.NaN;
    for (const factor of [0.7, 1.4])
      expect(at(chosen.stepSize * factor).utility?.bound).toBeGreaterThan(least * (1 - 1e-6));
  });

  it('needs a bounded distance, and runs on the whole space with one', () => {
    const whole = { domain: wholeSpaceDomain({}) };
    expect(() => prepare({}, whole)).toThrow(Unsupported);
    const facts = { ...problem().facts, startDistance: declared(1) };
    const run = phasedErm.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...problem(whole), facts },
      params: {},
    });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
  });
});
