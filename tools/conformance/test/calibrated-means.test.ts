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
  ask,
  defineMean,
  driveSync,
  IncompatiblePlugins,
  meanShape,
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
import { attachData, centralCurator, defineOptimizer, openLedger } from '@lethe/curator';
import { losses, squared } from '@lethe/losses';
import {
  clippedMean,
  gaussian,
  l2Clip,
  latticeMean,
  laplaceLatticeMean,
  mechanisms,
} from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const n = 400;
const dimension = 1;
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
const certificateOf = ({ plan }: Run, { delta }: { readonly delta: number }): number =>
  bestOf(accountants).epsilon(plan.event, { adjacency: problem.adjacency, delta }).upper;

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
interface PlannedRelease {
  readonly mean: Ref<'mean'>;
  readonly target: { readonly noiseMultiplier: number };
}
interface PlannedNoise {
  readonly release: PlannedRelease;
  readonly noise: number;
  readonly batchSize: number;
}

/** Standard deviation of the noise on one entry of the answer, as the curator draws it. */
function noiseOf({ mean: ref, target }: PlannedRelease, slots: number, own: Registry): number {
  const { plugin, params } = resolvePlugin<CentralMean>(own, ref);
  const shape = meanShape({ dimension, slots, registry: own });
  const mechanism = resolvePlugin<Mechanism>(own, plugin.mechanism(params));
  const sensitivity = sensitivityUnder(plugin.sensitivity(params, shape), problem.adjacency, 'the mean');
  const run = plugin.begin(params, shape, seededRandom('coins'));
  const [there, nothing] = [1, 0].map((x) => run.finish(Float64Array.of(x))[0]);
  return (
    (there - nothing) *
    mechanism.plugin.standardDeviation(mechanism.params) *
    target.noiseMultiplier *
    sensitivity
  );
}

const coarse = latticeMean({ radius: 5, spacing: 1 });
/** At 2.5 times these numbers a grid has one step less in a radius. */
const narrowed = laplaceLatticeMean({ radius: 0.3, spacing: 0.1 });
const clipped = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
const registry = [...mechanisms, ...losses];

const { kind: _kind, ...parts } = clippedMean;
/** Released once more for batches below 200 records. */
const dearerWhenSmall = defineMean({
  ...parts,
  name: 'dearer-when-small',
  event: (_params, noise, { slots }) => repeatedEvent(noise, slots < 200 ? 2 : 1),
});
const dearer = dearerWhenSmall({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });

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
    const own = [...registry, dearerWhenSmall];
    for (const clipNorm of [1.3, undefined])
      for (const mean of [coarse, dearer]) {
        const run = prepared(method(mean, clipNorm), own);
        const cost = certificateOf(run, budget);
        expect(cost).toBeLessThanOrEqual(budget.epsilon * (1 + 1e-6));
        expect(cost).toBeGreaterThan(0.98 * budget.epsilon);
        expect(sameEvent(spentBy(run, own), run.plan.event)).toBe(true);
      }
  });

  it.each(Object.entries(methods))('of %s says no less noise than is drawn', (_, method) => {
    for (const mean of [coarse, narrowed, clipped]) {
      const { release, noise, batchSize } = prepared(method(mean, 2.5)).plan as unknown as PlannedNoise;
      if (release === undefined) continue;
      const drawn = noiseOf(release, batchSize, registry);
      expect(noise).toBeGreaterThanOrEqual(drawn * (1 - 1e-9));
      if (mean === clipped) expect(noise).toBeLessThanOrEqual(drawn * (1 + 1e-9));
    }
  });

  it('is refused where its noise was calibrated on another run, and the difference costs more', () => {
    const halved = (factor: number) =>
      defineOptimizer({
        ...heavyTailedGradientDescent,
        name: 'calibrates-another-run',
        params: z.strictObject({}),
        examples: [{}],
        needs: {},
        facts: {},
        plan: ({ noiseFor }) => ({
          noiseMultiplier: factor * noiseFor((noiseMultiplier) => ({ noiseMultiplier })),
          utility: null,
        }),
        *steps({ plan: { noiseMultiplier }, allRecords, start }) {
          yield* ask.mean({ at: start, batch: allRecords, mean: clipped, target: { noiseMultiplier } });
          return start;
        },
      });
    const run = (factor: number): Run =>
      halved(factor).prepare({ problem, registry, budget, params: {}, calibrate, random });
    expect(certificateOf(run(1), budget)).toBeLessThanOrEqual(2);
    expect(certificateOf(run(1.1), budget)).toBeLessThan(1.9);
    expect(() => run(0.9)).toThrow(IncompatiblePlugins);
    expect(() => run(0.9)).toThrow(/calibrated its noise on another run.* costs at most ε = 2/u);
  });
});
