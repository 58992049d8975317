import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normOf } from '../engines/norms.js';
import { dataOf, vectorOf, type Data } from './vectors.js';

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns = 4000): readonly T[] =>
  fc.sample(arbitrary, { seed: 7, numRuns });
const share = <T>(values: readonly T[], holds: (value: T) => boolean): number =>
  values.filter(holds).length / values.length;
/** The smallest failing input. */
const smallest = <T>(arbitrary: fc.Arbitrary<T>, fine: (value: T) => boolean): T =>
  defined(fc.check(fc.property(arbitrary, fine), { seed: 7, numRuns: 5000 }).counterexample)[0];

describe.each([
  [1, 1, 'l2'],
  [3, 0.25, 'l2'],
  [16, 7, 'l1'],
  [4, 1e-100, 'linf'],
] as const)('vectors in %i dimensions at scale %d in %s', (dimension, scale, norm) => {
  const sizes = sample(vectorOf({ dimension, scale, norm })).map((row) => normOf(norm, row) / scale);
  it('lie on both sides of the scale', () => {
    expect(share(sizes, (size) => size > 1)).toBeGreaterThan(0.2);
    expect(share(sizes, (size) => size > 0 && size < 1)).toBeGreaterThan(0.2);
    expect(share(sizes, (size) => Math.abs(size - 1) < 1e-14)).toBeGreaterThan(0.1);
  });
  it('include very large ones, and zero', () => {
    for (const far of [1e12, 1e-12, 256, 1 / 256])
      expect(share(sizes, (size) => Math.abs(size / far - 1) < 1e-14)).toBeGreaterThan(0.005);
    expect(share(sizes, (size) => size === 0)).toBeGreaterThan(0.01);
    expect(share(sizes, (size) => size === 1)).toBeGreaterThan(0.01);
  });
  it('have the dimension, and no minus zero', () => {
    for (const row of sample(vectorOf({ dimension, scale, norm }), 200))
      expect(row.length === dimension && row.every((x) => Number.isFinite(x) && !Object.is(x, -0))).toBe(
        true,
      );
  });
});

it('boundary norms are exact on an axis', () => {
  const sizes = sample(vectorOf({ dimension: 1, scale: 3 })).map(([x]) => Math.abs(x));
  for (const exact of [3, 3 * (1 + 2 ** -52), 3 * (1 - 2 ** -53)]) expect(sizes).toContain(exact);
});

it('vectors shrink to readable values', () => {
  expect(smallest(vectorOf({ dimension: 3, scale: 1 }), (row) => normOf('l2', row) < 0.5)).toEqual([1, 0, 0]);
  expect(
    normOf(
      'l2',
      smallest(vectorOf({ dimension: 3, scale: 1 }), (row) => normOf('l2', row) <= 1),
    ),
  ).toBeLessThanOrEqual(2);
});

describe('data sets', () => {
  const shape = { rows: 6, dimension: 2, scale: 1 };
  const sets = sample(dataOf(shape));
  const equal = (data: Data): boolean =>
    data.length > 2 && data.every((row) => String(row) === String(data[0]));
  const canary = (data: Data): boolean =>
    data.length > 2 &&
    data.some((_, i) => equal([...data.toSpliced(i, 1), data[i === 0 ? 1 : 0]]) && !equal(data));
  it('are of all sizes, all equal, or a canary against equal records', () => {
    for (let n = 1; n <= 6; n++) expect(share(sets, (data) => data.length === n)).toBeGreaterThan(0.03);
    expect(share(sets, equal)).toBeGreaterThan(0.05);
    expect(share(sets, canary)).toBeGreaterThan(0.05);
    expect(share(sets, (data) => data.includes(null))).toBe(0);
  });
  it('have null records on demand, and may be empty if allowed', () => {
    const sparse = sample(dataOf({ ...shape, nulls: true, fewest: 0 }));
    expect(share(sparse, (data) => data.includes(null))).toBeGreaterThan(0.15);
    expect(share(sparse, (data) => data.length === 0)).toBeGreaterThan(0.03);
  });
  it('shrink to few records', () =>
    expect(smallest(dataOf(shape), (data) => data.length < 3)).toHaveLength(3));
});
