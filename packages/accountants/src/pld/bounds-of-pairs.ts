import type { Bounds } from '@lethe/numerics';
import type { DominatingPair } from '@lethe/core';
import type { Asked } from './asked.js';
import { type Question, questionOf } from './bounds-of-product.js';
import type { Goal } from './growth.js';

/**
 * Bounds over all pairs of an event: what the worst costs, and what one that is attained costs at least.
 *
 * The pair that seems to cost most is answered first; another is refined only where a rough answer leaves open whether it costs more.
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
      const rough = question.answer({ ...wanted, width: Math.max(wanted.width ?? 1e-3, gap / 8) }, false);
      // Either it costs less, or it is known as well as it has to be.
      if (rough.upper <= upper && (lower > 0 || !question.attained)) found = rough;
    }
    found ??= question.answer(wanted);
    first ??= question.guess;
    upper = Math.max(upper, found.upper);
    if (question.attained) lower = Math.max(lower, found.lower);
  }
  return { lower: Math.min(lower, upper), upper };
}
