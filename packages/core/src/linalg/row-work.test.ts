import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArena, engineOf } from './arena.js';
import { CHUNK } from './kernels.wasm.js';
import { plainRowWork } from './row-work.reference.js';
import { engineRowWork, type Change, type RowWork } from './row-work.js';

const ROWS = 2 * CHUNK;
const arena = createArena({ doubles: 8 * ROWS + 64 });
const arrays = Array.from({ length: 6 }, () => arena.allocate(ROWS));
const kernels = engineRowWork(engineOf(arrays[0]!)!);
const plain = plainRowWork();

const multiScale = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -6, max: 4 })).map(([m, e]) => (m / 1000) * 10 ** e);
const entries = fc.array(multiScale, { minLength: 1, maxLength: 31 });
const stretch = fc.tuple(fc.nat(CHUNK), fc.oneof(fc.nat(20), fc.nat(CHUNK)));

const spread = (values: readonly number[], step: number, into: Float64Array): Float64Array => into.map((_, i) => values[(i * step) % values.length]! * ((i + step) % 3 === 0 ? -1 : 1));

interface World { readonly z: Float64Array; readonly grid: Float64Array; readonly change: Change; readonly x: Float64Array; readonly targets: Float64Array; readonly from: number; readonly count: number }
const world = (size = multiScale): fc.Arbitrary<World> => fc.tuple(entries, fc.array(size, { minLength: 1, maxLength: 31 }), stretch, multiScale, multiScale, fc.integer({ min: -3, max: 8 }))
  .map(([values, margins, [from, count], before, after, exponent]) => {
    const [z, grid, column, x, targets] = arrays as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    z.set(spread(margins, 1, z));
    grid.fill(6 * 2 ** exponent);
    column.set(spread(values, 2, column));
    x.set(spread(values, 5, x));
    for (let i = 0; i < ROWS; i++) targets[i] = Number(i % 3 === 0);
    return { z, grid, change: { column, before, after }, x, targets, from, count };
  });

/** Copies that lie in no arena, for the plain twin. */
const copied = ({ z, grid, change, x, targets, ...rest }: World): World => ({ ...rest, z: z.slice(), grid: grid.slice(), change: { ...change, column: change.column.slice() }, x: x.slice(), targets: targets.slice() });
const both = (given: World, use: (work: RowWork, world: World) => unknown): void => {
  const copy = copied(given);
  const [expected, got] = [use(plain, copy), use(kernels, given)];
  expect(got).toEqual(expected);
  expect(given.z).toEqual(copy.z);
};

test.each(['logistic', 'squared'] as const)('one step of %s has the bits of the plain twin, and leaves the same margins', (slope) => {
  fc.assert(fc.property(world(), fc.integer({ min: -4, max: 4 }), (given, e) => {
    both(given, (work, { z, grid, change, x, targets, from, count }) => work.step({ slope, held: true, z, grid, change, x, targets, from, to: from + count, radius: 10 ** e }));
  }), { numRuns: 100 });
});

test('where margins are at most 700, holding them changes no bit', () => {
  const tame = fc.integer({ min: -700_000, max: 700_000 }).map((m) => m / 1000);
  fc.assert(fc.property(world(tame), (given) => {
    const copy = copied(given);
    const step = (work: RowWork, held: boolean, { change: { column }, count, ...w }: World, at: number): number => work.step({ slope: 'logistic', held, ...w, change: { column, before: at, after: at }, to: w.from + count, radius: 0.3 });
    const expected = step(plain, true, copy, 0);
    expect([step(kernels, true, given, 0), step(kernels, false, given, 0), step(kernels, false, given, 0.25)]).toEqual([expected, expected, expected]);
    expect(given.z).toEqual(copy.z);
  }), { numRuns: 80 });
});

test('the logistic slope is that of the definition to 1e-14', () => {
  fc.assert(fc.property(fc.integer({ min: -800_000, max: 800_000 }).map((m) => m / 1000), fc.boolean(), (margin, positive) => {
    const [z, grid, column, x, targets] = arrays as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    [z[0], grid[0], column[0], x[0], targets[0]] = [margin, 6 * 2 ** 12, 0, 1, Number(positive)];
    const slope = kernels.step({ slope: 'logistic', held: true, z, grid, change: { column, before: 0, after: 0 }, x, targets, from: 0, to: 1, radius: 10 });
    expect(Math.abs(slope - (positive ? -1 / (1 + Math.exp(margin)) : 1 / (1 + Math.exp(-margin))))).toBeLessThanOrEqual(1e-14);
  }), { numRuns: 1000 });
});

test.each(['logistic', 'squared'] as const)('%s over several columns has the bits of the plain twin', (slope) => {
  fc.assert(fc.property(world(), fc.constantFrom(1, 1e-170, 1e160), (given, size) => {
    given.x[given.from] = size;
    both(given, (work, { z, grid, change, x, targets, from, count }) => {
      work.shift(z, grid, change, from, count);
      work.beginNorms(count);
      for (const column of [x, change.column]) work.addSquares(column, from, count);
      const odd = work.roots(count);
      const norms = work.norms.slice(0, count);
      work.slopes(slope, z, targets, from, count, 3);
      return [odd, norms, work.dot(x, from, count), work.dot(change.column, from, count)];
    });
  }), { numRuns: 100 });
});

test('sums of squares that say nothing are noticed, zeros are not', () => {
  const x = arrays[3]!;
  const oddWith = (value: number): boolean[] => [plain, kernels].map((work) => {
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
  fc.assert(fc.property(world(), fc.nat(CHUNK), (given, at) => {
    fc.pre(given.count > 0);
    const bad = given.from + (at % given.count);
    given.z[bad] = NaN;
    const without = copied(given);
    without.x[bad] = 0;
    without.z[bad] = 0;
    const step = (work: RowWork, { z, grid, change, x, targets, from, count }: World): number => work.step({ slope: 'logistic', held: true, z, grid, change, x, targets, from, to: from + count, radius: 1 });
    expect(step(kernels, given)).toBe(step(plain, without));
  }), { numRuns: 100 });
});
