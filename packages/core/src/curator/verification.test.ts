import { InvalidParameter } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { verificationThreshold, verifiedDelta } from './verification.js';

describe.each([1e-2, 1e-4, 1e-6])('a delta of %d', (delta) => {
  test.each([2, 10, 160, 10_000])('and %d hits allow a threshold half a hit below it', (hits) => {
    const samples = Math.ceil(hits / delta);
    const threshold = verificationThreshold(samples, delta);
    expect(verifiedDelta(samples, threshold)).toBeLessThanOrEqual(delta);
    expect(verifiedDelta(samples, threshold) / delta).toBeCloseTo(1, 9);
    expect((delta - threshold) * samples).toBeGreaterThan(0.45);
    expect((delta - threshold) * samples).toBeLessThan(0.6);
  });
});

test('the bound covers a coin of any probability, and is not far above the worst', () => {
  for (const [samples, threshold] of [
    [50, 0.1],
    [400, 0.01],
    [1000, 0.05],
  ] as const) {
    const bound = verifiedDelta(samples, threshold);
    let worst = 0;
    for (let truth = threshold; truth < 1; truth += 0.003) {
      let [term, passes] = [Math.exp(samples * Math.log1p(-truth)), 0];
      for (let k = 0; k <= samples * threshold; k++) {
        passes += term;
        term *= ((samples - k) / (k + 1)) * (truth / (1 - truth));
      }
      worst = Math.max(worst, passes * truth);
    }
    expect(worst).toBeLessThanOrEqual(bound);
    expect(worst).toBeGreaterThan(bound / 3);
  }
});

test('too few samples are refused with the number that it takes', () => {
  expect(() => verificationThreshold(1000, 1e-5)).toThrow(
    /cannot verify a delta of 0.00001; take 200000 at least/,
  );
  expect(() => verificationThreshold(1, 0.9)).toThrow(InvalidParameter);
  expect(() => verificationThreshold(0, 0.1)).toThrow(InvalidParameter);
  expect(() => verificationThreshold(1000, 0)).toThrow(/strictly between 0 and 1/);
});
