import { plainLoops, sameEvent, type Batch, type PublicPlan, type Query, type Ref } from '@lethe/core';
import { defined, l2Ball } from '@lethe/numerics';
import {
  certifiedMean,
  clippedMean,
  gaussian,
  l2BallDomain,
  l2Clip,
  latticeMean,
  mechanisms,
} from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, dimension, problem } from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { localizedAcSa } from './localized-ac-sa.js';

type Params = Parameters<typeof localizedAcSa.prepare>[0]['params'];
type Planned = PublicPlan & {
  readonly mean: Ref<'mean'>;
  readonly phases: readonly {
    readonly records: number;
    readonly lambda: number;
    readonly sampler: { readonly name: string; readonly params: { readonly size: number } };
    readonly eta: number;
    readonly stages: number;
    readonly rounds: number;
  }[];
};
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  localizedAcSa.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });

describe('localizedAcSa', () => {
  it('halves the records, and draws n_i/√R_i of them R_i times', () => {
    const { phases, gradients } = prepare({ stepSize: 0.5, noiseMultiplier: 2 }).plan as Planned;
    expect(phases.map(({ records }) => records)).toEqual([20, 10, 5, 2, 1]);
    phases.forEach(({ records, lambda, sampler, eta, stages, rounds }, i) => {
      expect((lambda * 0.5 * records) / (2 * 4 ** (i + 1))).toBeCloseTo(1, 12);
      expect(sampler).toMatchObject({
        name: 'fixed-size',
        params: { size: Math.ceil(records / Math.sqrt(stages * rounds)) },
      });
      // A stage halves the squared distance: 2ηR²/(T(T + 1)) is at most (λ/2)R²/2.
      expect((2 * eta) / (rounds * (rounds + 1))).toBeLessThanOrEqual(lambda / 4);
      expect(2 ** stages).toBeGreaterThanOrEqual(records);
    });
    expect(gradients).toBe(
      phases.reduce((sum, { sampler, stages, rounds }) => sum + sampler.params.size * stages * rounds, 0),
    );
  });

  it('grows by n^(9/8) in gradients, up to the logarithm of its stages', () => {
    const gradientsAt = (slots: number): number => {
      const { phases } = prepare({ noiseMultiplier: 2, stepSize: 0.3 / Math.sqrt(slots) }, { slots: [slots] })
        .plan as Planned;
      const [{ sampler, rounds, stages }] = phases;
      return (sampler.params.size * rounds * stages) / Math.sqrt(stages);
    };
    const slope = Math.log(gradientsAt(2 ** 28) / gradientsAt(2 ** 20)) / Math.log(2 ** 8);
    expect(slope).toBeGreaterThan(1.115);
    expect(slope).toBeLessThan(1.135);
  });

  it('is charged what it plans', () => {
    const run = prepare({ stepSize: 0.5, noiseMultiplier: 2 });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
  });

  it('follows its listing, with the regulariser outside of the query', () => {
    const run = prepare({ stepSize: 0.5, noiseMultiplier: 2 });
    const { phases } = run.plan as Planned;
    const answerAt = (k: number): number[] => [0.3, -0.2, 0.1, 0.05].map((x, j) => x * Math.cos(k + j));
    const ball = l2Ball({ radius: 1, dimension });
    const inside = (point: readonly number[]): number[] => [
      ...ball.projectInto(new Float64Array(dimension), Float64Array.from(point)),
    ];
    const expected: number[][] = [];
    let w = [0.5, 0, 0, 0];
    for (const { lambda, eta, stages, rounds } of phases) {
      const centre = w;
      for (let stage = 0; stage < stages; stage++) {
        let [x, aggregate] = [w, w];
        for (let t = 1; t <= rounds; t++) {
          const share = 2 / (t + 1);
          const mixed = (point: number[]): number[] =>
            aggregate.map((entry, j) => (1 - share) * entry + share * point[j]);
          const middle = mixed(x);
          const told = answerAt(expected.length);
          expected.push(middle);
          x = inside(
            x.map((entry, j) => entry - (t / (2 * eta)) * (told[j] + lambda * (middle[j] - centre[j]))),
          );
          aggregate = mixed(x);
        }
        w = aggregate;
      }
    }
    const asked: number[][] = [];
    const program = run.steps({
      ...plainLoops(),
      allRecords: { id: 'all', normaliser: 40 } as Batch,
      start: Float64Array.of(0.5, 0, 0, 0),
      random: publicCoins,
    });
    const answerTo = (query: Query): unknown => {
      if (query.ask === 'split') return phases.map((_, k) => ({ id: `${k}`, normaliser: 1 }));
      if (query.ask !== 'mean') throw new Error(`asked '${query.ask}'`);
      asked.push([...query.of.terms[0].at]);
      return Float64Array.from(answerAt(asked.length - 1));
    };
    let step = program.next(null as never);
    while (step.done !== true) step = program.next(answerTo(step.value) as never);
    expect(asked).toHaveLength(expected.length);
    asked.flat().forEach((entry, k) => expect(entry).toBeCloseTo(expected.flat()[k], 10));
    step.value.forEach((entry, j) => expect(entry).toBeCloseTo(w[j], 10));
  });

  it('rests on the clip, and takes any clip norm', () => {
    const clipped = (radius: number) => clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
    const { mean } = prepare({ noiseMultiplier: 2 }).plan as Planned;
    expect(mean).toEqual(clipped(defined(problem().facts['lipschitz']).value));
    expect((prepare({ noiseMultiplier: 2, clipNorm: 0.5 }).plan as Planned).mean).toEqual(clipped(0.5));
  });

  it('takes any central mean that clips, and says why not another', () => {
    const mean = latticeMean({ radius: 0.5, spacing: 2 ** -10 });
    const run = prepare({ stepSize: 0.5, mean, noiseMultiplier: 2 });
    expect(run.plan).toMatchObject({ mean });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
    const refused =
      (params: Params): (() => unknown) =>
      () =>
        prepare({ stepSize: 0.5, ...params });
    expect(refused({ mean: certifiedMean({ mechanism: gaussian({}) }) })).toThrow(
      /rests on .* clipping alone/u,
    );
    expect(refused({ mean, clipNorm: 1 })).toThrow(/at most one of clipNorm, mean/u);
  });
});
