import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { seededRandom, selectionEvent, type PrivacyEvent, type Problem } from '@lethe/core';
import { attachData, openLedger, storedPlan } from '@lethe/curator';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import * as z from 'zod';
import { above, differs, first } from '../common/judging.js';
import type { SparseGradientsSubject } from './subject.js';

const budgets = [
  { epsilon: 1, delta: 1e-6, stopProbability: 0.25 },
  { epsilon: 1, delta: 0.1, stopProbability: 0.5 },
  { epsilon: 0.1, delta: 1e-2, stopProbability: 0.03 },
  { epsilon: 8, delta: 1e-9, stopProbability: 0.1 },
] as const;
const planned = z.object({
  base: z.object({ plan: z.object({ median: z.object({ bound: z.number() }) }) }),
  likely: z.object({ bound: z.number() }),
});

/** Rows 62 to 67 and 111 to 113 of the claims: Algorithm 5, the best of a random number of runs. */
export function boostingChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const { boostingBudget, boostingFailure, meanRuns } = subject;
  /** `E 2^(−κ)` of runs that go on for long. */
  const allFail = (stopProbability: number): number =>
    boostingFailure({ stopProbability, cap: Math.ceil(80 / stopProbability) }, Infinity);
  return [
    defineClaimCheck({
      id: 'ghazi/boosting-budget',
      tier: 'exact',
      statement:
        '3ε₁ + 3√(2δ₁) ≤ ε and √(2δ₁)K + δ/2 ≤ δ for ε₁ = ε/6, and δ₁ = 1.8e-17 at the listed setting',
      power: 'δ₁ = δ/(4K), ε₁ = ε/4',
      run: () =>
        judge(
          budgets.length,
          first(
            differs('the listed δ₁', boostingBudget(budgets[0]).base.delta, 1.795461074403907e-17),
            ...budgets.flatMap((one) => {
              const { base, scoreMultiplier, cap } = boostingBudget(one);
              const root = Math.sqrt(2 * base.delta);
              return [
                differs('ε₁', base.epsilon + 1 / scoreMultiplier, one.epsilon / 6, 1e-12),
                above('ε of the best', 3 * (base.epsilon + 1 / scoreMultiplier) + 3 * root, one.epsilon),
                above('δ of the best', root * cap + one.delta / 2, one.delta),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/run-count',
      tier: 'exact',
      statement: 'run k is the last with probability γ(1 − γ)^(k−1), and no run before K with at most δ/2',
      power: 'a cap lower by an eighth, or runs that go on to the cap',
      run: () =>
        judge(
          budgets.length,
          first(
            ...budgets.flatMap((one) => {
              const { cap, stopProbability: stop } = boostingBudget(one);
              let runs = 0;
              for (let k = 0; k < cap; k++) runs += (1 - stop) ** k;
              return [
                above('P[no run stops before K]', (1 - stop) ** cap, one.delta / 2),
                differs('E κ', meanRuns({ stopProbability: stop, cap }), runs),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/halves-series',
      tier: 'exact',
      statement: 'Σ 2^(−k)(1 − γ)^(k−1)γ is γ/(1 + γ), which is at most 3β/4 at γ = 3β/4',
      power: 'the printed value',
      run: () =>
        judge(
          3,
          first(
            ...[0.5, 0.25, 0.0375].map((stop) =>
              differs(`the series at γ = ${stop}`, allFail(stop), stop / (1 + stop)),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/halves-series-printed',
      tier: 'exact',
      statement: 'Σ 2^(−k)(1 − γ)^(k−1)γ = ½γ/(1 − γ²)',
      power: 'γ = 0.0375, where it is half of the sum',
      run: () => judge(1, differs('the series', allFail(0.0375), (0.5 * 0.0375) / (1 - 0.0375 ** 2))),
    }),
    defineClaimCheck({
      id: 'ghazi/gradient-norm-score',
      tier: 'exact',
      statement: 'a replaced record moves ‖∇F_S(x)‖ by at most 2L/n',
      power: 'half of it: opposite records beside a longer sum attain it',
      run() {
        let most = 0;
        // n = 3 gradients on the unit circle, of which the last is replaced.
        const angles = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6);
        const norm = (...all: readonly number[]): number =>
          Math.hypot(
            all.reduce((sum, a) => sum + Math.cos(a), 0),
            all.reduce((sum, a) => sum + Math.sin(a), 0),
          ) / 3;
        for (const a of angles)
          for (const b of angles)
            for (const c of angles) most = Math.max(most, Math.abs(norm(0, a, b) - norm(0, a, c)));
        const allowed = subject.boundedMeanSensitivity(1, 3)['replace-one'] ?? 0;
        return judge(1728, first(above('the change', most, allowed), differs('the largest', most, 2 / 3)));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/risk-score',
      tier: 'exact',
      statement:
        'the risk changes by at most B/n for losses in [0, ' +
        'B], and F_S(x) − F_S(x⁰) by at most 2B/n under A.4',
      power: 'a risk that is held to a range half as large, and larger changes of differences',
      run: () => judge(4, riskScores(subject)),
    }),
    defineClaimCheck({
      id: 'ghazi/risk-score-printed',
      tier: 'exact',
      statement: 'under A.4 a replaced record moves the risk by at most B/n',
      power: 'losses that are constant in x, whose B is 0',
      run() {
        // Of four records with losses c_z of 0 the last is replaced by one with 100.
        const range = 0;
        return judge(1, above('the change of the risk', 100 / 4, range / 4));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/least-score',
      tier: 'exact',
      statement: 'the output is the point with the least score of the runs made',
      power: 'the point of the first run, over 8 selections of 60 runs',
      run: () => judge(8, leastScores(subject)),
    }),
    defineClaimCheck({
      id: 'ghazi/boosting-privacy',
      tier: 'exact',
      statement: 'the best of (ε/6, δ₁)-private runs with scores is (ε, δ)-private',
      power: 'δ₁ = δ',
      run: () =>
        judge(
          budgets.length,
          first(
            ...budgets.map((one) => {
              const split = boostingBudget(one);
              const run = {
                kind: 'core/approximate',
                v: 1,
                epsilon: split.base.epsilon + 1 / split.scoreMultiplier,
                delta: split.base.delta,
              } as PrivacyEvent;
              const { upper } = bestOf(accountants).epsilon(selectionEvent(run, split), {
                adjacency: 'replace-one',
                delta: one.delta,
              });
              return above(`ε at δ = ${one.delta}`, upper, one.epsilon);
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/boosting-failure',
      tier: 'exact',
      statement:
        'with the printed γ and α′ the best run fails with probability at most β, also where K ends it',
      power: 'twice the cap in place of the number of runs',
      run: () =>
        judge(
          9,
          first(
            ...[0.3, 0.1, 0.01].flatMap((failure) =>
              [1e-2, 1e-6, 1e-12].map((delta) => {
                const split = boostingBudget({
                  epsilon: 1,
                  delta,
                  stopProbability: Math.min(1 / 2, (3 * failure) / 4),
                });
                const margin = Math.log((16 / (3 * failure ** 2)) * Math.log(2 / delta));
                return above(`at β = ${failure}, δ = ${delta}`, boostingFailure(split, margin), failure);
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/boosted-gradient',
      tier: 'exact',
      statement: '‖∇F‖ ≤ √(U/τ) + 2α′ on the plan that ships, with α′ in units of 24L/(nε)',
      power: 'the bound without its root',
      run: () => judge(1, boostedGradient(subject)),
    }),
    defineClaimCheck({
      id: 'ghazi/boosted-gradient-printed',
      tier: 'exact',
      statement: 'a squared gradient norm of at most U/τ is a gradient norm of at most U/τ',
      power: 'U/τ = 1/4',
      run: () => judge(1, above('the norm', Math.sqrt(1 / 4), 1 / 4)),
    }),
  ];
}

/** Two records of four on the whole space; `labels` make the losses of the rows. */
function curatorOf({ centralCurator }: SparseGradientsSubject, labels: readonly number[], seed = 'secret') {
  const registry = [...mechanisms, ...losses, ...optimizers];
  const data = attachData({
    features: {
      data: Float64Array.from(labels, () => 1),
      rows: labels.length,
      columns: 1,
      offset: 0,
      rowStride: 1,
      columnStride: 1,
    },
    labels: Float64Array.from(labels),
    loss: { kind: 'loss', name: 'squared', params: {} },
    registry,
    domain: { featureNorm: 1, labelBound: 1, iterateNorm: 1 },
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  return {
    data,
    registry,
    curator: centralCurator({
      data,
      registry,
      run: 'run',
      random: seededRandom(seed),
      allowUnprotected: true,
    }),
  };
}
const unprotected = {
  mechanism: { kind: 'mechanism', name: 'laplace', params: {} },
  target: { unprotected: true },
} as const;

/** Losses ½(x − y)² of points and labels in [−1, 1]: B = 2. */
function riskScores(subject: SparseGradientsSubject): Violation | undefined {
  const asked = (labels: readonly number[]): { readonly risk: number; readonly difference: number } => {
    const { curator } = curatorOf(subject, labels);
    const ask = (index: number, statistic: object): number =>
      curator.answer(index, {
        ask: 'value',
        statistic: statistic as { readonly of: 'risk' },
        at: Float64Array.of(1),
        batch: curator.allRecords,
        noise: unprotected,
      }).answer as number;
    return {
      risk: ask(0, { of: 'risk' }),
      difference: ask(1, { of: 'risk-difference', reference: Float64Array.of(-1) }),
    };
  };
  const [one, other] = [asked([1, 1, 1, 1]), asked([1, 1, 1, -1])];
  return first(
    differs('the largest change of the risk', Math.abs(one.risk - other.risk), 2 / 4),
    differs('the largest change of a difference', Math.abs(one.difference - other.difference), (2 * 2) / 4),
  );
}

/** Of 60 runs with much noise on [−1, 1] the best is next to the minimiser 1. */
function leastScores(subject: SparseGradientsSubject): Violation | undefined {
  const violations = Array.from({ length: 8 }, (_, k) => {
    const { curator, data, registry } = curatorOf(subject, [1, 1, 1, 1], `coins ${k}`);
    const run = subject.dpSgd.prepare({
      registry,
      problem: {
        adjacency: 'replace-one',
        trust: { model: 'central' },
        dimension: 1,
        slots: [4],
        domain: { kind: 'domain', name: 'l2-ball', params: { radius: 1 } },
        loss: data.lossRef,
        capabilities: {},
        facts: {},
      },
      budget: { epsilon: 1, delta: 1e-6 },
      params: { steps: 1, rate: 0.5, clipNorm: 1, stepSize: 1, noiseMultiplier: 20 },
      calibrate: calibrator(accountants),
      random: seededRandom('public'),
      repeated: true,
    });
    const { answer } = curator.answer(0, {
      ask: 'select',
      base: storedPlan(run),
      start: new Float64Array(1),
      batch: curator.allRecords,
      score: { statistic: { of: 'risk' }, noise: unprotected },
      stopProbability: 1e-12,
      cap: 60,
    });
    const { point, score } = answer as { readonly point: Float64Array; readonly score: number };
    return first(
      differs('the score', score, (1 - point[0]) ** 2 / 2, 1e-9),
      above('the distance of the best of 60 runs', 1 - point[0], 0.5),
    );
  });
  return first(...violations);
}

function boostedGradient({ boosted, logistic, boostingBudget, scoreMargin }: SparseGradientsSubject) {
  const [n, lipschitz, epsilon, delta] = [64, 1, 1, 1e-6];
  const problem: Problem = {
    adjacency: 'replace-one',
    trust: { model: 'central' },
    dimension: 3,
    slots: [n],
    domain: wholeSpaceDomain({}),
    loss: logistic({}),
    capabilities: { lipschitz: true },
    facts: logistic.facts({}, { columns: 3, featureNorm: lipschitz, labelBound: 1 }),
  };
  const { plan } = boosted.prepare({
    problem,
    registry: [...mechanisms, ...losses, ...optimizers],
    budget: { epsilon, delta },
    params: { base: { name: 'bias-reduced-sgd', params: { calls: 3, initialGap: 1 } } },
    calibrate: calibrator(accountants),
    random: seededRandom('public'),
  });
  const { base, likely } = planned.parse(plan);
  const margin = scoreMargin(boostingBudget({ epsilon, delta, stopProbability: 0.075 }), 0.1) ?? Infinity;
  return differs(
    'the bound on the gradient norm',
    likely.bound,
    Math.sqrt(base.plan.median.bound) + (2 * margin + 2 ** -16) * ((24 * lipschitz) / (n * epsilon)),
  );
}
