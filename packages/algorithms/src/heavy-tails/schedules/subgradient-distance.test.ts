import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subgradientDistanceBound, type SubgradientRun } from './subgradient-distance.js';

const example: SubgradientRun = {
  rounds: 10,
  stepSize: 0.1,
  strength: 2,
  startDistance: 1,
  diameter: 3,
  moment: 0.5,
  noiseVariance: 0.25,
  bias: 0.2,
};
const size = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -3, max: 1 }))
  .map(([k, e]) => k * 10 ** e);

/**
 * Average of `|w − x|` over points, plus `(λ/2)(w − c)²`, on `[−1, 1]`:
 * its minimiser is among kinks, ends and stationary points between.
 */
function problemOf(points: readonly number[], strength: number, centre: number) {
  const value = (w: number): number =>
    points.reduce((sum, x) => sum + Math.abs(w - x), 0) / points.length + (strength / 2) * (w - centre) ** 2;
  const slopes = points.map((_, at) => (2 * at - points.length) / points.length).concat(1);
  const candidates = [...points, -1, 1, ...slopes.map((slope) => centre - slope / strength)].filter(
    (w) => Math.abs(w) <= 1,
  );
  return {
    minimiser: candidates.reduce((a, b) => (value(b) < value(a) ? b : a)),
    slope: (w: number, clip: number): number =>
      points.reduce((sum, x) => sum + clip * Math.sign(w - x), 0) / points.length,
  };
}

describe('subgradientDistanceBound', () => {
  it('has the numbers of Lemma 14', () => {
    expect(subgradientDistanceBound(example)).toBeCloseTo(
      Math.exp(-1) + 0.4 * (0.25 + 36 + 0.25) + 20 * 0.01,
      12,
    );
    expect(subgradientDistanceBound(example, 'sharp')).toBeCloseTo(
      0.8 ** 10 + 0.05 * ((0.5 + Math.sqrt(0.5)) ** 2 + 0.25) + 0.01,
      12,
    );
    expect(subgradientDistanceBound({ ...example, diameter: 0.1 }, 'sharp')).toBeCloseTo(
      0.8 ** 10 + 0.05 * ((0.5 + 0.2) ** 2 + 0.25) + 0.01,
      12,
    );
    expect(subgradientDistanceBound({ ...example, stepSize: 0.8 }, 'sharp')).toBeCloseTo(
      0.64 * ((0.5 + 6) ** 2 + 0.25) + 1.6 * 0.01,
      12,
    );
    expect(subgradientDistanceBound({ ...example, diameter: Infinity }, 'sharp')).toBe(
      subgradientDistanceBound(example, 'sharp'),
    );
  });

  it('is never larger when sharp', () => {
    fc.assert(
      fc.property(
        size,
        size,
        size,
        size,
        size,
        size,
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 1000 }),
        (strength, startDistance, diameter, moment, noiseVariance, bias, share, rounds) => {
          const run = {
            rounds,
            stepSize: share / 1000 / strength,
            strength,
            startDistance,
            diameter,
            moment,
            noiseVariance,
            bias,
          };
          expect(subgradientDistanceBound(run, 'sharp')).toBeLessThanOrEqual(subgradientDistanceBound(run));
        },
      ),
    );
  });

  it('bounds the exact expectation when the noise is a fair bit: all 2^T runs are enumerated', () => {
    let closest = 0;
    for (const points of [[0.3], [-0.8, 0.1, 0.9]])
      for (const strength of [0.3, 2])
        for (const share of [0.1, 0.6, 1.5])
          for (const noise of [0, 0.5, 5])
            for (const clip of [1, 0.4])
              for (const rounds of [1, 4, 9]) {
                const { minimiser, slope } = problemOf(points, strength, 0.2);
                const stepSize = share / strength;
                let expected = 0;
                for (let outcome = 0; outcome < 2 ** rounds; outcome++) {
                  let w = 0.2;
                  for (let t = 0; t < rounds; t++)
                    w = Math.max(
                      -1,
                      Math.min(
                        1,
                        w -
                          stepSize *
                            (slope(w, clip) + ((outcome >> t) & 1 ? noise : -noise) + strength * (w - 0.2)),
                      ),
                    );
                  expected += (w - minimiser) ** 2 / 2 ** rounds;
                }
                const run = {
                  rounds,
                  stepSize,
                  strength,
                  startDistance: Math.abs(0.2 - minimiser),
                  diameter: 2,
                  moment: clip,
                  noiseVariance: noise ** 2,
                  bias: 1 - clip,
                };
                const bound = subgradientDistanceBound(run, 'sharp');
                expect(expected, JSON.stringify(run)).toBeLessThanOrEqual(bound);
                closest = Math.max(closest, expected / bound);
              }
    expect(closest).toBeGreaterThan(0.15);
  });

  it('needs its bias term: clipping alone moves the fixed point by B/λ', () => {
    // One record at −1 in [−1, 1]: the slope is 1, clipped to 0.6, and the walk ends 0.4/λ from the
    // minimiser.
    const strength = 2;
    const { minimiser, slope } = problemOf([-1], strength, 0.5);
    let w = 0.5;
    for (let t = 0; t < 2000; t++) w -= 0.005 * (slope(w, 0.6) + strength * (w - 0.5));
    const run = {
      rounds: 2000,
      stepSize: 0.005,
      strength,
      startDistance: 0.5,
      diameter: 2,
      moment: 0.6,
      noiseVariance: 0,
      bias: 0.4,
    };
    expect((w - minimiser) ** 2).toBeCloseTo(0.04, 6);
    expect((w - minimiser) ** 2).toBeGreaterThan(subgradientDistanceBound({ ...run, bias: 0 }, 'sharp'));
    expect((w - minimiser) ** 2).toBeLessThanOrEqual(subgradientDistanceBound(run, 'sharp'));
  });

  it('refuses numbers outside its domain', () => {
    for (const bad of [
      { strength: 0 },
      { stepSize: 1.01 },
      { stepSize: 0 },
      { rounds: 0 },
      { rounds: 1.5 },
      { startDistance: -1 },
      { diameter: -1 },
      { moment: Number.NaN },
      { noiseVariance: Infinity },
      { bias: -1 },
    ]) {
      for (const form of ['printed', 'sharp'] as const)
        expect(() => subgradientDistanceBound({ ...example, ...bad }, form)).toThrow(InvalidParameter);
    }
    expect(() => subgradientDistanceBound({ ...example, diameter: Infinity })).toThrow(InvalidParameter);
  });
});
