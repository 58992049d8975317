import { InvalidParameter, sameEvent, Unsupported, type DescendQuery, type PublicPlan } from '@lethe/core';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, declared, problem } from '../../test/support/logistic.js';
import { phasedSgd } from './phased-sgd.js';

type Params = Parameters<typeof phasedSgd.prepare>[0]['params'];
type Planned = PublicPlan & {
  readonly phases: readonly { readonly records: number; readonly stepSize: number }[];
  readonly stepSize: number;
};
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  phasedSgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });
const factOf = (name: string): number => problem().facts[name]?.value ?? Number.NaN;

describe('phasedSgd', () => {
  it('halves the records, and divides steps by four', () => {
    const { phases } = prepare({ stepSize: 0.5, noiseMultiplier: 1 }).plan as Planned;
    expect(phases).toEqual(
      [20, 10, 5, 2, 1].map((records, i) => ({ records, stepSize: 0.5 / 4 ** (i + 1) })),
    );
  });

  it('costs one release, with a hidden pass for each phase that starts where the last one ended', () => {
    const run = prepare({ stepSize: 0.5 });
    const { spent, queries } = carriedOut(run);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    const descents = queries.slice(1) as readonly DescendQuery[];
    expect(queries.map(({ ask }) => ask)).toEqual(['split', ...descents.map(() => 'descend')]);
    expect(descents).toHaveLength(5);
    for (const { release, noiseOn, bound, start, steps, batch } of descents) {
      expect({ release, noiseOn, bound }).toEqual({
        release: 'average',
        noiseOn: 'answer',
        bound: { by: 'certificate', fact: 'lipschitz' },
      });
      expect(Math.hypot(...start)).toBeLessThan(1 + 1e-12);
      expect(steps).toEqual([{ count: batch.normaliser, stepSize: steps[0].stepSize, batchSize: 1 }]);
    }
    expect(run.plan.gradients).toBe(38);
  });

  it('has the bound of its sum, which is least at the step it chooses', () => {
    const at = (stepSize?: number): Planned =>
      prepare({ noiseMultiplier: 1, ...(stepSize === undefined ? {} : { stepSize }) }).plan as Planned;
    const L = factOf('lipschitz');
    const { phases, utility } = at(0.1);
    let [squared, bound] = [4, 0];
    for (const { records, stepSize } of phases) {
      bound += squared / (2 * stepSize * records) + (stepSize * L ** 2) / 2;
      // A replaced record of the first step moves all points but the first by 2Lη.
      squared = 4 * (2 * L * stepSize * ((records - 1) / records)) ** 2;
    }
    expect((utility?.bound ?? Number.NaN) / (bound + L * Math.sqrt(squared))).toBeCloseTo(1, 4);
    const chosen = at();
    const least = chosen.utility?.bound ?? Number.NaN;
    for (const factor of [0.7, 1.2])
      if (chosen.stepSize * factor * factOf('smoothness') <= 8)
        expect(at(chosen.stepSize * factor).utility?.bound).toBeGreaterThan(least * (1 - 1e-6));
  });

  it('refuses steps that bring points apart, and takes none by itself', () => {
    const longest = 8 / factOf('smoothness');
    expect(() => prepare({ stepSize: longest * 1.001, noiseMultiplier: 1 })).toThrow(InvalidParameter);
    // With little noise and a far minimiser the bound would take longer steps.
    const far = { ...problem({ domain: wholeSpaceDomain({}), facts: { startDistance: 1e6 } }) };
    const run = phasedSgd.prepare({
      registry: mechanisms,
      ...context,
      problem: far,
      params: { noiseMultiplier: 1 },
    });
    expect((run.plan as Planned).stepSize).toBeLessThanOrEqual(longest);
    expect((run.plan as Planned).stepSize).toBeGreaterThan(longest * 0.99);
  });

  it('needs a bounded distance, and runs on the whole space with one', () => {
    const whole = { domain: wholeSpaceDomain({}) };
    expect(() => prepare({}, whole)).toThrow(Unsupported);
    const facts = { ...problem().facts, startDistance: declared(1) };
    const run = phasedSgd.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...problem(whole), facts },
      params: {},
    });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
  });
});
