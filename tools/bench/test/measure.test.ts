import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compare, interleave, spreadOf, warmUpFor } from '../measure.mjs';

const readings = fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { minLength: 1, maxLength: 21 });

test('half of the readings are at most the median, half at least', () => {
  fc.assert(
    fc.property(readings, (values) => {
      const { median, least, most } = spreadOf(values);
      expect(2 * values.filter((value) => value <= median).length).toBeGreaterThanOrEqual(values.length);
      expect(2 * values.filter((value) => value >= median).length).toBeGreaterThanOrEqual(values.length);
      expect([least, most]).toEqual([Math.min(...values), Math.max(...values)]);
    }),
  );
  expect(spreadOf([4, 1, 2, 100]).median).toBe(3);
});

test('runners take turns, after one warm-up each, and readings are for one repetition', async () => {
  const calls: string[] = [];
  const runner =
    (name: string, cost: number) =>
    (repeats: number): number => {
      calls.push(`${name}${repeats}`);
      return cost * repeats;
    };
  expect(await interleave([runner('a', 2), runner('b', 5)], 4, 3)).toEqual([
    [2, 2, 2],
    [5, 5, 5],
  ]);
  expect(calls).toEqual(['a1', 'b1', 'a4', 'b4', 'a4', 'b4', 'a4', 'b4']);
});

test('the ratio is taken pair by pair, against the form with the least median', () => {
  const { fastest, ratio, atBest } = compare(
    [10, 40, 30],
    [
      [1, 100, 100],
      [20, 20, 20],
      [21, 21, 21],
    ],
  );
  expect(fastest).toBe(1);
  expect(atBest).toBe(10);
  expect(ratio).toEqual({ median: 1.5, least: 0.5, most: 2 });
});

test('a reading is long enough, and the warm-up ends', async () => {
  const counted = (costs: readonly number[]): { readonly run: () => number; runs: number } => {
    const counter = { runs: 0, run: () => costs[Math.min(counter.runs++, costs.length - 1)] };
    return counter;
  };
  const cheap = counted([5e4, 1e4]);
  expect(await warmUpFor(cheap.run, { nanoseconds: 1e5, warmUp: 1e6 })).toEqual({ repeats: 10, first: 5e4 });
  expect(cheap.runs).toBe(96);
  const middling = counted([1e5]);
  expect(await warmUpFor(middling.run, { nanoseconds: 1e5, warmUp: 1e6 })).toEqual({
    repeats: 1,
    first: 1e5,
  });
  expect(middling.runs).toBe(30);
  const dear = counted([1e6]);
  expect(await warmUpFor(dear.run, { nanoseconds: 1e5, warmUp: 1e6 })).toEqual({ repeats: 1, first: 1e6 });
  expect(dear.runs).toBe(4);
});
