import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createArena } from './arena.js';
import { clippedSlope } from './clipped-slope.js';
import {
  coordinateGradient,
  coordinateMargins,
  coordinateSpace,
  type CoordinateSpace,
} from './coordinate-gradient.js';
import { columnsOf } from './columns.js';
import { elementOf, scaledNorm } from './each-element.js';
import { keepMargins, KEPT_ARRAYS } from './margin-cache.js';
import { COARSE_ORIGIN, FINEST_ORIGIN, levelOf, unitsOf } from './margin-grid.js';
import type { MatrixView } from './matrix.js';
import { plainRowWork } from './row-work.reference.js';
import { rowNorms } from './row-norms.js';

interface Given {
  readonly X: MatrixView;
  readonly norms: Float64Array;
  readonly labels: Float64Array;
}
const scale = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -4, max: 3 }))
  .map(([m, e]) => (m / 1000) * 10 ** e);

/** Rows of very different sizes, zeros and whole rows of zeros among them. */
const matrix = fc
  .record({
    n: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1000, max: 2100 })),
    d: fc.integer({ min: 1, max: 12 }),
    values: fc.array(scale, { minLength: 1, maxLength: 40 }),
    rowSizes: fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 9 }),
  })
  .map(({ n, d, values, rowSizes }): Given => {
    const data = Float64Array.from({ length: n * d }, (_, k) =>
      Math.floor(k / d) % 7 === 3
        ? 0
        : values[(k * 3) % values.length] * 2 ** rowSizes[Math.floor(k / d) % rowSizes.length],
    );
    const X = { data, rows: n, columns: d, offset: 0, rowStride: d, columnStride: 1 };
    return {
      X,
      norms: rowNorms(X, new Float64Array(n)),
      labels: Float64Array.from({ length: n }, (_, i) => (i % 3 === 0 ? -1 : 1)),
    };
  });

/**
 * A walk: most steps change one entry, some many, some the size
 * of the whole point, over and back across levels.
 */
const move = fc.oneof(
  { weight: 6, arbitrary: fc.record({ j: fc.nat(11), value: scale }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constantFrom(2, 0.5, 16, 1 / 16, 1e6, 1e-6, 0) }) },
  { weight: 1, arbitrary: fc.record({ all: fc.array(scale, { minLength: 1, maxLength: 12 }) }) },
);
const walk = fc.array(move, { minLength: 1, maxLength: 25 });
function* pointsOf(
  d: number,
  moves: readonly (typeof move extends fc.Arbitrary<infer M> ? M : never)[],
): Generator<Float64Array> {
  let w = new Float64Array(d);
  for (const step of moves) {
    w = w.slice();
    if ('j' in step) w[step.j % d] = step.value;
    else if ('by' in step) w = w.map((entry) => entry * step.by);
    else w = w.map((_, j) => step.all[j % step.all.length]);
    yield w;
  }
}

const byColumns = ({ X }: Given): MatrixView => {
  const arena = createArena({ doubles: X.rows * X.columns + (KEPT_ARRAYS + 2) * (X.rows + 8) + 64 });
  const data = arena.allocate(X.rows * X.columns);
  for (let i = 0; i < X.rows; i++)
    for (let j = 0; j < X.columns; j++) data[j * X.rows + i] = elementOf(X, i, j);
  return { ...X, data, rowStride: 1, columnStride: X.rows };
};
/** The space of a platform that has no room for another arena. */
function plainPartition({ X, norms }: Given, coarse: boolean): CoordinateSpace {
  const columns = {
    ...columnsOf(X, 0),
    engine: null,
    beside: () => new Float64Array(X.rows),
    column: (j: number) => Float64Array.from({ length: X.rows }, (_, i) => elementOf(X, i, j)),
  };
  const space: CoordinateSpace = {
    columns,
    margins: keepMargins(columns, norms, coarse),
    work: plainRowWork(),
    scratch: { point: new Float64Array(X.columns) },
    gradient: (query) => coordinateGradient(space, query),
  };
  return space;
}
/** One assertion about all rows: one for each would take most of the time. */
const rowsThat = (isSo: (i: number) => boolean, { rows }: MatrixView): readonly number[] => {
  const found: number[] = [];
  for (let i = 0; i < rows; i++) if (isSo(i)) found.push(i);
  return found;
};
const targetsIn = ({ columns }: CoordinateSpace, { labels }: Given): Float64Array => {
  const out = columns.beside();
  out.set(labels.map((label) => (1 + label) / 2));
  return out;
};
const gradientBy = (given: Given, space: CoordinateSpace) => {
  const targets = targetsIn(space, given);
  return (w: Float64Array, coordinates: Uint32Array, rows = { from: 0, to: given.X.rows }): Float64Array =>
    coordinateGradient(space, { rows, w, coordinates, slope: 'logistic', targets, radius: 0.7 });
};

