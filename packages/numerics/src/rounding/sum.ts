import { addDown, addUp } from './add.js';
import { sumError } from './error-free.js';
import { nextDown, nextUp } from './neighbours.js';

/**
 * The sum as a non-overlapping expansion, least significant part
 * first; `undefined` where a partial sum is not finite.
 * @see Shewchuk 1997, grow-expansion.
 */
function expansion(values: Iterable<number>): number[] | undefined {
  const parts: number[] = [];
  for (const value of values) {
    let carry = value;
    let kept = 0;
    for (const part of parts) {
      const s = carry + part;
      if (!Number.isFinite(s)) return undefined;
      const error = sumError(carry, part, s);
      if (error !== 0) parts[kept++] = error;
      carry = s;
    }
    if (!Number.isFinite(carry)) return undefined;
    parts.length = kept;
    parts.push(carry);
  }
  return parts;
}

function sum(values: Iterable<number>, add: (a: number, b: number) => number, up: boolean): number {
  const collected = [...values];
  const parts = expansion(collected);
  if (parts === undefined) {
    // Infinite terms first, so an undefined sum is always detected and a bound of ±Infinity never cancels.
    collected.sort((a, b) => Number(Number.isFinite(a)) - Number(Number.isFinite(b)));
    return collected.reduce(add, 0);
  }
  let total = 0;
  let rest = 0;
  for (let index = parts.length - 1; index >= 0; index--) {
    const s = total + parts[index];
    rest = sumError(total, parts[index], s);
    total = s;
    // All later terms are smaller than a non-zero error, so its sign is the sign of the whole remainder.
    if (rest !== 0) break;
  }
  if (up) return rest > 0 ? nextUp(total) : total;
  return rest < 0 ? nextDown(total) : total;
}

/**
 * The smallest double that is at least the exact sum of `values`; an empty sum is 0.
 *
 * The sum is accumulated without error, so its order does not matter. If a partial sum overflows, the result
 * is still a bound but may be loose.
 *
 * @throws {InvalidParameter} on NaN and when both infinities occur.
 */
export function sumUp(values: Iterable<number>): number {
  return sum(values, addUp, true);
}

/** The largest double that is at most the exact sum. @throws {InvalidParameter} as {@link sumUp}. */
export function sumDown(values: Iterable<number>): number {
  return sum(values, addDown, false);
}
