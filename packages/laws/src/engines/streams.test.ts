import { InvalidParameter, seededRandom, type RandomSource } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import {
  atomAt,
  cellProbability,
  commonStep,
  hitsNeeded,
  offLattice,
  repeatedCall,
  repeatedCoordinate,
  repeatedValue,
  repeatsNeeded,
  signProducts,
  type Block,
} from './streams.js';

const alpha = 1e-10;
const gaussian = (random: RandomSource, count: number, scale = 1, around = 0): Float64Array =>
  random.gaussianInto(new Float64Array(count)).map((z) => around + scale * z);
const blockOf = (calls: number, width: number, scale = 1, around = 0): Block =>
  Array.from({ length: calls }, (_, t) => gaussian(seededRandom(t), width, scale, around));

describe('critical counts', () => {
  it.each([
    [70, 2 ** -50, 1],
    [1e6, 2 ** -50, 2],
    [20, 0.5, Infinity],
  ])('in %d draws of cells of %d: %d hits of one value', (draws, cell, hits) =>
    expect(hitsNeeded(draws, cell, alpha)).toBe(hits),
  );
  it.each([
    [2, 2 ** -50, 2],
    [400, 2 ** -50, 2],
    [1000, 2 ** -50, 3],
    [1e5, 2 ** -50, 3],
    [1, 2 ** -50, Infinity],
  ])('in %d draws of cells of %d: %d repeats of any', (draws, cell, repeats) =>
    expect(repeatsNeeded(draws, cell, alpha)).toBe(repeats),
  );
  it('the bound is tight: coarse draws exceed it with about the allowed probability', () => {
    const cells = 64;
    const draws = 8;
    const level = 0.02;
    const needed = repeatsNeeded(draws, 1 / cells, level);
    const random = seededRandom('coarse');
    let alarms = 0;
    for (let i = 0; i < 4000; i++) {
      const seen = new Map<number, number>();
      for (let k = 0; k < draws; k++) {
        const cell = random.integer(cells);
        seen.set(cell, (seen.get(cell) ?? 0) + 1);
      }
      if (Math.max(...seen.values()) >= needed) alarms++;
    }
    expect(needed).toBe(3);
    // At most 80 expected; more than 150 has probability below 1e-11.
    expect(alarms).toBeGreaterThan(0);
    expect(alarms).toBeLessThan(150);
  });
  it('far from zero doubles are coarse', () => {
    expect(cellProbability(1, 1e9)).toBeGreaterThan(1e-8);
    expect(cellProbability(1e-20, 1)).toBe(1);
  });
});

describe('atoms', () => {
  it('for noise that is skipped once', () =>
    expect(atomAt(gaussian(seededRandom(1), 60, 1, 5).with(17, 5), 5, { scale: 1, alpha })).toEqual({
      value: 5,
      count: 1,
      of: 60,
    }));
  it('for noise that is skipped sometimes, at any position', () => {
    const random = seededRandom(2);
    const draws = gaussian(random, 700, 1, 5).map((x) => (random.integer(100) === 0 ? 5 : x));
    expect(repeatedValue(draws, { scale: 1, alpha })).toMatchObject({ value: 5 });
  });
  it('for zeros, beside any other values', () => {
    const random = seededRandom(3);
    const draws = gaussian(random, 300).map((x, i) => {
      if (i % 100 === 0) return 0;
      return i % 100 === 1 ? 1e20 * x : x;
    });
    expect(repeatedValue(draws, { scale: 1, alpha })).toEqual({ value: 0, count: 3, of: 300 });
    expect(repeatedValue([1, 2, NaN, NaN], { scale: 1, alpha })).toEqual({ value: NaN, count: 2, of: 4 });
  });
  it.each([
    [1, 0],
    [1e-3, 1],
    [1, 1e9],
    [1e-9, 1e9],
  ])('are not found in correct noise of scale %d around %d', (scale, around) => {
    for (let seed = 0; seed < 20; seed++) {
      const draws = gaussian(seededRandom(`honest ${seed}`), 5000, scale, around);
      expect(repeatedValue(draws, { scale, alpha })).toBeUndefined();
      expect(atomAt(draws, around, { scale, alpha })).toBeUndefined();
    }
  });
  it('are not found in correct Laplace noise', () => {
    const draws = seededRandom('laplace').laplaceInto(new Float64Array(20_000));
    expect(repeatedValue(draws, { scale: 1, alpha })).toBeUndefined();
    expect(atomAt(draws, 0, { scale: 1, alpha })).toBeUndefined();
  });
});

