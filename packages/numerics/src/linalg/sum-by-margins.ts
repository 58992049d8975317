import { InvalidParameter } from '../errors.js';
import { accumulate } from './accumulate.js';
import { CHUNK } from './kernels.wasm.js';
import { margins } from './margins.js';
import { rowCount, rowsBetween, type Matrix, type Rows } from './matrix.js';
import { eachChunk } from './on-engine.js';

/** One call of {@link sumByMargins}. */
interface SumByMargins {
  readonly X: Matrix;
  /** One or more points `[columns]`. */
  readonly points: readonly Float64Array[];
  readonly rows: Rows;
  /**
   * Turns the margins `⟨x, point_k⟩` of some of the rows, `margins[k][i]` for the i-th of them, into their
   * coefficients in the sum, written to `margins[0]`; the arrays are lent.
   */
  coefficientsInPlace(margins: readonly Float64Array[], rows: Rows): void;
  /** Columns of the result; all columns by default. */
  readonly coordinates?: Uint32Array | undefined;
  /** `[columns]`, or `[coordinates.length]`. */
  readonly out: Float64Array;
}

/**
 * `out += Σ c x` over the chosen rows, where `c` is made of the margins of a row at one or more points. Rows
 * are taken in chunks of fixed size that stay in cache, so that each is read from memory once. A row with
 * coefficient zero adds exactly nothing.
 *
 * @returns `out`.
 * @throws {InvalidParameter} when there is no point, a length does not fit, or a row does not exist.
 */
export function sumByMargins({
  X,
  points,
  rows,
  coefficientsInPlace,
  coordinates,
  out,
}: SumByMargins): Float64Array {
  if (points.length === 0) throw new InvalidParameter('a sum by margins at no point; give one or more', {});
  const whole = points.map(() => new Float64Array(Math.min(CHUNK, rowCount(rows))));
  eachChunk(rows, (from, to) => {
    const some = rowsBetween(rows, from, to);
    const parts = whole.map((part) => (part.length === to - from ? part : part.subarray(0, to - from)));
    parts.forEach((part, k) => margins(X, points[k], some, part));
    coefficientsInPlace(parts, some);
    accumulate(X, parts[0], some, out, coordinates);
  });
  return out;
}
