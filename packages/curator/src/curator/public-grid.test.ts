import type { Mechanism, Resolved } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter, seededRandom, type RandomSource } from '@lethe/numerics';
import { noised } from './answers/noised.js';
import { publicGrid, roundToGrid } from './public-grid.js';

describe('the public grid', () => {
  it('is a power of two, 2⁻¹⁶ of the binade of the scale', () => {
    expect(publicGrid(1, 1)).toBe(2 ** -16);
    expect(publicGrid(1.999, 0)).toBe(2 ** -16);
    expect(publicGrid(1.25, 100)).toBe(2 ** -16);
    expect(publicGrid(1e-280, 1e-280)).toBe(2 ** (Math.floor(Math.log2(1e-280)) - 16));
  });

  it('leaves five places of a value that is far larger than its noise', () => {
    expect(publicGrid(1, 2 ** 31)).toBe(2 ** -16);
    expect(publicGrid(1, 2 ** 32)).toBe(2 ** -15);
    expect(publicGrid(1, 2 ** 40)).toBe(2 ** -7);
  });

  it('refuses noise below the rounding of the value, since the sum would reveal the value', () => {
    expect(publicGrid(1, 2 ** 43)).toBe(2 ** -4);
    for (const [scale, size] of [
      [1, 2 ** 44],
      [1e-160, 1],
      [1, Infinity],
      [1e-280, 1e280],
    ] as const)
      expect(() => publicGrid(scale, size)).toThrow(InvalidParameter);
    expect(() => publicGrid(1, 2 ** 44)).toThrow(
      /noise of scale 1 is lost in a value of size 17592186044416/,
    );
  });
});