describe('an answer does not depend on the ones before', () => {
  test('after any walk it has the bits of a fresh start, by rows, by columns, and without kernels', () => {
    fc.assert(
      fc.property(
        matrix,
        walk,
        fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (given, moves, picks, coarse) => {
          const { X, norms } = given;
          const warm = [
            gradientBy(given, coordinateSpace(X, norms, { coarse })),
            gradientBy(given, coordinateSpace(byColumns(given), norms, { coarse })),
            gradientBy(given, plainPartition(given, coarse)),
          ];
          let step = 0;
          for (const w of pointsOf(X.columns, moves)) {
            const coordinates =
              step % 3 === 0
                ? Uint32Array.from(new Set(picks.map((j) => j % X.columns)))
                : Uint32Array.of(picks[step % picks.length] % X.columns);
            const cold = gradientBy(given, coordinateSpace(X, norms, { coarse }))(w, coordinates);
            for (const gradient of warm) expect(gradient(w, coordinates)).toEqual(cold);
            step += 1;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('stretches of rows taken in turn do not disturb one another', () => {
    fc.assert(
      fc.property(
        matrix,
        walk,
        fc.array(fc.tuple(fc.nat(2100), fc.nat(2100)), { minLength: 1, maxLength: 6 }),
        (given, moves, ends) => {
          const { X, norms } = given;
          const warm = gradientBy(given, coordinateSpace(X, norms, { coarse: true }));
          let step = 0;
          for (const w of pointsOf(X.columns, moves)) {
            const [a, b] = ends[step++ % ends.length].map((end) => end % (X.rows + 1)) as [number, number];
            const rows = { from: Math.min(a, b), to: Math.max(a, b) };
            expect(warm(w, Uint32Array.of(0), rows)).toEqual(
              gradientBy(given, coordinateSpace(X, norms, { coarse: true }))(w, Uint32Array.of(0), rows),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('two interleaved runs keep their own margins', () => {
    const d = 64;
    const X = {
      data: Float64Array.from({ length: 40 * d }, (_, k) => Math.sin(k)),
      rows: 40,
      columns: d,
      offset: 0,
      rowStride: d,
      columnStride: 1,
    };
    const margins = keepMargins(columnsOf(X, KEPT_ARRAYS), rowNorms(X, new Float64Array(40)), false);
    const runs = [
      Float64Array.from({ length: d }, (_, j) => Math.cos(j)),
      Float64Array.from({ length: d }, (_, j) => Math.cos(2 * j)),
    ];
    for (let step = 0; step < 6; step++) {
      for (const w of runs) {
        w[step] = step;
        const { changes, done } = margins.at(w, 0, 40);
        expect(changes).toHaveLength(step === 0 ? d - 1 : 1);
        done();
      }
    }
  });

  test('margins left half way are not taken for those of a point', () => {
    const given = {
      X: { data: Float64Array.of(1, 2, 3, 4), rows: 2, columns: 2, offset: 0, rowStride: 2, columnStride: 1 },
      norms: Float64Array.of(3, 5),
      labels: Float64Array.of(1, 1),
    };
    const space = coordinateSpace(given.X, given.norms, { coarse: false });
    const { z } = space.margins.at(Float64Array.of(1, 1), 0, 2);
    z.fill(99);
    expect([...coordinateMargins(space, Float64Array.of(1, 1), { from: 0, to: 2 })]).toEqual([3, 7]);
  });
});

describe('margins', () => {
  test('are those of the definition to d · 2^−45 · ‖x‖‖w‖, or of at least 1 where that will do', () => {
    fc.assert(
      fc.property(matrix, walk, fc.boolean(), (given, moves, coarse) => {
        const { X, norms } = given;
        const space = coordinateSpace(X, norms, { coarse });
        for (const w of pointsOf(X.columns, moves)) {
          const z = coordinateMargins(space, w, { from: 0, to: X.rows });
          const length = Math.hypot(...w);
          const isFar = (i: number): boolean => {
            let exact = 0;
            for (let j = 0; j < X.columns; j++) exact += elementOf(X, i, j) * w[j];
            return !(
              Math.abs(z[i] - exact) <=
              X.columns * 2 ** -45 * Math.max(Number(coarse), norms[i] * length)
            );
          };
          expect(rowsThat(isFar, X)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('lie on a grid of the row alone', () => {
    fc.assert(
      fc.property(matrix, walk, fc.boolean(), (given, moves, coarse) => {
        const { X, norms } = given;
        const space = coordinateSpace(X, norms, { coarse });
        const units = unitsOf(norms);
        expect(rowsThat((i) => !(units[i] / 6 > norms[i]), X)).toEqual([]);
        for (const w of pointsOf(X.columns, moves)) {
          const z = coordinateMargins(space, w, { from: 0, to: X.rows });
          const level = levelOf(w);
          const isOff = (i: number): boolean => {
            const place = Math.max(units[i] * level, coarse ? COARSE_ORIGIN : FINEST_ORIGIN) / 1.5 / 2 ** 52;
            return !(Number.isInteger(z[i] / place) && Math.abs(z[i] / place) <= 2 ** 51);
          };
          expect(rowsThat(isOff, X)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    [0, 2 ** -1000],
    [1e-310, 2 ** -1000],
    [1, 16],
    [15.9, 16],
    [16, 256],
    [1e155, 2 ** 516],
    [1e308, 2 ** 1024],
  ])('the level of a point of norm %d is %d', (norm, level) => {
    expect(levelOf(Float64Array.of(0, -norm))).toBe(level);
    expect(levelOf(Float64Array.of(0.6 * norm, 0.8 * norm))).toBeLessThanOrEqual(level);
  });

  test('a row too large for the grid has none, wherever the point was before, and adds nothing', () => {
    const X = {
      data: Float64Array.of(1e308, 1e308, 1, 2),
      rows: 2,
      columns: 2,
      offset: 0,
      rowStride: 2,
      columnStride: 1,
    };
    const norms = Float64Array.of(Infinity, Math.sqrt(5));
    const space = coordinateSpace(X, norms, { coarse: false });
    const origin = coordinateMargins(space, new Float64Array(2), { from: 0, to: 2 }).slice();
    for (const w of [Float64Array.of(1, 1), Float64Array.of(0, 1e-320), new Float64Array(2)])
      coordinateMargins(space, w, { from: 0, to: 2 });
    expect(coordinateMargins(space, new Float64Array(2), { from: 0, to: 2 })).toEqual(origin);
    expect([...origin]).toEqual([NaN, 0]);
    const targets = space.columns.beside();
    expect([
      ...coordinateGradient(space, {
        rows: { from: 0, to: 2 },
        w: Float64Array.of(1, 1),
        coordinates: Uint32Array.of(0),
        slope: 'squared',
        targets,
        radius: 100,
      }),
    ]).toEqual([3]);
  });
});

test('gradients are sums of clipped slopes', () => {
  fc.assert(
    fc.property(
      matrix,
      walk,
      fc.constantFrom('logistic' as const, 'squared' as const),
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      (given, moves, slope, e, size) => {
        const { X, norms, labels } = given;
        const space = coordinateSpace(X, norms, { coarse: slope === 'logistic' });
        const targets = slope === 'logistic' ? targetsIn(space, given) : space.columns.beside();
        if (slope === 'squared') targets.set(labels);
        const coordinates = Uint32Array.from(
          { length: Math.min(size, X.columns) },
          (_, k) => (k * 5 + 1) % X.columns,
        ).filter((j, k, all) => all.indexOf(j) === k);
        const radius = 10 ** e;
        for (const w of pointsOf(X.columns, moves.slice(-4))) {
          const ours = coordinateGradient(space, {
            rows: { from: 0, to: X.rows },
            w,
            coordinates,
            slope,
            targets,
            radius,
          });
          const expected = new Float64Array(coordinates.length);
          const allowed = new Float64Array(coordinates.length);
          for (let i = 0; i < X.rows; i++) {
            let margin = 0;
            for (let j = 0; j < X.columns; j++) margin += elementOf(X, i, j) * w[j];
            const factor = clippedSlope(slope, margin, labels[i], scaledNorm(X, i, coordinates), radius);
            const unsure =
              Math.abs(factor) * 1e-11 +
              1e-14 +
              X.columns * 2 ** -45 * Math.max(Number(slope === 'logistic'), 2 * norms[i] * Math.hypot(...w));
            coordinates.forEach((j, k) => {
              expected[k] += factor * elementOf(X, i, j);
              allowed[k] += unsure * Math.abs(elementOf(X, i, j));
            });
          }
          expected.forEach((value, k) => expect(Math.abs(ours[k] - value)).toBeLessThanOrEqual(allowed[k]));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('values whose squares overflow are clipped like others', () => {
  for (const size of [1e-170, 1e-300, 1e160, 1e300]) {
    const X = {
      data: Float64Array.of(3 * size, 4 * size, 3, 4),
      rows: 2,
      columns: 2,
      offset: 0,
      rowStride: 2,
      columnStride: 1,
    };
    const space = coordinateSpace(X, rowNorms(X, new Float64Array(2)), { coarse: true });
    const targets = space.columns.beside();
    const radius = 0.01 * size;
    const [a, b] = coordinateGradient(space, {
      rows: { from: 0, to: 1 },
      w: new Float64Array(2),
      coordinates: Uint32Array.of(0, 1),
      slope: 'logistic',
      targets,
      radius,
    });
    expect(a / radius).toBeCloseTo(0.6, 12);
    expect(b / radius).toBeCloseTo(0.8, 12);
  }
});
