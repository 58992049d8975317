import { InvalidParameter } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { verificationThreshold, verifiedDelta } from './verification.js';

/** Samples at which a threshold of a quarter, half and three quarters of δ gives δ; the spec, §10.7. */
const needed: readonly (readonly [number, readonly [number, number, number]])[] = [
  [1e-2, [2.05e3, 5.79e3, 2.85e4]],
  [1e-4, [3.33e5, 9.14e5, 4.35e6]],
  [1e-5, [3.94e6, 1.08e7, 5.07e7]],
  [1e-6, [4.55e7, 1.23e8, 5.78e8]],
];

describe.each(needed)('a delta of %d', (delta, samples) => {
  test.each([0.25, 0.5, 0.75].map((share, i) => [share, samples[i] ?? 0] as const))(
    'is verified by a threshold of %d of it',
    (share, count) => {
      expect(verifiedDelta(count, share * delta) / delta).toBeCloseTo(1, 2);
      expect(verificationThreshold(count, delta) / (share * delta)).toBeCloseTo(1, 2);
      expect(verifiedDelta(count, verificationThreshold(count, delta))).toBeLessThanOrEqual(delta);
    },
  );
});

test('the bound of a wrong verdict covers a coin of any probability', () => {
  // Every true δ passes with the probability that a binomial stays at or below the threshold.
  for (const [samples, threshold] of [
    [50, 0.1],
    [400, 0.01],
    [1000, 0.05],
  ] as const) {
    const bound = verifiedDelta(samples, threshold);
    for (let truth = threshold; truth < 1; truth += 0.003) {
      let [term, passes] = [Math.exp(samples * Math.log1p(-truth)), 0];
      for (let k = 0; k <= samples * threshold; k++) {
        passes += term;
        term *= ((samples - k) / (k + 1)) * (truth / (1 - truth));
      }
      expect(passes * truth).toBeLessThanOrEqual(bound);
    }
  }
});

test('too few samples are refused with the number that it takes', () => {
  expect(() => verificationThreshold(1000, 1e-5)).toThrow(/cannot verify a delta of 0.00001; take 13\d\d\d\d\d/);
  expect(() => verificationThreshold(0, 0.1)).toThrow(InvalidParameter);
  expect(() => verificationThreshold(1000, 0)).toThrow(/strictly between 0 and 1/);
});
