import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convexSgdSchedule } from './convex-sgd-schedule.js';
import {
  smoothStronglyConvexSchedule,
  stepsOf,
  type SmoothStronglyConvexFacts,
} from './smooth-strongly-convex-schedule.js';
import { averagedExcessRisk, recursionBound, stronglyConvexExcessRisk } from './strongly-convex-risk.js';

const example: SmoothStronglyConvexFacts = {
  slots: 100_000,
  dimension: 20,
  order: 4,
  moment: 3,
  secondMoment: 2,
  epsilon: 0.5,
  smoothness: 4,
  convexity: 1,
  diameter: 2,
};

describe('smoothStronglyConvexSchedule', () => {
  it.each(['corrected', 'printed'] as const)(
    'has the numbers of Theorem 34 for one batch more than it prints: %s',
    (schedule) => {
      const { rounds, batches, batchSize, clipNorm, noise, bias, variance, excessRisk, printedBound } =
        smoothStronglyConvexSchedule(example, schedule);
      const gained = ((1 * 4 * 4) / 9) * (100_000 + (50_000 ** 2 / 20) ** 0.75);
      expect(rounds).toBe(Math.ceil((schedule === 'printed' ? 16 : 8) * Math.log(gained)));
      expect([batches, batchSize]).toEqual([rounds + 1, Math.floor(100_000 / (rounds + 1))]);
      expect(clipNorm).toBeCloseTo(3 * (50_000 ** 2 / (20 * rounds)) ** (1 / 8), 10);
      expect(noise).toBeCloseTo((2 * clipNorm) / (batchSize * 0.5), 14);
      expect(bias).toBeCloseTo(
        schedule === 'printed' ? 3 ** 4 / (3 * clipNorm ** 3) : ((27 / 256) * 3 ** 4) / clipNorm ** 3,
        12,
      );
      expect(variance).toBeCloseTo(20 * noise ** 2 + 4 / batchSize, 14);
      const run = { smoothness: 4, convexity: 1, diameter: 2, rounds, variance, bias };
      expect(excessRisk).toBe(recursionBound(run, stepsOf(run, schedule)));
      expect(printedBound).toBe(stronglyConvexExcessRisk(run, 'printed'));
    },
  );

  it('forgets the start: its share of the bound is at most that of an error of one record', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1000, 1e5),
        fc.constantFrom(1, 5, 20),
        fc.constantFrom(0.1, 2, 30),
        fc.constantFrom(2, 3, 8),
        (slots, condition, diameter, order) => {
          const facts = { ...example, slots, smoothness: condition, diameter, order };
          const { rounds } = smoothStronglyConvexSchedule(facts, 'corrected');
          fc.pre(rounds < slots - 1 && rounds > 1);
          const run = { smoothness: condition, convexity: 1, diameter, rounds, variance: 0, bias: 0 };
          expect(recursionBound(run, stepsOf(run, 'corrected'))).toBeLessThanOrEqual((32 * 9) / slots);
        },
      ),
    );
  });

  it('has a bound below the printed one', () => {
    expect(smoothStronglyConvexSchedule(example, 'corrected').excessRisk).toBeLessThan(
      defined(smoothStronglyConvexSchedule(example, 'corrected').printedBound) / 3,
    );
  });

  it('keeps to what there is, and to what is given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(2, 3, 10, 1000, 1e6),
        fc.constantFrom(1, 30, 1e4),
        fc.constantFrom(1e-3, 1, 1e6),
        fc.constantFrom(0.01, 1, 20),
        fc.constantFrom('corrected', 'printed'),
        (slots, condition, diameter, epsilon, schedule) => {
          const plan = smoothStronglyConvexSchedule(
            { ...example, slots, smoothness: condition, diameter, epsilon },
            schedule,
          );
          expect(plan.batches * plan.batchSize).toBeLessThanOrEqual(slots);
          for (const value of Object.values(plan)) expect(value > 0 && value < Infinity).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
    expect(smoothStronglyConvexSchedule(example, 'corrected', { rounds: 7, clipNorm: 2 })).toMatchObject({
      rounds: 7,
      batches: 8,
      clipNorm: 2,
      batchSize: 12_500,
    });
    for (const bad of [{ convexity: 0 }, { convexity: 5 }, { convexity: Number.NaN }, { slots: 1 }])
      expect(() => smoothStronglyConvexSchedule({ ...example, ...bad }, 'corrected')).toThrow(
        InvalidParameter,
      );
  });
});

describe('convexSgdSchedule', () => {
  const facts = { ...example, startDistance: 1, diameter: 2 };
  it('takes the step size with the least bound', () => {
    const { stepSize, rounds, batches, variance, bias, excessRisk, printedBound } = convexSgdSchedule(
      facts,
      'corrected',
      { rounds: 50 },
    );
    expect([rounds, batches, printedBound]).toEqual([50, 51, null]);
    const at = (size: number): number =>
      averagedExcessRisk({ stepSize: size, rounds, startDistance: 1, diameter: 2, variance, bias });
    expect(excessRisk).toBe(at(stepSize));
    expect(stepSize).toBeLessThanOrEqual(1 / 4);
    expect(at(0.9 * stepSize)).toBeGreaterThan(excessRisk);
    expect(convexSgdSchedule({ ...facts, smoothness: 1e6 }, 'corrected', { rounds: 50 }).stepSize).toBe(1e-6);
  });
  it('has a finite step where there is no error and no smoothness, and needs two records', () => {
    expect(
      convexSgdSchedule(
        { ...facts, smoothness: 0, error: () => ({ noise: 0, bias: 0, variance: 0 }) },
        'corrected',
        { rounds: 3 },
      ).stepSize,
    ).toBeLessThan(Infinity);
    const still = convexSgdSchedule({ ...facts, startDistance: 0 }, 'corrected', { rounds: 3 });
    expect(still.stepSize).toBeGreaterThan(0);
    expect(still.excessRisk / (2 * still.bias)).toBeCloseTo(1, 5);
    expect(() => convexSgdSchedule({ ...facts, slots: 1 }, 'corrected', { rounds: 1 })).toThrow(
      InvalidParameter,
    );
  });
});
