import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { convexBound, sharpRoundBound } from './bounds.js';
import { convexSchedule, stronglyConvexSchedule } from './schedule.js';

const sizes = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -3, max: 3 }))
  .map(([k, e]) => k * 10 ** e);

describe('convexSchedule', () => {
  it('reaches the constants 13, 2√12 and 2√6', () => {
    fc.assert(
      fc.property(sizes, sizes, sizes, (distance, noise, c) => {
        const unitNoise = 12 * c;
        const unit = Math.sqrt(noise) * distance * Math.sqrt(c);
        const exact = (rule: 'printed' | 'minimiser' | 'sharp') =>
          convexSchedule({ distance, noise, unitNoise, rule }).exact;
        const bound = (K: number): number => distance ** 2 / K + unitNoise * K * noise;
        const sharp = (K: number): number => distance ** 2 / (2 * K) + unitNoise * K * noise;
        fc.pre(exact('sharp') < 2 ** 52 && exact('printed') < 2 ** 52);
        expect(bound(exact('printed')) / unit).toBeCloseTo(13, 9);
        expect(bound(exact('minimiser')) / unit).toBeCloseTo(2 * Math.sqrt(12), 9);
        expect(sharp(exact('sharp')) / unit).toBeCloseTo(2 * Math.sqrt(6), 9);
        for (const factor of [0.9, 0.99, 1.01, 1.1]) {
          expect(bound(exact('minimiser') * factor)).toBeGreaterThan(bound(exact('minimiser')));
          expect(sharp(exact('sharp') * factor)).toBeGreaterThan(sharp(exact('sharp')));
        }
      }),
    );
  });

  test.each([
    ['full sampling, d = 4', Math.sqrt(1 + 3 * 400 * (1e-3 / 4) ** 2), 1 + 3 / 400, 1e-4, 100, 0.1309],
    ['blocks, uniform', 2, 16.48, 1e-6, 493, 0.10561],
    ['blocks, by importance', 100.015, 16.48, 1e-6, 24637, 5.2782],
    ['blocks, full', 1, 10000.03 * 48.0016, 1e-6, 1, 6.7602],
    ['uniform coordinates, d = 4', Math.sqrt(4 * (400 + 3 * (1e-3 / 4) ** 2)), 4, 1e-4, 2000, 10.4],
  ])('%s: the tabulated length and bound', (_name, distance, noise, c, innerSteps, bound) => {
    const schedule = convexSchedule({ distance, noise, unitNoise: 12 * c });
    expect(schedule).toMatchObject({ rounds: 1, innerSteps });
    expect(convexBound({ distance, innerSteps, stepNoise: 12 * c * innerSteps * noise })).toBeCloseTo(
      bound,
      4,
    );
  });

  it('takes one step at least', () => {
    expect(convexSchedule({ distance: 0, noise: 1, unitNoise: 1 })).toEqual({
      rounds: 1,
      innerSteps: 1,
      exact: 0,
    });
    expect(convexSchedule({ distance: 1, noise: 1, unitNoise: 1200 }).innerSteps).toBe(1);
    expect(sharpRoundBound({ distance: 1, innerSteps: 1, stepNoise: 2, riskNoise: 1 })).toBe(2);
  });

  it('refuses numbers that lead nowhere', () => {
    const good = { distance: 1, noise: 1, unitNoise: 1 };
    for (const bad of [
      { distance: -1 },
      { distance: Number.NaN },
      { noise: 0 },
      { noise: Infinity },
      { unitNoise: 0 },
      { unitNoise: Number.NaN },
      { distance: 1e200, noise: 1e-200 },
    ]) {
      expect(() => convexSchedule({ ...good, ...bad })).toThrow(InvalidParameter);
    }
  });
});

describe('stronglyConvexSchedule', () => {
  test.each([
    [1, 4, 1, 2],
    [1, 4, 2, 4],
    [1, 4, 4, 16],
    [1.2, 5, 3, 7.9],
  ])('κ = %f takes %i steps in %i rounds at X = %f', (condition, innerSteps, rounds, ratio) => {
    const schedule = stronglyConvexSchedule({
      condition,
      gap: (1 + condition) * 1e-3 * ratio,
      noise: 10,
      unitNoise: 12e-4,
    });
    expect(schedule).toMatchObject({ innerSteps, rounds });
    expect(schedule.ratio).toBeCloseTo(ratio, 12);
  });

  it('does not change with the unit of the risk', () => {
    fc.assert(
      fc.property(
        sizes,
        sizes,
        sizes,
        fc.integer({ min: -20, max: 20 }),
        (condition, gap, noise, exponent) => {
          const at = (s: number) =>
            stronglyConvexSchedule({ condition, gap: gap * s, noise: noise * s, unitNoise: 12e-5 });
          expect(at(2 ** exponent)).toEqual(at(1));
        },
      ),
    );
  });

  it('takes a round even where the start is good enough, and refuses nonsense', () => {
    expect(stronglyConvexSchedule({ condition: 1, gap: 0, noise: 1, unitNoise: 1 })).toMatchObject({
      rounds: 1,
      ratio: 0,
    });
    const good = { condition: 1, gap: 1, noise: 1, unitNoise: 1 };
    for (const bad of [
      { condition: 0 },
      { condition: Number.NaN },
      { condition: 1e300 },
      { gap: -1 },
      { gap: Infinity },
      { noise: 0 },
      { unitNoise: -1 },
      { gap: 1e300, unitNoise: 1e-300 },
    ]) {
      expect(() => stronglyConvexSchedule({ ...good, ...bad })).toThrow(InvalidParameter);
    }
  });
});
