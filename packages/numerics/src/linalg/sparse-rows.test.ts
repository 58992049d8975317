import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { accumulate } from './accumulate.js';
import { accumulate as plainAccumulate } from './accumulate.reference.js';
import { arenaOf } from './arena.js';
import { clippedGradient } from './clipped-gradient.js';
import { clippedGradient as plainClippedGradient } from './clipped-gradient.reference.js';
import { clippedTerms } from './clipped-terms.js';
import { entryBlocks } from './entry-blocks.js';
import { margins } from './margins.js';
import { margins as plainMargins } from './margins.reference.js';
import { rowCount, type CsrMatrix, type Rows } from './matrix.js';
import { sumsOf, touchesFew } from './sparse-kernels.js';
import { sparseInArena } from './sparse-rows.js';

/** Rows with up to `most` entries each, and a point, with sizes over many scales. */
const sparse = (most: number) =>
  fc
    .record({
      rows: fc.integer({ min: 1, max: 1500 }),
      columns: fc.integer({ min: 1, max: 60 }),
      seed: fc.integer(),
      list: fc.boolean(),
      ends: fc.tuple(fc.nat(1500), fc.nat(1500)),
      asDoubles: fc.boolean(),
    })
    .map(({ rows, columns, seed, list, ends, asDoubles }) => {
      let state = seed;
      const next = (): number => {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        return (state >>> 8) / 2 ** 24;
      };
      const starts = [0];
      const columnIndices: number[] = [];
      const values: number[] = [];
      for (let i = 0; i < rows; i++) {
        const share = (most * next()) / columns;
        for (let j = 0; j < columns; j++)
          if (next() < share) {
            columnIndices.push(j);
            values.push((next() - 0.5) * 10 ** Math.floor(6 * next() - 3));
          }
        starts.push(values.length);
      }
      const X: CsrMatrix = {
        rows,
        columns,
        rowStarts: asDoubles ? Float64Array.from(starts) : Uint32Array.from(starts),
        columnIndices: Uint32Array.from(columnIndices),
        values: Float64Array.from(values),
      };
      const [from, to] = [Math.min(...ends, rows), Math.min(Math.max(...ends), rows)];
      const chosen: Rows = list
        ? Uint32Array.from({ length: rows }, () => Math.floor(next() * rows))
        : { from, to };
      const w = Float64Array.from({ length: columns }, () => (next() - 0.5) * 4);
      return { X, held: sparseInArena(X), chosen, w, next };
    });

const law = (run: (given: ReturnType<ReturnType<typeof sparse>['generate']>['value']) => void): void =>
  fc.assert(fc.property(sparse(12), run), { numRuns: 60 });

