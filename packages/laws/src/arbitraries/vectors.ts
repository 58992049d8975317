import type { Norm } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { normOf } from '../engines/norms.js';

/** A record: plain numbers, for readable output and shrinking. */
export type Row = readonly number[];
/** Records in slot order; `null` is the null record, which contributes nothing. */
export type Data = readonly (Row | null)[];

/** Shape of vectors: `scale` is the bound under test; norms lie on both sides of it. */
export interface VectorShape {
  readonly dimension: number;
  /** Positive, from 1e-250 to 1e250, to leave room on both sides. */
  readonly scale: number;
  /** The norm for `scale`. @defaultValue 'l2' */
  readonly norm?: Norm;
}

/** The first entry is non-zero, so that directions shrink to an axis before they shrink to zero. */
const directionOf = (dimension: number): Arbitrary<Row> =>
  fc.oneof(
    { withCrossShrink: true },
    {
      weight: 1,
      arbitrary: fc
        .nat(dimension - 1)
        .chain((axis) => fc.constantFrom(1, -1).map((sign) => onAxis(dimension, axis, sign))),
    },
    {
      weight: 3,
      arbitrary: fc.array(fc.integer({ min: -4, max: 4 }), {
        minLength: dimension,
        maxLength: dimension,
        size: 'max',
      }),
    },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(1, -1), {
        minLength: dimension,
        maxLength: dimension,
        size: 'max',
      }),
    },
  );

/** `length` on one axis, zero elsewhere. */
export const onAxis = (dimension: number, axis: number, length: number): Row =>
  Array.from({ length: dimension }, (_, j) => (j === axis ? length : 0));

const magnitudeOf = (scale: number): Arbitrary<number> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 2, arbitrary: fc.constantFrom(scale, scale * (1 + 2 ** -52), scale * (1 - 2 ** -53), 0) },
    { weight: 4, arbitrary: fc.integer({ min: -8, max: 8 }).map((k) => scale * 2 ** k) },
    { weight: 1, arbitrary: fc.constantFrom(scale * 1e12, scale * 1e-12) },
  );

/** The vector along `direction` of the given norm; zero for a zero direction. Exact on an axis. */
export function along(direction: Row, length: number, norm: Norm = 'l2'): Row {
  const size = normOf(norm, direction);
  return direction.map((x) => (x === 0 || length === 0 ? 0 : (x / size) * length));
}

/**
 * Vectors with norms over many scales: 2⁻⁸ to 2⁸ times the scale, the scale itself and its two neighbouring
 * doubles, zero, and 10^±12 times it; directions on a grid of small integers, including the axes and the
 * corners of the cube. Shrinks to few entries and to norm `scale`.
 */
export const vectorOf = ({ dimension, scale, norm = 'l2' }: VectorShape): Arbitrary<Row> =>
  fc
    .tuple(directionOf(dimension), magnitudeOf(scale))
    .map(([direction, length]) => along(direction, length, norm));

/** Shape of data sets. */
export interface DataShape extends VectorShape {
  /** Maximum number of records. */
  readonly rows: number;
  /** Minimum number of records. @defaultValue 1 */
  readonly fewest?: number;
  /** Whether null records may occur. @defaultValue false */
  readonly nulls?: boolean;
}

/**
 * Data sets of {@link vectorOf}: independent records, all equal, one canary against equal records, and two
 * opposite halves. Shrinks to one record.
 */
export function dataOf({ rows, fewest = 1, nulls = false, ...shape }: DataShape): Arbitrary<Data> {
  const vector = vectorOf(shape);
  const record: Arbitrary<Row | null> = nulls
    ? fc.oneof(
        { withCrossShrink: true },
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 4, arbitrary: vector },
      )
    : vector;
  const count = fc.integer({ min: fewest, max: rows });
  const crowd = fc.tuple(count, record).map(([n, row]): Data => Array.from({ length: n }, () => row));
  const sides = fc.array(fc.boolean(), { minLength: fewest, maxLength: rows, size: 'max' });
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.array(record, { minLength: fewest, maxLength: rows, size: 'max' }) },
    { weight: 1, arbitrary: crowd },
    {
      weight: 1,
      arbitrary: fc
        .tuple(crowd, vector, fc.nat(rows))
        .map(([data, canary, at]): Data => (data.length === 0 ? data : data.with(at % data.length, canary))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(sides, record, vector)
        .map(([data, one, other]): Data => data.map((side) => (side ? one : other))),
    },
  );
}
