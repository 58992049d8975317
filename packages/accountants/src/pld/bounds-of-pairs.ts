import type { Bounds } from '@lethe/numerics';
import type { DominatingPair, PairFactor } from '@lethe/core';
import { consistent } from '../accountant/consistent.js';
import type { Asked } from './asked.js';
import { type Question, questionNear, questionOf } from './bounds-of-product.js';
import type { Goal } from './growth.js';

/**
 * Bounds over all pairs of an event: an upper bound of the worst pair, and a lower bound of attained pairs
 * and of witnesses.
 *
 * The pair with the largest estimate comes first; others are left out if a quick bound shows that they change
 * nothing, and refined only if a coarse answer could exceed it.
 */
export function boundsOfPairs(
  pairs: readonly DominatingPair[],
  goal: Goal & { readonly near?: number | undefined },
  wanted: Asked = {},
): Bounds {
  const { near } = goal;
  const about = (factors: readonly PairFactor[]): Question =>
    'delta' in goal && near !== undefined
      ? questionNear(factors, { delta: goal.delta, near })
      : questionOf(factors, goal);
  const products: readonly DominatingPair[] = pairs.filter(
    (pair, i) => !pairs.slice(0, i).some((other) => isSame(other.factors, pair.factors)),
  );
  const asked = products
    .map(({ factors }) => ({
      isAttained: pairs.some((pair) => pair.attained && isSame(pair.factors, factors)),
      ...about(factors),
    }))
    .toSorted((a, b) => b.guess - a.guess);
  let upper = 0;
  let lower = 0;
  let first: number | undefined;
  for (const question of asked) {
    let found: Bounds | undefined;
    if (first !== undefined) {
      if (question.isAtMost(question.isAttained ? lower : upper)) continue;
      const gap = first - question.guess;
      const coarse = question.answer({ ...wanted, width: Math.max(wanted.width ?? 1e-3, gap / 8) }, false);
      // It costs less, or its bounds are already good enough.
      if (coarse.upper <= upper && (lower > 0 || !question.isAttained)) found = coarse;
    }
    found ??= question.answer(wanted);
    first ??= question.guess;
    upper = Math.max(upper, found.upper);
    if (question.isAttained) lower = Math.max(lower, found.lower);
  }
  const witnesses = pairs
    .flatMap(({ witness }) => (witness === undefined ? [] : [about(witness)]))
    .toSorted((a, b) => b.guess - a.guess);
  // Witnesses of both directions cost nearly the same; the dearer one is computed.
  if (witnesses.length > 0) lower = Math.max(lower, witnesses[0].answer(wanted).lower);
  return consistent({ lower, upper }, 'delta' in goal ? 'epsilon' : 'delta', {
    lower: 'what some neighbours come to',
    upper: 'the dominating pair of their event',
  });
}

/** Whether two products have the same distributions as often. */
const isSame = (one: readonly PairFactor[], other: readonly PairFactor[]): boolean =>
  one.length === other.length &&
  one.every(
    ({ distribution, count }, i) => distribution === other[i].distribution && count === other[i].count,
  );
