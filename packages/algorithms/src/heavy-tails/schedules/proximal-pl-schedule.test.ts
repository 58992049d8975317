import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proximalPlExcessRisk, proximalPlSchedule, type ProximalPlFacts } from './proximal-pl-schedule.js';

const example: ProximalPlFacts = {
  slots: 100_000,
  dimension: 20,
  order: 4,
  moment: 3,
  secondMoment: 2,
  epsilon: 0.5,
  smoothness: 4,
  convexity: 1,
  gap: 10,
};

describe('proximalPlExcessRisk', () => {
  const anyRun = fc.record({
    condition: fc.constantFrom(1, 3, 40),
    rounds: fc.constantFrom(1, 5, 50, 1000),
    variance: fc.constantFrom(0, 0.1, 10),
    bias: fc.constantFrom(0, 0.3, 4),
    offset: fc.constantFrom(0, 1, 20),
    share: fc.constantFrom(0, 0.5, 1),
  });

  it('bounds the exact risk of gradient descent with noise and bias on a quadratic, by either formula', () => {
    fc.assert(
      fc.property(anyRun, ({ condition, rounds, variance, bias, offset, share }) => {
        // Curvature between μ = 1 and β = κ; mean and mean square of the error of the last iterate.
        const curvature = 1 + share * (condition - 1);
        const keep = 1 - curvature / (2 * condition);
        const step = 1 / (2 * condition);
        let mean = offset;
        let square = offset ** 2;
        for (let t = 0; t < rounds; t++) {
          square = keep ** 2 * square - 2 * keep * step * bias * mean + step ** 2 * (bias ** 2 + variance);
          mean = keep * mean - step * bias;
        }
        const run = {
          smoothness: condition,
          convexity: 1,
          gap: (curvature / 2) * offset ** 2,
          rounds,
          variance,
          bias,
        };
        const risk = (curvature / 2) * square;
        expect(risk).toBeLessThanOrEqual(proximalPlExcessRisk(run, 'corrected') * (1 + 1e-9) + 1e-15);
        expect(proximalPlExcessRisk(run, 'corrected')).toBeLessThanOrEqual(
          proximalPlExcessRisk(run, 'printed'),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is attained by a bias alone where μ = β, and within three of a variance alone', () => {
    const run = { smoothness: 1, convexity: 1, gap: 0, rounds: 100, variance: 0, bias: 1 };
    expect(proximalPlExcessRisk(run, 'corrected')).toBeCloseTo(0.5, 12); // e = −1 in the long run: e²/2.
    expect(proximalPlExcessRisk({ ...run, variance: 1, bias: 0 }, 'corrected') / (1 / 6)).toBeCloseTo(3, 12);
    expect(
      proximalPlExcessRisk({ ...run, variance: 1, bias: 0 }, 'printed') /
        proximalPlExcessRisk({ ...run, variance: 1, bias: 0 }, 'corrected'),
    ).toBeCloseTo(8, 12);
  });
});

describe('proximalPlSchedule', () => {
  it('takes the best of the rounds met on the way to those that fit their own error, at the paper’s clip norm', () => {
    const { rounds, batches, batchSize, clipNorm, noise, bias, variance, excessRisk, printedBound } =
      proximalPlSchedule(example, 'corrected');
    const met = [4];
    for (let pass = 0; pass < 8; pass++) {
      const before = proximalPlSchedule(example, 'corrected', { rounds: met[met.length - 1] });
      met.push(2 * Math.ceil(4 * Math.log(10 / (before.variance + before.bias ** 2))));
    }
    expect(met.at(-1)).toBe(met.at(-2));
    expect(met).toContain(rounds);
    for (const T of met)
      expect(excessRisk).toBeLessThanOrEqual(
        proximalPlSchedule(example, 'corrected', { rounds: T }).excessRisk,
      );
    expect([batches, batchSize]).toEqual([rounds, Math.floor(100_000 / rounds)]);
    expect(clipNorm).toBeCloseTo(3 * (50_000 ** 2 / (20 * rounds ** 2)) ** (1 / 8), 10);
    expect(noise).toBeCloseTo((2 * clipNorm) / (batchSize * 0.5), 14);
    expect(excessRisk).toBe(
      proximalPlExcessRisk({ smoothness: 4, convexity: 1, gap: 10, rounds, variance, bias }, 'corrected'),
    );
    expect(printedBound).toBe(
      proximalPlExcessRisk({ smoothness: 4, convexity: 1, gap: 10, rounds, variance, bias }, 'printed'),
    );
  });

  it('keeps to what there is, and to what is given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 10, 1000, 1e6),
        fc.constantFrom(1, 30, 1e4),
        fc.constantFrom(1e-3, 1, 1e6),
        fc.constantFrom(0.01, 1, 20),
        fc.constantFrom('corrected', 'printed'),
        (slots, condition, gap, epsilon, schedule) => {
          const plan = proximalPlSchedule(
            { ...example, slots, smoothness: condition, gap, epsilon },
            schedule,
          );
          expect(plan.rounds * plan.batchSize).toBeLessThanOrEqual(slots);
          for (const value of Object.values(plan)) expect(value > 0 && value < Infinity).toBe(true);
        },
      ),
    );
    expect(proximalPlSchedule(example, 'corrected', { rounds: 7, clipNorm: 2 })).toMatchObject({
      rounds: 7,
      clipNorm: 2,
      batchSize: 14_285,
    });
    expect(proximalPlSchedule({ ...example, mostBatches: 5 }, 'corrected').rounds).toBe(5);
    for (const convexity of [0, -1, 5, Number.NaN])
      expect(() => proximalPlSchedule({ ...example, convexity }, 'corrected')).toThrow(InvalidParameter);
  });

  it('bounds less by a corrected bias than by the printed one', () => {
    expect(proximalPlSchedule(example, 'corrected').excessRisk).toBeLessThan(
      proximalPlSchedule(example, 'printed').excessRisk,
    );
  });
});
