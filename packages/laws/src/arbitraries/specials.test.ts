import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { notFiniteVectorOf, specialNumbers, specialVectorOf } from './specials.js';

const shape = { dimension: 3, scale: 1 };
const sample = fc.sample(specialVectorOf(shape), { seed: 2, numRuns: 2000 });

it('every special number occurs at every position, beside ordinary ones', () => {
  for (const special of specialNumbers)
    for (let j = 0; j < 3; j++) {
      expect(
        sample.some(
          (row) =>
            Object.is(row[j], special) &&
            row.some((x) => Number.isFinite(x) && Math.abs(x) > 1e-3 && Math.abs(x) < 1e3),
        ),
      ).toBe(true);
    }
});
it('every vector has a special number', () =>
  expect(
    sample.every(
      (row) => row.length === 3 && row.some((x) => specialNumbers.some((special) => Object.is(special, x))),
    ),
  ).toBe(true));
it('notFiniteVectorOf gives vectors that are not finite', () => {
  const bad = fc.sample(notFiniteVectorOf(shape), { seed: 2, numRuns: 500 });
  expect(bad.every((row) => row.some((x) => !Number.isFinite(x)))).toBe(true);
  expect(bad.some((row) => row.filter((x) => Number.isFinite(x) && x !== 0).length === 2)).toBe(true);
});
it('shrinks to one NaN', () =>
  expect(
    defined(
      fc.check(
        fc.property(notFiniteVectorOf(shape), (row) => row.every((x) => !Number.isNaN(x))),
        { seed: 1, numRuns: 1000 },
      ).counterexample,
    )[0].filter((x) => Number.isNaN(x)),
  ).toHaveLength(1));
