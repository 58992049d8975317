import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArena, engineOf } from './arena.js';
import { CHUNK } from './kernels.wasm.js';
import { COARSE_ORIGIN } from './margin-grid.js';
import { plainRowWork } from './row-work.reference.js';
import { engineRowWork, type Change, type RowWork } from './row-work.js';
import { defined } from '../defined.js';

const ROWS = 2 * CHUNK;
const arena = createArena({ doubles: 8 * ROWS + 64 });
const arrays = Array.from({ length: 6 }, () => arena.allocate(ROWS));
const kernels = engineRowWork(defined(engineOf(arrays[0])));
const plain = plainRowWork();

const multiScale = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -6, max: 4 }))
  .map(([m, e]) => (m / 1000) * 10 ** e);
const entries = fc.array(multiScale, { minLength: 1, maxLength: 31 });
const stretch = fc.tuple(fc.nat(CHUNK), fc.oneof(fc.nat(20), fc.nat(CHUNK)));

const spread = (values: readonly number[], step: number, into: Float64Array): Float64Array =>
  into.map((_, i) => values[(i * step) % values.length] * ((i + step) % 3 === 0 ? -1 : 1));

interface World {
  readonly z: Float64Array;
  readonly grid: Float64Array;
  readonly change: Change;
  readonly x: Float64Array;
  readonly targets: Float64Array;
  readonly from: number;
  readonly count: number;
}
const world = (size = multiScale): fc.Arbitrary<World> =>
  fc
    .tuple(
      entries,
      fc.array(size, { minLength: 1, maxLength: 31 }),
      stretch,
      multiScale,
      multiScale,
      fc.integer({ min: -3, max: 8 }),
    )
    .map(([values, margins, [from, count], before, after, exponent]) => {
      const [z, grid, column, x, targets] = arrays as [
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      grid.fill(6 * 2 ** exponent);
      z.set(spread(margins, 1, z).map((margin, i) => grid[i] + margin));
      column.set(spread(values, 2, column));
      x.set(spread(values, 5, x));
      for (let i = 0; i < ROWS; i++) targets[i] = Number(i % 3 === 0);
      return { z, grid, change: { column, before, after }, x, targets, from, count };
    });

/** Copies that lie in no arena, for the plain twin. */
const copied = ({ z, grid, change, x, targets, ...rest }: World): World => ({
  ...rest,
  z: z.slice(),
  grid: grid.slice(),
  change: { ...change, column: change.column.slice() },
  x: x.slice(),
  targets: targets.slice(),
});
const both = (given: World, use: (work: RowWork, world: World) => unknown): void => {
  const copy = copied(given);
  const [expected, got] = [use(plain, copy), use(kernels, given)];
  expect(got).toEqual(expected);
  expect(given.z).toEqual(copy.z);
};

test.each(['logistic', 'squared'] as const)(
  'one step of %s has the bits of the plain twin, and leaves the same margins',
  (slope) => {
    fc.assert(
      fc.property(world(), fc.integer({ min: -4, max: 4 }), (given, e) => {
        both(given, (work, { z, grid, change, x, targets, from, count }) =>
          work.step({
            slope,
            shared: false,
            z,
            grid,
            change,
            x,
            targets,
            from,
            to: from + count,
            radius: 10 ** e,
          }),
        );
      }),
      { numRuns: 100 },
    );
  },
);

test('where all margins are counted from the same number, knowing it changes no bit', () => {
  const small = fc.oneof(
    fc.integer({ min: -45, max: 45 }),
    fc.integer({ min: -90, max: 90 }).map((m) => m / 2),
    fc.integer({ min: -45_000, max: 45_000 }).map((m) => m / 1000),
  );
  fc.assert(
    fc.property(
      world(small),
      fc.constantFrom([0, 0.25], [0.25, -0.5], [-0.5, 0], [0, 0]),
      (given, [before, after]) => {
        given.z.forEach((z, i) => {
          given.z[i] = z - given.grid[i] + COARSE_ORIGIN;
        });
        given.change.column.forEach((value, i, column) => {
          column[i] = value / 1e4;
        });
        given.grid.fill(COARSE_ORIGIN);
        const start = given.z.slice();
        const copy = copied(given);
        const step = (work: RowWork, shared: boolean, { change: { column }, count, ...w }: World): number =>
          work.step({
            slope: 'logistic',
            shared,
            ...w,
            change: { column, before: before, after: after },
            to: w.from + count,
            radius: 0.3,
          });
        const expected = step(plain, false, copy);
        for (const shared of [true, false]) {
          given.z.set(start);
          expect(step(kernels, shared, given)).toBe(expected);
          expect(given.z).toEqual(copy.z);
        }
      },
    ),
    { numRuns: 80 },
  );
});

test('the logistic slope is that of the definition to 1e-14', () => {
  fc.assert(
    fc.property(
      fc
        .oneof(fc.integer({ min: -1_200_000, max: 1_200_000 }), fc.integer({ min: -45_000, max: 45_000 }))
        .map((m) => m / 1000),
      fc.boolean(),
      (given, positive) => {
        const [z, grid, column, x, targets] = arrays as [
          Float64Array,
          Float64Array,
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        const shared = Math.abs(given) <= 45;
        const origin = shared ? COARSE_ORIGIN : 6 * 2 ** 12;
        [z[0], grid[0], column[0], x[0], targets[0]] = [origin + given, origin, 0, 1, Number(positive)];
        const margin = (z[0] - origin) * Math.LN2;
        const slope = kernels.step({
          slope: 'logistic',
          shared,
          z,
          grid,
          change: { column, before: 0, after: 0 },
          x,
          targets,
          from: 0,
          to: 1,
          radius: 10,
        });
        expect(
          Math.abs(slope - (positive ? -1 / (1 + Math.exp(margin)) : 1 / (1 + Math.exp(-margin)))),
        ).toBeLessThanOrEqual(1e-14);
      },
    ),
    { numRuns: 1000 },
  );
});

test.each(['logistic', 'squared'] as const)(
  '%s over several columns has the bits of the plain twin',
  (slope) => {
    fc.assert(
      fc.property(world(), fc.constantFrom(1, 1e-170, 1e160), (given, size) => {
        given.x[given.from] = size;
        both(given, (work, { z, grid, change, x, targets, from, count }) => {
          work.shift(z, change, from, count);
          work.beginNorms(count);
          for (const column of [x, change.column]) work.addSquares(column, from, count);
          const odd = work.roots(count);
          const norms = work.norms.slice(0, count);
          work.slopes(slope, z, grid, targets, from, count, 3);
          return [odd, norms, work.dot(x, from, count), work.dot(change.column, from, count)];
        });
      }),
      { numRuns: 100 },
    );
  },
);

test('sums of squares without information are detected, zeros are not', () => {
  const x = arrays[3];
  const oddWith = (value: number): boolean[] =>
    [plain, kernels].map((work) => {
      x.fill(0);
      x[3] = value;
      work.beginNorms(9);
      work.addSquares(x, 0, 9);
      return work.roots(9);
    });
  for (const value of [1e-170, 1e155, 1e300, 5e-324]) expect(oddWith(value)).toEqual([true, true]);
  for (const value of [0, 1, 1e-130, 1e140]) expect(oddWith(value)).toEqual([false, false]);
});

test('a margin that is no number adds exactly nothing', () => {
  fc.assert(
    fc.property(world(), fc.nat(CHUNK), (given, at) => {
      fc.pre(given.count > 0);
      const bad = given.from + (at % given.count);
      given.z[bad] = NaN;
      const without = copied(given);
      without.x[bad] = 0;
      without.z[bad] = 0;
      const step = (work: RowWork, { z, grid, change, x, targets, from, count }: World): number =>
        work.step({
          slope: 'logistic',
          shared: false,
          z,
          grid,
          change,
          x,
          targets,
          from,
          to: from + count,
          radius: 1,
        });
      expect(step(kernels, given)).toBe(step(plain, without));
    }),
    { numRuns: 100 },
  );
});
