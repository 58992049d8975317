import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bruteForceNorm, patternsOf, range, type Rows } from '../../test/factors.js';
import { columnSquaresUp, orthogonalNormUp, toeplitzNormUp, triangleNormUp } from './sensitivity.js';

const toeplitz = (coefficients: readonly number[], steps: number): Rows =>
  range(steps).map((row) =>
    range(steps).map((column) => (column > row ? 0 : (coefficients[row - column] ?? 0))),
  );
const participations = fc.record({
  times: fc.integer({ min: 1, max: 5 }),
  gap: fc.integer({ min: 1, max: 6 }),
});
const entries = fc.integer({ min: -16, max: 16 }).map((k) => k / 8);
const rounding = 1 + 1e-14;

describe('toeplitzNormUp', () => {
  const lengths = fc.integer({ min: 1, max: 8 });
  const declaredAndTrue = (
    coefficients: readonly number[],
    steps: number,
    participation: { readonly times: number; readonly gap: number },
  ): readonly [number, number] => {
    const shape = { steps, dimension: 1 };
    return [
      toeplitzNormUp(Float64Array.from(coefficients), shape, participation),
      bruteForceNorm(toeplitz(coefficients, steps), shape, participation),
    ];
  };

  it('is exact for coefficients that do not increase', () => {
    const falling = fc
      .array(fc.nat(40), { minLength: 1, maxLength: 9 })
      .map((values) => values.toSorted((a, b) => b - a).map((k) => k / 8));
    fc.assert(
      fc.property(falling, lengths, participations, (coefficients, steps, participation) => {
        const [declared, found] = declaredAndTrue(coefficients, steps, participation);
        expect(declared).toBeGreaterThanOrEqual(found / rounding);
        expect(declared).toBeLessThanOrEqual(found * rounding);
      }),
    );
  });

  it('is exact for bands no wider than the gap, and for one participation', () => {
    fc.assert(
      fc.property(
        fc.array(entries, { minLength: 1, maxLength: 9 }),
        lengths,
        participations,
        (coefficients, steps, { times, gap }) => {
          const participation = coefficients.length <= gap ? { times, gap } : { times: 1, gap };
          const [declared, found] = declaredAndTrue(coefficients, steps, participation);
          expect(declared).toBeGreaterThanOrEqual(found / rounding);
          expect(declared).toBeLessThanOrEqual(found * rounding);
        },
      ),
    );
  });

  it('counts what repeats in long streams, exactly', () => {
    const falling = fc
      .array(fc.nat(40), { minLength: 1, maxLength: 9 })
      .map((values) => [41, ...values.toSorted((a, b) => b - a)]);
    fc.assert(
      fc.property(
        falling,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 12 }),
        (coefficients, steps, times, gap) => {
          const sum = new Float64Array(steps);
          for (let m = 0; m < times && m * gap < steps; m++)
            coefficients.forEach((c, k) => {
              if (m * gap + k < steps) sum[m * gap + k] += c;
            });
          // Sums of whole numbers: no rounding but that of the root.
          const declared = toeplitzNormUp(
            Float64Array.from(coefficients),
            { steps, dimension: 1 },
            { times, gap },
          );
          const square = sum.reduce((total, x) => total + x * x, 0);
          expect(declared).toBeGreaterThanOrEqual(Math.sqrt(square));
          expect(declared).toBeLessThanOrEqual(Math.sqrt(square) * (1 + 2 ** -51));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('takes no more for streams of any length', () => {
    const steps = Number.MAX_SAFE_INTEGER;
    const shape = { steps, dimension: 1 };
    expect(toeplitzNormUp(Float64Array.of(1, 1), shape, { times: steps, gap: 1 })).toBeCloseTo(
      2 * Math.sqrt(steps),
      -1,
    );
    expect(toeplitzNormUp(Float64Array.of(1, 1), shape, { times: 1e12, gap: 100 })).toBeCloseTo(
      Math.sqrt(2e12),
      6,
    );
    expect(toeplitzNormUp(Float64Array.of(1, -1), shape, { times: 1e12, gap: 1 })).toBeCloseTo(2e6, 3);
  });

  it('is an upper bound for all others, no worse than norms added up', () => {
    fc.assert(
      fc.property(
        fc.array(entries, { minLength: 1, maxLength: 9 }),
        lengths,
        participations,
        (coefficients, steps, participation) => {
          const [declared, found] = declaredAndTrue(coefficients, steps, participation);
          expect(declared).toBeGreaterThanOrEqual(found / rounding);
          const squares = columnSquaresUp(steps, (row, column) => coefficients[row - column] ?? 0);
          expect(declared).toBeLessThanOrEqual(triangleNormUp(squares, participation) * rounding);
        },
      ),
    );
  });

  it('is that of long streams, fewer participations than would fit', () => {
    // Constant coefficients: C = A, whose norm for k participations gap apart is known.
    const steps = 1000;
    for (const [times, gap] of [
      [3, 10],
      [7, 100],
      [50, 20],
      [1000, 1],
    ] as const) {
      const square = range(steps).reduce((sum, t) => sum + Math.min(times, Math.floor(t / gap) + 1) ** 2, 0);
      expect(
        toeplitzNormUp(new Float64Array(steps).fill(1), { steps, dimension: 1 }, { times, gap }),
      ).toBeCloseTo(Math.sqrt(square), 9);
    }
  });
});

describe('orthogonalNormUp and triangleNormUp', () => {
  const bands = fc.integer({ min: 1, max: 4 }).chain((bandwidth) =>
    fc.integer({ min: 1, max: 8 }).chain((steps) =>
      fc.record({
        bandwidth: fc.constant(bandwidth),
        steps: fc.constant(steps),
        values: fc.array(entries, { minLength: steps * bandwidth, maxLength: steps * bandwidth }),
      }),
    ),
  );

  it('are exact, and above, for the columns of a band', () => {
    fc.assert(
      fc.property(bands, participations, ({ bandwidth, steps, values }, { times, gap }) => {
        const entry = (row: number, column: number): number =>
          row - column >= 0 && row - column < bandwidth ? values[column * bandwidth + row - column] : 0;
        const c = range(steps).map((row) => range(steps).map((column) => entry(row, column)));
        const squares = columnSquaresUp(steps, entry, bandwidth);
        expect([...squares]).toEqual([...columnSquaresUp(steps, entry)]);
        const apart = { times, gap: Math.max(gap, bandwidth) };
        const found = bruteForceNorm(c, { steps, dimension: 1 }, apart);
        expect(orthogonalNormUp(squares, apart)).toBeGreaterThanOrEqual(found / rounding);
        expect(orthogonalNormUp(squares, apart)).toBeLessThanOrEqual(found * rounding);
        expect(triangleNormUp(squares, { times, gap })).toBeGreaterThanOrEqual(
          bruteForceNorm(c, { steps, dimension: 1 }, { times, gap }) / rounding,
        );
      }),
    );
  });

  it('look at patterns, not at all columns', () => {
    expect(patternsOf(3, { times: 2, gap: 2 })).toEqual([[], [0], [0, 2], [1], [2]]);
    expect(orthogonalNormUp(Float64Array.of(1, 9, 1), { times: 2, gap: 2 })).toBe(3);
    expect(triangleNormUp(Float64Array.of(4, 9, 4), { times: 2, gap: 2 })).toBe(4);
  });
});
