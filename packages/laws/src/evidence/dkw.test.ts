import { InvalidParameter, seededRandom } from '@lethe/core';
import { normalCdf, normalQuantile } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { gaussians } from '../../test/evidence.js';
import { binomialAtLeast } from '../special/index.js';
import { dkwDistance, kolmogorovDistance } from './index.js';

describe('distance of distribution functions', () => {
  const uniform = (x: number): number => Math.min(1, Math.max(0, x));
  it('is taken on both sides of each step', () => {
    expect(kolmogorovDistance([0.5], uniform)).toBeCloseTo(0.5, 15);
    expect(kolmogorovDistance([0.1, 0.2], uniform)).toBeCloseTo(0.8, 15);
    expect(kolmogorovDistance([0.8, 0.9], uniform)).toBeCloseTo(0.8, 15);
    const middle = Array.from({ length: 50 }, (_, i) => normalQuantile((i + 0.5) / 50));
    expect(kolmogorovDistance(middle, normalCdf)).toBeCloseTo(0.01, 14);
  });

  it('allows declared atoms, and only these', () => {
    const coin = (x: number): number => {
      if (x < 0) return 0;
      return x < 1 ? 0.5 : 1;
    };
    expect(kolmogorovDistance([0, 0, 1, 1], coin)).toBe(0);
    expect(kolmogorovDistance([0, 0, 0, 1], coin)).toBe(0.25);
    expect(kolmogorovDistance([0.5, 0.5], uniform)).toBeCloseTo(0.5, 15);
    expect(kolmogorovDistance([-1e-300, 1], coin)).toBe(0.5);
  });

  it('refuses unsorted draws, NaN and no draws', () => {
    for (const draws of [[], [1, 0], [NaN], [0, NaN]])
      expect(() => kolmogorovDistance(draws, uniform)).toThrow(InvalidParameter);
    expect(() => kolmogorovDistance([0], () => NaN)).toThrow(InvalidParameter);
  });
});

describe('the band', () => {
  it('has the width of the formula', () => {
    expect(dkwDistance(1000, 0.05)).toBeCloseTo(0.04294694083467376, 15);
    expect(dkwDistance(1, 1e-300)).toBeGreaterThan(18);
    for (const [count, alpha] of [
      [0, 0.1],
      [1.5, 0.1],
      [10, 0],
      [10, 1],
      [10, NaN],
    ])
      expect(() => dkwDistance(count, alpha)).toThrow(InvalidParameter);
  });

  it('holds at its level, and is tight', () => {
    const next = gaussians(seededRandom('dkw'));
    const replicates = 2000;
    const sample = (): Float64Array => Float64Array.from({ length: 100 }, next).toSorted();
    const distances = Array.from({ length: replicates }, () => kolmogorovDistance(sample(), normalCdf));
    const outside = distances.filter((distance) => distance > dkwDistance(100, 0.05)).length;
    expect(binomialAtLeast(outside, replicates, 0.05)).toBeGreaterThan(1e-9);
    expect(outside).toBeGreaterThan(20);
  });
});