describe('noise used twice', () => {
  const spread = { scale: 1, alpha };
  it('one draw for all coordinates', () => {
    const broadcast = Array.from({ length: 4 }, (_, t) =>
      new Float64Array(3).fill(gaussian(seededRandom(t), 1)[0]),
    );
    expect(repeatedCoordinate(broadcast, spread)).toEqual({ first: 0, second: 1, length: 4 });
    expect(repeatedValue(broadcast[0], spread)).toMatchObject({ count: 3 });
  });
  it('two of many coordinates', () =>
    expect(
      repeatedCoordinate(
        blockOf(2, 50).map((row) => (row as Float64Array).with(31, row[7])),
        spread,
      ),
    ).toMatchObject({ first: 7, second: 31 }));
  it('a source that restarts', () =>
    expect(repeatedCall([...blockOf(3, 2), gaussian(seededRandom(1), 2)], spread)).toEqual({
      first: 1,
      second: 3,
      length: 2,
    }));
  it('correct noise', () => {
    expect(repeatedCall(blockOf(500, 3), spread)).toBeUndefined();
    expect(repeatedCoordinate(blockOf(5, 200), spread)).toBeUndefined();
  });
  it('does not report possible coincidences', () => {
    expect(repeatedCall([[1e17], [1e17]], spread)).toBeUndefined();
    expect(repeatedCall([[], []], spread)).toBeUndefined();
    expect(repeatedCoordinate([], spread)).toBeUndefined();
  });
});

describe('sign products', () => {
  it('of coordinates and of calls', () => {
    const block = [
      [1, -2, 3],
      [4, 5, -6],
    ];
    expect([...signProducts(block, 'coordinates')]).toEqual([-1, -1, 1, -1]);
    expect([...signProducts(block, 'calls')]).toEqual([1, -1, -1]);
    expect([...signProducts([[0, 1, NaN]], 'coordinates')]).toEqual([0, 0]);
  });
  it('have a small sum for correct noise, and a full one for broadcast noise', () => {
    const total = (block: Block, along: 'coordinates' | 'calls'): number =>
      signProducts(block, along).reduce((a, b) => a + b, 0);
    const honest = blockOf(200, 11);
    // 2000 and 2189 fair coins: beyond 320 has probability below 1e-9.
    expect(Math.abs(total(honest, 'coordinates'))).toBeLessThan(320);
    expect(Math.abs(total(honest, 'calls'))).toBeLessThan(320);
    expect(
      total(
        honest.map((row) => new Float64Array(11).fill(row[0])),
        'coordinates',
      ),
    ).toBe(2000);
    expect(
      total(
        honest.map(() => honest[0]),
        'calls',
      ),
    ).toBe(199 * 11);
  });
});

describe('lattices', () => {
  it.each([
    [[0, 1, -3, 2 ** 60], 1, -1],
    [[0.25, 1.5], 0.25, -1],
    [[0.5, 0.3], 0.25, 1],
    [[1, NaN], 1, 1],
    [[Infinity], 1, 0],
    [[], 1, -1],
    [[0.30000000000000004], 0.1, -1],
  ])('%j in steps of %d', (values, step, at) => expect(offLattice(values, step)).toBe(at));
  it('tolerates the given number of roundings', () => {
    expect(offLattice([0.3], 0.1)).toBe(0);
    expect(offLattice([0.3], 0.1, 1)).toBe(-1);
    expect(offLattice([0.3001], 0.1, 1)).toBe(0);
  });
  it.each([0, -1, Infinity, NaN])('has no step of %d', (step) =>
    expect(() => offLattice([1], step)).toThrow(InvalidParameter),
  );
  it('the common step', () => {
    expect(commonStep([0.75, 2, -0.5])).toBe(0.25);
    expect(commonStep([96, 32])).toBe(32);
    expect(commonStep([5e-324, 1])).toBe(5e-324);
    expect(commonStep([0, -0])).toBe(Infinity);
    expect(commonStep([1, NaN])).toBe(0);
    expect(commonStep(gaussian(seededRandom(1), 50))).toBeLessThan(2 ** -50);
  });
});
