import { gaussianEvent, InvalidParameter, repeatedEvent, sampledEvent } from '@lethe/core';
import { normalCdfBounds, normalQuantileBounds } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import {
  accountants,
  bestOf,
  calibrateDetection,
  calibrator,
  detectionRate,
  gaussianDetectionRate,
  pld,
  profileOf,
} from '../index.js';

const adjacency = 'zero-out';
const gaussian = (sigma: number) => gaussianEvent(sigma, { 'zero-out': 1 });
const quantile = (p: number): number => normalQuantileBounds(p).upper;

describe('calibrateDetection', () => {
  it.each([
    [0.2, 0.05],
    [0.95, 0.5],
    [0.02, 1e-4],
    [0.6, 0.5],
  ])('finds the Gaussian noise of a detection rate of %s at %s in closed form', (detection, falseAlarms) => {
    const { value, epsilon, delta, achieved } = calibrateDetection(
      calibrator(accountants),
      { make: gaussian, adjacency },
      { detection, falseAlarms },
    );
    const closed = 1 / (quantile(detection) - quantile(falseAlarms));
    expect(value / closed).toBeGreaterThan(1 - 1e-5);
    expect(value / closed).toBeLessThan(1 + 1e-4);
    expect(gaussianDetectionRate(1 / value, falseAlarms).lower).toBeLessThanOrEqual(detection);
    expect(achieved.upper).toBeLessThanOrEqual(delta);
    expect(epsilon).toBeGreaterThanOrEqual(0);
  });

  it('meets the target for sampled noise, and wastes little', () => {
    const make = (sigma: number) => sampledEvent({ kind: 'core/poisson', rate: 0.2 }, gaussian(sigma));
    const target = { detection: 0.1, falseAlarms: 0.02 };
    const { value } = calibrateDetection(calibrator([pld]), { make, adjacency }, target);
    const rate = (sigma: number): number =>
      detectionRate(profileOf(bestOf([pld]), make(sigma), { adjacency }), target.falseAlarms).lower;
    expect(rate(value)).toBeLessThanOrEqual(target.detection);
    expect(rate(0.99 * value)).toBeGreaterThan(target.detection);
  });

  it('finds the most steps, where smaller is more private', () => {
    const { value } = calibrateDetection(
      calibrator(accountants),
      { make: (count) => repeatedEvent(gaussian(10), count), adjacency, integer: true },
      { detection: 0.3, falseAlarms: 0.1 },
    );
    const steps = (10 * (quantile(0.3) - quantile(0.1))) ** 2;
    expect(value).toBe(Math.floor(steps));
    expect(normalCdfBounds(quantile(0.1) + Math.sqrt(value) / 10).lower).toBeLessThanOrEqual(0.3);
  });

  it.each([
    [0.1, 0.1],
    [0.05, 0.1],
    [1, 0.1],
    [0.5, 0],
    [0.5, Number.NaN],
  ])('refuses %s at %s', (detection, falseAlarms) => {
    expect(() =>
      calibrateDetection(calibrator(accountants), { make: gaussian, adjacency }, { detection, falseAlarms }),
    ).toThrow(InvalidParameter);
  });
});
