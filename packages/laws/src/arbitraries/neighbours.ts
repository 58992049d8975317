import { InvalidParameter, type Adjacency } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { along, dataOf, onAxis, vectorOf, type Data, type DataShape, type Row } from './vectors.js';

/**
 * Two neighbouring data sets that differ in the record at `at` of `here`.
 * Under add-remove `there` lacks it, under zero-out it is null there.
 */
export interface Neighbours {
  readonly here: Data;
  readonly there: Data;
  readonly at: number;
}

/** The common records, the position of the changed record, the record itself, and its replacement, if any. */
export interface Difference {
  readonly common: Data;
  readonly at: number;
  readonly record: Row;
  readonly other: Row;
}

/** The neighbours with this difference; `other` matters under replace-one only. */
export function neighbours(adjacency: Adjacency, { common, at, record, other }: Difference): Neighbours {
  const there =
    adjacency === 'add-remove' ? common : common.toSpliced(at, 0, adjacency === 'zero-out' ? null : other);
  return { here: common.toSpliced(at, 0, record), there, at };
}

/** Whether two data sets are neighbours, in either order. */
export function areNeighbours(adjacency: Adjacency, { here, there, at }: Neighbours): boolean {
  const [larger, smaller] = here.length >= there.length ? [here, there] : [there, here];
  if (!(at >= 0 && at < larger.length)) return false;
  const [rest, others] = [
    larger.toSpliced(at, 1),
    adjacency === 'add-remove' ? smaller : smaller.toSpliced(at, 1),
  ];
  if (adjacency === 'zero-out' && here[at] !== null && there[at] !== null) return false;
  return (
    rest.length === others.length &&
    larger.length === smaller.length + Number(adjacency === 'add-remove') &&
    rest.every((row, i) => sameRow(row, others[i]))
  );
}

const sameRow = (a: Row | null, b: Row | null): boolean =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((x, j) => Object.is(x, b[j])));

/**
 * `of` of each data set once: many neighbours share one of their two.
 *
 * @param of - Depends on the data alone.
 */
export function oncePerData<T>(of: (rows: Data) => T): (rows: Data) => T {
  const known = new Map<string, T>();
  const textOf = (x: number): string => (Object.is(x, -0) ? '-0' : String(x));
  return (rows) => {
    const key = rows.map((row) => row?.map(textOf).join(' ') ?? 'null').join();
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = of(rows);
    known.set(key, value);
    return value;
  };
}

/** The same neighbours in the opposite order. */
export const reversed = ({ here, there, at }: Neighbours): Neighbours => ({ here: there, there: here, at });

/**
 * Differences between data sets of {@link dataOf}: the changed record against an independent one, its
 * opposite, a multiple of it, and zero.
 */
export function differenceOf({ rows, fewest = 1, ...shape }: DataShape): Arbitrary<Difference> {
  const vector = vectorOf(shape);
  const common =
    rows > 1 ? dataOf({ ...shape, rows: rows - 1, fewest: Math.max(0, fewest - 1) }) : fc.constant<Data>([]);
  const multiple = fc.constantFrom(-1, 0, 0.5, 2, -2);
  const exchanged: Arbitrary<readonly [Row, Row]> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(vector, multiple).map(([row, by]) => [row, row.map((x) => x * by + 0)] as const),
    },
    { weight: 1, arbitrary: fc.tuple(vector, vector) },
  );
  return fc
    .tuple(common, fc.nat(rows), exchanged)
    .map(([data, at, [record, other]]) => ({ common: data, at: at % (data.length + 1), record, other }));
}

/**
 * Neighbouring data sets with at most `rows` and at least `fewest` records (1 by default); common records are
 * sometimes null under zero-out, or where `nulls` allows it. Shrinks to few records near the scale.
 *
 * @throws {InvalidParameter} when `rows` is too small.
 */
export function neighboursOf(
  adjacency: Adjacency,
  { fewest = 1, ...shape }: DataShape,
): Arbitrary<Neighbours> {
  const larger = Math.max(1, adjacency === 'add-remove' ? fewest + 1 : fewest);
  if (!(shape.rows >= larger))
    throw new InvalidParameter(
      `${adjacency} neighbours of at least ${fewest} records need ${larger} rows; ${shape.rows} are allowed`,
      { rows: shape.rows, fewest },
    );
  return differenceOf({ nulls: adjacency === 'zero-out', ...shape, fewest: larger }).map((difference) =>
    neighbours(adjacency, difference),
  );
}

