import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measurementsWithin, sensingNormWithin, sparseNormBound } from './restricted-isometry.js';

/**
 * The largest singular value on some support of so many columns:
 * power iteration on every block of the Gram matrix.
 */
function sparseNorm(columns: Float64Array, rows: number, sparsity: number): number {
  const count = columns.length / rows;
  const inner = (i: number, j: number): number =>
    columns.subarray(i * rows, (i + 1) * rows).reduce((sum, x, r) => sum + x * columns[j * rows + r], 0);
  const gram = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_unused, j) => inner(i, j)),
  );
  let best = 0;
  const visit = (from: number, support: readonly number[]): void => {
    if (support.length === Math.min(sparsity, count)) {
      let v = support.map((_, k) => 1 + 0.1 * k);
      for (let turn = 0; turn < 200; turn++) {
        const w = support.map((i) => support.reduce((sum, j, k) => sum + gram[i][j] * v[k], 0));
        const size = Math.hypot(...w);
        if (size === 0) return;
        best = Math.max(best, Math.sqrt(size / Math.hypot(...v)));
        v = w.map((x) => x / size);
      }
      return;
    }
    for (let i = from; i < count; i++) visit(i + 1, [...support, i]);
  };
  visit(0, []);
  return best;
}

describe('sensingNormWithin', () => {
  it('has the values of the specification for differences of sparse records', () => {
    // Per-call ε = 1/32 and δ = 1e-9/16 with s = 10: 20 entries in a million dimensions.
    const at = (measurements: number): number =>
      sensingNormWithin({ measurements, dimension: 1e6, sparsity: 20 }, 1e-9 / 32);
    expect(at(1134)).toBeCloseTo(1.808, 3);
    expect(at(9067)).toBeCloseTo(1.286, 3);
    expect(sensingNormWithin({ measurements: 12, dimension: 8, sparsity: 2 }, 0.1)).toBeCloseTo(2.377, 3);
  });

  it('holds for random matrices, by listing of supports', () => {
    const rows = 12;
    const failure = 0.1;
    const trials = 100;
    const random = seededRandom('isometry');
    const within = sensingNormWithin({ measurements: rows, dimension: 8, sparsity: 2 }, failure);
    let [beyond, seen] = [0, 0];
    for (let i = 0; i < trials; i++) {
      const size = sparseNorm(
        random.gaussianInto(new Float64Array(rows * 8)).map((x) => x / Math.sqrt(rows)),
        rows,
        2,
      );
      seen = Math.max(seen, size);
      if (size > within) beyond++;
    }
    expect(beyond).toBeLessThan(40);
    expect(seen).toBeGreaterThan(1.4);
  });

  it('grows with sparsity and with certainty, and takes no more entries than there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 2, max: 5000 }),
        fc.integer({ min: 1, max: 9 }),
        (measurements, dimension, percent) => {
          const at = (sparsity: number, failure = percent / 100): number =>
            sensingNormWithin({ measurements, dimension, sparsity }, failure);
          expect(at(2)).toBeGreaterThan(at(1) * (1 - 1e-12));
          expect(at(1, percent / 1e6)).toBeGreaterThan(at(1));
          expect(at(dimension + 7)).toBe(at(dimension));
          expect(at(dimension)).toBeGreaterThan(1 + Math.sqrt(dimension / measurements));
        },
      ),
    );
  });

  it('refuses what is no matrix and no probability', () => {
    const sound = { measurements: 2, dimension: 3, sparsity: 1 };
    for (const bad of [0, -1, 0.5, Number.NaN, Infinity])
      for (const name of ['measurements', 'dimension', 'sparsity'])
        expect(() => sensingNormWithin({ ...sound, [name]: bad }, 0.1)).toThrow(InvalidParameter);
    for (const bad of [0, 1, -1, Number.NaN])
      expect(() => sensingNormWithin(sound, bad)).toThrow(InvalidParameter);
  });
});

