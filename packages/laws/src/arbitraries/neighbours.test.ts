import { adjacencies, InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normOf } from '../engines/norms.js';
import { areNeighbours, neighbourExamples, neighboursOf, reversed } from './neighbours.js';

const shape = { rows: 4, dimension: 2, scale: 2 };

describe.each(adjacencies)('%s', (adjacency) => {
  const larger = adjacency === 'add-remove' ? 1 : 0;
  it('neighbours are neighbours, both ways', () => {
    fc.assert(
      fc.property(neighboursOf(adjacency, shape), (pair) => {
        expect(areNeighbours(adjacency, pair) && areNeighbours(adjacency, reversed(pair))).toBe(true);
        expect(pair.here.length).toBeLessThanOrEqual(4);
        expect(pair.there.length).toBeGreaterThanOrEqual(1);
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
  it('examples are neighbours, of all sizes, with the record at every position', () => {
    const examples = neighbourExamples(adjacency, shape);
    for (const pair of examples) expect(areNeighbours(adjacency, pair)).toBe(true);
    const sizesOf = () => {
      if (adjacency === 'zero-out') return [3, 4];
      return adjacency === 'add-remove' ? [2, 3, 4] : [1, 2, 3, 4];
    };
    expect(new Set(examples.map(({ here }) => here.length))).toEqual(new Set(sizesOf()));
    expect(new Set(examples.map(({ at }) => at))).toEqual(new Set([0, 1, 2, 3]));
    expect(
      examples.every(({ here, there }) => there.length >= 1 && here.length - there.length === larger),
    ).toBe(true);
  });
  it('the examples contain two opposite records on the scale, among zero records', () => {
    const opposite = neighbourExamples(adjacency, shape).find(
      ({ here, there, at }) =>
        here.length === 4 &&
        normOf('l2', defined(here[at])) === 2 &&
        (adjacency !== 'replace-one' || String(there[at]) === String(defined(here[at]).map((x) => -x + 0))) &&
        here.every((row) => row !== null && normOf('l2', row) === 2),
    );
    expect(opposite).toBeDefined();
  });
  it('records differ, and far on either side of the scale', () => {
    const pairs = fc.sample(neighboursOf(adjacency, shape), { seed: 5, numRuns: 2000 });
    const norms = pairs.map(({ here, at }) => normOf('l2', defined(here[at])) / 2);
    expect(norms.filter((size) => size > 1).length).toBeGreaterThan(400);
    expect(norms.filter((size) => size < 1).length).toBeGreaterThan(400);
    if (adjacency === 'replace-one')
      expect(
        pairs.filter(({ here, there, at }) => String(here[at]) === String(there[at])).length,
      ).toBeLessThan(400);
  });
  it('shrink to the fewest records', () => {
    const { counterexample } = fc.check(
      fc.property(neighboursOf(adjacency, shape), ({ here, at }) => normOf('l2', defined(here[at])) <= 1),
      { seed: 5 },
    );
    const [{ here, at }] = defined(counterexample);
    expect(here).toHaveLength(1 + larger);
    expect(here[at]).toEqual([2, 0]);
  });
});

it('data sets that are not neighbours are recognised', () => {
  const [a, b, c] = [[1], [2], [3]];
  expect(areNeighbours('replace-one', { here: [a, b], there: [a, c], at: 0 })).toBe(false);
  expect(areNeighbours('replace-one', { here: [a, b], there: [a, c], at: 1 })).toBe(true);
  expect(areNeighbours('replace-one', { here: [a, b], there: [a], at: 1 })).toBe(false);
  expect(areNeighbours('add-remove', { here: [a, b], there: [b], at: 0 })).toBe(true);
  expect(areNeighbours('add-remove', { here: [a, b], there: [b], at: 1 })).toBe(false);
  expect(areNeighbours('zero-out', { here: [a, b], there: [a, c], at: 1 })).toBe(false);
  expect(areNeighbours('zero-out', { here: [a, null], there: [a, c], at: 1 })).toBe(true);
  expect(areNeighbours('zero-out', { here: [a], there: [a], at: 2 })).toBe(false);
});

it('one row is too few if one record is removed and one remains', () =>
  expect(() => neighboursOf('add-remove', { ...shape, rows: 1 })).toThrow(InvalidParameter));
it('the empty data set is a neighbour if requested', () => {
  expect(
    neighbourExamples('add-remove', { ...shape, fewest: 0 }).filter(({ there }) => there.length === 0),
  ).toHaveLength(3);
  expect(
    fc
      .sample(neighboursOf('add-remove', { ...shape, fewest: 0 }), { seed: 1, numRuns: 500 })
      .some(({ there }) => there.length === 0),
  ).toBe(true);
});