/**
 * Neighbours to try first: a canary against records that are zero, opposite, on both sides, on the axes, at
 * increasing scales and half of them zero (the patterns that find most violations), and every edge of the
 * lattice of data sets over three records, the last far beyond the scale.
 */
export function neighbourExamples(
  adjacency: Adjacency,
  { dimension, scale, rows, norm = 'l2', fewest = 1 }: DataShape,
): readonly Neighbours[] {
  const axis = onAxis(dimension, 0, scale);
  const turned = onAxis(dimension, dimension - 1, dimension === 1 ? -scale : scale);
  const corner = along(
    Array.from({ length: dimension }, () => 1),
    scale,
    norm,
  );
  const times = (row: Row, by: number): Row => row.map((x) => x * by + 0);
  const places = Array.from({ length: Math.max(0, rows - 1) }, (_, i) => i);
  const crowds: readonly Data[] = [
    places.map(() => axis),
    places.map(() => times(axis, -1)),
    places.map(() => times(axis, 0)),
    places.map((i) => times(axis, i % 2 === 0 ? 1 : -1)),
    places.map((i) => onAxis(dimension, i % dimension, scale)),
    places.map((i) => times(axis, 2 ** (i - 1))),
    places.map(() => times(corner, 1e12)),
    places.map((i) => times(axis, i % 2 === 0 ? 1 : 0)),
    places.map((i) => times(axis, i % 2 === 0 ? 1e-6 : 1)),
  ];
  const changes: readonly (readonly [Row, Row])[] = [
    [axis, times(axis, -1)],
    [axis, times(axis, 0)],
    [axis, turned],
    [corner, times(corner, -1)],
    [times(axis, 0.5), times(axis, -0.5)],
    [times(corner, 1e12), times(corner, -1e12)],
    [times(axis, 1e12), times(axis, 0)],
    [times(axis, 16), times(axis, -1e-6)],
  ];
  const patterns = crowds.flatMap((common, i) =>
    changes.map(([record, other], j) => ({
      common,
      record,
      other,
      at: (i + j) % 2 === 0 ? 0 : common.length,
    })),
  );
  return [...patterns, ...latticeOf(adjacency, [axis, times(corner, -1), times(turned, 1e3)])]
    .map((difference) => neighbours(adjacency, difference))
    .filter(
      ({ here, there }) =>
        here.length <= rows && here.length >= 1 && (adjacency !== 'add-remove' || there.length >= fewest),
    );
}

/** Every edge, once, between data sets of at most three records from `records`. */
function latticeOf(adjacency: Adjacency, records: readonly [Row, Row, Row]): readonly Difference[] {
  const subsets = (of: readonly Row[]): readonly Data[] =>
    of.reduce<Data[]>((sets, row) => sets.flatMap((set) => [set, [...set, row]]), [[]]);
  const masked = (of: readonly Row[]): readonly Data[] =>
    of.reduce<Data[]>(
      (sets, row) =>
        sets.flatMap((set) => [
          [...set, null],
          [...set, row],
        ]),
      [[]],
    );
  const edges = (sets: (of: readonly Row[]) => readonly Data[]): readonly Difference[] =>
    records.flatMap((record, i) =>
      sets(records.toSpliced(i, 1)).map((common) => ({
        common,
        at: Math.min(i, common.length),
        record,
        other: record,
      })),
    );
  if (adjacency === 'add-remove') return edges(subsets);
  if (adjacency === 'zero-out') return edges(masked);
  const commons: readonly Data[] = [
    [],
    ...records.map((a) => [a]),
    ...records.flatMap((a, i) => records.slice(i).map((b) => [a, b])),
  ];
  return commons.flatMap((common) =>
    (
      [
        [0, 1],
        [0, 2],
        [1, 2],
      ] as const
    ).map(([a, b]) => ({ common, at: common.length, record: records[a], other: records[b] })),
  );
}
