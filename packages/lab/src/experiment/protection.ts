import { InvalidParameter } from '@lethe/core';
import type { BudgetSpec, Release } from './schema.js';

/** Above it a release is refused: the odds of a guess may change by a factor of 10²¹. */
const largestEpsilon = 50;
/** Above it a budget is weak: the odds of a guess may change by a factor of 20 000. */
const usualEpsilon = 10;

/** Why a delta protects nobody among `n` records; `null` where it may protect. */
export const wholeRecordAt = (delta: number, n: number): string | null =>
  n > 1 && delta >= 1 / n
    ? `delta ${delta} is at least 1/${n}: publishing one of the ${n} records whole would keep it`
    : null;

/**
 * Why a budget gives weak protection or none; `null` for a sound budget.
 *
 * - ε above 50, or δ of 1/n or more, is none: a mechanism that
 *   publishes one whole record, drawn at random, keeps δ = 1/n.
 * - ε above 10, or δ above 1/(10 n), is weak.
 *
 * @param n - Number of records, public; left out where it is not known yet.
 */
export function weaknessOf(
  { epsilon, delta }: BudgetSpec,
  n?: number,
): { readonly isNone: boolean; readonly why: string } | null {
  if (epsilon > largestEpsilon)
    return { isNone: true, why: `epsilon ${epsilon} is above ${largestEpsilon}, and protects nobody` };
  const whole = n === undefined ? null : wholeRecordAt(delta, n);
  if (whole !== null) return { isNone: true, why: whole };
  if (epsilon > usualEpsilon)
    return { isNone: false, why: `epsilon ${epsilon} is above ${usualEpsilon}, which is weak` };
  if (n !== undefined && delta > 0.1 / n)
    return {
      isNone: false,
      why: `delta ${delta} is above 1/(10 n) at n = ${n}, which is weak; take it far below`,
    };
  return null;
}

/**
 * Refuses a release whose budget, or the limit of whose data set, protects nobody, unless it says that it
 * may.
 *
 * @throws {InvalidParameter} with the rule that it breaks.
 */
export function assertProtects(
  { budget, limit, weakPrivacy }: Pick<Release, 'budget' | 'limit' | 'weakPrivacy'>,
  n?: number,
): void {
  if (weakPrivacy) return;
  for (const [name, one] of [
    ['budget', budget],
    ['limit', limit],
  ] as const) {
    const weakness = one === undefined ? null : weaknessOf(one, n);
    if (weakness?.isNone === true)
      throw new InvalidParameter(
        `${name}: ${weakness.why}; take less, or write weakPrivacy: true to release all the same`,
        { ...one, n },
      );
  }
}
