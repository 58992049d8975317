import { InvalidParameter } from '../errors.js';
import { logarithmOf } from '../linalg/elementary.js';
import type { RandomSource } from './random-source.js';

const MAX_ROWS = 2 ** 32 - 1;

/**
 * Poisson sample of `[0, n)`, ascending: each row independently with probability `rate`, in O(sample size)
 * time.
 *
 * The gap before the next row is the integer part of E / λ, with E exponential of mean 1 and λ = −ln(1 −
 * rate), which is geometric: P(gap ≥ k) = (1 − rate)^k. In doubles, λ and the quotient have relative errors
 * of about 2⁻⁵² and E has a grid of about 2⁻⁵², so each row's probability is within 2⁻⁴⁹ of `rate`.
 *
 * @throws {InvalidParameter} unless `n` is a whole number below 2³² and `0 <= rate <= 1`.
 */
export function poissonSample(random: RandomSource, n: number, rate: number): Uint32Array {
  if (!Number.isInteger(n) || n < 0 || n > MAX_ROWS)
    throw new InvalidParameter(`${n} rows cannot be sampled from; give a whole number below 2^32`, { n });
  if (!(rate >= 0 && rate <= 1))
    throw new InvalidParameter(`a sampling rate of ${rate} is not a probability; give a number from 0 to 1`, {
      rate,
    });
  const decay = minusLogOfRest(rate);
  const expected = n * rate;
  const size = Math.min(n + 1, Math.ceil(expected + 4 * Math.sqrt(expected)) + 4);
  const draws = spare?.length === size ? spare : new Float64Array(size);
  // Not while it is in use: the source may be a caller's.
  spare = null;
  let taken = new Uint32Array(size);
  let count = 0;
  for (let row = -1; ;) {
    random.laplaceInto(draws);
    if (count + size > taken.length) taken = grown(taken, count + size);
    for (let i = 0; i < size; i++) {
      row += 1 + Math.floor(Math.abs(draws[i]) / decay);
      if (!(row < n)) {
        if (size <= mostSpare) spare = draws.fill(0);
        return taken.slice(0, count);
      }
      taken[count++] = row;
    }
  }
}

/** Memory of the last sample's draws, as one run samples with one rate again and again. */
let spare: Float64Array | null = null;
/** The most numbers that are kept. */
const mostSpare = 2 ** 16;

/** −ln(1 − rate), exact to a few units in the last place also for tiny rates; Infinity for 1. */
function minusLogOfRest(rate: number): number {
  if (rate === 1) return Infinity;
  if (rate > 0.25) return -logarithmOf(1 - rate);
  const s = rate / (2 - rate);
  const q = s * s;
  let tail = 0;
  for (let k = 21; k >= 1; k -= 2) tail = 1 / k + q * tail;
  return 2 * s * tail;
}

function grown(array: Uint32Array, atLeast: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(atLeast, 2 * array.length));
  larger.set(array);
  return larger;
}
