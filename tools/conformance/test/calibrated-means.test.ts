import { accountants, bestOf, calibrator } from '@lethe/accountants';
import {
  heavyTailedGradientDescent,
  localizedSubgradient,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
} from '@lethe/algorithms';
import {
  attachData,
  centralCurator,
  defineMean,
  defineOptimizer,
  driveSync,
  gaussianEvent,
  IncompatiblePlugins,
  meanShape,
  openLedger,
  repeatedEvent,
  resolvePlugin,
  sameEvent,
  seededRandom,
  sensitivityUnder,
  type CentralMean,
  type Mechanism,
  type Problem,
  type Ref,
  type Registry,
  type Run,
} from '@lethe/core';
import { losses, squared } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip, latticeMean, laplaceLatticeMean, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const n = 400;
const dimension = 2;
const facts = {
  populationSmoothness: 3,
  populationStrongConvexity: 1,
  'gradientMoment.2': 2,
  'gradientMoment.4': 2.5,
  'uniformGradientMoment.2': 2.5,
  'uniformGradientMoment.4': 2.5,
  startGap: 1,
};
const problem: Problem<{ readonly convex: true; readonly smooth: true }> = {
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension,
  slots: [n],
  domain: { kind: 'domain', name: 'l2-ball', params: { radius: 1 } },
  loss: squared({}),
  capabilities: { convex: true, smooth: true },
  facts: Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      { value, scope: 'population' as const, provenance: 'declared' as const },
    ]),
  ),
};
const calibrate = calibrator(accountants);
const random = seededRandom('public');
const certificateOf = ({ plan }: Run, { epsilon: _, ...query }: { epsilon: number; delta: number }): number =>
  bestOf(accountants).epsilon(plan.event, { adjacency: problem.adjacency, ...query }).upper;

/** What the ledger holds after a run on records that all differ. */
function spentBy(run: Run, registry: Registry) {
  const ledger = openLedger({ adjacency: problem.adjacency });
  const data = attachData({
    features: {
      data: Float64Array.from({ length: n * dimension }, (_, i) => Math.sin(i)),
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels: Float64Array.from({ length: n }, (_, i) => Math.cos(i)),
    loss: squared({}),
    registry,
    ledger,
  });
  const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('coins') });
  driveSync(run, curator, { start: new Float64Array(dimension), random });
  return curator.spent();
}

const methods = {
  'heavy-tailed-gradient-descent': (mean: Ref<'mean'>, clipNorm?: number) => ({
    optimizer: heavyTailedGradientDescent,
    params: { mean, clipNorm, rounds: 4, batches: 'disjoint' },
  }),
  'noisy-clipped-ac-sa': (mean: Ref<'mean'>, clipNorm?: number) => ({
    optimizer: noisyClippedAcSa,
    params: { mean, clipNorm, rounds: 3 },
  }),
  'noisy-clipped-sgd': (mean: Ref<'mean'>, clipNorm?: number) => ({
    optimizer: noisyClippedSgd,
    params: { mean, clipNorm },
  }),
  'noisy-clipped-proximal-sgd': (mean: Ref<'mean'>, clipNorm?: number) => ({
    optimizer: noisyClippedProximalSgd,
    params: { mean, clipNorm, rounds: 3 },
  }),
  'noisy-clipped-subgradient': (mean: Ref<'mean'>, clipNorm = 1.7) => ({
    optimizer: noisyClippedSubgradient,
    params: { mean, clipNorm, rounds: 3, stepSize: 0.1 },
  }),
  'localized-noisy-clipped-subgradient': (mean: Ref<'mean'>, clipNorm?: number) => ({
    optimizer: localizedSubgradient,
    params: { mean, clipNorm, mostRounds: 2 },
  }),
};
interface Released {
  readonly release: { readonly mean: Ref<'mean'>; readonly target: { readonly noiseMultiplier: number } };
  readonly noise: number;
  readonly batchSize: number;
}

const coarse = latticeMean({ radius: 5, spacing: 1 });
const registry = [...mechanisms, ...losses];

describe('a plan with any mean', () => {
  const budget = { epsilon: 2, delta: 1e-5 };
  const prepared = (
    { optimizer, params }: ReturnType<(typeof methods)[keyof typeof methods]>,
    own: Registry = registry,
  ): Run =>
    (optimizer as typeof heavyTailedGradientDescent).prepare({
      problem,
      registry: own,
      budget,
      params: params as never,
      calibrate,
      random,
    });

  it.each(Object.entries(methods))('of %s keeps its budget, and its run costs the plan', (_, method) => {
    for (const clipNorm of [1.3, undefined]) {
      const run = prepared(method(coarse, clipNorm));
      const cost = certificateOf(run, budget);
      expect(cost).toBeLessThanOrEqual(budget.epsilon * (1 + 1e-6));
      expect(cost).toBeGreaterThan(0.98 * budget.epsilon);
      expect(sameEvent(spentBy(run, registry), run.plan.event)).toBe(true);
    }
  });
});
