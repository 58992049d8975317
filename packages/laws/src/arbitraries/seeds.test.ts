import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomSources, seeds } from './seeds.js';

const sample = fc.sample(seeds, { seed: 1, numRuns: 2000 });

it('seeds cover their whole range, with almost no repeats', () => {
  expect(new Set(sample).size).toBeGreaterThan(1990);
  expect(sample.filter((seed) => seed < 1000).length).toBeLessThan(5);
  // More than 1150 of 2000 in one half has probability below 1e-10.
  expect(sample.filter((seed) => seed > 2 ** 30).length).toBeLessThan(1150);
  expect(sample.filter((seed) => seed > 2 ** 30).length).toBeGreaterThan(850);
});
it('do not shrink', () =>
  expect(
    fc.check(
      fc.property(seeds, () => false),
      { seed: 1 },
    ).numShrinks,
  ).toBe(0));
it('start a new source at every call', () => {
  const [one, other] = fc.sample(randomSources, { seed: 1, numRuns: 2 }) as [
    typeof randomSources extends fc.Arbitrary<infer T> ? T : never,
    typeof randomSources extends fc.Arbitrary<infer T> ? T : never,
  ];
  expect(one.random().bits53()).toBe(one.random().bits53());
  expect(one.random().bits53()).not.toBe(other.random().bits53());
});
