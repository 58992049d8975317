import { describe, expect, it } from 'vitest';
import { Unsupported, normalQuantileOfLog } from '@lethe/numerics';
import { discreteGaussianLossDistribution, gaussianLossDistribution } from '../pairs/index.js';
import { discreteGaussianCurve } from './discrete-gaussian-curve.js';

/**
 * `h(m)` for m from 1 on, with `P(X ≥ m)` the upper tail of N(0, 1) beyond `h(m)`, as far as 37 deviations.
 */
function scores(deviation: number): Float64Array {
  const reach = Math.ceil(38.4 * deviation);
  const weights = Float64Array.from({ length: reach }, (_, j) =>
    Math.exp(-(j * j) / (2 * deviation * deviation)),
  );
  let total = 0;
  for (let j = reach - 1; j > 0; j--) total += 2 * weights[j];
  total += 1;
  const h = new Float64Array(Math.floor(37 * deviation));
  let tail = 0;
  for (let m = reach - 1; m > 0; m--) {
    tail += weights[m];
    if (m < h.length) h[m] = -normalQuantileOfLog(Math.log(tail / total));
  }
  return h;
}

describe('whole Gaussian noise as Gaussian privacy', () => {
  it.each([1024, 1500.5, 5000])(
    'moves no threshold by more than one step of a deviation of %d moves it',
    (deviation) => {
      const h = scores(deviation);
      const { mu } = discreteGaussianCurve(1 / deviation, deviation);
      // By symmetry, the threshold before the first is its mirror image.
      let most = 2 * h[1];
      for (let m = 1; m + 1 < h.length; m++) most = Math.max(most, h[m + 1] - h[m]);
      expect(most).toBeLessThan(mu);
      expect(most * deviation).toBeGreaterThan(1);
      // What was computed instead of proved: 1/24 would do, and errors of the quantile are far below it.
      expect(most).toBeLessThan((1 + (1 / 24 + 0.02) / deviation ** 2) / deviation + 1e-12);
    },
  );

  it('bounds the profile of the exact distribution of one entry, tightly', () => {
    for (const [deviation, moved] of [
      [1024, 1],
      [1024, 700],
      [2048, 4096],
      [4000, 2500],
    ] as const) {
      const exact = discreteGaussianLossDistribution(deviation, moved);
      const bound = gaussianLossDistribution(discreteGaussianCurve(moved / deviation, deviation).mu);
      for (const epsilon of [-1, 0, 0.01, 0.3, 1, 3, 8, 20]) {
        const [inner, outer] = [exact.hockeyStick(epsilon), bound.hockeyStick(epsilon)];
        expect(inner.lower).toBeLessThanOrEqual(outer.upper);
        expect(outer.upper - inner.lower).toBeLessThan(1e-3 * Math.max(moved / deviation, 1e-3));
      }
    }
  });

  it('costs one part in 10¹⁰ on a grid of 2²¹ steps, and is not known below 1024 or without a grid', () => {
    const { mu, exact, lower } = discreteGaussianCurve(0.5, 2 ** 21);
    expect(mu).toBeGreaterThan(0.5);
    expect(mu).toBeLessThan(0.5 * (1 + 1e-10));
    expect([exact, lower]).toEqual([false, 0]);
    for (const deviation of [0, 1, 1023.9])
      expect(() => discreteGaussianCurve(0.5, deviation)).toThrow(Unsupported);
  });
});
