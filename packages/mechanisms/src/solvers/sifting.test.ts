import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basisPursuit } from './basis-pursuit.js';

const rows = 8;
const columns = 90 * rows;
const view = (data: Float64Array) => ({
  data,
  rows,
  columns: data.length / rows,
  offset: 0,
  rowStride: 1,
  columnStride: rows,
});

describe('basis pursuit with many more columns than rows', () => {
  it('is certified optimal, at a vertex', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = seededRandom(`sifting/${seed}`);
        const matrix = random.gaussianInto(new Float64Array(rows * columns));
        const target = random.gaussianInto(new Float64Array(rows));
        const { point, dual, gap, residual, met } = basisPursuit({ matrix: view(matrix), target });
        expect(met).toBe(true);
        const norm = point.reduce((sum, x) => sum + Math.abs(x), 0);
        expect(gap).toBeLessThanOrEqual(1e-9 * norm);
        expect(residual).toBeLessThanOrEqual(1e-9);
        expect(point.filter((x) => x !== 0).length).toBeLessThanOrEqual(rows);
        // The certificate, worked out anew over all columns.
        for (let j = 0; j < columns; j++) {
          let cost = 0;
          for (let i = 0; i < rows; i++) cost += matrix[j * rows + i] * dual[i];
          expect(Math.abs(cost)).toBeLessThanOrEqual(1 + 1e-12);
        }
        expect(target.reduce((sum, b, i) => sum + b * dual[i], 0)).toBeGreaterThanOrEqual(norm * (1 - 2e-9));
      }),
      { numRuns: 20 },
    );
  });

  it('finds columns that span all rows where those that agree most do not', () => {
    const matrix = new Float64Array(rows * columns);
    for (let j = 0; j < columns; j++)
      for (let i = 0; i < rows; i++) {
        if (j < columns - rows) matrix[j * rows + i] = i === 0 ? 1 : 0;
        else matrix[j * rows + i] = i === j - (columns - rows) ? 0.5 : 0;
      }
    const target = Float64Array.from({ length: rows }, (_, i) => (i === 0 ? 1 : 1e-3));
    const { point, met } = basisPursuit({ matrix: view(matrix), target });
    expect(met).toBe(true);
    expect(point.reduce((sum, x) => sum + Math.abs(x), 0)).toBeCloseTo(1 + 7 * 2e-3, 9);
  });
});
