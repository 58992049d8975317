import { InvalidParameter } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { leastExaggeration, verificationThreshold, verifiedDelta } from './verification.js';

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

test('the bound covers a bit of any probability, and is not far above the worst', () => {
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

describe.each([
  [1, 0.3],
  [1, 1],
  [8, 1.7],
  [0.1, 0.05],
  [0, 0.2],
])('losses above %d of sums that are %d deviations away', (epsilon, shift) => {
  const { factor, largest } = leastExaggeration({
    epsilon,
    logMoment: (f) => (f * shift ** 2) / 2,
  });
  const valueAt = (loss: number, f: number): number =>
    (1 - Math.exp(epsilon - loss)) * Math.exp((f * (f - 1) * shift ** 2) / 2 - (f - 1) * loss);
  const largestWith = (f: number): number => {
    let most = 0;
    for (let above = 1e-4; above < 60; above *= 1.01) most = Math.max(most, valueAt(epsilon + above, f));
    return most;
  };

  test('have weighted values of at most what is said, and nearly so many', () => {
    expect(largestWith(factor)).toBeLessThanOrEqual(largest);
    expect(largestWith(factor)).toBeGreaterThan(0.999 * largest);
  });

  test('have larger ones with any other exaggeration', () => {
    for (const other of [1 + 0.8 * (factor - 1), 1 + 1.25 * (factor - 1)])
      expect(largestWith(other)).toBeGreaterThan(largest * 0.9999);
  });
});

test('little noise exaggerates nothing, and a bound without samples is one', () => {
  expect(leastExaggeration({ epsilon: 1, logMoment: (f) => 200 * f })).toEqual({ factor: 1, largest: 1 });
  const { largest } = leastExaggeration({ epsilon: 1, logMoment: (f) => 0.00125 * f });
  expect(largest).toBeGreaterThan(0);
  expect(verificationThreshold(10, 1e-6, largest)).toBe(1e-6);
  expect(verifiedDelta(10, 1e-6, largest)).toBeLessThanOrEqual(1e-6);
});

test.each([0.5, 1e-2, 1e-4])('values of at most %d take as many times fewer samples', (largest) => {
  const delta = 1e-6;
  const samples = Math.ceil((100 * largest) / delta);
  const threshold = verificationThreshold(samples, delta, largest);
  expect(verifiedDelta(samples, threshold, largest)).toBeLessThanOrEqual(delta);
  expect(((delta - threshold) * samples) / largest).toBeGreaterThan(0.45);
  expect(((delta - threshold) * samples) / largest).toBeLessThan(0.6);
});
