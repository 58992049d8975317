import type { Bounds } from '@lethe/numerics';
import type { DominatingPair } from '@lethe/core';
import type { Asked } from './asked.js';
import { type Question, questionOf } from './bounds-of-product.js';
import type { Goal } from './growth.js';

/**
 * Bounds over all pairs of an event: an upper bound of the worst pair, and a lower bound of attained pairs.
 *
 * The pair with the largest estimate comes first; others are refined only if a coarse answer could exceed it.
 */
export function boundsOfPairs(pairs: readonly DominatingPair[], goal: Goal, wanted: Asked = {}): Bounds {
  const asked: readonly (Question & { readonly attained: boolean })[] = pairs
    .map(({ factors, attained }) => ({ attained, ...questionOf(factors, goal) }))
    .toSorted((a, b) => b.guess - a.guess);
  let upper = 0;
  let lower = 0;
  let first: number | undefined;
  for (const question of asked) {
    let found: Bounds | undefined;
    if (first !== undefined) {
      const gap = first - question.guess;
      const coarse = question.answer({ ...wanted, width: Math.max(wanted.width ?? 1e-3, gap / 8) }, false);
      // It costs less, or its bounds are already good enough.
      if (coarse.upper <= upper && (lower > 0 || !question.attained)) found = coarse;
    }
    found ??= question.answer(wanted);
    first ??= question.guess;
    upper = Math.max(upper, found.upper);
    if (question.attained) lower = Math.max(lower, found.lower);
  }
  return { lower: Math.min(lower, upper), upper };
}
