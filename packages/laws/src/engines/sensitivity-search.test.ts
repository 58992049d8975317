import { adjacencies, seededRandom, type Norm } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { areNeighbours } from '../arbitraries/neighbours.js';
import type { Data, Row } from '../arbitraries/vectors.js';
import { distance, normOf } from './norms.js';
import { sensitivitySearch, type SensitivitySearch } from './sensitivity-search.js';

const dimension = 3;
const rows = 5;
const C = 0.75;
const clip = (row: Row, radius = C, norm: Norm = 'l2'): Row => {
  const size = normOf(norm, row);
  return size <= radius ? row : row.map((x) => (x / size) * radius);
};
const present = (data: Data): readonly Row[] => data.filter((row) => row !== null);
const sum = (data: readonly Row[]): Row =>
  data.reduce(
    (total, row) => total.map((x, j) => x + row[j]),
    Array.from({ length: dimension }, () => 0),
  );
const search = (
  query: SensitivitySearch['query'],
  change: Partial<SensitivitySearch> = {},
): ReturnType<typeof sensitivitySearch> =>
  sensitivitySearch({
    adjacency: 'replace-one',
    dimension,
    rows,
    scale: C,
    norm: 'l2',
    random: seededRandom('search'),
    query,
    ...change,
  });
const seeds = Array.from({ length: 10 }, (_, i) => seededRandom(i));

describe('a sum of clipped records', () => {
  const query = (data: Data): Row => sum(present(data).map((row) => clip(row)));
  it.each([...adjacencies])('under %s: the bound is attained and not exceeded', (adjacency) => {
    const bound = adjacency === 'replace-one' ? 2 * C : C;
    for (const random of seeds) {
      const { sensitivity, ...pair } = search(query, { adjacency, random });
      expect(sensitivity / bound).toBeGreaterThan(0.999);
      expect(sensitivity / bound).toBeLessThanOrEqual(1 + 8 * rows * 2 ** -53);
      expect(areNeighbours(adjacency, pair)).toBe(true);
      expect(distance('l2', query(pair.here), query(pair.there))).toBe(sensitivity);
    }
  });
  it.each(['l1', 'linf'] as const)('clipped in %s', (norm) => {
    const found = search((data) => sum(present(data).map((row) => clip(row, C, norm))), { norm });
    expect(Math.abs(found.sensitivity / (2 * C) - 1)).toBeLessThan(1e-12);
  });
  it('with a small radius in a wide search', () =>
    expect(
      (search((data) => sum(present(data).map((row) => clip(row, C / 1000)))).sensitivity / C) * 500,
    ).toBeGreaterThan(0.999));
});

describe('bugs are found without examples, by climbing alone', () => {
  const bare = { examples: [] };
  const ratio = (
    query: SensitivitySearch['query'],
    bound: number,
    change: Partial<SensitivitySearch> = {},
  ): number =>
    Math.min(...seeds.map((random) => search(query, { ...bare, random, ...change }).sensitivity / bound));

  it('the sum is clipped, not each record', () =>
    expect(ratio((data) => clip(sum(present(data)), rows * C), 2 * C)).toBeGreaterThan(2));
  it('each coordinate is clipped', () =>
    expect(
      ratio((data) => sum(present(data).map((row) => row.map((x) => Math.max(-C, Math.min(C, x))))), 2 * C),
    ).toBeGreaterThan(1.6));
  it('each of two layers is clipped', () =>
    expect(
      ratio(
        (data) => sum(present(data).map((row) => [...clip(row.slice(0, 2)), ...clip(row.slice(2))])),
        2 * C,
      ),
    ).toBeGreaterThan(1.38));
  it('the mean divides by the number of present records', () =>
    expect(
      ratio((data) => sum(present(data).map((row) => clip(row))).map((x) => x / data.length), C / rows, {
        adjacency: 'add-remove',
      }),
    ).toBeGreaterThan(1.5));
  it('a micro-batch mean is clipped instead of each record', () =>
    expect(ratio((data) => clip(sum(present(data)).map((x) => x / data.length)), C)).toBeGreaterThan(1.9));
  it('raw records beyond a large norm', () =>
    expect(
      ratio(
        (data) => sum(present(data).map((row) => (normOf('l2', row) > 1e9 * C ? row : clip(row)))),
        2 * C,
      ),
    ).toBeGreaterThan(1e6));
});

describe('a threshold computed from the batch affects every record: many records, half of them zero, show it', () => {
  const middle = (norms: readonly number[]): number =>
    norms.toSorted((a, b) => a - b)[Math.floor(norms.length / 2)];
  const average = (norms: readonly number[]): number => norms.reduce((a, b) => a + b, 0) / norms.length;
  it.each([
    ['mean', average, 1.5],
    ['median', middle, 1.9],
    ['largest', (norms: readonly number[]) => Math.max(...norms) / 2, 1.5],
  ] as const)('%s', (_, statistic, least) => {
    for (const random of seeds) {
      const found = search(
        (data) => {
          const records = present(data);
          const radius = Math.min(C, statistic(records.map((row) => normOf('l2', row))));
          return sum(records.map((row) => clip(row, radius)));
        },
        { rows: 8, random },
      );
      expect(found.sensitivity / (2 * C)).toBeGreaterThan(least);
    }
  });
});

it('a NaN answer, or a length that depends on the data, counts as infinitely far', () => {
  expect(search((data) => [data.length > 4 ? NaN : 0]).sensitivity).toBe(Infinity);
  expect(search((data) => data.map(() => 0), { adjacency: 'add-remove' }).sensitivity).toBe(Infinity);
});
it('a constant has sensitivity 0', () => expect(search(() => [1, 2]).sensitivity).toBe(0));
it('data sets keep to the number of rows and are never empty', () => {
  const seen = new Set<number>();
  search(
    (data) => {
      seen.add(data.length);
      return [0];
    },
    { adjacency: 'add-remove' },
  );
  expect([...seen].toSorted()).toEqual([1, 2, 3, 4, 5]);
});
it('records stay finite, and null records occur under zero-out only', () => {
  for (const adjacency of adjacencies) {
    let nulls = 0;
    search(
      (data) => {
        for (const row of data)
          if (row === null) nulls++;
          else expect(row.every((x) => Number.isFinite(x))).toBe(true);
        return sum(present(data));
      },
      { adjacency },
    );
    expect(nulls > 0).toBe(adjacency === 'zero-out');
  }
});
it('is deterministic', () =>
  expect(search((data) => sum(present(data)))).toEqual(search((data) => sum(present(data)))));