describe('rounding to it', () => {
  const rounded = (x: number, grid: number): number => roundToGrid(Float64Array.of(x), grid)[0];

  it('takes the nearest multiple, halves to the even one, and knows one zero', () => {
    expect([0.5, 1.5, 2.5, 0.49999999999999994, 0.5000000000000001, 3.2].map((x) => rounded(x, 1))).toEqual([
      0, 2, 2, 0, 1, 3,
    ]);
    expect(
      [-0.5, -1.5, -2.5, -0.49999999999999994, -0.5000000000000001, -3.2, -0].map((x) => rounded(x, 1)),
    ).toEqual([0, -2, -2, 0, -1, -3, 0]);
    expect([2 ** 51 + 0.5, 2 ** 51 + 1.5, 2 ** 52 - 0.5].map((x) => rounded(x, 1))).toEqual([
      2 ** 51,
      2 ** 51 + 2,
      2 ** 52,
    ]);
    expect([2 ** 52 + 1, 2 ** 53 + 2, 1e300].map((x) => rounded(x, 1))).toEqual([
      2 ** 52 + 1,
      2 ** 53 + 2,
      1e300,
    ]);
    expect([
      rounded(1e280, 2 ** -940),
      rounded(1e-300, 2 ** 900),
      rounded(Infinity, 1),
      rounded(Number.NaN, 1),
    ]).toEqual([1e280, 0, Infinity, Number.NaN]);
  });

  it('moves no entry by more than half a step, and a second time by nothing', () => {
    const finite = fc.double({ noNaN: true, min: -1e200, max: 1e200 });
    fc.assert(
      fc.property(finite, fc.integer({ min: -900, max: 900 }), (x, exponent) => {
        const grid = 2 ** exponent;
        const once = rounded(x, grid);
        // Both differences are exact: of multiples of the last place
        // of x within a factor of two, or of x itself.
        expect(Math.abs(once - x) <= grid / 2).toBe(true);
        expect(Number.isInteger(once / grid) || !Number.isFinite(once / grid)).toBe(true);
        expect(rounded(once, grid)).toBe(once);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});

/** A hundred thousand answers to one query about the mean, each with randomness of its own. */
const tries = 1e5;
const laws = {
  gaussian: (random: RandomSource, out: Float64Array) => random.gaussianInto(out),
  laplace: (random: RandomSource, out: Float64Array) => random.laplaceInto(out),
} as const;
/** Eight records bounded by 1 of which one may be replaced, with noise of five times what that does. */
const scale = 1.25;
const size = 1;

function answers(law: keyof typeof laws, mean: number, grid: number | null): Float64Array {
  const plugin = {
    addNoise(_params: unknown, value: Float64Array, by: number, random: RandomSource): void {
      const noise = laws[law](random, new Float64Array(value.length));
      for (let j = 0; j < value.length; j++) value[j] += by * noise[j];
    },
  } as unknown as Mechanism;
  const mechanism = { plugin, params: {} } as unknown as Resolved<Mechanism>;
  const planned = { mechanism, scale, grid, noiseMultiplier: 5, event: { kind: 'core/free', v: 1 } } as const;
  return noised(new Float64Array(tries).fill(mean), planned, () => seededRandom(`mironov ${law} ${mean}`));
}

/** How often an answer below 1/16 is no multiple of 2⁻⁵⁶: a sum with −1/8 always is, a sum with 0 is not. */
const told = (list: Float64Array): number =>
  list.filter((x) => Math.abs(x) < 1 / 16 && !Number.isInteger(x * 2 ** 56)).length;

/** The place of the last bit that is set. */
function lastBit(x: number): number {
  let place = 0;
  for (; !Number.isInteger(x) && place < 90; place++) x *= 2;
  return place;
}

/** χ² of two samples of one size in so many cells; cells that hardly anything falls into count together. */
function chiSquared(
  one: Float64Array,
  other: Float64Array,
  cellOf: (x: number) => number,
  cells: number,
): { readonly value: number; readonly freedom: number } {
  const counts = [one, other].map((list) =>
    list.reduce(
      (all, x) => {
        all[cellOf(x)]++;
        return all;
      },
      new Float64Array(cells + 1),
    ),
  );
  let value = 0;
  let freedom = -1;
  let rest: [number, number] = [0, 0];
  for (let k = 0; k <= cells; k++) {
    const [a, b] = [counts[0][k], counts[1][k]];
    if (k < cells && a + b < 20) {
      rest = [rest[0] + a, rest[1] + b];
      continue;
    }
    const [x, y] = k === cells ? rest : [a, b];
    if (x + y === 0) continue;
    value += (x - y) ** 2 / (x + y);
    freedom++;
  }
  return { value, freedom };
}
/** What χ² exceeds once in ten million times. @see Wilson and Hilferty. */
const exceeded = (freedom: number): number =>
  freedom * (1 - 2 / (9 * freedom) + 5.2 * Math.sqrt(2 / (9 * freedom))) ** 3;

describe.each(['gaussian', 'laplace'] as const)(
  'what the last bits of an answer with %s noise tell of a mean of 0 or −1/8',
  (law) => {
    const grid = publicGrid(scale, size);

    it('without rounding: which of the two it is', () => {
      const [zero, other] = [answers(law, 0, null), answers(law, -1 / 8, null)];
      expect(told(zero)).toBeGreaterThan(2000);
      expect(told(other)).toBe(0);
      const bits = chiSquared(zero, other, lastBit, 91);
      expect(bits.value).toBeGreaterThan(10 * exceeded(bits.freedom));
    });

    it('on the grid: nothing in 10⁵ answers', () => {
      const [zero, other] = [answers(law, 0, grid), answers(law, -1 / 8, grid)];
      expect([told(zero), told(other)]).toEqual([0, 0]);
      for (const list of [zero, other])
        expect(list.every((x) => Number.isInteger(x / grid) && !Object.is(x, -0))).toBe(true);
      const places: readonly (readonly [(x: number) => number, number])[] = [
        [lastBit, 91],
        [(x) => (x / grid) & 255, 256],
        [(x) => (x / grid) & 4095, 4096],
      ];
      for (const [cellOf, cells] of places) {
        const { value, freedom } = chiSquared(zero, other, cellOf, cells);
        expect(freedom).toBeGreaterThan(10);
        expect(value).toBeLessThan(exceeded(freedom));
      }
    });
  },
);
