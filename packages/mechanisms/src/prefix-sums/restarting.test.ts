import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bruteForceNorm, encoderMatrix, range } from '../../test/factors.js';
import { binaryTree } from './binary-tree.js';
import { honakerOnline } from './honaker-online.js';
import { independentPrefixes } from './independent-prefixes.js';
import { prefixSums, restarting } from './index.js';

const shapeOf = (steps: number): { readonly steps: number; readonly dimension: number } => ({
  steps,
  dimension: 1,
});
const given = (inner: string, period: number, params: object = {}): never =>
  restarting.params.parse({ inner: { name: inner, params }, period }) as never;

describe('restarting', () => {
  it('is the inner prefix sum within the first period', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, times, gap) => {
          const params = given('binary-tree', 12);
          const shape = shapeOf(steps);
          // Squared and rooted again, both rounded up.
          const inner = binaryTree.columnNorm({}, shape, { times, gap });
          expect(restarting.columnNorm(params, shape, { times, gap })).toBeGreaterThanOrEqual(inner);
          expect(restarting.columnNorm(params, shape, { times, gap })).toBeLessThanOrEqual(
            inner * (1 + 2 ** -51),
          );
          range(steps).forEach((step) => {
            expect(restarting.variance(params, shape, step)).toBe(binaryTree.variance({}, shape, step));
          });
        },
      ),
    );
  });

  it('hides one participation as well as one block does, however many there are', () => {
    for (const blocks of [1, 2, 7]) {
      expect(
        restarting.columnNorm(given('binary-tree', 16), shapeOf(16 * blocks), { times: 1, gap: 1 }),
      ).toBeCloseTo(Math.sqrt(5), 14);
      expect(restarting.variance(given('binary-tree', 16), shapeOf(16 * blocks), 16 * blocks - 1)).toBe(
        blocks,
      );
    }
  });

  it('bounds what any pattern does; exactly, where the gap is the period and blocks are whole', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('binary-tree', 'independent-prefixes'),
        (steps, period, times, gap, name) => {
          const params = given(name, period);
          const shape = shapeOf(steps);
          const found = bruteForceNorm(encoderMatrix(restarting, params, steps), shape, { times, gap });
          const declared = restarting.columnNorm(params, shape, { times, gap });
          expect(declared).toBeGreaterThanOrEqual(found * (1 - 1e-14));
          if (gap === period && steps % period === 0)
            expect(declared).toBeLessThanOrEqual(found * (1 + 1e-14));
        },
      ),
    );
  });

  it('has noise of its own for every row of the stream', () => {
    const run = restarting.begin(given('independent-increments', 3), shapeOf(7));
    const rows: number[] = [];
    for (let step = 0; step < 7; step++) run.nextInto(new Float64Array(1), (row) => void rows.push(row));
    expect(rows).toEqual(range(7));
  });

  it('finds the worst split of participations between blocks', () => {
    // In a block of 4 running sums, 1, 2, 3 and 4 participations have
    // squares 4, 13, 23 and 30: three times three are worse than 4 + 4 + 1.
    const declared = restarting.columnNorm(given('independent-prefixes', 4), shapeOf(40), {
      times: 9,
      gap: 1,
    });
    expect(declared).toBeCloseTo(Math.sqrt(3 * 23), 12);
  });

  it('bounds long streams in little time', () => {
    const declared = restarting.columnNorm(given('independent-prefixes', 1000), shapeOf(10 ** 6), {
      times: 10 ** 6,
      gap: 1,
    });
    const square = 1000 * ((1000 * 1001 * 2001) / 6);
    expect(declared ** 2).toBeGreaterThanOrEqual(square * (1 - 1e-12));
    expect(declared ** 2).toBeLessThanOrEqual(square * (1 + 1e-9));
    expect(
      restarting.columnNorm(given('honaker-online', 1024), shapeOf(2 ** 20), { times: 1024, gap: 1024 }),
    ).toBeCloseTo(32 * Math.sqrt(9.466), 2);
  });

  it('takes every prefix sum of the package but itself', () => {
    for (const { name, examples } of prefixSums) {
      const params = { inner: { name, params: defined(examples)[0] }, period: 3 };
      if (name === 'restarting') expect(() => restarting(params as never)).toThrow(InvalidParameter);
      else expect(restarting(params as never).params).toMatchObject({ inner: { kind: 'prefixSum', name } });
    }
    expect(() => restarting({ inner: { name: 'binary-tree' }, period: 0 })).toThrow(InvalidParameter);
    expect(() => restarting({ inner: { name: 'binary-tree', params: { depth: 3 } }, period: 2 })).toThrow(
      /depth/u,
    );
  });

  it('takes a reference as it is', () => {
    expect(restarting({ inner: independentPrefixes({}) as never, period: 7 }).params).toEqual({
      inner: { kind: 'prefixSum', name: 'independent-prefixes', params: {} },
      period: 7,
    });
  });

  it('asks the inner one once where nothing begins again', () => {
    const steps = 2 ** 40;
    const times = 1e6;
    for (const period of [steps, 2 ** 50]) {
      const inner = honakerOnline.columnNorm({}, shapeOf(steps), { times, gap: 1 });
      const norm = restarting.columnNorm(given('honaker-online', period), shapeOf(steps), { times, gap: 1 });
      expect(norm).toBeGreaterThanOrEqual(inner);
      expect(norm).toBeLessThanOrEqual(inner * (1 + 2 ** -51));
    }
  });

  it('bounds streams of any length, period and number of participations', () => {
    const steps = Number.MAX_SAFE_INTEGER;
    for (const period of [1, 1e6, 1e15, steps])
      for (const times of [1, 1e6, 1e15]) {
        const norm = restarting.columnNorm(given('independent-increments', period), shapeOf(steps), {
          times,
          gap: 1,
        });
        expect(norm).toBeGreaterThanOrEqual(Math.sqrt(times));
        expect(norm).toBeLessThanOrEqual(1.07 * Math.sqrt(times));
      }
  });
});
