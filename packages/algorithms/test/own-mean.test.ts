import {
  defineMean,
  driveSync,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Fact,
  type Moment,
  type Problem,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { losses, squaredDistance } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  heavyTailedGradientDescent,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
} from '../src/index.js';
import { budget, fixedCalibration, publicCoins } from './support/problems.js';

const half = (slots: number): number => Math.ceil(slots / 2);

/** The mean of every other record, clipped: half of the records are wasted. */
const everyOther = defineMean({
  name: 'every-other',
  summary: 'Mean of every other record, clipped, with Gaussian noise.',
  source: { id: 'test', item: 'none' },
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }],
  claims: [],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity: ({ radius }, { slots }) => ({
    'replace-one': (2 * radius) / half(slots),
    'zero-out': radius / half(slots),
  }),
  begin({ radius }, { dimension, slots }) {
    const sum = new Float64Array(dimension);
    return {
      add(slot, gradient) {
        const record = gradient.slice();
        l2Clip.clipInPlace({ radius }, record);
        if (slot % 2 === 0) for (let j = 0; j < dimension; j++) sum[j] += record[j];
      },
      value: () => sum.map((total) => total / half(slots)),
      finish: (noised) => noised,
    };
  },
  scaled: ({ radius }, factor) => ({ radius: radius * factor }),
  event: (_params, noise) => noise,
  biasBound: ({ radius }, _shape, moment) => l2Clip.biasBound({ radius }, moment),
  varianceBound: ({ radius }, { dimension, slots }, moment, noiseVariance) =>
    dimension * noiseVariance + l2Clip.varianceBound({ radius }, moment) / half(slots),
});
/** The same, of which nobody knows how to scale it. */
const fixed = defineMean({ ...everyOther, name: 'every-other-fixed', scaled: () => null });

const registry = [...mechanisms, ...losses, everyOther, fixed];
const rows = 600;
const columns = 2;
const law = [
  { p: 0.49, x: [0.3, 0.1] },
  { p: 0.49, x: [-0.2, 0.2] },
  { p: 0.02, x: [10, 0] },
] as const;
const centre = [0, 1].map((j) => law.reduce((sum, { p, x }) => sum + p * x[j], 0));
const moment = (k: number): number =>
  law.reduce((sum, { p, x }) => sum + p * (1 + Math.hypot(...x)) ** k, 0) ** (1 / k);
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const problemUnder = (adjacency: Adjacency): Problem<typeof squaredDistance.capabilities> => ({
  adjacency,
  dimension: columns,
  slots: [rows],
  trust: { model: 'central' },
  domain: l2BallDomain({ radius: 1 }),
  loss: squaredDistance({}),
  capabilities: squaredDistance.capabilities,
  facts: {
    smoothness: declared(1),
    strongConvexity: declared(1),
    'gradientMoment.2': declared(moment(2)),
    'gradientMoment.3': declared(moment(3)),
    'uniformGradientMoment.4': declared(moment(4)),
  },
});
const context = { registry, budget, calibrate: fixedCalibration(0.5).calibrate, random: publicCoins };
type Planned = ReturnType<typeof noisyClippedSgd.prepare>;
type Numbers = Readonly<Record<'clipNorm' | 'batchSize' | 'noise' | 'bias' | 'variance', number>> & {
  readonly momentOrder: number;
};

/** The excess risk of a run on records of the law, with what its ledger was charged. */
function ran(planned: Planned, seed: number) {
  const random = seededRandom(seed);
  const features = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    const u = random.uniform();
    const usual = u < 0.51 ? law[1] : law[0];
    features.set(u < 0.02 ? law[2].x : usual.x, i * columns);
  }
  const data = attachData({
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: new Float64Array(rows),
    loss: squaredDistance({}),
    registry,
    ledger: openLedger({ adjacency: planned.problem.adjacency }),
  });
  const curator = centralCurator({ data, registry, run: 'test', random: random.fork('curator') });
  const { output } = driveSync(planned, curator, { start: Float64Array.of(-1, 0), random: publicCoins });
  curator.end();
  const excess = 0.5 * centre.reduce((sum, m, j) => sum + (output[j] - m) ** 2, 0);
  return { excess, spent: data.ledger.spentBy('test') };
}

