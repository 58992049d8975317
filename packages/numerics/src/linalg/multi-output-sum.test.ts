import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { seededRandom } from '../random/index.js';
import { createArena } from './arena.js';
import { clippedGradient } from './clipped-gradient.js';
import type { CsrMatrix, Matrix, Rows } from './matrix.js';
import { multiOutputSum } from './multi-output-sum.js';
import { rowNorms } from './row-norms.js';
import { softmaxResidualInPlace, softmaxSum } from './softmax-sum.js';

const rows = 2100;
const columns = 5;
const values = seededRandom('values').gaussianInto(new Float64Array(rows * columns));
const dense = { rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
const arena = createArena({ doubles: values.length + 65_536 }).allocate(values.length);
arena.set(values);
const sparse: CsrMatrix = {
  rows,
  columns,
  values,
  rowStarts: Uint32Array.from({ length: rows + 1 }, (_, i) => i * columns),
  columnIndices: Uint32Array.from(values, (_, k) => k % columns),
};
const forms: readonly (readonly [string, Matrix])[] = [
  ['in an arena', { ...dense, data: arena }],
  ['plain', { ...dense, data: values }],
  ['sparse', sparse],
];
const chosen: readonly Rows[] = [
  { from: 0, to: rows },
  { from: 1999, to: 2003 },
  { from: 7, to: 7 },
  Uint32Array.of(4, 4, 2099, 0),
];
const listOf = (some: Rows): readonly number[] =>
  some instanceof Uint32Array
    ? [...some]
    : Array.from({ length: some.to - some.from }, (_, i) => some.from + i);

describe.each(forms)('multiOutputSum of rows %s', (_name, X) => {
  it('is the sum of outer products, added to what was there', () => {
    const w = seededRandom('w').gaussianInto(new Float64Array(3 * columns));
    for (const some of chosen) {
      const seen: number[] = [];
      const expected = new Float64Array(3 * columns).fill(1);
      const outputsOf = (row: number): number[] =>
        [0, 1, 2].map((k) =>
          Array.from({ length: columns }, (_, j) => values[row * columns + j] * w[k * columns + j]).reduce(
            (a, b) => a + b,
          ),
        );
      for (const row of listOf(some))
        outputsOf(row).forEach((output, k) => {
          for (let j = 0; j < columns; j++)
            expected[k * columns + j] += Math.tanh(output + k) * values[row * columns + j];
        });
      const out = multiOutputSum({
        X,
        w,
        rows: some,
        outputs: 3,
        out: new Float64Array(3 * columns).fill(1),
        coefficientsInPlace(outputs, row) {
          seen.push(row);
          for (let k = 0; k < 3; k++) outputs[k] = Math.tanh(outputs[k] + k);
        },
      });
      expect(seen).toEqual(listOf(some));
      out.forEach((entry, j) => expect(entry).toBeCloseTo(expected[j], 8));
    }
  });

  it('is the logistic kernel twice, for two classes', () => {
    const norms = rowNorms(X, new Float64Array(rows));
    const labels = Float64Array.from({ length: rows }, (_, i) => i % 2);
    const w = seededRandom('v').gaussianInto(new Float64Array(columns));
    const twoRows = new Float64Array(2 * columns);
    twoRows.set(w, columns);
    // p − e_y is (−s, s) for the logistic slope s, so that a radius of √2 r holds it where r holds s.
    for (const radius of [0.3, Infinity]) {
      const out = new Float64Array(2 * columns);
      const expected = clippedGradient({
        X,
        labels: labels.map((y) => 2 * y - 1),
        norms,
        w,
        rows: { from: 0, to: rows },
        radius,
        slope: 'logistic',
        out: new Float64Array(columns),
      });
      softmaxSum(2).clippedSum({
        X,
        labels,
        norms,
        w: twoRows,
        rows: { from: 0, to: rows },
        radius: Math.SQRT2 * radius,
        out,
      });
      expected.forEach((entry, j) => {
        expect(out[columns + j]).toBeCloseTo(entry, 9);
        expect(out[j]).toBeCloseTo(-entry, 9);
      });
    }
  });
});

describe('multiOutputSum', () => {
  it('leaves out a row whose coefficients are not finite, all of them', () => {
    const out = multiOutputSum({
      X: forms[0][1],
      w: new Float64Array(2 * columns),
      rows: { from: 0, to: 9 },
      outputs: 2,
      out: new Float64Array(2 * columns),
      coefficientsInPlace(c, row) {
        c[0] = row === 3 ? 1 : 0;
        c[1] = row === 3 ? NaN : 0;
      },
    });
    expect([...out]).toEqual(Array.from({ length: 2 * columns }, () => 0));
  });

  it('refuses lengths that do not fit', () => {
    const call = (outputs: number, w: number, out: number) => () =>
      multiOutputSum({
        X: forms[1][1],
        w: new Float64Array(w),
        rows: { from: 0, to: 1 },
        outputs,
        out: new Float64Array(out),
        coefficientsInPlace: () => undefined,
      });
    for (const refused of [call(2, 9, 10), call(2, 10, 9), call(0, 0, 0), call(1.5, 8, 8)])
      expect(refused).toThrow(InvalidParameter);
    expect(() => softmaxSum(1)).toThrow(InvalidParameter);
  });
});

describe('softmaxResidualInPlace', () => {
  it('is p − e_y with its norm, and adds up to 0, for outputs of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -800, max: 800 }), { minLength: 2, maxLength: 6 }),
        fc.nat(5),
        (drawn, at) => {
          const outputs = Float64Array.from(drawn);
          const label = at % drawn.length;
          const norm = softmaxResidualInPlace(outputs, label);
          const weights = drawn.map((m) => Math.exp(m - Math.max(...drawn)));
          const total = weights.reduce((a, b) => a + b);
          outputs.forEach((entry, k) =>
            expect(entry).toBeCloseTo(weights[k] / total - Number(k === label), 12),
          );
          expect(norm).toBeCloseTo(Math.hypot(...outputs), 12);
          expect(Math.abs(outputs.reduce((a, b) => a + b))).toBeLessThanOrEqual(1e-15);
        },
      ),
    );
  });

  it('keeps the digits of a class that is nearly certain', () => {
    const outputs = Float64Array.of(40, 0);
    const norm = softmaxResidualInPlace(outputs, 0);
    expect(outputs[1] / Math.exp(-40)).toBeCloseTo(1, 12);
    expect(outputs[0]).toBe(-outputs[1]);
    expect(norm / (Math.SQRT2 * Math.exp(-40))).toBeCloseTo(1, 12);
  });
});
