import { InvalidParameter, type Participation, type PrefixSumShape } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';

type Matrix = readonly (readonly number[])[];
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const plugins = [independentIncrements, independentPrefixes] as const;
type Tested = (typeof plugins)[number];

const encoderMatrix = (plugin: Tested, steps: number): Matrix =>
  range(steps).map((row) =>
    range(steps).map((column) => plugin.encoder({}, { steps, dimension: 1 }, row, column)),
  );

/**
 * B, read off a run whose noise row `s` is the unit vector `s`: entry `s` of the running sum is `B[t][s]`.
 */
function decoderMatrix(plugin: Tested, steps: number): Matrix {
  const run = plugin.begin({}, { steps, dimension: steps });
  const increment = new Float64Array(steps);
  const sum = new Float64Array(steps);
  return range(steps).map(() => {
    run.nextInto(increment, (row, out) => {
      out.fill(0);
      out[row] = 1;
    });
    increment.forEach((x, j) => {
      sum[j] += x;
    });
    return [...sum];
  });
}

const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

/** Every set of steps one slot may take part in. */
function patterns(
  { steps }: PrefixSumShape,
  { times, gap }: Participation,
  first = 0,
): readonly (readonly number[])[] {
  if (times === 0) return [[]];
  const rest = range(steps)
    .filter((t) => t >= first)
    .flatMap((t) =>
      patterns({ steps, dimension: 1 }, { times: times - 1, gap }, t + gap).map((later) => [t, ...later]),
    );
  return [[], ...rest];
}

/**
 * The largest ‖C u‖ over u in {−1, 0, 1}^steps supported on a
 * pattern: the vertices of the differences allowed.
 */
function bruteForceNorm(c: Matrix, shape: PrefixSumShape, participation: Participation): number {
  let largest = 0;
  for (const pattern of patterns(shape, participation)) {
    for (let signs = 0; signs < 2 ** pattern.length; signs++) {
      const image = c.map((row) =>
        pattern.reduce((sum, t, i) => sum + ((signs >> i) & 1 ? -row[t] : row[t]), 0),
      );
      largest = Math.max(largest, Math.hypot(...image));
    }
  }
  return largest;
}

describe.each(plugins)('$name', (plugin) => {
  it.each([1, 2, 5, 8])('factorises the running sum of %d steps as A = BC, C lower triangular', (steps) => {
    const c = encoderMatrix(plugin, steps);
    expect(product(decoderMatrix(plugin, steps), c)).toEqual(
      range(steps).map((t) => range(steps).map((s) => Number(s <= t))),
    );
    expect(c.every((row, t) => row.every((x, s) => s <= t || x === 0))).toBe(true);
  });

  it('declares the variance of every running sum', () => {
    const steps = 9;
    decoderMatrix(plugin, steps).forEach((row, t) => {
      expect(plugin.variance({}, { steps, dimension: 3 }, t)).toBe(row.reduce((sum, x) => sum + x * x, 0));
    });
  });

  it('declares the norm that the worst participation pattern attains', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, times, gap) => {
          const shape = { steps, dimension: 2 };
          const attained = bruteForceNorm(encoderMatrix(plugin, steps), shape, { times, gap });
          const declared = plugin.columnNorm({}, shape, { times, gap });
          expect(declared).toBeGreaterThanOrEqual(attained * (1 - 1e-15));
          expect(declared).toBeLessThanOrEqual(attained * (1 + 1e-15));
        },
      ),
    );
  });

  it('asks for the noise of each step once, and is linear in it', () => {
    const asked: number[] = [];
    const run = plugin.begin({}, { steps: 5, dimension: 2 });
    const out = new Float64Array(2);
    const sum = new Float64Array(2);
    for (let t = 0; t < 5; t++) {
      run.nextInto(out, (row, noise) => {
        asked.push(row);
        noise.set([row + 1, -10 * (row + 1)]);
      });
      out.forEach((x, j) => {
        sum[j] += x;
      });
    }
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    expect(sum[1]).toBe(-10 * sum[0]);
  });

  it('refuses more steps than it was begun for', () => {
    const run = plugin.begin({}, { steps: 1, dimension: 1 });
    const out = new Float64Array(1);
    run.nextInto(out, () => {});
    expect(() => run.nextInto(out, () => {})).toThrow(InvalidParameter);
  });

  it('refuses shapes, steps and participation that are not counts', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, -1, 0.5, Number.NaN, Infinity), (bad) => {
        const good = { steps: 3, dimension: 2 };
        for (const shape of [
          { ...good, steps: bad },
          { ...good, dimension: bad },
        ]) {
          expect(() => plugin.begin({}, shape)).toThrow(InvalidParameter);
          expect(() => plugin.columnNorm({}, shape, { times: 1, gap: 1 })).toThrow(InvalidParameter);
        }
        expect(() => plugin.columnNorm({}, good, { times: bad, gap: 1 })).toThrow(InvalidParameter);
        expect(() => plugin.columnNorm({}, good, { times: 1, gap: bad })).toThrow(InvalidParameter);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(-1, 3, 0.5, Number.NaN), (step) => {
        expect(() => plugin.variance({}, { steps: 3, dimension: 1 }, step)).toThrow(InvalidParameter);
        expect(() => plugin.encoder({}, { steps: 3, dimension: 1 }, step, 0)).toThrow(InvalidParameter);
        expect(() => plugin.encoder({}, { steps: 3, dimension: 1 }, 0, step)).toThrow(InvalidParameter);
      }),
    );
  });
});

describe('independentPrefixes.columnNorm', () => {
  it('is √T for one participation', () => {
    for (const steps of [1, 4, 100, 2 ** 40])
      expect(independentPrefixes.columnNorm({}, { steps, dimension: 1 }, { times: 1, gap: 1 })).toBe(
        Math.sqrt(steps),
      );
  });

  it('is rounded up where its square is no double', () => {
    // Full participation: Σ m² = T (T + 1) (2T + 1) / 6.
    const steps = 2 ** 30 - 1;
    const square = (BigInt(steps) * BigInt(steps + 1) * BigInt(2 * steps + 1)) / 6n;
    const declared = independentPrefixes.columnNorm({}, { steps, dimension: 1 }, { times: steps, gap: 1 });
    expect(Number.isInteger(declared * 2 ** 20)).toBe(true);
    const scaled = BigInt(declared * 2 ** 20);
    expect(scaled * scaled >= square << 40n).toBe(true);
    expect(declared).toBeLessThanOrEqual(Math.sqrt(Number(square)) * (1 + 1e-15));
  });
});
