import {
  clippedMeanEvent,
  IncompatiblePlugins,
  InvalidParameter,
  repeatedEvent,
  sameEvent,
  Unsupported,
  type PrefixSum,
  type PushQuery,
} from '@lethe/core';
import {
  automaticClip,
  binaryTree,
  coordinateClip,
  honakerFull,
  independentIncrements,
  l2BallDomain,
  l2Clip,
  mechanisms,
  prefixSums,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import {
  carriedOut,
  context,
  declared,
  dimension as d,
  problem,
  records,
  recordsOf,
} from '../../test/support/logistic.js';
import { ontoBall } from '../../test/support/vectors.js';
import { dpFtrl } from './dp-ftrl.js';

type Params = Parameters<typeof dpFtrl.prepare>[0]['params'];
const radius = 0.6;
const usual = { rounds: 8, clipNorm: 0.5, stepSize: 0.4, momentum: 0.7, noiseMultiplier: 2 } satisfies Params;
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  dpFtrl.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius }), ...given }),
    params,
  });
const start = [2, -1, 0.5, 0];

/** Mean of clipped logistic gradients over rows `from` to `to` in stored order. */
function clippedMeanAt(w: readonly number[], from: number, to: number, clipNorm: number): number[] {
  const { features, labels } = recordsOf();
  const sum = w.map(() => 0);
  for (let i = from; i < to; i++) {
    const x = Array.from(features.subarray(i * d, (i + 1) * d));
    const margin = labels[i] * x.reduce((total, entry, j) => total + entry * w[j], 0);
    const gradient = x.map((entry) => (-labels[i] * entry) / (1 + Math.exp(margin)));
    const scale = Math.min(1, clipNorm / Math.hypot(...gradient));
    gradient.forEach((entry, j) => {
      sum[j] += (scale * entry) / (to - from);
    });
  }
  return sum;
}

describe('dpFtrl', () => {
  it.each([
    ['last', 0],
    ['last', 0.7],
    ['polyak', 0.7],
  ] as const)('is the recursion, but for noise, with average %s and momentum %d', (average, momentum) => {
    // Noise of 1e-11 of the sensitivity; 36 of 40 records fill six batches.
    const run = prepare({ ...usual, rounds: 6, average, momentum, noiseMultiplier: 1e-11 });
    const { output } = carriedOut(run, undefined, Float64Array.from(start));
    const origin = ontoBall(start, radius);
    let w = [...origin];
    let [s, v] = [w.map(() => 0), w.map(() => 0)];
    const iterates: number[][] = [];
    let cut = 0;
    for (let t = 0; t < 6; t++) {
      iterates.push([...w]);
      const g = clippedMeanAt(w, 6 * t, 6 * t + 6, 0.5);
      s = s.map((entry, j) => entry + g[j]);
      v = v.map((entry, j) => momentum * entry + s[j]);
      const free = origin.map((entry, j) => entry - 0.4 * v[j]);
      if (Math.hypot(...free) > radius) cut++;
      w = [...ontoBall(free, radius)];
    }
    expect(cut).toBeGreaterThan(1);
    const mean = w.map((_, j) => iterates.reduce((sum, at) => sum + at[j] / 6, 0));
    (average === 'last' ? w : mean).forEach((entry, j) =>
      expect(Math.abs(output[j] - entry)).toBeLessThan(1e-8),
    );
  });

  it('splits in stored order, opens one stream, and pushes each batch once', () => {
    const { queries } = carriedOut(prepare({ ...usual, rounds: 6 }));
    expect(queries.map(({ ask }) => ask)).toEqual([
      'split',
      'open',
      ...Array.from({ length: 6 }, () => 'push'),
    ]);
    expect(queries[0]).toMatchObject({ order: 'stored', parts: { sizes: [6, 6, 6, 6, 6, 6] } });
    expect(queries[1]).toMatchObject({
      prefixSum: honakerFull({}),
      steps: 6,
      bound: { by: 'clip', clip: l2Clip({ radius: 0.5 }) },
      participation: { times: 1, gap: 6 },
      normaliser: 6,
    });
    const pushed = queries.filter((query): query is PushQuery => query.ask === 'push');
    expect(new Set(pushed.map(({ batch }) => batch.id)).size).toBe(6);
    expect(new Set(pushed.map(({ stream }) => stream.id)).size).toBe(1);
  });

  it.each(['replace-one', 'zero-out'] as const)('costs one Gaussian, as planned, under %s', (adjacency) => {
    const run = prepare(usual, { adjacency });
    expect(sameEvent(run.plan.event, repeatedEvent(clippedMeanEvent(2, adjacency), 1))).toBe(true);
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
    expect(run.plan).toMatchObject({ gradients: 40, batchSize: 5 });
    const { noiseMultiplier: _, ...free } = usual;
    const calibrated = prepare(free, { adjacency }).plan;
    expect(calibrated).toMatchObject({
      noiseMultiplier: context.calibrate({
        make: () => calibrated.event,
        target: context.budget,
        adjacency,
        direction: 'larger-is-private',
      }).value,
    });
  });

  it('takes every prefix sum of the registry, whose noise is what differs', () => {
    const named = prefixSums.flatMap((plugin) =>
      defined((plugin as PrefixSum).examples).map((params) => ({
        name: plugin.name,
        params: params as never,
      })),
    );
    expect(new Set(named.map(({ name }) => name)).size).toBe(prefixSums.length);
    const outputs = named.map((prefixSum) => {
      const run = prepare({ ...usual, prefixSum });
      const { output, spent, queries } = carriedOut(run);
      expect(queries[1]).toMatchObject({ prefixSum: { kind: 'prefixSum', ...prefixSum } });
      expect(sameEvent(spent, run.plan.event)).toBe(true);
      return output;
    });
    expect(new Set(outputs.map((output) => output.join())).size).toBeGreaterThan(prefixSums.length - 1);
  });
});