describe('measurementsWithin', () => {
  it('is the fewest for which the norm is at most what is given', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 300 }),
        (dimension, sparsity, eighths, exponent) => {
          const [norm, failure] = [1 + eighths / 8, 10 ** -(exponent / 10)];
          const measurements = measurementsWithin({ norm, dimension, sparsity }, failure);
          const at = (count: number): number =>
            sensingNormWithin({ measurements: count, dimension, sparsity }, failure);
          expect(at(measurements)).toBeLessThanOrEqual(norm);
          if (measurements > 2) expect(at(measurements - 1)).toBeGreaterThan(norm * (1 - 1e-12));
        },
      ),
    );
  });

  it('refuses norms that no matrix has', () => {
    for (const norm of [1, 0.5, 0, Number.NaN, Infinity])
      expect(() => measurementsWithin({ norm, dimension: 4, sparsity: 1 }, 0.1)).toThrow(InvalidParameter);
  });
});

describe('sparseNormBound', () => {
  const matrices = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 7 }), fc.integer({ min: -60, max: 60 }))
    .chain(([rows, count, exponent]) =>
      fc
        .array(fc.integer({ min: -4, max: 4 }), { minLength: rows * count, maxLength: rows * count })
        .map((entries) => ({ rows, count, columns: Float64Array.from(entries, (x) => x * 2 ** exponent) })),
    );

  it('is no less than the norm on any support, and close for one entry and for all', () => {
    fc.assert(
      fc.property(matrices, fc.integer({ min: 1, max: 4 }), ({ rows, count, columns }, sparsity) => {
        const bound = sparseNormBound(columns, rows, sparsity);
        const norm = sparseNorm(columns, rows, sparsity);
        expect(bound).toBeGreaterThanOrEqual(norm);
        if (sparsity === 1) expect(bound).toBeLessThanOrEqual(norm * (1 + 1e-10));
        if (sparsity >= count) expect(bound).toBeLessThanOrEqual(norm * rows ** (1 / 32) * 1.01);
      }),
    );
  });

  it('is that of the whole matrix when there are too many columns to compare', () => {
    const rows = 2;
    const columns = seededRandom('wide').gaussianInto(new Float64Array(rows * 20_000));
    const whole = sparseNormBound(columns, rows, 1);
    // The squared singular values are about 20 000: concentrated, and a column's squared norm is a few.
    expect(whole ** 2).toBeGreaterThan(19_000);
    expect(whole ** 2).toBeLessThan(22_000);
  });

  it('is small where the published form assumes 3/2 and a single measurement cannot have it', () => {
    const columns = seededRandom('one row').gaussianInto(new Float64Array(100_000));
    const sparsity = 20;
    const truth = Math.sqrt(
      columns
        .map((x) => x * x)
        .toSorted()
        .subarray(-sparsity)
        .reduce((sum, x) => sum + x, 0),
    );
    expect(truth).toBeGreaterThan(16);
    expect(sparseNormBound(columns, 1, sparsity)).toBeGreaterThanOrEqual(truth);
  });

  it('refuses what is no matrix and no sparsity', () => {
    const columns = new Float64Array(6).fill(1);
    for (const rows of [0, -1, 1.5, 4, 7, Number.NaN, Infinity])
      expect(() => sparseNormBound(columns, rows, 1), `${rows}`).toThrow(InvalidParameter);
    for (const sparsity of [0, -1, 1.5, Number.NaN, Infinity])
      expect(() => sparseNormBound(columns, 3, sparsity), `${sparsity}`).toThrow(InvalidParameter);
    for (const bad of [Number.NaN, Infinity, 1e141, -1e308])
      expect(() => sparseNormBound(columns.with(2, bad), 3, 1)).toThrow(InvalidParameter);
    expect(() => sparseNormBound(new Float64Array(0), 1, 1)).toThrow(InvalidParameter);
    expect(sparseNormBound(columns.with(2, -1e140), 3, 2)).toBeGreaterThanOrEqual(1e140);
    expect(sparseNormBound(columns, 3, 2)).toBeGreaterThanOrEqual(Math.sqrt(6));
  });
});
