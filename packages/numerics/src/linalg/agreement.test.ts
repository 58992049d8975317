import fc from 'fast-check';
import ndarray from 'ndarray';
import { describe, expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { accumulate } from './accumulate.js';
import { accumulate as plainAccumulate } from './accumulate.reference.js';
import { createArena } from './arena.js';
import { clippedGradient } from './clipped-gradient.js';
import { clippedGradient as plainClippedGradient } from './clipped-gradient.reference.js';
import { clippedSlope, type Slope } from './clipped-slope.js';
import { clippedTerms } from './clipped-terms.js';
import { elementOf } from './each-element.js';
import { margins } from './margins.js';
import { margins as plainMargins } from './margins.reference.js';
import {
  rowAt,
  rowCount,
  viewOf,
  type CsrMatrix,
  type Matrix,
  type MatrixView,
  type Rows,
} from './matrix.js';
import { engineFor } from './on-engine.js';
import { rowNorms } from './row-norms.js';
import { rowNorms as plainRowNorms } from './row-norms.reference.js';

const arena = createArena({ doubles: 400_000 });
const memory = arena.allocate(300_000);
const elsewhere = arena.allocate(50_000);

const multiScale = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -6, max: 4 }))
  .map(([m, e]) => (m / 1000) * 10 ** e);
const wild = fc.constantFrom(NaN, Infinity, -Infinity);

interface World {
  readonly X: MatrixView;
  readonly labels: Float64Array;
  readonly norms: Float64Array;
  readonly w: Float64Array;
  readonly rows: Rows;
  readonly radius: number;
  readonly slope: 'logistic' | 'squared';
}

const world = (maxRows: number, maxColumns: number): fc.Arbitrary<World> =>
  fc
    .record({
      n: fc.nat(maxRows),
      d: fc.integer({ min: 1, max: maxColumns }),
      gap: fc.nat(3),
      offset: fc.nat(5),
      reversed: fc.boolean(),
      scales: fc.array(multiScale, { minLength: 1, maxLength: 40 }),
      zeros: fc.array(fc.nat(maxRows), { maxLength: 3 }),
      odd: fc.array(fc.tuple(fc.nat(maxRows), fc.nat(maxColumns - 1), wild), { maxLength: 3 }),
      weights: fc.array(multiScale, { minLength: 1, maxLength: 20 }),
      list: fc.option(fc.array(fc.nat(maxRows), { maxLength: maxRows }), { nil: null }),
      ends: fc.tuple(fc.nat(maxRows), fc.nat(maxRows)),
      radius: fc.oneof(
        fc.constant(Infinity),
        fc.integer({ min: -6, max: 6 }).map((e) => 10 ** e),
      ),
      slope: fc.constantFrom('logistic' as const, 'squared' as const),
      inside: fc.boolean(),
    })
    .map(
      ({ n, d, gap, offset, reversed, scales, zeros, odd, weights, list, ends, radius, slope, inside }) => {
        const stride = d + gap;
        const X: MatrixView = {
          data: memory,
          rows: n,
          columns: d,
          offset: reversed ? offset + stride * Math.max(0, n - 1) : offset,
          rowStride: reversed ? -stride : stride,
          columnStride: 1,
        };
        const at = (i: number, j: number): number => X.offset + i * X.rowStride + j;
        for (let i = 0; i < n; i++)
          for (let j = 0; j < d; j++)
            memory[at(i, j)] = zeros.includes(i)
              ? 0
              : scales[(i * 7 + j * 3) % scales.length] * ((i + j) % 5 === 0 ? -1 : 1);
        for (const [i, j, value] of odd) if (i < n && j < d) memory[at(i, j)] = value;
        const place = (length: number, from: number): Float64Array =>
          inside ? elsewhere.subarray(from, from + length) : new Float64Array(length);
        const labels = place(n, 1);
        for (let i = 0; i < n; i++) {
          if (slope === 'logistic') {
            if (i % 3 === 0) labels[i] = -1;
            else labels[i] = 1;
          } else labels[i] = scales[i % scales.length];
        }
        const norms = rowNorms(X, place(n, 20_001));
        const w = place(d, 40_002);
        for (let j = 0; j < d; j++) w[j] = weights[j % weights.length];
        const [from, to] = [Math.min(...ends, n), Math.min(Math.max(...ends), n)];
        const rows = list === null ? { from, to } : Uint32Array.from(list.filter((row) => row < n));
        return { X, labels, norms, w, rows, radius, slope };
      },
    );

