import { InvalidParameter, seededRandom, Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeWords } from './code-words.js';

const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).filter((x, j) => x !== b[j]).length;

describe('codeWords', () => {
  it.each([
    [40, 4],
    [80, 16],
    [160, 256],
  ])('finds 2^(d/20) words of length %i at distance d/8', (dimension, count) => {
    const words = codeWords(dimension, { count }, seededRandom('code'));
    expect(words).toHaveLength(count);
    for (const [i, a] of words.entries()) {
      expect(a.every((x) => Math.abs(x) === 1)).toBe(true);
      for (const b of words.slice(0, i)) {
        expect(apart(a, b)).toBeGreaterThanOrEqual(dimension / 8);
        expect(a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)).toBe(4 * apart(a, b));
      }
    }
  });

  it('has the requested distance, and is deterministic for a random source', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 12 }), (seed, distance) => {
        const words = codeWords(40, { count: 3, distance }, seededRandom(seed));
        for (const [i, a] of words.entries())
          for (const b of words.slice(0, i)) expect(apart(a, b)).toBeGreaterThanOrEqual(distance);
        expect(codeWords(40, { count: 3, distance }, seededRandom(seed))).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });

  it('throws Unsupported for codes that are not found, and refuses invalid shapes', () => {
    expect(() => codeWords(4, { count: 3, distance: 4 }, seededRandom(1))).toThrow(Unsupported);
    for (const [dimension, shape] of [
      [0, { count: 1 }],
      [8, { count: 0 }],
      [8, { count: 1.5 }],
      [8, { count: 2, distance: 9 }],
      [8, { count: 2, distance: 0 }],
      [1, { count: 3 }],
      [Number.NaN, { count: 1 }],
    ] as const) {
      expect(() => codeWords(dimension, shape, seededRandom(1)), JSON.stringify([dimension, shape])).toThrow(
        InvalidParameter,
      );
    }
  });
});