describe('the bound on the excess risk', () => {
  const L = problem().facts['lipschitz'].value;
  const covered = { rounds: 8, clipNorm: 5, stepSize: 0.02, average: 'polyak', noiseMultiplier: 2 } as const;
  const planOf = (params: object, given: Parameters<typeof problem>[0] = {}) =>
    prepare({ ...covered, ...params }, given).plan;

  it.each([
    ['replace-one', 2],
    ['zero-out', 1],
  ] as const)('adds up distance, step and noise of the sums, under %s', (adjacency, factor) => {
    // Independent increments: the sum after round t has t times the variance of one, and one column of norm
    // 1.
    const { utility } = planOf({ prefixSum: independentIncrements({}) }, { adjacency });
    const scale = 2 * factor * (5 / 5);
    const noise = [1, 2, 3, 4, 5, 6, 7].reduce((sum, t) => sum + Math.sqrt(d * t) * scale, 0);
    const bound = (2 * radius) ** 2 / (2 * 0.02 * 8) + (0.02 * L ** 2) / 2 + (0.02 * L * noise) / 8;
    expect(defined(utility).bound).toBeCloseTo(bound, 9);
    expect(defined(planOf({}, { adjacency }).utility).bound).toBeLessThan(
      defined(planOf({ prefixSum: binaryTree({}) }, { adjacency }).utility).bound,
    );
  });

  it('takes the distance from the start where it is declared', () => {
    const whole = { kind: 'domain', name: 'whole-space', params: {} } as const;
    const near = planOf({}, { domain: whole, facts: { startDistance: 2 * radius } });
    expect(near.utility).toEqual(planOf({}).utility);
    expect(planOf({}, { domain: whole })).toMatchObject({
      uncovered: expect.stringMatching(/'startDistance' is missing/u),
    });
  });

  it.each([
    [{ momentum: 0.5 }, /momentum 0/u],
    [{ average: 'last' }, /mean of the iterates/u],
    [{ clipNorm: 1 }, /cuts gradients: its radius 1 is below/u],
    [{ clipNorm: undefined, clip: automaticClip({ radius: 5, stability: 0.1 }) }, /clip 'automatic'/u],
  ])('is null, with the reason, for %j', (params, uncovered) => {
    expect(planOf(params)).toMatchObject({ utility: null, uncovered: expect.stringMatching(uncovered) });
  });

  it('is null without a fact of every record', () => {
    const plan = dpFtrl.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...problem({ domain: l2BallDomain({ radius }) }), facts: { lipschitz: declared(1) } },
      params: covered,
    }).plan;
    expect(plan).toMatchObject({ utility: null, uncovered: expect.stringMatching(/no fact 'lipschitz'/u) });
  });
});

test('what does not fit is refused, with the reason', () => {
  const refused =
    (params: object, given: Parameters<typeof problem>[0] = {}) =>
    () =>
      prepare({ ...usual, ...params } as Params, given);
  expect(refused({ rounds: records + 1 })).toThrow(/each round needs a record of its own/u);
  expect(refused({ clip: l2Clip({ radius: 1 }) })).toThrow(/exactly one of clipNorm, clip/u);
  expect(refused({ clipNorm: undefined, clip: coordinateClip({ radius: 1 }) })).toThrow(IncompatiblePlugins);
  expect(refused({ prefixSum: { name: 'nobody' } })).toThrow(/no prefixSum named 'nobody'/u);
  expect(refused({}, { adjacency: 'add-remove' })).toThrow(Unsupported);
  for (const bad of [
    { rounds: 0 },
    { momentum: 1 },
    { momentum: -0.1 },
    { stepSize: 0 },
    { clipNorm: -1 },
    { more: 1 },
  ])
    expect(refused(bad)).toThrow(InvalidParameter);
});
