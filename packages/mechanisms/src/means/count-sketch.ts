import { addUp, divideUp, expm1Up, log1pUp, logUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { InvalidParameter, type RandomSource } from '@lethe/core';
import { assertLength, type LinearSketch } from './linear-sketch.js';

/** Hash tables and their buckets. */
export interface CountSketchShape {
  readonly rows: number;
  readonly width: number;
}

/**
 * A CountSketch: `rows` tables of `width` buckets; in each, every coordinate goes to one bucket with a sign,
 * all independent and uniform; over √rows. `E SᵀS = I`, and
 * `E‖SᵀSz − z‖² = (dimension − 1)/(rows · width) · ‖z‖²` for every `z`.
 *
 * The norm is exact for one row, `√` of the fullest bucket; for more
 * it is the root of the mean over rows of that, which is at least it.
 *
 * @see Charikar, Chen and Farach-Colton 2002; Cohen, Pagh and
 * Woodruff, for the mean over rows in place of the median.
 */
export function countSketch(
  random: RandomSource,
  dimension: number,
  { rows, width }: CountSketchShape,
): LinearSketch {
  assertCountSketch(dimension, { rows, width });
  const places = new Uint32Array(rows * dimension);
  const signs = new Int8Array(rows * dimension);
  const unit = 1 / Math.sqrt(rows);
  let fullest = 0;
  for (let row = 0, at = 0; row < rows; row++) {
    const loads = new Uint32Array(width);
    let fullestOfRow = 0;
    for (let j = 0; j < dimension; j++, at++) {
      const bucket = random.integer(width);
      places[at] = row * width + bucket;
      signs[at] = 2 * random.integer(2) - 1;
      fullestOfRow = Math.max(fullestOfRow, ++loads[bucket]);
    }
    fullest += fullestOfRow;
  }
  return {
    length: rows * width,
    norm: sqrtUp(divideUp(fullest, rows)),
    apply(vector) {
      assertLength(vector, dimension, 'a vector');
      const sketched = new Float64Array(rows * width);
      for (let row = 0, at = 0; row < rows; row++)
        for (let j = 0; j < dimension; j++, at++) sketched[places[at]] += signs[at] * unit * vector[j];
      return sketched;
    },
    transpose(sketched) {
      assertLength(sketched, rows * width, 'a sketch');
      const vector = new Float64Array(dimension);
      for (let row = 0, at = 0; row < rows; row++)
        for (let j = 0; j < dimension; j++, at++) vector[j] += signs[at] * unit * sketched[places[at]];
      return vector;
    },
  };
}

/** Places of coordinates and buckets that fit into memory: a gibibyte of doubles for a sketch. */
export const mostPlaces = 2 ** 27;

/** @throws {InvalidParameter} unless all are whole numbers from 1 on and the tables fit into memory. */
export function assertCountSketch(dimension: number, { rows, width }: CountSketchShape): void {
  for (const [name, value] of Object.entries({ dimension, rows, width })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} is ${value}; it must be a whole number from 1 on`, {
        [name]: value,
      });
  }
  if (rows * Math.max(width, dimension) > mostPlaces)
    throw new InvalidParameter(
      `a CountSketch of ${rows} rows, width ${width} and dimension ${dimension} is too large; ` +
        'rows times either must be at most 2^27',
      { rows, width, dimension },
    );
}

/** Steps of `t` at which the bound on the fullest bucket is tried. */
const exponents = Array.from({ length: 60 }, (_, i) => 2 ** (i / 4 - 10));

/**
 * Upper bound on the mean load of the fullest of `width` buckets with `dimension` coordinates: at most all of
 * them, and at most `(ln width + dimension ln(1 + (e^t − 1)/width))/t` for every `t > 0`.
 */
export function fullestBucketUp(dimension: number, width: number): number {
  if (width === 1) return dimension;
  return exponents.reduce((least, t) => {
    const growth = expm1Up(t);
    return growth < Infinity
      ? Math.min(
          least,
          divideUp(addUp(logUp(width), multiplyUp(dimension, log1pUp(divideUp(growth, width)))), t),
        )
      : least;
  }, dimension);
}
