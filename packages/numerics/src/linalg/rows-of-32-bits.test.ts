import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LARGEST_32, nextDown, nextUp, to32Bits } from '../rounding/index.js';
import { accumulate } from './accumulate.js';
import { createArena } from './arena.js';
import { clippedGradient } from './clipped-gradient.js';
import { clippedTerms } from './clipped-terms.js';
import { elementOf } from './each-element.js';
import { eachBlockOfRows, inArena } from './layout.js';
import { margins } from './margins.js';
import { precisionOf, rowCount, type MatrixView, type Rows } from './matrix.js';
import { engineFor } from './on-engine.js';
import { rowNorms } from './row-norms.js';

const arena = createArena({ doubles: 40_000 });
const singles = arena.allocateSingles(12_000);
const doubles = arena.allocate(12_000);
const beside = [1, 2, 3].map(() => arena.allocate(2600));

/** Sizes from 2⁻¹⁴⁹ on, with values that are not finite. */
const single = fc.float({ noDefaultInfinity: false });
const rest = fc.record({
  columns: fc.integer({ min: 1, max: 67 }),
  rows: fc.integer({ min: 1, max: 40 }),
  gap: fc.nat(3),
  offset: fc.nat(3),
  isLarge: fc.boolean(),
  isInside: fc.boolean(),
  values: fc.array(fc.oneof({ weight: 30, arbitrary: fc.float({ min: -4, max: 4 }) }, single), {
    minLength: 1,
    maxLength: 30,
  }),
  list: fc.option(fc.array(fc.nat(39), { maxLength: 50 }), { nil: null }),
  slope: fc.constantFrom('logistic' as const, 'squared' as const),
  radius: fc.constantFrom(0.1, 1, Infinity),
});
/** The same with more rows than a chunk has. */
const tall = rest.map((given) => ({
  ...given,
  columns: Math.min(given.columns, 3),
  rows: 1100 + given.rows,
}));

test('rows of 32 bits give bit for bit what the same numbers in 64 bits give', () => {
  const run = ({
    columns,
    rows,
    gap,
    offset,
    isLarge,
    isInside,
    values,
    list,
    slope,
    radius,
  }: Given): void => {
    const shape = { rows, columns, offset, rowStride: columns + gap, columnStride: 1 };
    // Rows of a larger matrix are read in another order.
    const whole = isLarge ? { whole: 1e7 } : {};
    for (let k = 0; k < offset + rows * (columns + gap); k++)
      singles[k] = values[(k * k + 3 * k) % values.length];
    doubles.set(singles);
    const labels = isInside ? beside[0].subarray(0, rows) : new Float64Array(rows);
    for (let i = 0; i < rows; i++) labels[i] = i % 3 === 0 ? -1 : 1;
    const w = Float64Array.from({ length: columns }, (_, j) => Math.sin(j + 1));
    const v = w.map((entry) => entry / 3);
    const some: Rows = list === null ? { from: 0, to: rows } : Uint32Array.from(list, (row) => row % rows);
    const [ours, wide] = [singles, doubles].map((data, k) => {
      const X: MatrixView = { data, ...shape, ...whole };
      expect(engineFor(X)).not.toBeNull();
      const norms = rowNorms(X, isInside ? beside[1 + k].subarray(0, rows) : new Float64Array(rows));
      const job = { X, labels, norms, rows: some, radius, slope };
      const out = (): Float64Array => new Float64Array(columns).fill(1);
      const terms = [
        { weight: 3, at: w },
        { weight: -2, at: v },
      ];
      return {
        norms: norms.slice(),
        margins: margins(X, w, some, new Float64Array(rowCount(some))),
        sum: accumulate(
          X,
          Float64Array.from({ length: rowCount(some) }, (_, i) => (i * 5) % 7),
          some,
          out(),
        ),
        gradient: clippedGradient({ ...job, w, out: out() }),
        pair: clippedTerms({ ...job, terms, out: out() }),
        three: clippedTerms({ ...job, terms: [...terms, { weight: 1, at: w }], out: out() }),
      };
    });
    expect(ours).toEqual(wide);
  };
  fc.assert(fc.property(rest, run), { numRuns: 200 });
  fc.assert(fc.property(tall, run), { numRuns: 5 });
});

type Given = typeof rest extends fc.Arbitrary<infer One> ? One : never;

const edges = [0, -0, 2 ** -149, 2 ** -150, 2 ** -126, 1, 0.1, LARGEST_32, Infinity, NaN];
const doublesAround = fc.oneof(
  fc.double(),
  fc.constantFrom(...edges),
  fc.tuple(single, fc.constantFrom(nextDown, nextUp)).map(([x, step]) => (Number.isFinite(x) ? step(x) : x)),
);

test('a number is rounded to the one of 32 bits that is next to it towards zero', () => {
  fc.assert(
    fc.property(doublesAround, (x) => {
      const found = to32Bits(x);
      if (Number.isNaN(x)) {
        expect(found).toBeNaN();
        return;
      }
      expect(Math.fround(found)).toBe(found);
      expect(Object.is(Math.sign(found), Math.sign(x)) || found === 0).toBe(true);
      const size = Math.abs(x);
      if (size > LARGEST_32) {
        expect(Math.abs(found)).toBe(Infinity);
        return;
      }
      expect(Math.abs(found)).toBeLessThanOrEqual(size);
      // The next larger number of 32 bits is beyond it.
      const bits = new Uint32Array(Float32Array.of(Math.abs(found)).buffer);
      bits[0] += 1;
      expect(new Float32Array(bits.buffer)[0]).toBeGreaterThan(size);
    }),
  );
});

test('a copy in 32 bits has each number rounded, by rows and by columns', () => {
  const [rows, columns] = [71, 3];
  const data = Float64Array.from({ length: 2 * rows * columns }, (_, k) => Math.sin(k));
  for (const [rowStride, columnStride] of [
    [columns, 1],
    [1, rows],
    [2 * columns, 2],
  ]) {
    const view = { data, rows, columns, offset: 0, rowStride, columnStride };
    const copy = inArena(view, 32);
    expect(precisionOf(copy)).toBe(32);
    expect(inArena(copy)).toBe(copy);
    const widened = inArena(copy, 64);
    const blocks: number[] = [];
    eachBlockOfRows(copy, ({ data: block, offset, rows: count }) =>
      blocks.push(...block.subarray(offset, offset + count * columns)),
    );
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const expected = to32Bits(elementOf(view, i, j));
        expect([elementOf(copy, i, j), elementOf(widened, i, j), blocks[i * columns + j]]).toEqual(
          Array(3).fill(expected),
        );
      }
  }
});
