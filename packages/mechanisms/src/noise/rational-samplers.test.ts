import { InvalidParameter, seededRandom, type RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeTree, type OutcomeTree } from '../../test/support/outcome-tree.js';
import {
  bernoulliExpMinus,
  sampleDiscreteGaussian,
  sampleDiscreteLaplace,
  uniformBelow,
} from './rational-samplers.js';

const ratio = (numerator: number, denominator: number) => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});

/**
 * Enumerated probabilities against those of weights: too small
 * by at most what was left open, and never too large.
 */
function agrees({ probabilities, open }: OutcomeTree<bigint>, weight: (k: number) => number): void {
  let total = 0;
  for (let k = -60; k <= 60; k++) total += weight(k);
  for (let k = -3; k <= 3; k++) {
    const found = probabilities.get(BigInt(k)) ?? 0;
    const truth = weight(k) / total;
    expect(found).toBeLessThanOrEqual(truth + 1e-12);
    expect(found + open).toBeGreaterThanOrEqual(truth - 1e-12);
    // What is left open is in the way of no other value: it is shared in proportion, within a tenth.
    expect(Math.abs(found / (1 - open) - truth)).toBeLessThanOrEqual(0.1 * truth + 0.2 * open);
  }
}

describe('uniformBelow', () => {
  it('is uniform below small bounds, by enumeration', () => {
    for (const below of [1, 2, 7]) {
      const { probabilities, open } = outcomeTree((random) => uniformBelow(BigInt(below), random), 1e-3);
      expect(open).toBe(0);
      expect([...probabilities]).toEqual(Array.from({ length: below }, (_, k) => [BigInt(k), 1 / below]));
    }
  });

  it('makes larger numbers from words of 32 bits, and draws those again that would favour some', () => {
    const below = 3n * 2n ** 62n;
    const source = (...words: readonly number[]): RandomSource => {
      let at = 0;
      return { bits32: () => words[at++] } as unknown as RandomSource;
    };
    expect(uniformBelow(below, source(5, 6))).toBe(5n * 2n ** 32n + 6n);
    expect(uniformBelow(below, source(0xbfffffff, 0xffffffff))).toBe(below - 1n);
    expect(uniformBelow(below, source(0xc0000000, 0, 0, 9))).toBe(9n);
    const random = seededRandom('large');
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 300n }), (bound) => {
        const drawn = uniformBelow(bound, random);
        expect(drawn >= 0n && drawn < bound).toBe(true);
      }),
    );
  });

  it('refuses bounds below 1', () => {
    expect(() => uniformBelow(0n, seededRandom(0))).toThrow(InvalidParameter);
  });
});

describe('bernoulliExpMinus', () => {
  it.each([
    [0, 1],
    [1, 2],
    [1, 1],
    [2, 3],
    [5, 4],
    [7, 3],
  ])('is true with probability e^(−%d/%d), by enumeration', (numerator, denominator) => {
    const { probabilities, open } = outcomeTree(
      (random) => bernoulliExpMinus(ratio(numerator, denominator), random),
      1e-7,
    );
    const truth = Math.exp(-numerator / denominator);
    const found = probabilities.get(true) ?? 0;
    expect(open).toBeLessThan(1e-3);
    expect(found).toBeLessThanOrEqual(truth + 1e-12);
    expect(found + open).toBeGreaterThanOrEqual(truth - 1e-12);
  });

  it('refuses what is no exponent', () => {
    expect(() => bernoulliExpMinus(ratio(-1, 2), seededRandom(0))).toThrow(InvalidParameter);
    expect(() => bernoulliExpMinus(ratio(1, 0), seededRandom(0))).toThrow(InvalidParameter);
    expect(() => bernoulliExpMinus(ratio(1, -1), seededRandom(0))).toThrow(InvalidParameter);
  });
});

describe('sampleDiscreteLaplace', () => {
  it.each([
    [1, 1],
    [1, 2],
    [3, 2],
    [2, 1],
  ])('has the law of scale %d/%d, by enumeration', (numerator, denominator) => {
    agrees(
      outcomeTree((random) => sampleDiscreteLaplace(ratio(numerator, denominator), random), 3e-6),
      (k) => Math.exp((-Math.abs(k) * denominator) / numerator),
    );
  });

  it('takes scales of any size', () => {
    const random = seededRandom('wide');
    const scale = { numerator: 10n ** 40n, denominator: 1n };
    const sizes = Array.from({ length: 200 }, () => Number(sampleDiscreteLaplace(scale, random)) / 1e40);
    expect(sizes.reduce((sum, x) => sum + Math.abs(x), 0) / 200).toBeGreaterThan(0.6);
    expect(sizes.reduce((sum, x) => sum + Math.abs(x), 0) / 200).toBeLessThan(1.6);
    expect(sampleDiscreteLaplace({ numerator: 1n, denominator: 10n ** 40n }, random)).toBe(0n);
    expect(() => sampleDiscreteLaplace(ratio(0, 1), random)).toThrow(InvalidParameter);
  });
});

describe('sampleDiscreteGaussian', () => {
  it.each([
    [1, 2],
    [1, 1],
    [9, 4],
  ])('has the law of variance parameter %d/%d, by enumeration', (numerator, denominator) => {
    agrees(
      outcomeTree((random) => sampleDiscreteGaussian(ratio(numerator, denominator), random), 1e-5),
      (k) => Math.exp((-k * k * denominator) / (2 * numerator)),
    );
  });

  it('has the spread of its scale', () => {
    const random = seededRandom('spread');
    const n = 4000;
    let square = 0;
    for (let i = 0; i < n; i++) square += Number(sampleDiscreteGaussian(ratio(10_001, 4), random)) ** 2;
    // Six standard deviations of the mean of n squares.
    expect(Math.abs(square / n / (10_001 / 4) - 1)).toBeLessThan(6 * Math.sqrt(2 / n));
    expect(() => sampleDiscreteGaussian(ratio(0, 1), random)).toThrow(InvalidParameter);
  });
});
