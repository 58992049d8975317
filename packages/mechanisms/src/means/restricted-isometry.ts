import { addUp, divideUp, logBinomialBounds, logDown, multiplyUp, sqrtUp, subtractUp } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';
import { dotsInto } from '../solvers/pivoting-basis.js';

/** A random matrix of independent N(0, 1/measurements) entries, and the vectors it is asked about. */
export interface GaussianSensing {
  readonly measurements: number;
  readonly dimension: number;
  /** Entries that may differ from zero; more than the dimension count as all of it. */
  readonly sparsity: number;
}

/**
 * What `max ‖A v‖ / ‖v‖` over all sparse `v` exceeds with probability at most `failure`, for the Gaussian
 * matrix A: `κ = 1 + √(k/m) + √(2 (ln C(d, k) + ln(1/failure)) / m)`. On one support the largest singular
 * value has mean at most `1 + √(k/m)` and is concentrated with variance `1/m`; there are `C(d, k)` supports.
 * Rounded up. No constant is unknown, and every number of measurements will do.
 *
 * @throws {InvalidParameter} unless numbers are positive and whole, and `failure` in (0, 1).
 */
export function sensingNormWithin(
  { measurements, dimension, sparsity }: GaussianSensing,
  failure: number,
): number {
  for (const [name, value] of Object.entries({ measurements, dimension, sparsity })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} is ${value}; it must be a positive whole number`, {
        [name]: value,
      });
  }
  if (!(failure > 0 && failure < 1))
    throw new InvalidParameter(`a failure probability of ${failure} was given; it must be between 0 and 1`, {
      failure,
    });
  const k = Math.min(sparsity, dimension);
  const supports = subtractUp(logBinomialBounds(dimension, k).upper, logDown(failure));
  return addUp(
    addUp(1, sqrtUp(divideUp(k, measurements))),
    sqrtUp(divideUp(multiplyUp(2, supports), measurements)),
  );
}

/**
 * The fewest measurements for which {@link sensingNormWithin} is at most `norm`:
 * `((√k + √(2 (ln C(d, k) + ln(1/failure)))) / (norm − 1))²`, rounded up. It may be more than the dimension.
 *
 * @param norm - Above 1 and finite.
 * @throws {InvalidParameter} as {@link sensingNormWithin}, and for any other norm.
 */
export function measurementsWithin(
  { norm, ...vectors }: Omit<GaussianSensing, 'measurements'> & { readonly norm: number },
  failure: number,
): number {
  if (!(norm > 1 && norm < Infinity))
    throw new InvalidParameter(`a norm of ${norm} was given; it must be finite and above 1`, { norm });
  // κ − 1 is proportional to 1/√m.
  const excess = sensingNormWithin({ measurements: 1, ...vectors }, failure) - 1;
  let measurements = Math.max(1, Math.floor((excess / (norm - 1)) ** 2));
  while (sensingNormWithin({ measurements, ...vectors }, failure) > norm) measurements++;
  return measurements;
}

/** Products of columns that are computed at most for a bound from them. */
const affordable = 2 ** 28;

/**
 * An upper bound on `max ‖A v‖ / ‖v‖` over all `v` with at most `sparsity` entries that differ from zero, for
 * this very matrix: valid for every matrix. The smaller of two bounds, with an allowance for rounding:
 * - of the operator norm of A, by Gershgorin's theorem and the Frobenius norm on a power of `A Aᵀ`;
 * - of the `sparsity × sparsity` blocks of `Aᵀ A`, by Gershgorin's theorem: `‖aⱼ‖²` and the largest
 *   `sparsity − 1` of `|⟨aᵢ, aⱼ⟩|`; left out where that takes more than 2^28 multiplications.
 *
 * @param columns - Column after column, `rows` numbers each, of at most 1e140 in size.
 * @throws {InvalidParameter} for numbers that are not finite or no such
 * columns, and for a sparsity that is no positive whole number.
 */
export function sparseNormBound(columns: Float64Array, rows: number, sparsity: number): number {
  if (!(Number.isSafeInteger(rows) && rows >= 1) || columns.length === 0 || columns.length % rows !== 0) {
    throw new InvalidParameter(
      `${columns.length} numbers were given as columns of ${rows}; give one whole column or more`,
      { length: columns.length, rows },
    );
  }
  if (!(Number.isSafeInteger(sparsity) && sparsity >= 1))
    throw new InvalidParameter(`sparsity is ${sparsity}; it must be a positive whole number`, { sparsity });
  const count = columns.length / rows;
  const largest = columns.reduce((size, x) => Math.max(size, Math.abs(x)), 0);
  if (!(largest <= 1e140))
    throw new InvalidParameter(
      `the largest entry of the matrix has size ${largest}; squares must be finite, ` +
        'so give entries of at most 1e140',
      { largest },
    );
  const square =
    count * count * rows <= affordable
      ? Math.min(wholeNorm(columns, rows), blockNorm(columns, rows, Math.min(sparsity, count)))
      : wholeNorm(columns, rows);
  return largest === 0 ? 0 : Math.sqrt(square) * (1 + 2 ** -50);
}

function blockNorm(columns: Float64Array, rows: number, sparsity: number): number {
  const count = columns.length / rows;
  const products = new Float64Array(count);
  let best = 0;
  for (let j = 0; j < count; j++) {
    dotsInto(products, columns, columns, { length: rows, offset: j * rows });
    for (let i = 0; i < count; i++) products[i] = Math.abs(products[i]);
    let sum = products[j];
    products[j] = 0;
    if (sparsity > 1)
      sum += products
        .toSorted()
        .subarray(count - (sparsity - 1))
        .reduce((total, x) => total + x, 0);
    best = Math.max(best, sum);
  }
  // A product of two columns is off by at most rows · 2^-53 times
  // the largest squared norm, which `best` is no less than.
  return best * (1 + (rows + 2) * (sparsity + 2) * 2 ** -51);
}

/** Bound on the largest eigenvalue of `A Aᵀ`. */
function wholeNorm(columns: Float64Array, rows: number): number {
  const count = columns.length / rows;
  let gram = new Float64Array(rows * rows);
  for (let j = 0; j < count; j++) {
    for (let r = 0; r < rows; r++) {
      const x = columns[j * rows + r];
      for (let q = 0; q <= r; q++) gram[r * rows + q] += x * columns[j * rows + q];
    }
  }
  for (let r = 0; r < rows; r++) for (let q = 0; q < r; q++) gram[q * rows + r] = gram[r * rows + q];
  const allowance = 1 + rows * (rows + count) * 2 ** -49;
  let best = Infinity;
  let log = 0;
  for (let power = 1; ; power *= 2) {
    best = Math.min(
      best,
      Math.exp((Math.log(eigenvalueBound(gram, rows)) + log) / power) * (1 + 2 ** -45) * allowance,
    );
    const mostOf = () => {
      if (rows <= 128) return 16;
      return rows <= 512 ? 4 : 1;
    };
    if (power >= mostOf()) return best;
    // Powers are kept in a unit of their own, whose logarithm is `log`.
    const unit = gram.reduce((size, x) => Math.max(size, Math.abs(x)), 0);
    if (unit === 0) return best;
    gram = squared(
      gram.map((x) => x / unit),
      rows,
    );
    log = 2 * (log + Math.log(unit));
  }
}

function squared(matrix: Float64Array, rows: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(rows * rows);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < rows; k++) {
      const x = matrix[r * rows + k];
      for (let q = 0; q < rows; q++) out[r * rows + q] += x * matrix[k * rows + q];
    }
  }
  return out;
}

/** The smaller of the largest sum of a row and the Frobenius norm. */
function eigenvalueBound(matrix: Float64Array, rows: number): number {
  let largest = 0;
  let square = 0;
  for (let r = 0; r < rows; r++) {
    let sum = 0;
    for (let q = 0; q < rows; q++) {
      const x = matrix[r * rows + q];
      sum += Math.abs(x);
      square += x * x;
    }
    largest = Math.max(largest, sum);
  }
  return Math.min(largest, Math.sqrt(square));
}
