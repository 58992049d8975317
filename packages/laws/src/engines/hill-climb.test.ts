import { seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hillClimb, type HillClimb } from './hill-climb.js';

const steps: HillClimb<number> = {
  inputs: fc.integer({ min: -100, max: 100 }),
  moves: [(x, random) => x + random.integer(7) - 3, () => null],
  objective: (x) => 0 - Math.abs(x - 1000),
  random: seededRandom('climb'),
};

it('climbs far beyond its samples', () =>
  expect(hillClimb({ ...steps, evaluations: 3000 })).toMatchObject({ input: 1000, value: 0 }));
it('is deterministic in the source, independent of earlier draws', () => {
  const random = seededRandom('climb');
  random.uniform();
  expect(hillClimb({ ...steps, random })).toEqual(hillClimb(steps));
  expect(hillClimb({ ...steps, random: seededRandom('other') })).not.toEqual(hillClimb(steps));
});
it('keeps to its number of evaluations', () => {
  let calls = 0;
  const found = defined(
    hillClimb({
      ...steps,
      starts: 3,
      evaluations: 50,
      examples: [1, 2],
      objective: (x) => {
        calls++;
        return -Math.abs(x);
      },
    }),
  );
  expect(found.evaluations).toBe(calls);
  expect(calls).toBeLessThanOrEqual(3 * 50 + 2);
});
it('starts from the best example', () =>
  expect(
    defined(hillClimb({ ...steps, examples: [0, 999, 5], starts: 1, evaluations: 60 })).value,
  ).toBeGreaterThanOrEqual(-1));
it('starts from a list of any length', () => {
  expect(defined(hillClimb({ ...steps, inputs: [990] })).value).toBe(0);
  expect(defined(hillClimb({ ...steps, inputs: Array.from({ length: 1000 }, (_, i) => i) })).value).toBe(0);
});
it('treats NaN as infinite, and stops there', () => {
  let calls = 0;
  expect(
    hillClimb({
      ...steps,
      objective: (x) => {
        calls++;
        return x > 0 ? NaN : x;
      },
    }),
  ).toMatchObject({ value: Infinity });
  expect(calls).toBeLessThan(50);
});
it('returns null without inputs', () => expect(hillClimb({ ...steps, inputs: [] })).toBeNull());
it('never decreases', () => {
  let last = -Infinity;
  const found = defined(hillClimb({ ...steps, inputs: [0], starts: 1, objective: (x) => Math.min(x, 20) }));
  hillClimb({
    ...steps,
    inputs: [0],
    starts: 1,
    moves: [
      (x, random) => {
        expect(Math.min(x, 20)).toBeGreaterThanOrEqual(last);
        last = Math.min(x, 20);
        return x + random.integer(7) - 3;
      },
    ],
    objective: (x) => Math.min(x, 20),
  });
  expect(found.value).toBe(20);
});
