import { InvalidParameter, seededRandom } from '@lethe/core';
import { type MatrixView } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positive } from '../../test/support/arbitraries.js';
import { basisPursuit } from './basis-pursuit.js';

const dense = (rows: number, columns: number, data: Float64Array) => ({
  data,
  rows,
  columns,
  offset: 0,
  rowStride: 1,
  columnStride: rows,
});
const gaussianMatrix = (rows: number, columns: number, seed: string) =>
  dense(rows, columns, seededRandom(seed).gaussianInto(new Float64Array(rows * columns)));
const times = ({ data, rows, columns }: MatrixView, x: Float64Array): Float64Array => {
  const out = new Float64Array(rows);
  for (let j = 0; j < columns; j++) for (let i = 0; i < rows; i++) out[i] += data[j * rows + i] * x[j];
  return out;
};
const norm1 = (x: Float64Array): number => x.reduce((sum, y) => sum + Math.abs(y), 0);

/** The square system's solution by Cramer's rule in at most three rows; `undefined` when singular. */
function solveSmall(a: readonly (readonly number[])[], b: readonly number[]): number[] | undefined {
  const det = (m: readonly (readonly number[])[]): number =>
    m.length === 0
      ? 1
      : m[0].reduce(
          (sum, x, j) =>
            sum + (j % 2 === 0 ? x : -x) * det(m.slice(1).map((row) => row.filter((_, k) => k !== j))),
          0,
        );
  const whole = det(a);
  return Math.abs(whole) < 1e-9
    ? undefined
    : b.map((_, k) => det(a.map((row, i) => row.map((x, j) => (j === k ? b[i] : x)))) / whole);
}

/** The least ℓ1 norm over every vertex: a minimum is attained at one. */
function leastNorm({ data, rows, columns }: MatrixView, target: Float64Array): number {
  let best = Infinity;
  const choose = (from: number, chosen: readonly number[]): void => {
    if (chosen.length === rows) {
      const a = Array.from({ length: rows }, (_, i) => chosen.map((j) => data[j * rows + i]));
      const x = solveSmall(a, [...target]);
      if (x !== undefined)
        best = Math.min(
          best,
          x.reduce((sum, y) => sum + Math.abs(y), 0),
        );
      return;
    }
    for (let j = from; j < columns; j++) choose(j + 1, [...chosen, j]);
  };
  choose(0, []);
  return best;
}

const shapes = fc
  .integer({ min: 1, max: 3 })
  .chain((rows) => fc.tuple(fc.constant(rows), fc.integer({ min: rows, max: 7 })));
/** Whole numbers: ties, zero columns and dependent rows are frequent. */
const wholeProblems = shapes.chain(([rows, columns]) =>
  fc
    .tuple(
      fc.array(fc.integer({ min: -3, max: 3 }), { minLength: rows * columns, maxLength: rows * columns }),
      fc.array(fc.integer({ min: -3, max: 3 }), { minLength: rows, maxLength: rows }),
    )
    .map(([data, target]) => ({
      matrix: dense(rows, columns, Float64Array.from(data)),
      target: Float64Array.from(target),
    })),
);

