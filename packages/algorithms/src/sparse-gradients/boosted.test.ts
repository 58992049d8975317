import {
  ask,
  sameEvent,
  seededRandom,
  type Calibrate,
  type PrivacyEvent,
  type Problem,
  type PublicPlan,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, mechanisms } from '@lethe/mechanisms';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { problem, records } from '../../test/support/logistic.js';
import { boosted } from './boosted.js';
import { boostingBudget, meanRuns, scoreMargin } from './boosting-budget.js';

interface Said {
  readonly utility?: PublicPlan['utility'];
  readonly median?: { readonly of: string; readonly bound: number };
  readonly expectedGradients?: number;
}
/** Releases one mean, and says of itself what it is told to. */
const saying = (said: Said) =>
  defineOptimizer({
    name: 'saying',
    summary: 'Asks for one mean.',
    source: { id: 'lethe', item: 'test' },
    params: z.strictObject({}),
    examples: [{}],
    claims: [],
    adjacencies: ['replace-one', 'zero-out'],
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    plan: () => ({ utility: null, ...said }),
    *steps({ start, allRecords }) {
      const mean = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
      return yield* ask.mean({ at: start, batch: allRecords, mean, target: { noiseMultiplier: 99 } });
    },
  });

interface Plan extends PublicPlan {
  readonly base: { readonly plan: PublicPlan };
  readonly expectedRuns: number;
  readonly expectedGradients: number;
  readonly stopProbability: number;
  readonly likely: { readonly of: string; readonly bound: number; readonly failure: number } | null;
  readonly uncovered: string | null;
}
const budget = { epsilon: 0.8, delta: 1e-6 };
/** What a selection is checked to cost, and its plan. */
function planned(
  said: Said,
  params: Partial<Parameters<typeof boosted.prepare>[0]['params']> = {},
  adjacency: Problem['adjacency'] = 'replace-one',
) {
  const checked: PrivacyEvent[] = [];
  const calibrate: Calibrate = ({ make }) => {
    checked.push(make(1));
    return {
      value: 1,
      achieved: { lower: 0, upper: 0.5, certificate: 'certified', method: 'test', assumptions: [] },
    };
  };
  const { plan } = boosted.prepare({
    registry: [...mechanisms, ...losses, saying(said)],
    problem: problem({ domain: l2BallDomain({ radius: 1 }), adjacency }),
    budget,
    params: { base: { name: 'saying', params: {} }, ...params },
    calibrate,
    random: seededRandom('coins'),
  });
  return { plan: plan as Plan, checked };
}
const empirical = (bound: number) => ({ bound, source: 'expected excess empirical risk of a test' });
const { range, lipschitz } = problem({ domain: l2BallDomain({ radius: 1 }) }).facts;
/** Two margins of the score's noise, and half a step of its grid on either side. */
const missed = (sensitivity: number, failure: number, stop: number): number =>
  (12 / budget.epsilon) *
  (sensitivity / records) *
  (2 * (scoreMargin(boostingBudget({ ...budget, stopProbability: stop }), failure) ?? Infinity) + 2 ** -16);

it('bounds what the best run misses by what one run attains with probability 1/2 and two margins', () => {
  const byUtility = planned({ utility: empirical(0.3) }).plan;
  const bound = 0.6 + missed(range?.value ?? 0, 0.1, 0.075);
  expect(byUtility.likely).toEqual({ of: 'excess risk', bound: expect.closeTo(bound, 10), failure: 0.1 });
  expect(byUtility.utility?.bound).toBeCloseTo(bound + 0.1 * (range?.value ?? 0), 10);
  expect(byUtility.uncovered).toBe(null);
  const median = { of: 'excess risk', bound: 0.2 };
  const byMedian = planned({ utility: empirical(0.3), median }, { failure: 0.4, stopProbability: 0.2 }).plan;
  expect(byMedian.likely?.bound).toBeCloseTo(0.2 + missed(range?.value ?? 0, 0.4, 0.2), 10);
  const squared = { of: 'squared gradient norm', bound: 0.09 };
  for (const [adjacency, moved] of [
    ['replace-one', 2],
    ['zero-out', 1],
  ] as const) {
    const { plan } = planned({ median: squared }, { score: 'gradient-norm' }, adjacency);
    expect(plan.likely).toEqual({
      of: 'gradient norm',
      bound: expect.closeTo(0.3 + missed(moved * (lipschitz?.value ?? 0), 0.1, 0.075), 10),
      failure: 0.1,
    });
    expect(plan.utility).toBe(null);
  }
});

it('says nothing where a run attains something else, or all runs fail too often', () => {
  const squared = { of: 'squared gradient norm', bound: 0.09 };
  for (const [said, params] of [
    [{}, {}],
    [{ utility: { bound: 0.1, source: 'expected excess population risk' } }, {}],
    [{ median: squared }, {}],
    [{ median: { of: 'excess risk', bound: 0.1 } }, { score: 'gradient-norm' }],
    [{ utility: empirical(0.1) }, { score: 'gradient-norm' }],
    // With γ = 1/2 all runs fail with probability 1/3.
    [{ utility: empirical(0.1) }, { stopProbability: 0.5, failure: 0.33 }],
  ] as const) {
    const { plan } = planned(said, params);
    expect(plan.likely).toBe(null);
    expect(plan.utility).toBe(null);
    expect(plan.uncovered).toMatch(/bounds no|all runs may fail/u);
  }
  expect(planned({ utility: empirical(0.1) }, { stopProbability: 0.5, failure: 0.34 }).plan.likely).not.toBe(
    null,
  );
});

it('stops as its failure asks, and counts runs and gradients as expected', () => {
  for (const [failure, stop] of [
    [0.1, 0.075],
    [0.5, 0.375],
  ] as const) {
    const { plan } = planned({}, { failure });
    const runs = meanRuns(boostingBudget({ ...budget, stopProbability: stop }));
    expect(plan.stopProbability).toBeCloseTo(stop, 12);
    expect(plan.expectedRuns).toBeCloseTo(runs, 10);
    expect(plan.expectedGradients).toBeCloseTo(runs * records, 8);
    expect(planned({ expectedGradients: 7 }, { failure }).plan.expectedGradients).toBeCloseTo(7 * runs, 8);
  }
});

it.each(['replace-one', 'zero-out'] as const)('checks the cost that its plan has, under %s', (adjacency) => {
  for (const score of ['risk', 'gradient-norm'] as const) {
    const { plan, checked } = planned({}, { score }, adjacency);
    expect(checked).toHaveLength(1);
    expect(sameEvent(checked[0], plan.event)).toBe(true);
  }
});
