import { addUp, multiplyUp, sqrtUp, subtractUp, addDown } from '@lethe/numerics';
import { type Participation, type PrefixSumShape } from '@lethe/core';
import { heaviestPatternUp } from './heaviest-pattern.js';
import { assertShape, largestParticipation } from './participation.js';

/** Rounded up: `Σ values²`, and what its first `k` terms add up to, for `k = 0, 1, …`. */
export function runningSquaresUp(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let k = 0; k < values.length; k++) sums[k + 1] = addUp(sums[k], multiplyUp(values[k], values[k]));
  return sums;
}

/**
 * Squared norms of the columns of `C`, rounded up, of the
 * entries in at most `bandwidth` rows from the diagonal.
 *
 * @param entry - entry (row, column) of C
 */
export function columnSquaresUp(
  steps: number,
  entry: (row: number, column: number) => number,
  bandwidth = steps,
): Float64Array {
  return Float64Array.from({ length: steps }, (_, column) => {
    let sum = 0;
    for (let row = column; row < Math.min(steps, column + bandwidth); row++) {
      const value = entry(row, column);
      sum = addUp(sum, multiplyUp(value, value));
    }
    return sum;
  });
}

/**
 * Exact up to rounding, where columns `gap` or more apart are orthogonal, as in bands of at most `gap` rows.
 * `squares` are upper bounds of the squared norms of columns.
 */
export const orthogonalNormUp = (squares: Float64Array, participation: Participation): number =>
  sqrtUp(heaviestPatternUp(squares, participation));

/** An upper bound for every `C`: the norms of the columns of a pattern add up at most. */
export const triangleNormUp = (squares: Float64Array, participation: Participation): number =>
  heaviestPatternUp(
    squares.map((square) => sqrtUp(square)),
    participation,
  );

/**
 * The norm of `C u` for lower triangular Toeplitz `C` of the
 * given coefficients (those left out are 0), rounded up.
 *
 * - One participation, or a band no wider than `gap`: exact, for coefficients of any sign; columns are
 *   orthogonal, and the first are the longest.
 * - Coefficients that are not negative and do not increase:
 * exact; the worst slot takes part at 0, gap, 2 gap, …
 * - Else an upper bound, the better of two: norms added up, and the
 *   norm for the least such coefficients that are no smaller in size.
 *
 * @see Kalinin, Lampert 2024, Theorem 2.
 * @throws {InvalidParameter} unless shape and participation are counts.
 */
export function toeplitzNormUp(
  coefficients: Float64Array,
  shape: PrefixSumShape,
  participation: Participation,
): number {
  assertShape(shape);
  const count = largestParticipation(shape, participation);
  const { steps } = shape;
  const { gap } = participation;
  const c = coefficients.subarray(0, Math.min(steps, coefficients.length));
  const squares = runningSquaresUp(c);
  const squareOf = (column: number): number => squares[Math.min(c.length, steps - column)];
  // Of the columns 0, gap, …, those that the end of the stream does not cut are alike.
  const whole = Math.min(count, Math.floor((steps - c.length) / gap) + 1);
  const overColumns = (value: (square: number) => number): number => {
    let sum = multiplyUp(whole, value(squares[c.length]));
    for (let j = whole; j < count; j++) sum = addUp(sum, value(squareOf(j * gap)));
    return sum;
  };
  if (count === 1 || c.length <= gap) return sqrtUp(overColumns((square) => square));
  const majorant = c.map(Math.abs);
  for (let k = c.length - 2; k >= 0; k--) majorant[k] = Math.max(majorant[k], majorant[k + 1]);
  const aligned = earliestPatternNormUp(majorant, steps, count, gap);
  if (majorant.every((value, k) => value === c[k])) return aligned;
  return Math.min(aligned, overColumns(sqrtUp));
}

/**
 * Norm of the sum of the columns 0, gap, … of a Toeplitz matrix of coefficients that are not negative,
 * rounded up. More coefficients than `gap`.
 */
function earliestPatternNormUp(c: Float64Array, allSteps: number, allCount: number, gap: number): number {
  // Between the first full band and the last participation entries
  // repeat every `gap` steps: one period of them is summed, and counted.
  const skipped = Math.max(0, Math.floor((Math.min(allCount * gap, allSteps) - c.length + 1) / gap) - 1);
  const steps = allSteps - skipped * gap;
  const count = allCount - skipped;
  let period = 0;
  // Sums over all earlier columns, from which those are taken away
  // that are `count` participations back; from above and below.
  const reach = Math.min(steps, c.length + (count - 1) * gap);
  const above = new Float64Array(reach);
  const below = new Float64Array(reach);
  const expired = count * gap;
  let square = 0;
  for (let t = 0; t < reach; t++) {
    const own = t < c.length ? c[t] : 0;
    above[t] = t < gap ? own : addUp(own, above[t - gap]);
    below[t] = t < gap ? own : addDown(own, below[t - gap]);
    const entry = t < expired ? above[t] : subtractUp(above[t], below[t - expired]);
    const energy = multiplyUp(entry, entry);
    square = addUp(square, energy);
    if (t >= c.length - 1 && t < c.length - 1 + gap) period = addUp(period, energy);
  }
  return sqrtUp(addUp(square, multiplyUp(skipped, period)));
}
