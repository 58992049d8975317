import { InvalidParameter, seededRandom } from '@lethe/core';
import { normalCdf, normalQuantile } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { gaussianCurve, gaussianCurveEpsilon } from '../divergence/index.js';
import { boundEpsilon, judge, reachOf, runsToReach, tradeOff, type Scores } from './verdict.js';

/** Log-likelihood ratios of draws from N(0, 1) and N(mu, 1). */
function gaussianScores(runs: number, mu: number, seed: string, grown = 1): Scores {
  const of = (mean: number, label: string): Float64Array =>
    seededRandom(seed)
      .fork(label)
      .gaussianInto(new Float64Array(runs))
      .map((x) => grown * mu * (x + mean - mu / 2));
  return { first: of(0, 'first'), second: of(mu, 'second') };
}
const epsilonOf = (mu: number, delta: number): number => gaussianCurveEpsilon(mu, delta).upper;
const pointsOf = (mu: number) =>
  [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const epsilon = share * epsilonOf(mu, 1e-2);
    return { epsilon, delta: gaussianCurve(mu, epsilon).upper };
  });

describe('the bound on ε', () => {
  test('is below the truth and near it, also where ratios are off by a factor', () => {
    for (const grown of [1, 3, 0.2]) {
      const { lower } = boundEpsilon(gaussianScores(20_000, 1, 'near', grown), {
        delta: 1e-2,
        confidence: 0.999,
      });
      expect(lower).toBeLessThan(epsilonOf(1, 1e-2));
      expect(lower / epsilonOf(1, 1e-2)).toBeGreaterThan(0.7);
    }
  });

  test('exceeds the truth no more often than its confidence allows', () => {
    const truth = epsilonOf(0.6, 1e-2);
    const wrong = Array.from(
      { length: 200 },
      (_, i) => boundEpsilon(gaussianScores(100, 0.6, `often ${i}`), { delta: 1e-2, confidence: 0.9 }).lower,
    ).filter((lower) => lower > truth).length;
    // 20 errors are expected; more than 50 of 200 have probability below 1e-9.
    expect(wrong).toBeLessThanOrEqual(50);
  });

  test('is 0 where scores tell nothing, and finite where they tell everything', () => {
    const nothing: Scores = { first: new Float64Array(50), second: new Float64Array(50) };
    expect(boundEpsilon(nothing, { delta: 0, confidence: 0.95 }).lower).toBe(0);
    const all: Scores = {
      first: new Float64Array(100).fill(-Infinity),
      second: new Float64Array(100).fill(Infinity),
    };
    expect(boundEpsilon(all, { delta: 0, confidence: 0.95 }).lower).toBeCloseTo(
      reachOf(100, { delta: 0, alpha: 0.05 }),
      12,
    );
  });

  test('needs runs to choose by', () => {
    expect(() =>
      boundEpsilon(
        { first: new Float64Array(3), second: new Float64Array(3) },
        { delta: 0, confidence: 0.95 },
      ),
    ).toThrow(InvalidParameter);
  });
});

describe('the verdict', () => {
  test('holds for a true claim, at all of its points', () => {
    for (let i = 0; i < 20; i++)
      expect(
        judge(gaussianScores(2000, 1, `true ${i}`), { claims: pointsOf(1), falseAlarm: 1e-9 }).holds,
      ).toBe(true);
  });

  test('is a violation for half of the noise, and for a curve claimed before its last point', () => {
    const scores = gaussianScores(1500, 2, 'half');
    expect(judge(scores, { claims: pointsOf(1), falseAlarm: 1e-6 })).toMatchObject({
      holds: false,
      runs: 1125,
    });
    const few = gaussianScores(400, 2.2, 'few');
    const points = pointsOf(1);
    expect(judge(few, { claims: points.slice(-1), falseAlarm: 1e-6 }).holds).toBe(true);
    expect(judge(few, { claims: points, falseAlarm: 1e-6 }).holds).toBe(false);
  });

  test('allows claims that are exactly met: randomised response', () => {
    const epsilon = 1;
    const keep = Math.exp(epsilon) / (1 + Math.exp(epsilon));
    const runs = 4000;
    const bits = (p: number, label: string): Float64Array => {
      const randomness = seededRandom(label);
      return Float64Array.from({ length: runs }, () => (randomness.uniform() < p ? epsilon : -epsilon));
    };
    const scores: Scores = { first: bits(1 - keep, 'first'), second: bits(keep, 'second') };
    expect(judge(scores, { claims: [{ epsilon, delta: 0 }], falseAlarm: 1e-9 }).holds).toBe(true);
    expect(judge(scores, { claims: [{ epsilon: 0.6, delta: 0 }], falseAlarm: 1e-9 })).toMatchObject({
      holds: false,
      at: { epsilon: 0.6, delta: 0 },
    });
    expect(boundEpsilon(scores, { delta: 0, confidence: 0.95 }).lower).toBeGreaterThan(0.85);
  });
});

describe('the trade-off', () => {
  test('goes from none to all, and follows the Gaussian curve', () => {
    const points = tradeOff(gaussianScores(20_000, 1, 'curve'));
    expect([points[0], points.at(-1)]).toEqual([
      { falseAlarms: 0, hits: 0 },
      { falseAlarms: 1, hits: 1 },
    ]);
    for (const [i, { falseAlarms, hits }] of points.entries()) {
      if (i > 0) expect(falseAlarms).toBeGreaterThanOrEqual(points[i - 1].falseAlarms);
      // Two fractions of 15,000 runs each, to within six deviations.
      if (falseAlarms > 0 && falseAlarms < 1)
        expect(Math.abs(hits - normalCdf(normalQuantile(falseAlarms) + 1))).toBeLessThan(0.05);
    }
  });
});

test('the least number of runs that could show an epsilon does, and one fewer does not', () => {
  for (const [epsilon, target] of [
    [1, { delta: 0, alpha: 0.05 }],
    [4, { delta: 1e-6, alpha: 1e-7 }],
    [8, { delta: 1e-3, alpha: 0.01 }],
  ] as const) {
    const runs = runsToReach(epsilon, target);
    expect(reachOf(runs, target)).toBeGreaterThanOrEqual(epsilon);
    expect(reachOf(runs - 1, target)).toBeLessThan(epsilon);
  }
  expect(runsToReach(50, { delta: 0, alpha: 0.05 })).toBe(Infinity);
});