describe('sparse rows in an arena', () => {
  test('are the rows given, also their starts as they were given', () => {
    law(({ X, held }) => {
      expect({ ...held, columnIndices: [...held.columnIndices] }).toEqual({
        ...X,
        columnIndices: [...X.columnIndices],
      });
      expect(held.rowStarts.constructor).toBe(X.rowStarts.constructor);
      expect(sumsOf(held)).not.toBeNull();
      expect(sumsOf(X)).toBeNull();
    });
  });

  test('have the margins and sums of plain loops bit for bit, for points and sums inside and outside', () => {
    law(({ X, held, chosen, w, next }) => {
      const count = rowCount(chosen);
      const arena = arenaOf(held.values);
      const inside = (values: Float64Array): Float64Array => {
        const own = arena === null ? values : arena.allocate(values.length);
        own.set(values);
        return own;
      };
      const r = Float64Array.from({ length: count }, () => (next() < 0.2 ? 0 : next() - 0.5));
      const start = Float64Array.from({ length: X.columns }, () => next());
      for (const place of [(values: Float64Array) => values.slice(), inside]) {
        expect(margins(held, place(w), chosen, new Float64Array(count))).toEqual(
          plainMargins(X, w, chosen, new Float64Array(count)),
        );
        expect([...accumulate(held, r, chosen, place(start))]).toEqual([
          ...plainAccumulate(X, r, chosen, start.slice()),
        ]);
      }
    });
  });

  test('have the margins and sums of plain loops bit for bit by blocks of columns too', () => {
    law(({ X, held, chosen, w, next }) => {
      const width = 8;
      const entries = entryBlocks(X.columns, width);
      for (const rows of [chosen, { from: 0, to: 1 }, { from: 0, to: 0 }]) {
        const r = Float64Array.from({ length: rowCount(rows) }, () => (next() < 0.2 ? 0 : next() - 0.5));
        entries.take(held, rows);
        expect(entries.margins(w, r.slice())).toEqual(plainMargins(X, w, rows, r.slice()));
        const out = new Float64Array(X.columns);
        for (let at = 0; at < out.length; at += width)
          entries.addTo(out.subarray(at, Math.min(out.length, at + width)), r, at / width);
        expect([...out]).toEqual([...plainAccumulate(X, r, rows, new Float64Array(X.columns))]);
      }
    });
  });

  test('have the clipped gradients of plain loops up to the rounding of slopes', () => {
    law(({ X, held, chosen, w, next }) => {
      const labels = Float64Array.from({ length: X.rows }, () => (next() < 0.5 ? -1 : 1));
      const plainNorms = Float64Array.from({ length: X.rows }, (_, i) =>
        Math.hypot(...X.values.subarray(X.rowStarts[i], X.rowStarts[i + 1])),
      );
      const arena = arenaOf(held.values);
      for (const slope of ['logistic', 'squared'] as const)
        for (const radius of [0.1, 3, Infinity]) {
          const expected = plainClippedGradient({
            X,
            labels,
            norms: plainNorms,
            w,
            rows: chosen,
            radius,
            slope,
            out: new Float64Array(X.columns).fill(1),
          });
          const size = plainNorms.reduce((sum, norm) => sum + norm, 1) * 4e3;
          for (const isInside of [true, false]) {
            const place = (values: Float64Array): Float64Array => {
              if (!isInside || arena === null || arena.free < values.length) return values.slice();
              const own = arena.allocate(values.length);
              own.set(values);
              return own;
            };
            const out = clippedGradient({
              X: held,
              labels: place(labels),
              norms: place(plainNorms),
              w,
              rows: chosen,
              radius,
              slope,
              out: new Float64Array(X.columns).fill(1),
            });
            out.forEach((value, j) => expect(Math.abs(value - expected[j])).toBeLessThan(1e-13 * size));
          }
        }
    });
  });

  test('have the clipped differences at two points of plain loops up to the rounding of slopes', () => {
    law(({ X, held, chosen, w, next }) => {
      const labels = Float64Array.from({ length: X.rows }, () => (next() < 0.5 ? -1 : 1));
      const plainNorms = Float64Array.from({ length: X.rows }, (_, i) =>
        Math.hypot(...X.values.subarray(X.rowStarts[i], X.rowStarts[i + 1])),
      );
      const arena = arenaOf(held.values);
      const place = (values: Float64Array): Float64Array => {
        if (arena === null || arena.free < values.length) return values.slice();
        const own = arena.allocate(values.length);
        own.set(values);
        return own;
      };
      const inside = { labels: place(labels), norms: place(plainNorms) };
      const terms = [
        { weight: 3, at: w },
        { weight: -2, at: w.map((entry, j) => entry / 2 + 1e-3 * j) },
      ];
      const size = plainNorms.reduce((sum, norm) => sum + norm, 1) * 2e4;
      for (const slope of ['logistic', 'squared'] as const)
        for (const radius of [0.1, 3, Infinity]) {
          const asked = { rows: chosen, terms, radius, slope };
          const sum = () => new Float64Array(X.columns).fill(1);
          const expected = clippedTerms({ ...asked, X, labels, norms: plainNorms, out: sum() });
          const out = clippedTerms({ ...asked, X: held, ...inside, out: sum() });
          out.forEach((value, j) => expect(Math.abs(value - expected[j])).toBeLessThan(1e-13 * size));
        }
    });
  });

  test('whose label, norm or values are not finite add exactly nothing', () => {
    const X = sparseInArena({
      rows: 3,
      columns: 2,
      rowStarts: Uint32Array.of(0, 1, 2, 3),
      columnIndices: Uint32Array.of(0, 0, 1),
      values: Float64Array.of(1, Infinity, 2),
    });
    const arena = arenaOf(X.values);
    for (const [label, norm] of [
      [1, NaN],
      [NaN, 1],
      [1, Infinity],
    ]) {
      const labels = arena?.allocate(3).fill(1) ?? new Float64Array(0);
      const norms = arena?.allocate(3).fill(2) ?? new Float64Array(0);
      norms[1] = Infinity;
      [labels[0], norms[0]] = [label, norm];
      const out = clippedGradient({
        X,
        labels,
        norms,
        w: new Float64Array(2),
        rows: { from: 0, to: 3 },
        radius: 1,
        slope: 'logistic',
        out: new Float64Array(2),
      });
      expect(out[0]).toBe(0);
      expect(Math.abs(out[1] + 1)).toBeLessThan(1e-12);
      const terms = [2, -1].map((weight) => ({ weight, at: new Float64Array(2) }));
      const asked = { X, labels, norms, rows: { from: 0, to: 3 }, radius: 1, slope: 'logistic' } as const;
      expect([...clippedTerms({ ...asked, terms, out: new Float64Array(2) })]).toEqual([...out]);
    }
  });

  test('of which a batch touches few entries of a long point are summed by plain loops', () => {
    const wide = { rows: 2, columns: 10_000, values: new Float64Array(4) } as CsrMatrix;
    expect(touchesFew(wide, { from: 0, to: 2 })).toBe(true);
    expect(touchesFew({ ...wide, columns: 50 }, { from: 0, to: 2 })).toBe(false);
  });
});

