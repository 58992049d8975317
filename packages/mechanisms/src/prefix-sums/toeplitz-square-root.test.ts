import { neumaierSum } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { range } from '../../test/factors.js';
import { inverseRootCoefficient, squareRootCoefficient, squareRootEnergy } from './toeplitz-square-root.js';

/** `binom(2k, k) / 4^k`, correctly rounded but for one part in 2⁸⁰. */
function exactCoefficients(count: number): readonly number[] {
  let binomial = 1n;
  return range(count).map((k) => {
    if (k > 0) binomial = (binomial * BigInt(2 * (2 * k - 1))) / BigInt(k);
    return Number((binomial << 80n) >> BigInt(2 * k)) / 2 ** 80;
  });
}

describe('squareRootCoefficient', () => {
  it('is binom(2k, k) / 4^k', () => {
    expect(range(5).map(squareRootCoefficient)).toEqual([1, 1 / 2, 3 / 8, 5 / 16, 35 / 128]);
    exactCoefficients(3000).forEach((exact, k) => {
      expect(Math.abs(squareRootCoefficient(k) / exact - 1)).toBeLessThan(2 ** -50);
    });
  });

  it('falls as 1/√(πk) for ever, between √(k + 1/4) and √(k + 1/4) (1 + 1/(64 k²))', () => {
    for (const k of [1e5, 1e8, 1e12, 2 ** 52]) {
      const scaled = squareRootCoefficient(k) * Math.sqrt(Math.PI * (k + 0.25));
      expect(scaled).toBeLessThanOrEqual(1 + 2 ** -50);
      expect(scaled).toBeGreaterThanOrEqual(1 - 1 / (64 * k * k) - 2 ** -50);
    }
  });

  it('convolved with itself is one, with the inverse nothing', () => {
    for (const n of [0, 1, 2, 23, 24, 25, 300]) {
      const terms = range(n + 1);
      expect(
        neumaierSum(terms.map((k) => squareRootCoefficient(k) * squareRootCoefficient(n - k))),
      ).toBeCloseTo(1, 13);
      expect(
        neumaierSum(terms.map((k) => inverseRootCoefficient(k) * squareRootCoefficient(n - k))),
      ).toBeCloseTo(Number(n === 0), 13);
    }
  });
});

describe('squareRootEnergy', () => {
  it('is the sum of the squares', () => {
    const squares = exactCoefficients(3000).map((x) => x * x);
    for (const count of [0, 1, 2, 23, 24, 25, 26, 100, 1000, 3000]) {
      expect(Math.abs(squareRootEnergy(count) - neumaierSum(squares.slice(0, count)))).toBeLessThanOrEqual(
        2 ** -49 * squareRootEnergy(count),
      );
    }
  });

  it('goes on by the next square, far out', () => {
    // Blocks of steps whose squares are known from the coefficients.
    for (const count of [1e4, 1e5, 1e6]) {
      const block = neumaierSum(range(1000).map((k) => squareRootCoefficient(count + k) ** 2));
      expect(squareRootEnergy(count + 1000) - squareRootEnergy(count)).toBeCloseTo(block, 13);
    }
  });

  it('obeys the published bound 1 + (γ + ln n)/π, and is asymptotic to (ln n + γ + 4 ln 2)/π', () => {
    for (const n of [1, 2, 10, 1e3, 1e6, 1e9, 1e15])
      expect(squareRootEnergy(n)).toBeLessThanOrEqual(1 + (0.5772156649015329 + Math.log(n)) / Math.PI);
    for (const n of [1e3, 1e6, 1e9])
      expect(
        Math.abs(squareRootEnergy(n) - (Math.log(n) + 0.5772156649015329 + 4 * Math.LN2) / Math.PI),
      ).toBeLessThan(1 / (4 * n));
  });
});
