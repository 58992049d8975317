import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveSize, type Silos } from './silos.js';
import { sizesOf, wholeRounds } from './whole-rounds.js';

const equal = (silos: number, slots: number): Silos => ({
  slots: Array.from({ length: silos }, () => slots),
  weights: Array.from({ length: silos }, () => 1 / silos),
  noise: { by: 'silos' },
});
const unread = (rounds: number, { slots }: Silos): number[] => slots.map((one) => one % rounds);

describe('wholeRounds', () => {
  it('leaves √n records of n at most, with half of the rounds or more, for every n and number of rounds', () => {
    const wrong: [n: number, most: number, rounds: number][] = [];
    for (let n = 1; n <= 150; n++)
      for (let most = 1; most <= n; most++) {
        const silos = equal(1, n);
        const rounds = wholeRounds(most, silos);
        const isFine = unread(rounds, silos)[0] ** 2 <= n && rounds <= most && rounds >= (most - 1) / 2;
        if (!isFine) wrong.push([n, most, rounds]);
      }
    expect(wrong).toEqual([]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, share) => {
          const most = Math.max(1, Math.floor(n ** share));
          const silos = equal(3, n);
          expect(Math.max(...unread(wholeRounds(most, silos), silos))).toBeLessThanOrEqual(
            Math.sqrt(n) * (1 + 1e-9),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keeps a number of rounds that fits, and takes the next one below that does', () => {
    expect(wholeRounds(1024, equal(4, 1024))).toBe(1024);
    expect(wholeRounds(544, equal(4, 1024))).toBe(512);
    expect(wholeRounds(97, equal(1, 10_000))).toBe(97);
  });

  it('of silos of unequal size leaves as little unread as any number of rounds from half on', () => {
    const size = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        size,
        (slots, areWeighted, asked) => {
          const total = slots.reduce((sum, one) => sum + one, 0);
          const silos: Silos = {
            slots,
            weights: areWeighted ? slots.map((one) => one / total) : null,
            noise: { by: 'silos' },
          };
          const most = Math.min(asked, ...slots);
          const readIn = (rounds: number): number => rounds * effectiveSize(silos, sizesOf(rounds, silos));
          const found = readIn(wholeRounds(most, silos)) / effectiveSize(silos, slots);
          const every = Array.from({ length: most }, (_, i) => i + 1).filter(
            (rounds) => rounds >= (most - 1) / 2,
          );
          const best = Math.max(...every.map(readIn)) / effectiveSize(silos, slots);
          expect(found).toBeGreaterThanOrEqual(Math.min(best, 1 - 1 / Math.sqrt(Math.min(...slots))) - 1e-12);
        },
      ),
      { numRuns: 200 },
    );
  });
});
