import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smoothConvexSchedule, type SmoothConvexFacts } from './smooth-convex-schedule.js';

const example: SmoothConvexFacts = {
  slots: 100_000,
  dimension: 20,
  smoothness: 4,
  diameter: 2,
  order: 4,
  moment: 3,
  secondMoment: 2,
  epsilon: 0.4,
};
const rough: SmoothConvexFacts = {
  slots: 1000,
  dimension: 5,
  smoothness: 50,
  diameter: 10,
  order: 8,
  moment: 10,
  secondMoment: 1,
  epsilon: 100,
};
const anyFacts = fc
  .record({
    slots: fc.integer({ min: 1, max: 6 }).chain((e) => fc.integer({ min: 10 ** (e - 1), max: 10 ** e })),
    dimension: fc.integer({ min: 1, max: 500 }),
    smoothness: fc.constantFrom(0, 1e-3, 1, 30),
    diameter: fc.constantFrom(0.1, 2, 50),
    order: fc.constantFrom(2, 2.5, 4, 16),
    moment: fc.constantFrom(0.5, 3, 100),
    share: fc.constantFrom(0.1, 0.7, 1),
    epsilon: fc.constantFrom(20, 10, 1, 0.5, 0.05, 0.025),
  })
  .map(({ share, ...facts }) => ({ ...facts, secondMoment: share * facts.moment }));