describe('a mean of one’s own, by reference', () => {
  it.each(['replace-one', 'zero-out'] satisfies Adjacency[])(
    'is planned, calibrated and bounded by what it states, and runs, in noisy-clipped-sgd under %s',
    (adjacency) => {
      const planned = noisyClippedSgd.prepare({
        ...context,
        problem: problemUnder(adjacency),
        params: { mean: everyOther({ radius: 1 }) },
      });
      const { clipNorm, batchSize, noise, bias, variance, momentOrder } = planned.plan as unknown as Numbers;
      expect(planned.plan).toMatchObject({
        mean: everyOther({ radius: 1 }),
        release: { mean: everyOther({ radius: clipNorm }), target: { noiseMultiplier: 0.5 } },
        uncovered: null,
      });
      const highest: Moment = { order: momentOrder, value: moment(momentOrder) ** momentOrder };
      const factor = adjacency === 'replace-one' ? 2 : 1;
      expect(noise).toBeCloseTo((0.5 * factor * clipNorm) / half(batchSize), 12);
      expect(bias).toBeCloseTo(l2Clip.biasBound({ radius: clipNorm }, highest), 10);
      expect(variance).toBeCloseTo(
        columns * noise ** 2 + Math.min(clipNorm, moment(2)) ** 2 / half(batchSize),
        10,
      );
      const runs = Array.from({ length: 40 }, (_, seed) => ran(planned, seed));
      for (const { spent } of runs) expect(sameEvent(spent, planned.plan.event)).toBe(true);
      const { bound } = defined(planned.plan.utility);
      expect(runs.reduce((sum, { excess }) => sum + excess / runs.length, 0)).toBeLessThan(bound);
      const { plan } = noisyClippedSgd.prepare({ ...context, problem: problemUnder(adjacency), params: {} });
      expect(bound).toBeGreaterThan(defined(plan.utility).bound);
    },
  );

  it('is scaled by the clip norm, for gradients of unit size as it is given', () => {
    const of = (radius: number, clipNorm: number) =>
      noisyClippedSgd.prepare({
        ...context,
        problem: problemUnder('replace-one'),
        params: { mean: everyOther({ radius }), clipNorm, rounds: 3 },
      }).plan;
    const [double, unit] = [of(2, 1.5), of(1, 3)];
    expect(double['release' as never]).toEqual(unit['release' as never]);
    expect(defined(double.utility).bound / defined(unit.utility).bound).toBeCloseTo(1, 12);
  });

  it('is used as it is where it cannot be scaled: only rounds are chosen', () => {
    const of = (params: object) =>
      noisyClippedSgd.prepare({ ...context, problem: problemUnder('replace-one'), params });
    const planned = of({ mean: fixed({ radius: 3 }) });
    expect(planned.plan).toMatchObject({
      release: { mean: fixed({ radius: 3 }) },
      clipNorm: null,
      paperEpsilon: null,
      uncovered: null,
    });
    const scaled = of({ mean: everyOther({ radius: 1 }), clipNorm: 3 });
    expect(defined(planned.plan.utility).bound / defined(scaled.plan.utility).bound).toBeCloseTo(1, 9);
    expect(sameEvent(ran(planned, 1).spent, planned.plan.event)).toBe(true);
    expect(() => of({ mean: fixed({ radius: 3 }), clipNorm: 2 })).toThrow(
      /'every-other-fixed' cannot be scaled to it; leave clipNorm out/u,
    );
  });

  it.each([
    [noisyClippedAcSa, {}],
    [noisyClippedProximalSgd, {}],
    [heavyTailedGradientDescent, { batches: 'disjoint' }],
  ] as const)('has a bound in $name', (optimizer, params) => {
    for (const mean of [everyOther({ radius: 1 }), fixed({ radius: 2 })]) {
      const planned = optimizer.prepare({
        ...context,
        problem: problemUnder('replace-one'),
        params: { ...params, mean },
      });
      expect(defined(planned.plan.utility).bound).toBeGreaterThan(0);
      expect(sameEvent(ran(planned, 1).spent, planned.plan.event)).toBe(true);
    }
  });

  it.each([
    [noisyClippedSubgradient, { rounds: 4, stepSize: 0.25, strength: 0.5 }],
    [localizedSubgradient, { mostRounds: 2 }],
    [localizedStronglyConvex, { mostRounds: 2 }],
  ] as const)('runs in $name, which has a bound for clipped means only', (optimizer, params) => {
    for (const mean of [everyOther({ radius: 1 }), fixed({ radius: 2 })]) {
      const planned = optimizer.prepare({
        ...context,
        problem: problemUnder('replace-one'),
        params: { ...params, mean },
      } as never);
      expect(planned.plan).toMatchObject({
        mean,
        utility: null,
        uncovered: expect.stringContaining('scaled into a ball') as string,
      });
      expect(sameEvent(ran(planned, 1).spent, planned.plan.event)).toBe(true);
    }
  });

  it('may be a clipped mean of any radius, which bounds read', () => {
    const clipped = (radius: number) => clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
    for (const [optimizer, params] of [
      [noisyClippedSubgradient, { rounds: 40, stepSize: 0.5, strength: 2, noiseMultiplier: 1e-3 }],
      [localizedSubgradient, { mostRounds: 400, stepSize: 0.1, noiseMultiplier: 1e-3 }],
    ] as const) {
      const calm = { 'uniformGradientMoment.8': declared(0.5), strongConvexity: declared(1) };
      const of = (given: object): number =>
        defined(
          optimizer.prepare({
            ...context,
            problem: { ...problemUnder('replace-one'), facts: calm },
            params: { ...params, ...given },
          } as never).plan.utility,
        ).bound;
      const usual = of({ clipNorm: 3 });
      expect(of({ mean: clipped(2), clipNorm: 1.5 }) / usual).toBeCloseTo(1, 12);
      expect(of({ mean: clipped(1), clipNorm: 3 })).toBe(usual);
      expect(Math.abs(of({ clipNorm: 1.5 }) / usual - 1)).toBeGreaterThan(1e-8);
    }
    expect(() =>
      noisyClippedSubgradient.prepare({
        ...context,
        problem: problemUnder('replace-one'),
        params: { rounds: 4, stepSize: 0.25 },
      }),
    ).toThrow(/give clipNorm, or a mean/u);
  });

  it('is refused in planning where draws hide how many records there are', () => {
    expect(() =>
      localizedSubgradient.prepare({
        ...context,
        problem: problemUnder('replace-one'),
        params: { variant: 'subsampled', mostRounds: 2, mean: everyOther({ radius: 1 }) },
      }),
    ).toThrow(/'every-other' needs a batch of exact size/u);
  });
});