/** The same matrix outside every arena, where only the plain twins work. */
function copyOf({ rows, columns, ...rest }: MatrixView): MatrixView {
  const X = { rows, columns, ...rest };
  const data = Float64Array.from({ length: rows * columns }, (_, k) =>
    elementOf(X, Math.floor(k / columns), k % columns),
  );
  return { data, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
}

/** `Σ_j |x_j| |w_j|`: rounding in a margin is small against this. */
const sizeOfMargin = (X: Matrix, row: number, w: Float64Array): number =>
  w.reduce((sum, weight, j) => sum + Math.abs(weight * elementOf(X, row, j)), 0);

const bothNaNOrNear = (a: number, b: number, tolerance: number): void => {
  if (Number.isFinite(b)) expect(Math.abs(a - b)).toBeLessThanOrEqual(tolerance);
  else expect(a).toBe(b);
};

const law = (run: (given: World) => void): void => {
  fc.assert(fc.property(world(40, 67), run), { numRuns: 600 });
  fc.assert(fc.property(world(2600, 5), run), { numRuns: 15 });
};

describe('kernels agree with their plain twins', () => {
  test('margins', () =>
    law(({ X, w, rows }) => {
      const ours = margins(X, w, rows, new Float64Array(rowCount(rows)));
      const plain = plainMargins(copyOf(X), w, rows, new Float64Array(rowCount(rows)));
      plain.forEach((value, i) => bothNaNOrNear(ours[i], value, 1e-14 * sizeOfMargin(X, rowAt(rows, i), w)));
    }));

  test('row norms', () =>
    law(({ X }) => {
      const ours = rowNorms(X, new Float64Array(X.rows));
      plainRowNorms(copyOf(X), new Float64Array(X.rows)).forEach((value, i) =>
        bothNaNOrNear(ours[i], value, 1e-14 * value),
      );
    }));

  test('accumulation, and a row with coefficient zero adds exactly nothing', () =>
    law(({ X, rows, norms, labels }) => {
      const r = Float64Array.from({ length: rowCount(rows) }, (_, i) =>
        Number.isFinite(norms[rowAt(rows, i)]) && i % 4 !== 1 ? labels[rowAt(rows, i)] : 0,
      );
      const start = Float64Array.from({ length: X.columns }, (_, j) => j - 3);
      const ours = accumulate(X, r, rows, start.slice());
      const plain = plainAccumulate(copyOf(X), r, rows, start.slice());
      const size = plainAccumulate(
        { ...copyOf(X), data: copyOf(X).data.map(Math.abs) },
        r.map(Math.abs),
        rows,
        start.map(Math.abs),
      );
      plain.forEach((value, j) => expect(Math.abs(ours[j] - value)).toBeLessThanOrEqual(1e-13 * size[j]));
    }));

  test('clipped gradient', () =>
    law((given) => {
      const { X, w, rows, labels, norms, radius, slope } = given;
      const ours = clippedGradient({ ...given, out: new Float64Array(X.columns) });
      const plain = plainClippedGradient({ ...given, X: copyOf(X), out: new Float64Array(X.columns) });
      const allowed = new Float64Array(X.columns);
      for (let i = 0; i < rowCount(rows); i++) {
        const row = rowAt(rows, i);
        const size = sizeOfMargin(X, row, w);
        if (!Number.isFinite(size)) continue;
        const c = Math.abs(
          clippedSlope(
            slope,
            plainMargins(X, w, { from: row, to: row + 1 }, new Float64Array(1))[0],
            labels[row],
            norms[row],
            radius,
          ),
        );
        for (let j = 0; j < X.columns; j++)
          allowed[j] += (1e-13 * c + 1e-13 * size) * Math.abs(elementOf(X, row, j));
      }
      plain.forEach((value, j) => expect(Math.abs(ours[j] - value)).toBeLessThanOrEqual(allowed[j]));
    }));

  test('clipped sums of weighted gradients at one, two and three points', () =>
    law((given) => {
      const { X, w, rows, labels, norms, radius, slope } = given;
      const all = [
        { weight: 3, at: w },
        { weight: -2, at: w.map((entry, j) => entry / 2 + 1e-3 * j) },
        { weight: 0.5, at: w.map((entry) => -entry) },
      ];
      for (const terms of [all.slice(0, 1), all.slice(0, 2), all]) {
        const ours = clippedTerms({ ...given, terms, out: new Float64Array(X.columns) });
        const expected = new Float64Array(X.columns);
        const allowed = new Float64Array(X.columns);
        for (let i = 0; i < rowCount(rows); i++) {
          const row = rowAt(rows, i);
          const size = terms.reduce(
            (sum, { weight, at }) => sum + Math.abs(weight) * sizeOfMargin(X, row, at),
            0,
          );
          if (!Number.isFinite(size) || !Number.isFinite(labels[row])) continue;
          const total = terms.reduce((sum, { weight, at }) => {
            const margin = plainMargins(X, at, { from: row, to: row + 1 }, new Float64Array(1))[0];
            const y = labels[row];
            return sum + weight * (slope === 'squared' ? margin - y : -y / (1 + Math.exp(y * margin)));
          }, 0);
          const c = total / Math.max(1, Math.abs(total) * (norms[row] / radius));
          if (!Number.isFinite(c)) continue;
          const whole =
            terms.reduce((sum, { weight }) => sum + Math.abs(weight), 0) * (1 + Math.abs(labels[row]));
          for (let j = 0; j < X.columns; j++) {
            expected[j] += c * elementOf(X, row, j);
            allowed[j] += 1e-12 * (Math.abs(c) + size + whole) * Math.abs(elementOf(X, row, j));
          }
        }
        expected.forEach((value, j) => expect(Math.abs(ours[j] - value)).toBeLessThanOrEqual(allowed[j]));
      }
    }));

  test('a margin of thousands at one point leaves the slope at the other as it is', () => {
    const own = createArena({ doubles: 64 });
    const [data, labels, norms] = [own.allocate(4), own.allocate(4), own.allocate(4)];
    for (const array of [data, labels, norms]) array.fill(1);
    const X = { data, rows: 4, columns: 1, offset: 0, rowStride: 1, columnStride: 1 };
    for (const far of [-1e4, -700, 700, 1e4]) {
      const terms = [
        { weight: 3, at: Float64Array.of(far) },
        { weight: 2, at: Float64Array.of(10) },
      ];
      const given = { X, labels, norms, rows: { from: 0, to: 4 }, radius: 8, slope: 'logistic' } as const;
      const [sum] = clippedTerms({ ...given, terms, out: new Float64Array(1) });
      const expected = -4 * ((far < 0 ? 3 : 0) + 2 / (1 + Math.exp(10)));
      expect(Math.abs(sum / expected - 1)).toBeLessThan(1e-12);
    }
  });

  test('a sum of no terms is refused', () => {
    const X = { data: new Float64Array(2), rows: 1, columns: 2, offset: 0, rowStride: 2, columnStride: 1 };
    const given = {
      X,
      labels: new Float64Array(1),
      norms: new Float64Array(1),
      rows: { from: 0, to: 1 },
      radius: 1,
    };
    const out = new Float64Array(2);
    expect(() => clippedTerms({ ...given, terms: [], slope: 'squared', out })).toThrow(InvalidParameter);
    expect(() =>
      clippedTerms({ ...given, terms: [{ weight: 1, at: new Float64Array(3) }], slope: 'squared', out }),
    ).toThrow(InvalidParameter);
  });
});

test("same rows, as a range, as a list and through a function of one's own, give the same sum", () =>
  law((given) => {
    const { X, rows, slope } = given;
    const list = Uint32Array.from({ length: rowCount(rows) }, (_, i) => rowAt(rows, i));
    const own: Slope = (m, y) => (slope === 'squared' ? m - y : -y / (1 + Math.exp(y * m)));
    const gradient = (change: object): Float64Array =>
      clippedGradient({ ...given, ...change, out: new Float64Array(X.columns) });
    const first = gradient({});
    expect(gradient({ rows: list })).toEqual(first);
    expect(gradient({})).toEqual(first);
    const size = first.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const other = gradient({ slope: own, radius: given.radius });
    const scale =
      given.norms.reduce(
        (sum, norm, i) =>
          sum +
          (Number.isFinite(norm) ? norm * (1 + sizeOfMargin(X, i, given.w) + Math.abs(given.labels[i])) : 0),
        size,
      ) * Math.max(1, rowCount(rows));
    other.forEach((value, j) => expect(Math.abs(value - first[j])).toBeLessThanOrEqual(1e-12 * scale));
  }));

test('one row never adds more than the radius, and a row that is not finite adds exactly nothing', () => {
  fc.assert(
    fc.property(world(20, 40), (given) => {
      for (let row = 0; row < given.X.rows; row++) {
        const term = clippedGradient({
          ...given,
          rows: { from: row, to: row + 1 },
          out: new Float64Array(given.X.columns),
        });
        const length = Math.hypot(...term);
        if (Number.isFinite(given.norms[row])) expect(length).toBeLessThanOrEqual(given.radius * (1 + 1e-12));
        else expect(term.every((value) => value === 0)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test.each(['labels', 'norms'] as const)(
  'a row whose %s entry is not finite adds exactly nothing',
  (field) => {
    fc.assert(
      fc.property(world(20, 20), wild, (given, value) => {
        fc.pre(given.X.rows > 0);
        given[field].fill(value);
        const out = clippedGradient({
          ...given,
          rows: { from: 0, to: given.X.rows },
          out: new Float64Array(given.X.columns),
        });
        expect(out.every((entry) => entry === 0)).toBe(true);
      }),
      { numRuns: 100 },
    );
  },
);

test.each([
  [5001, 64, 1e6],
  [75_003, 43, 75_003],
])('larger than the caches, %i by %i: ranges and lists agree with the plain twin', (n, d, whole) => {
  const large = createArena({ doubles: n * d });
  const X = { ...viewOf(ndarray(large.allocate(n * d), [n, d])), whole };
  for (let k = 0; k < n * d; k++) X.data[k] = Math.sin(k) / 8;
  X.data[d * 17 + 3] = NaN;
  const labels = Float64Array.from({ length: n }, (_, i) => (i % 3 === 0 ? 1 : -1));
  const norms = rowNorms(X, new Float64Array(n));
  const w = Float64Array.from({ length: d }, (_, j) => Math.cos(j));
  for (const rows of [
    { from: 3, to: n },
    Uint32Array.from({ length: 3001 }, (_, i) => (i === 0 ? n - 1 : (i * 7919) % n)),
  ]) {
    for (const slope of ['logistic', 'squared'] as const) {
      const query = { X, labels, norms, w, rows, slope, radius: 0.7, out: new Float64Array(d) };
      const ours = clippedGradient(query);
      const plain = plainClippedGradient({ ...query, out: new Float64Array(d) });
      plain.forEach((value, j) => expect(Math.abs(ours[j] - value)).toBeLessThan(1e-12 * n));
    }
  }
});

describe('any layout', () => {
  const csrOf = (X: MatrixView): CsrMatrix => {
    const starts = [0];
    const columns: number[] = [];
    const values: number[] = [];
    for (let i = 0; i < X.rows; i++) {
      for (let j = 0; j < X.columns; j++)
        if (elementOf(X, i, j) !== 0) {
          columns.push(j);
          values.push(elementOf(X, i, j));
        }
      starts.push(values.length);
    }
    return {
      rows: X.rows,
      columns: X.columns,
      rowStarts: Uint32Array.from(starts),
      columnIndices: Uint32Array.from(columns),
      values: Float64Array.from(values),
    };
  };

  test('sparse rows, columns first, reversed and offset views answer alike', () => {
    fc.assert(
      fc.property(world(15, 12), (given) => {
        const { X } = given;
        const copy = copyOf(X);
        const turned = Float64Array.from({ length: X.rows * X.columns }, (_, k) =>
          elementOf(X, k % Math.max(1, X.rows), Math.floor(k / Math.max(1, X.rows))),
        );
        const columnFirst: MatrixView = {
          data: turned,
          rows: X.rows,
          columns: X.columns,
          offset: 0,
          rowStride: 1,
          columnStride: X.rows,
        };
        const backwards: MatrixView = {
          ...copy,
          data: copy.data.toReversed(),
          offset: Math.max(0, X.rows * X.columns - 1),
          rowStride: -X.columns,
          columnStride: -1,
        };
        const answers = [copy, columnFirst, backwards, csrOf(X)].map((matrix) =>
          clippedGradient({ ...given, X: matrix, out: new Float64Array(X.columns) }),
        );
        for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0]);
      }),
      { numRuns: 300 },
    );
  });

  test('chosen coordinates are those of the whole', () => {
    fc.assert(
      fc.property(world(15, 12), fc.array(fc.nat(11), { maxLength: 12 }), (given, picks) => {
        const { X } = given;
        const coordinates = Uint32Array.from(picks.filter((j) => j < X.columns));
        for (const matrix of [X, csrOf(X)]) {
          const whole = plainClippedGradient({ ...given, X: matrix, out: new Float64Array(X.columns) });
          const some = clippedGradient({
            ...given,
            X: matrix,
            coordinates,
            out: new Float64Array(coordinates.length),
          });
          const scale =
            given.norms.reduce((sum, norm) => sum + (Number.isFinite(norm) ? norm : 0), 0) *
            (1 + given.norms.length) *
            1e6;
          coordinates.forEach((j, c) =>
            expect(Math.abs(some[c] - whole[j])).toBeLessThanOrEqual(1e-12 * scale),
          );
          expect(
            rowNorms(
              matrix,
              new Float64Array(X.rows),
              Uint32Array.from({ length: X.columns }, (_, j) => j),
            ),
          ).toEqual(plainRowNorms(matrix, new Float64Array(X.rows)));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('ndarray views: transposed and stepped arrays are read where they lie', () => {
    const array = ndarray(
      Float64Array.from({ length: 12 }, (_, k) => k),
      [3, 4],
    );
    const X = viewOf(array.transpose(1, 0).step(-2, 1));
    expect([0, 1].map((i) => [0, 1, 2].map((j) => elementOf(X, i, j)))).toEqual([
      [3, 7, 11],
      [1, 5, 9],
    ]);
    expect([...margins(X, Float64Array.of(1, 10, 100), { from: 0, to: 2 }, new Float64Array(2))]).toEqual([
      1173, 951,
    ]);
  });

  test('kernels work on rows of an arena only', () => {
    const X: MatrixView = { data: memory, rows: 3, columns: 4, offset: 2, rowStride: 5, columnStride: 1 };
    expect(engineFor(X)).not.toBeNull();
    expect(engineFor({ ...X, columnStride: 2, rowStride: 1 })).toBeNull();
    expect(engineFor({ ...X, data: new Float64Array(100) })).toBeNull();
  });
});

test('norms neither overflow nor vanish', () => {
  const X = viewOf(ndarray(memory.subarray(0, 12), [4, 3]));
  memory.set([3e200, 4e200, 0, 3e-200, 0, 4e-200, 0, 0, 0, 5e-324, 0, 0]);
  const norms = rowNorms(X, new Float64Array(4));
  expect(Math.abs(norms[0] / 5e200 - 1)).toBeLessThan(1e-15);
  expect(Math.abs(norms[1] / 5e-200 - 1)).toBeLessThan(1e-15);
  expect([norms[2], norms[3]]).toEqual([0, 5e-324]);
});

describe('refusals', () => {
  const inArena = viewOf(ndarray(memory.subarray(0, 12), [4, 3]));
  const outside = viewOf(ndarray(new Float64Array(12), [4, 3]));
  const all = { from: 0, to: 4 };
  const vector = (length: number): Float64Array => new Float64Array(length);

  test.each([inArena, outside])('lengths that do not fit, and rows that do not exist', (X) => {
    const good = {
      X,
      labels: vector(4),
      norms: vector(4),
      w: vector(3),
      rows: all,
      radius: 1,
      slope: 'squared' as const,
      out: vector(3),
    };
    for (const change of [
      { labels: vector(3) },
      { norms: vector(5) },
      { w: vector(4) },
      { out: vector(2) },
      { rows: { from: 2, to: 5 } },
      { rows: { from: 3, to: 2 } },
      { rows: { from: -1, to: 2 } },
      { rows: { from: 0.5, to: 2 } },
      { rows: Uint32Array.of(1, 4) },
      { radius: 0 },
      { radius: -1 },
      { radius: NaN },
      { coordinates: Uint32Array.of(3), out: vector(1) },
      { coordinates: Uint32Array.of(1) },
    ]) {
      expect(() => clippedGradient({ ...good, ...change })).toThrow(InvalidParameter);
    }
    expect(() => margins(X, vector(3), all, vector(3))).toThrow(InvalidParameter);
    expect(() => margins(X, vector(2), all, vector(4))).toThrow(InvalidParameter);
    expect(() => accumulate(X, vector(3), all, vector(3))).toThrow(InvalidParameter);
    expect(() => accumulate(X, vector(1), Uint32Array.of(9), vector(3))).toThrow(InvalidParameter);
    expect(() => rowNorms(X, vector(3))).toThrow(InvalidParameter);
  });

  test('arrays that are no matrices of doubles', () => {
    expect(() => viewOf(ndarray(new Float64Array(8), [2, 2, 2]))).toThrow(InvalidParameter);
    expect(() => viewOf(ndarray(new Int32Array(4), [2, 2]) as never)).toThrow(InvalidParameter);
    expect(() => viewOf(ndarray(new Float64Array(4), [3, 2]))).toThrow(InvalidParameter);
  });
});