describe('rows that kernels must not read', () => {
  const good: CsrMatrix = {
    rows: 2,
    columns: 3,
    rowStarts: Uint32Array.of(0, 1, 2),
    columnIndices: Uint32Array.of(0, 2),
    values: Float64Array.of(1, 2),
  };
  test.each<readonly [string, Partial<CsrMatrix>]>([
    ['a column outside', { columnIndices: Uint32Array.of(0, 3) }],
    ['starts that fall', { rowStarts: Uint32Array.of(0, 3, 2) }],
    ['starts beyond the values', { rowStarts: Uint32Array.of(0, 1, 3) }],
    ['starts that are no whole numbers', { rowStarts: Float64Array.of(0, 0.5, 2) }],
    ['fewer columns than values', { columnIndices: Uint32Array.of(0) }],
  ])('%s', (_what, change) => {
    const X = sparseInArena({ ...good, ...change });
    expect(sumsOf(X)).toBeNull();
    expect([...X.rowStarts]).toEqual([...{ ...good, ...change }.rowStarts]);
  });

  test('other arrays beside checked columns', () => {
    const held = sparseInArena(good);
    expect(sumsOf(held)).not.toBeNull();
    expect(sumsOf({ ...held, rowStarts: Uint32Array.of(0, 1, 9) })).toBeNull();
    expect(sumsOf({ ...held, values: new Float64Array(2) })).toBeNull();
    expect(sumsOf({ ...held, columns: 2 })).toBeNull();
  });

  test('rows that do not exist', () => {
    const held = sparseInArena(good);
    const [w, r] = [new Float64Array(3), new Float64Array(2)];
    const rows = Uint32Array.of(0, 2);
    expect(() => margins(held, w, rows, r)).toThrow(InvalidParameter);
    expect(() => accumulate(held, r.fill(1), rows, w)).toThrow(InvalidParameter);
    expect(() => entryBlocks(3, 2).take(held, rows)).toThrow(InvalidParameter);
    expect(() => entryBlocks(4, 2).take(held, rows.subarray(1))).toThrow(InvalidParameter);
    expect(() =>
      clippedGradient({ X: held, labels: r, norms: r, w, rows, radius: 1, slope: 'squared', out: w }),
    ).toThrow(InvalidParameter);
  });
});
