import type { RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeTree } from '../../test/support/outcome-tree.js';
import { bernoulli, fairHeads, roundAtRandom } from './exact-bits.js';

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);

describe('bernoulli', () => {
  it('is true with exactly its probability', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 0, max: 20 })
          .chain((bits) => fc.integer({ min: 0, max: 2 ** bits }).map((k) => k / 2 ** bits)),
        (p) => {
          const { probabilities, open } = outcomeTree((random) => bernoulli(random, p), 2 ** -60);
          expect([probabilities.get(true) ?? 0, open]).toEqual([p, 0]);
        },
      ),
    );
  });
  it('leaves nothing of a long fraction out', () => {
    for (const p of [0.1, 1 / 3, 2 ** -40 + 2 ** -52, 1 - 2 ** -53])
      expect(outcomeTree((random) => bernoulli(random, p), 2 ** -60).probabilities.get(true)).toBe(p);
  });
});

describe('roundAtRandom', () => {
  it('gives one of two neighbours, with the number as mean', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4096 }), (k) => {
        const x = k / 64;
        const { probabilities } = outcomeTree((random) => roundAtRandom(random, x), 2 ** -60);
        expect([...probabilities].reduce((mean, [value, p]) => mean + value * p, 0)).toBe(x);
        for (const value of probabilities.keys()) expect(Math.abs(value - x)).toBeLessThan(1);
      }),
    );
  });
});

describe('fairHeads', () => {
  it('is binomial, exactly', () => {
    for (let n = 0; n <= 12; n++) {
      const { probabilities } = outcomeTree((random) => fairHeads(random, n), 2 ** -60);
      for (let k = 0; k <= n; k++) expect(probabilities.get(k)).toBe(choose(n, k) / 2 ** n);
    }
  });
  it('counts the ones of every word it is given', () => {
    const digits = (word: number): number =>
      Array.from(word.toString(2)).filter((digit) => digit === '1').length;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 5 }),
        fc.integer({ min: 0, max: 31 }),
        (words, rest) => {
          const left = words.slice();
          const random = {
            bits32: () => left.shift(),
            integer: (below: number) => below - 1,
          } as unknown as RandomSource;
          expect(fairHeads(random, 32 * words.length + rest)).toBe(
            words.reduce((sum, word) => sum + digits(word), rest),
          );
        },
      ),
    );
  });
  it('adds up: fair bits of several users are those of one who has them all', () => {
    for (const [a, b] of [
      [1, 1],
      [3, 4],
      [5, 7],
      [2, 10],
    ]) {
      const apart = outcomeTree(
        (random) => fairHeads(random, a) + fairHeads(random, b),
        2 ** -60,
      ).probabilities;
      for (const [k, p] of outcomeTree((random) => fairHeads(random, a + b), 2 ** -60).probabilities)
        expect(apart.get(k)).toBe(p);
    }
  });
});
