import type { RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBelow, restOfRun } from './lazy-comparison.js';

/** A source with given words, that hands out given numbers whatever the bound, and keeps the bounds. */
function source(
  words: readonly number[],
  integers: readonly number[] = [],
): RandomSource & { readonly bounds: number[] } {
  let word = 0;
  let integer = 0;
  const bounds: number[] = [];
  return {
    bounds,
    bits53: () => words[word++],
    integer: (below: number) => {
      bounds.push(below);
      return integers[integer++];
    },
  } as unknown as RandomSource & { readonly bounds: number[] };
}
const fraction = (numerator: bigint, denominator: bigint) => ({ numerator, denominator });

describe('isBelow', () => {
  it('compares a number that begins with the bits, and asks for more only where they decide', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 80n }),
        fc.bigInt({ min: 1n, max: 2n ** 80n }),
        fc.integer({ min: 1, max: 53 }),
        fc.nat(),
        fc.nat(),
        (up, down, bits, a, b) => {
          fc.pre(up < down);
          const word = a % 2 ** Math.min(bits, 31);
          const next = b;
          const exact = up << BigInt(bits);
          const open = BigInt(word) * down < exact && exact < BigInt(word + 1) * down;
          const place = BigInt(word) * 2n ** 53n + BigInt(next);
          // With the next word, unless that one is the open one too.
          fc.pre(!open || !(place * down < exact << 53n && exact << 53n < (place + 1n) * down));
          const expected = open ? place * down < exact << 53n : BigInt(word) * down < exact;
          expect(isBelow(word, bits, fraction(up, down), source(open ? [next] : []))).toBe(expected);
        },
      ),
    );
  });

  it('goes on where one word leaves it open', () => {
    // 1/3 = 0.0101…₂: its first 53 bits are open, and so are the next.
    const third = (2 ** 53 - 2) / 3;
    const after = (2 ** 54 - 1) / 3;
    expect(isBelow(third, 53, fraction(1n, 3n), source([0]))).toBe(true);
    expect(isBelow(third, 53, fraction(1n, 3n), source([2 ** 53 - 1]))).toBe(false);
    expect(isBelow(third, 53, fraction(1n, 3n), source([after, 0]))).toBe(true);
    expect(isBelow(third, 53, fraction(1n, 3n), source([after, 2 ** 53 - 1]))).toBe(false);
  });
});

describe('restOfRun', () => {
  const half = () => fraction(1n, 2n);
  const low = 2 ** 52;

  it('is true when the first number that does not count is an odd one, counting the one before', () => {
    for (let below = 0; below < 7; below++) {
      const expected = (below + 2) % 2 === 1;
      const zeros = Array.from({ length: below }, () => 0);
      const byWord = source([...zeros, 2 ** 53 - 1], [...zeros, 0]);
      expect(restOfRun(low, low, half, byWord)).toBe(expected);
      const byInteger = source(zeros, [...zeros, 1]);
      expect(restOfRun(low, low, half, byInteger)).toBe(expected);
      expect(byInteger.bounds).toEqual(Array.from({ length: below + 1 }, (_, k) => k + 2));
    }
  });

  it('compares exactly between its bounds', () => {
    for (const [word, below] of [
      [low - 1, true],
      [low, false],
      [low - 100, true],
      [low + 99, false],
    ] as const) {
      // Below: the run goes on to the third, which ends it. Not below: it ends at the second.
      expect(restOfRun(low - 50, low + 50, half, source([word], [0, 1]))).toBe(below);
    }
  });
});