describe('basisPursuit', () => {
  it('finds the least norm of all vertices, with a certificate that says so', () => {
    let solved = 0;
    fc.assert(
      fc.property(wholeProblems, ({ matrix, target }) => {
        const least = leastNorm(matrix, target);
        if (least === Infinity) {
          expect(() => basisPursuit({ matrix, target: target.map((x) => x || 1) })).toThrow(/rank/u);
          return;
        }
        const { point, dual, gap, residual, met } = basisPursuit({ matrix, target });
        solved++;
        expect(met).toBe(true);
        expect(norm1(point)).toBeCloseTo(least, 8);
        expect(gap).toBeLessThanOrEqual(1e-9 * norm1(point));
        expect(residual).toBeLessThanOrEqual(1e-12 * norm1(target));
        times({ ...matrix }, point).forEach((y, i) =>
          expect(Math.abs(y - target[i])).toBeLessThanOrEqual(residual + 2 ** -50 * 3 * (norm1(point) + 1)),
        );
        for (let j = 0; j < matrix.columns; j++) {
          const column = matrix.data.subarray(j * matrix.rows, (j + 1) * matrix.rows);
          expect(Math.abs(column.reduce((sum, a, i) => sum + a * dual[i], 0))).toBeLessThanOrEqual(
            1 + 2 ** -50 * 3 * norm1(dual),
          );
        }
        expect(norm1(point) - target.reduce((sum, b, i) => sum + b * dual[i], 0)).toBeCloseTo(gap, 12);
      }),
      { numRuns: 400 },
    );
    expect(solved).toBeGreaterThan(200);
  });

  it('recovers sparse vectors exactly from few measurements, where least squares does not', () => {
    const random = seededRandom('sparse');
    for (let trial = 0; trial < 5; trial++) {
      const matrix = gaussianMatrix(60, 200, `sensing ${trial}`);
      const truth = new Float64Array(200);
      for (let k = 0; k < 5; k++)
        truth[40 * k + random.integer(40)] = random.gaussianInto(new Float64Array(1))[0];
      const { point, iterations, met } = basisPursuit({ matrix, target: times(matrix, truth) });
      expect(met).toBe(true);
      expect(iterations).toBeLessThan(1000);
      point.forEach((x, j) => expect(Math.abs(x - truth[j])).toBeLessThan(1e-9));
    }
  });

  it('is no longer than the truth and any explanation of the noise together', () => {
    const matrix = gaussianMatrix(8, 30, 'noisy');
    const random = seededRandom('noise');
    const truth = new Float64Array(30);
    truth[3] = 2;
    truth[17] = -1;
    for (let trial = 0; trial < 20; trial++) {
      const explanation = random.gaussianInto(new Float64Array(30)).map((x) => 0.1 * x);
      const target = times(
        matrix,
        truth.map((x, j) => x + explanation[j]),
      );
      expect(norm1(basisPursuit({ matrix, target }).point)).toBeLessThanOrEqual(
        (norm1(truth) + norm1(explanation)) * (1 + 1e-9),
      );
    }
  });

  it('certifies larger problems at rounding level too, and notices dependent rows among many', () => {
    const matrix = gaussianMatrix(40, 150, 'larger');
    const target = seededRandom('right-hand side').gaussianInto(new Float64Array(40));
    const { point, gap, residual, met } = basisPursuit({ matrix, target });
    expect(met).toBe(true);
    expect(gap).toBeLessThan(1e-11 * norm1(point));
    expect(residual).toBeLessThan(1e-12);
    expect(point.filter((x) => x !== 0).length).toBeLessThanOrEqual(40);
    const dependent = matrix.data.map((x, at) =>
      at % 40 === 39 ? matrix.data[at - 1] + matrix.data[at - 39] : x,
    );
    expect(() => basisPursuit({ matrix: dense(40, 150, dependent), target })).toThrow(/rank 39/u);
  });

  it('does not depend on the unit of the target, nor on how the matrix lies in memory', () => {
    const matrix = gaussianMatrix(3, 9, 'units');
    const target = Float64Array.of(1, -2, 0.5);
    const { point, dual, iterations } = basisPursuit({ matrix, target });
    const byRows: MatrixView = {
      data: Float64Array.from({ length: 28 }, (_, at) =>
        at === 0 ? 99 : matrix.data[((at - 1) % 9) * 3 + Math.floor((at - 1) / 9)],
      ),
      rows: 3,
      columns: 9,
      offset: 1,
      rowStride: 9,
      columnStride: 1,
    };
    expect(basisPursuit({ matrix: byRows, target }).point).toEqual(point);
    fc.assert(
      fc.property(fc.integer({ min: -900, max: 900 }), (exponent) => {
        const other = basisPursuit({ matrix, target: target.map((x) => x * 2 ** exponent) });
        expect(other.point).toEqual(point.map((x) => x * 2 ** exponent));
        expect(other.dual).toEqual(dual);
        expect(other.iterations).toBe(iterations);
      }),
    );
  });

  it('says honestly how far it is when iterations run out', () => {
    const matrix = gaussianMatrix(20, 80, 'stopped');
    const target = seededRandom('target').gaussianInto(new Float64Array(20));
    const least = norm1(basisPursuit({ matrix, target }).point);
    for (const iterations of [0, 1, 5]) {
      const stopped = basisPursuit({ matrix, target, iterations });
      expect(stopped).toMatchObject({ iterations, met: false });
      expect(norm1(stopped.point) - stopped.gap).toBeLessThanOrEqual(least * (1 + 1e-12));
      expect(stopped.residual).toBeLessThan(1e-10);
      expect(stopped.gap).toBeGreaterThanOrEqual(norm1(stopped.point) - least - 1e-12);
    }
  });

  it('answers zero with zero, and one row by its largest entry', () => {
    expect(basisPursuit({ matrix: gaussianMatrix(2, 5, 'zero'), target: new Float64Array(2) })).toMatchObject(
      { point: new Float64Array(5), gap: 0, met: true },
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(positive(-2, 2), fc.boolean()), { minLength: 1, maxLength: 9 }),
        positive(-3, 3),
        (entries, b) => {
          const row = Float64Array.from(entries, ([x, sign]) => (sign ? x : -x));
          const { point } = basisPursuit({ matrix: dense(1, row.length, row), target: Float64Array.of(b) });
          expect((norm1(point) * Math.max(...row.map(Math.abs))) / b).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('refuses what is no problem of this kind', () => {
    const matrix = gaussianMatrix(2, 4, 'refused');
    const target = Float64Array.of(1, 2);
    const refused = (change: Partial<Parameters<typeof basisPursuit>[0]>): void => {
      expect(() => basisPursuit({ matrix, target, ...change })).toThrow(InvalidParameter);
    };
    refused({ matrix: dense(4, 2, new Float64Array(8).fill(1)) });
    refused({ matrix: dense(0, 2, new Float64Array(0)) });
    refused({ matrix: dense(2, 9, new Float64Array(8)) });
    refused({ matrix: dense(2, 4, Float64Array.of(1, 2, 1, 2, 1, 2, -3, -6)) });
    refused({ target: Float64Array.of(1) });
    for (const bad of [Number.NaN, Infinity, 1e101, 1e-101])
      refused({ matrix: dense(2, 4, Float64Array.of(1, 0, 0, 1, 1, 1, bad, 1)) });
    for (const bad of [Number.NaN, Infinity]) refused({ target: Float64Array.of(bad, 1) });
    for (const tolerance of [0, 1e-13, 2, Number.NaN]) refused({ tolerance });
    for (const iterations of [-1, 0.5, Number.NaN, Infinity]) refused({ iterations });
  });
});
