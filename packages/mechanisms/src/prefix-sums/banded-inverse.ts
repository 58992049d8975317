import { InvalidParameter, Unsupported, type Vector } from '@lethe/core';

/**
 * Solves `C y = z` one row after another, for a banded Toeplitz `C` whose first coefficient is 1: the
 * returned function turns the next `z` into the next `y`, in place. Keeps the last rows of `y`, one fewer
 * than the band is wide; no more than `steps − 1`.
 *
 * @throws {InvalidParameter} when those are more than 2³¹ numbers.
 */
export function bandedSolver(
  coefficients: Float64Array,
  steps: number,
  dimension: number,
): (row: Vector) => void {
  const width = Math.min(coefficients.length, steps);
  const slots = width - 1;
  if (slots * dimension > 2 ** 31) {
    throw new InvalidParameter(
      `a band of ${width} rows of ${dimension} numbers was to be kept; take a bandwidth of at most ` +
        `${Math.floor(2 ** 31 / dimension) + 1}`,
      { bandwidth: width, dimension },
    );
  }
  const solved = new Float64Array(slots * dimension);
  let step = 0;
  return (row) => {
    for (let back = 1; back <= Math.min(slots, step); back++) {
      const factor = coefficients[back];
      const from = ((step - back) % slots) * dimension;
      for (let j = 0; j < dimension; j++) row[j] -= factor * solved[from + j];
    }
    if (slots > 0) solved.set(row, (step % slots) * dimension);
    step++;
  };
}

/** What one unit of noise does, step by step. */
export interface BandedResponse {
  /** Coefficients of `C^{-1}`. */
  readonly inverse: Float64Array;
  /** Those of `A C^{-1}`: their running sums. */
  readonly sums: Float64Array;
  /** Running sums of the squares of those: the variances. */
  readonly variances: Float64Array;
}

const responses = new WeakMap<Float64Array, BandedResponse>();

/** Steps whose responses take two gibibytes together. */
const longest = 2 ** 26;

/**
 * The response for at least `length` of at most `steps` steps. Found once for each array of coefficients, and
 * again at twice the length where it is too short.
 *
 * @throws {Unsupported} for more steps than there may be memory for.
 */
export function bandedResponse(coefficients: Float64Array, length: number, steps: number): BandedResponse {
  const known = responses.get(coefficients);
  if (known !== undefined && known.inverse.length >= length) return known;
  if (length > longest)
    throw new Unsupported(
      `the variance of a banded factorisation after ${length} steps was asked for; ` +
        `it is found step by step, for at most ${longest}; use the buffered linear Toeplitz factorisation`,
      { steps: length, most: longest },
    );
  const response = responseOf(
    coefficients,
    Math.min(steps, longest, Math.max(length, 64, 2 * (known?.inverse.length ?? 0))),
  );
  responses.set(coefficients, response);
  return response;
}

function responseOf(coefficients: Float64Array, length: number): BandedResponse {
  const inverse = new Float64Array(length);
  const sums = new Float64Array(length);
  const variances = new Float64Array(length);
  let sum = 0;
  let variance = 0;
  for (let t = 0; t < length; t++) {
    let value = t === 0 ? 1 : 0;
    for (let back = 1; back < coefficients.length && back <= t; back++)
      value -= coefficients[back] * inverse[t - back];
    inverse[t] = value;
    sum += value;
    sums[t] = sum;
    variance += sum * sum;
    variances[t] = variance;
  }
  return { inverse, sums, variances };
}
