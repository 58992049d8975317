import type { RandomSource } from '@lethe/core';
import type { Fraction } from './dyadic.js';

/**
 * Whether a uniform number, whose first `bits` bits are in `word`,
 * is below a fraction; draws more bits if these do not decide.
 */
export function isBelow(
  word: number,
  bits: number,
  { numerator, denominator }: Fraction,
  random: RandomSource,
): boolean {
  let rest = (numerator << BigInt(bits)) - BigInt(word) * denominator;
  while (rest > 0n && rest < denominator) rest = (rest << 53n) - BigInt(random.bits53()) * denominator;
  return rest > 0n;
}

/**
 * Goes on with von Neumann's comparison after its first uniform number was below the exponent: `true` in the
 * end with probability `e^(−exponent)`, when runs of numbers below it of odd length before the first that is
 * not count as `true`. The k-th counts one time in k.
 *
 * @param low - At most `2⁵³ · exponent`, and `high` at least that: they decide nearly always.
 */
export function restOfRun(
  low: number,
  high: number,
  exponent: () => Fraction,
  random: RandomSource,
): boolean {
  for (let run = 2; ; run++) {
    if (random.integer(run) !== 0) return run % 2 === 1;
    const word = random.bits53();
    if (word >= high || (word + 1 > low && !isBelow(word, 53, exponent(), random))) return run % 2 === 1;
  }
}
