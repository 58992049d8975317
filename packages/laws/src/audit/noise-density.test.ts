import { normalCdf } from '@lethe/numerics';
import { type Mechanism } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { logDensityOf } from './noise-density.js';

type Law = Pick<Mechanism, 'cdf' | 'standardDeviation' | 'numerics'>;
const ratioOf = (distribution: Law): ((x: number, y: number) => number) => {
  const log = logDensityOf(distribution as Mechanism, {});
  return (x, y) => log(x) - log(y);
};

describe('the log-density from a distribution function', () => {
  test('of normal noise, far into both tails', () => {
    const ratio = ratioOf({
      numerics: 'idealised',
      standardDeviation: () => 1,
      cdf: (_params: unknown, x: number) => normalCdf(x),
    });
    for (const x of [-30, -8, -1.3, 0, 0.7, 6, 20])
      expect(Math.abs(ratio(x, x + 0.5) - ((x + 0.5) ** 2 - x ** 2) / 2)).toBeLessThan(
        2e-3 * (1 + Math.abs(x)),
      );
  });

  test('of Laplace noise', () => {
    const ratio = ratioOf({
      numerics: 'idealised',
      standardDeviation: () => Math.SQRT2,
      cdf: (_params: unknown, x: number) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
    });
    for (const x of [-20, -3, 1, 15])
      expect(ratio(x, x + 0.5)).toBeCloseTo(Math.abs(x + 0.5) - Math.abs(x), 6);
  });

  test('of noise on whole numbers, between them too', () => {
    const cdf = (_params: unknown, x: number): number => {
      const k = Math.floor(x);
      return k < 0 ? 2 ** (k + 1) / 3 : 1 - 2 ** -k / 3;
    };
    const ratio = ratioOf({ numerics: 'exact', standardDeviation: () => 2, cdf });
    for (const [x, y] of [
      [0, 3],
      [2, -5],
      [1.5, 4.5],
    ] as const)
      expect(ratio(x, y)).toBeCloseTo((Math.abs(y) - Math.abs(x)) * Math.LN2, 9);
  });

  test('of a law that is not symmetric', () => {
    const ratio = ratioOf({
      numerics: 'idealised',
      standardDeviation: () => 1,
      cdf: (_params: unknown, x: number) => (x < 0 ? 0 : 1 - Math.exp(-x)),
    });
    expect(ratio(1, 2)).toBeCloseTo(1, 3);
    expect(ratio(1, -1)).toBeGreaterThan(100);
  });
});
