import { InvalidParameter, type Sketch } from '@lethe/core';
import { fullSketch, singleCoordinate, tauNice } from '@lethe/mechanisms';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  blockwiseRoundBound,
  convexBound,
  printedStronglyConvexBound,
  roundBound,
  safeStronglyConvexBound,
  sharpRoundBound,
  sharpStronglyConvexBound,
  stronglyConvexBound,
} from './bounds.js';
import { exactQuadraticMoments } from './exact-moments.js';

test.each([
  [1, 2, -124.08, 6, 98],
  [2, 4, -76.08, 12, 194],
  [3, 8, -28.08, 18, 290],
  [4, 16, 19.92, 24, 386],
  [5, 32, 67.92, 30, 482],
])(
  'T = %i: the printed strongly convex bound is no bound, the safe one is',
  (rounds, ratio, printed, exact, safe) => {
    const run = exactQuadraticMoments({
      hessian: [1],
      smoothness: [1],
      sketch: fullSketch,
      params: {},
      noiseScale: () => Math.sqrt(48 * rounds),
      start: [Math.sqrt(4 * ratio)],
      innerSteps: 4,
      rounds,
    });
    expect(run.rounds[run.rounds.length - 1].average).toBeCloseTo(exact, 10);
    expect(printedStronglyConvexBound({ condition: 1, ratio, unit: 1 })).toBeCloseTo(printed, 2);
    expect(safeStronglyConvexBound({ condition: 1, ratio, unit: 1 })).toBeCloseTo(safe, 10);
    expect(
      stronglyConvexBound({ gap: 2 * ratio, condition: 1, innerSteps: 4, rounds, stepNoise: 48 * rounds }),
    ).toBeLessThanOrEqual(safe);
  },
);

describe('on random quadratics the exact risk is below', () => {
  const entries = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 9, maxLength: 9 });
  const settings = fc.record({
    factor: entries,
    start: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 }),
    noise: fc.constantFrom(0, 0.01, 1, 5),
    innerSteps: fc.constantFrom(1, 2, 3, 7, 20),
    rounds: fc.constantFrom(1, 2, 4),
    family: fc.constantFrom(
      [fullSketch, {}] as const,
      [singleCoordinate, {}] as const,
      [singleCoordinate, { choice: { by: 'probabilities', probabilities: [0.5, 0.25, 0.25] } }] as const,
      [tauNice, { tau: 2 }] as const,
    ),
  });
  /** `A = BᵀB/81 + I/10`; row sums of absolute values as smoothness, which are enough in the full sense. */
  const quadratic = (B: readonly number[]) => {
    const A = Array.from({ length: 9 }, (_, at) =>
      [0, 1, 2].reduce(
        (sum, k) => sum + (B[3 * k + Math.floor(at / 3)] * B[3 * k + (at % 3)]) / 81,
        at % 4 === 0 ? 0.1 : 0,
      ),
    );
    return { A, M: [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, j) => sum + Math.abs(A[3 * i + j]), 0)) };
  };

  it('every bound of one round, and of restarts', () => {
    fc.assert(
      fc.property(settings, ({ factor, start, noise, innerSteps, rounds, family: [sketch, params] }) => {
        const { A, M } = quadratic(factor);
        const marginals = (sketch as Sketch).marginals(sketch.params.parse(params) as never, 3);
        const run = exactQuadraticMoments({
          hessian: A,
          smoothness: M,
          sketch: sketch as typeof singleCoordinate,
          params: params as never,
          noiseScale: (set) => noise * Math.sqrt(set.length),
          start,
          innerSteps,
          rounds,
        });
        const distance = Math.sqrt(start.reduce((sum, e, j) => sum + (e * e * M[j]) / marginals[j], 0));
        const gap = run.rounds[0].risks[0];
        const { stepNoise, riskNoise } = run;
        const first = run.rounds[0].average * (1 - 1e-12);
        const sharp = sharpRoundBound({ distance, innerSteps, stepNoise, riskNoise });
        expect(first).toBeLessThanOrEqual(sharp);
        expect(sharp).toBeLessThanOrEqual(roundBound({ distance, gap, innerSteps, stepNoise }) * (1 + 1e-12));
        expect(first).toBeLessThanOrEqual(convexBound({ distance, innerSteps, stepNoise }));
        expect(first).toBeLessThanOrEqual(
          blockwiseRoundBound({
            distance,
            gap,
            innerSteps,
            stepNoise,
            riskNoise,
            leastProbability: Math.min(...marginals),
          }),
        );
        const condition = Math.max(...M.map((m, j) => m / marginals[j])) / 0.1;
        const last = run.rounds[run.rounds.length - 1].average * (1 - 1e-12);
        if (innerSteps > condition)
          expect(last).toBeLessThanOrEqual(
            sharpStronglyConvexBound({ gap, condition, innerSteps, rounds, stepNoise, riskNoise }),
          );
        if (innerSteps > 1 + condition)
          expect(last).toBeLessThanOrEqual(
            stronglyConvexBound({ gap, condition, innerSteps, rounds, stepNoise }),
          );
      }),
      { numRuns: 200 },
    );
  });
});

test('the recursion is the iterated bound of one round', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10, max: 100 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 50 }),
      (kappa10, rounds, noise) => {
        const condition = kappa10 / 10;
        const innerSteps = Math.ceil(2 * (1 + condition));
        const gap = 7;
        let plain = gap;
        let sharp = gap;
        for (let t = 0; t < rounds; t++) {
          plain = (plain * (1 + condition)) / innerSteps + noise;
          sharp = (sharp * condition) / innerSteps + (noise + noise / 3) / 2;
        }
        expect(stronglyConvexBound({ gap, condition, innerSteps, rounds, stepNoise: noise })).toBeCloseTo(
          plain,
          9,
        );
        expect(
          sharpStronglyConvexBound({
            gap,
            condition,
            innerSteps,
            rounds,
            stepNoise: noise,
            riskNoise: noise / 3,
          }),
        ).toBeCloseTo(sharp, 9);
      },
    ),
  );
});

test('numbers outside their domain are refused', () => {
  const round = { distance: 1, gap: 1, innerSteps: 3, stepNoise: 1, riskNoise: 1, leastProbability: 0.5 };
  const restarts = { gap: 1, condition: 1, innerSteps: 4, rounds: 2, stepNoise: 1, riskNoise: 1 };
  for (const bad of [
    { distance: -1 },
    { distance: Number.NaN },
    { innerSteps: 0 },
    { stepNoise: Infinity },
  ]) {
    for (const bound of [convexBound, roundBound, sharpRoundBound, blockwiseRoundBound])
      expect(() => bound({ ...round, ...bad })).toThrow(InvalidParameter);
  }
  for (const leastProbability of [0, 1.1, Number.NaN])
    expect(() => blockwiseRoundBound({ ...round, leastProbability })).toThrow(InvalidParameter);
  for (const bad of [
    { innerSteps: 1 },
    { rounds: 0 },
    { condition: 0 },
    { gap: Number.NaN },
    { stepNoise: -1 },
  ]) {
    for (const bound of [stronglyConvexBound, sharpStronglyConvexBound])
      expect(() => bound({ ...restarts, ...bad })).toThrow(InvalidParameter);
  }
  expect(() => stronglyConvexBound({ ...restarts, innerSteps: 2 })).toThrow(/contract/);
  expect(() => safeStronglyConvexBound({ condition: 1, ratio: 0.5, unit: 1 })).toThrow(InvalidParameter);
  expect(() => printedStronglyConvexBound({ condition: 1, ratio: 0, unit: 1 })).toThrow(InvalidParameter);
});
