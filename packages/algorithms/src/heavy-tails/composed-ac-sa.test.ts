import { seededRandom, type Fact, type MeanQuery, type Problem, type Query } from '@lethe/core';
import { logistic, losses } from '@lethe/losses';
import { gaussian, l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { fixedCalibration } from '../../test/support/problems.js';
import { composedAcSa } from './composed-ac-sa.js';

const registry = [...mechanisms, ...losses];
const budget = { epsilon: 1, delta: 1e-6 };
const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
const population = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const problemWith = (facts: Problem['facts']): Problem<typeof logistic.capabilities> => ({
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension: 3,
  slots: [2000],
  domain: l2BallDomain({ radius: 1 }),
  loss: logistic({}),
  capabilities: logistic.capabilities,
  facts,
});
const planned = (
  facts: Problem['facts'],
  params: Parameters<typeof composedAcSa.prepare>[0]['params'] = {},
  domain: Problem['domain'] = l2BallDomain({ radius: 1 }),
) =>
  composedAcSa.prepare({
    problem: { ...problemWith(facts), domain },
    registry,
    budget,
    params,
    calibrate: fixedCalibration(20).calibrate,
    random: seededRandom('composed'),
  });
const smooth = { smoothness: every(0.25), lipschitz: every(1) };
type Plan = {
  readonly rounds: number;
  readonly clipNorm: number | null;
  readonly noiseMultiplier: number;
  readonly quantile: { readonly noiseMultiplier: number } | null;
};

/**
 * Queries of a run whose counts say that `share` of the norms are beyond what is asked, and whose means are
 * zero.
 */
function queriesOf(run: ReturnType<typeof planned>, share: number): readonly Query[] {
  const asked: Query[] = [];
  const start = new Float64Array(3);
  const program = run.steps({
    start,
    allRecords: 'all' as never,
    random: seededRandom('steps'),
    state: (own: object) => own,
    rounds: function* (count: number) {
      for (let t = 1; t <= count; t++) yield t;
    },
  } as never);
  for (let next = program.next(); next.done !== true;) {
    asked.push(next.value);
    next = program.next((next.value.ask === 'value' ? share : new Float64Array(3)) as never);
  }
  return asked;
}

describe('descent on all records in every round', () => {
  it('predicts with the noise that counts leave to the rounds', () => {
    const clipNorm = { by: 'private-quantile', share: 0.36 } as const;
    const predicted = (params: object) =>
      planned(smooth, { method: 'ac-sa', rounds: 4, clipNorm, ...params }).plan as { predicted?: number };
    // Two times the noise of a single release, over the root of the share that is left.
    const noiseMultiplier = (2 * gaussian.multiplierFor({}, budget)) / 0.8;
    expect(predicted({}).predicted).toBeGreaterThan(0);
    expect(predicted({}).predicted).toBeCloseTo(predicted({ noiseMultiplier }).predicted ?? NaN, 12);
  });

  it('gives counts their share of the squared signal', () => {
    const run = planned(smooth, { clipNorm: { by: 'private-quantile', share: 0.3, counts: 5 }, rounds: 7 });
    const { noiseMultiplier: m, quantile } = run.plan as unknown as Plan;
    const counts = 5 / (quantile?.noiseMultiplier ?? Number.NaN) ** 2;
    const means = 7 / m ** 2;
    expect(counts / (counts + means)).toBeCloseTo(0.3, 12);
  });

  it('bounds the empirical risk where nothing is clipped, and says why elsewhere', () => {
    const { plan } = planned(smooth);
    expect((plan as unknown as Plan).clipNorm).toBe(1);
    expect(plan.utility?.bound).toBeGreaterThan(0);
    expect(planned(smooth, { clipNorm: 0.5 }).plan).toMatchObject({
      utility: null,
      uncovered: expect.stringMatching(/may be clipped/u) as string,
    });
    expect(planned({ ...smooth, populationSmoothness: population(0.1) }).plan).toMatchObject({
      utility: null,
      uncovered: expect.stringMatching(/smoothness is that of the population/u) as string,
    });
    expect(planned({ ...smooth, smoothness: population(0.25) }).plan.utility).toBeNull();
    // A diameter that is declared says nothing of where these records have a minimiser.
    const declared = { ...smooth, diameter: population(2) };
    expect(planned(declared, {}, wholeSpaceDomain({})).plan).toMatchObject({
      utility: null,
      uncovered: expect.stringMatching(/is unbounded/u) as string,
    });
  });

  it.each([30, 300])('has the bounds of both methods at a noise multiplier of %d', (noiseMultiplier) => {
    const boundOf = (method: 'ac-sa' | 'sgd') =>
      planned(smooth, { method, rounds: 5, noiseMultiplier }).plan.utility?.bound;
    const error = (Math.sqrt(3) * 2 * noiseMultiplier) / 2000;
    const step = 1 / Math.max(0.25, (Math.sqrt(10) * error) / 2);
    expect(boundOf('sgd')).toBeCloseTo(4 / (10 * step) + step * error ** 2, 12);
    const eta = Math.max(0.5, (Math.sqrt(140) * error) / 2);
    expect(boundOf('ac-sa')).toBeCloseTo((8 * eta) / 30 + (28 * error ** 2) / (3 * eta), 12);
  });

  it('clips at a quantile where moments are far below the Lipschitz constant', () => {
    const facts = { ...smooth, 'gradientMoment.2': population(0.1) };
    expect((planned(facts).plan as unknown as Plan).quantile).not.toBeNull();
    expect(
      (planned({ ...smooth, 'gradientMoment.2': population(0.6) }).plan as unknown as Plan).clipNorm,
    ).toBe(1);
  });

  it('halves the logarithm of the range by each count, and clips at its upper end', () => {
    const params = { clipNorm: { by: 'private-quantile' as const, share: 0.3, counts: 3, largest: 4 } };
    const run = planned(smooth, { ...params, rounds: 2 });
    const clips = [0, 1].map((beyond) => {
      const queries = queriesOf(run, beyond);
      expect(queries.map(({ ask }) => ask)).toEqual(['value', 'value', 'value', 'mean', 'mean']);
      const { mean } = queries.at(-1) as MeanQuery;
      return (mean.params as { readonly clip: { readonly params: { readonly radius: number } } }).clip.params
        .radius;
    });
    expect(clips[1]).toBe(4);
    expect(Math.log2(clips[0])).toBeCloseTo(2 - 10 * (1 - 1 / 8), 9);
  });

  it('takes fewer rounds and more noise for a smaller budget', () => {
    const facts = { ...smooth };
    const at = (epsilon: number): Plan =>
      composedAcSa.prepare({
        problem: problemWith(facts),
        registry,
        budget: { epsilon, delta: 1e-6 },
        params: {},
        calibrate: fixedCalibration(20).calibrate,
        random: seededRandom('composed'),
      }).plan as unknown as Plan;
    expect(at(0.1).rounds).toBeLessThan(at(4).rounds);
  });
});