describe('smoothConvexSchedule', () => {
  it.each([
    [
      'first branch',
      example,
      'corrected',
      {
        rounds: 27,
        clipNorm: 19.32355522084606,
        batchSize: 3703,
        noise: 0.026091756981968754,
        bias: 0.001183989143036787,
        variance: 0.014695800887117713,
        eta: 8.504190747607211,
        excessRisk: 0.15918433148006056,
      },
    ],
    [
      'the paper’s bias',
      example,
      'printed',
      {
        rounds: 27,
        clipNorm: 19.32355522084606,
        batchSize: 3703,
        noise: 0.026091756981968754,
        bias: 0.003741990377992808,
        variance: 0.014695800887117713,
        eta: 8.507835504858996,
        excessRisk: 0.16436754287760194,
      },
    ],
    [
      'zero-out: half the sensitivity',
      { ...example, epsilon: 0.8 },
      'corrected',
      {
        rounds: 34,
        clipNorm: 22.326987918741782,
        batchSize: 2941,
        noise: 0.018979078475639052,
        bias: 0.0007675707305080824,
        variance: 0.008564190000585606,
        eta: 9.17374078984891,
        excessRisk: 0.10802106287381849,
      },
    ],
    [
      'second branch, with r₂',
      rough,
      'corrected',
      {
        rounds: 126,
        clipNorm: 28.1865041571862,
        batchSize: 7,
        noise: 0.080532869020532,
        bias: 0.0003472784820590124,
        variance: 0.17528485782053366,
        eta: 100,
        excessRisk: 1.5524695841911105,
      },
    ],
    [
      'second branch, with r_k',
      rough,
      'printed',
      {
        rounds: 40,
        clipNorm: 30.28207461857049,
        batchSize: 25,
        noise: 0.02422565969485639,
        bias: 0.0006117902946053783,
        variance: 0.04293441293825495,
        eta: 100,
        excessRisk: 12.225283335011913,
      },
    ],
  ] as const)('gives the numbers of the formulas: %s', (_name, facts, schedule, expected) => {
    const plan = smoothConvexSchedule(facts, schedule);
    for (const [key, value] of Object.entries(expected))
      expect(defined(plan[key as keyof typeof plan]) / value, key).toBeCloseTo(1, 12);
  });

  it('balances smoothness against error in each branch of the number of rounds', () => {
    // With real T: βD²/T² = D r_k (√(dT)/(εn))^((k−1)/k) in the first, = D r_2/√n in the second; the ceiling
    // costs at most a factor of (1 + 1/T)².
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const {
          slots: n,
          dimension: d,
          smoothness: beta,
          diameter: D,
          order: k,
          moment,
          secondMoment,
          epsilon,
        } = facts;
        const { rounds: T } = smoothConvexSchedule(facts, 'corrected');
        fc.pre(T < n);
        const privacy = (t: number): number =>
          D * moment * (Math.sqrt(d * t) / (epsilon * n)) ** ((k - 1) / k);
        const statistical = (D * secondMoment) / Math.sqrt(n);
        expect((beta * D * D) / T ** 2).toBeLessThanOrEqual(Math.max(privacy(T), statistical) * (1 + 1e-9));
        if (T > 1)
          expect((beta * D * D) / (T - 1) ** 2).toBeGreaterThanOrEqual(
            Math.max(privacy(T - 1), statistical) * (1 - 1e-9),
          );
      }),
    );
  });

  it('keeps every number finite and inside its range', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom('corrected', 'printed'), (facts, schedule) => {
        const plan = smoothConvexSchedule(facts, schedule);
        expect(plan.rounds).toBeGreaterThanOrEqual(1);
        expect(plan.rounds * plan.batchSize).toBeLessThanOrEqual(facts.slots);
        expect(plan.batchSize).toBeGreaterThanOrEqual(1);
        expect(plan.eta).toBeGreaterThanOrEqual(2 * facts.smoothness);
        expect(plan.noise).toBeCloseTo((2 * plan.clipNorm) / (plan.batchSize * facts.epsilon), 12);
        for (const value of Object.values(plan)) expect(value > 0 && value < Infinity).toBe(true);
      }),
    );
  });

  it('uses one round where there is no smoothness to overcome', () => {
    expect(smoothConvexSchedule({ ...example, smoothness: 0 }, 'corrected').rounds).toBe(1);
  });

  it('takes rounds and clip norm from the overrides, and the bound follows them', () => {
    const plan = smoothConvexSchedule(example, 'corrected', { rounds: 10, clipNorm: 5 });
    expect(plan).toMatchObject({ rounds: 10, clipNorm: 5, batchSize: 10_000, noise: 0.0025 });
    expect(plan.excessRisk).toBeGreaterThan(smoothConvexSchedule(example, 'corrected').excessRisk);
    expect(smoothConvexSchedule(example, 'corrected', { clipNorm: 1e-9 }).bias).toBeLessThanOrEqual(
      example.moment,
    );
  });

  it('prints the bound of Eq. 30b beside its own, with the first term twice', () => {
    const { eta, rounds, excessRisk, printedBound } = smoothConvexSchedule(example, 'corrected');
    expect(defined(printedBound) - excessRisk).toBeCloseTo((2 * eta * 4) / (rounds * (rounds + 1)), 12);
  });

  it('has a positive scale even for a linear risk without any error', () => {
    const { eta, excessRisk } = smoothConvexSchedule(
      { ...example, smoothness: 0, error: () => ({ noise: 0, bias: 0, variance: 0 }) },
      'corrected',
    );
    expect(eta).toBeGreaterThan(0);
    expect(excessRisk).toBeLessThan(1e-7);
  });

  it('takes the error of any mean, and gradients that are bounded', () => {
    const bounded = smoothConvexSchedule(
      {
        ...example,
        order: Infinity,
        error: (clipNorm, batchSize) => ({ noise: 1, bias: 0, variance: clipNorm / batchSize }),
      },
      'corrected',
      { clipNorm: 3 },
    );
    expect(bounded).toMatchObject({ noise: 1, bias: 0, clipNorm: 3, variance: 3 / bounded.batchSize });
    expect(smoothConvexSchedule({ ...example, order: 1e9 }, 'corrected').rounds).toBe(
      smoothConvexSchedule({ ...example, order: Infinity }, 'corrected').rounds,
    );
    expect(smoothConvexSchedule({ ...example, mostBatches: 5 }, 'corrected').rounds).toBe(5);
  });
});
