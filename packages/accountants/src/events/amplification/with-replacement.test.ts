import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { occurrencesOf } from './with-replacement.js';

/** How often a record of `n` is drawn in `size` draws, by adding one draw after the other. */
function occurrences(n: number, size: number): readonly number[] {
  let masses: readonly number[] = [1];
  for (let draw = 0; draw < size; draw++)
    masses = [...masses, 0].map((mass, k) => mass * (1 - 1 / n) + (k > 0 ? masses[k - 1] / n : 0));
  return masses;
}

test('a record that is drawn k times moves the release by k units, with the probability of k', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      (n, size, mu) => {
        const { means, probabilities } = defined(occurrencesOf(n, size, mu));
        const exact = occurrences(n, size);
        for (const [i, mean] of means.entries()) {
          const k = Math.round(mean / mu);
          expect(mean).toBeLessThanOrEqual(k * mu);
          expect(mean).toBeGreaterThanOrEqual(k * mu * (1 - 1e-12));
          expect(probabilities[i]).toBeCloseTo(exact[k], 12);
        }
        const told = probabilities.reduce((sum, p) => sum + p, 0);
        expect(told).toBeGreaterThan(1 - 1e-12);
        expect(told).toBeLessThan(1 + 1e-12);
      },
    ),
  );
});

test('shifts that are joined take the least of them, so that their mean falls by less than one step', () => {
  const mu = 1e-4;
  const { means, probabilities } = defined(occurrencesOf(100, 2e6, mu));
  expect(means.length).toBeLessThan(130);
  const mean = means.reduce((sum, shift, i) => sum + shift * probabilities[i], 0);
  const exact = 2e4 * mu;
  expect(mean).toBeLessThan(exact);
  expect(mean).toBeGreaterThan(exact - (means[2] - means[1]));
});
