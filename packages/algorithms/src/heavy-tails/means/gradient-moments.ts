import { Unsupported, type Problem } from '@lethe/core';
import { momentsOf } from '../facts.js';

/** Moments of the gradient, as roots. */
export interface DeclaredMoments { readonly order: number; readonly moment: number; readonly secondMoment: number }

/**
 * The pointwise moments a problem declares, as facts `gradientMoment.k` or `uniformGradientMoment.k`, `k ≥ 2`, ascending by order. Moments grow with the order:
 * one that is declared larger than one of a higher order is replaced, and `r_2` is the least of all.
 *
 * @param only - The one order wanted.
 * @throws {Unsupported} when there is none, or not the one wanted.
 */
export function declaredMoments(problem: Problem, only?: number): readonly DeclaredMoments[] {
  const found = momentsOf(problem, 'pointwise'), wanted = only === undefined ? found : found.filter(({ order }) => order === only);
  if (wanted.length === 0) {
    throw new Unsupported(`the problem declares no ${only === undefined ? "gradient moment: add a fact such as 'gradientMoment.2'" : `fact 'gradientMoment.${only}'`}, a positive bound on (E‖∇f‖^k)^(1/k); it has orders ${found.map((m) => m.order).join(', ') || 'none'}`,
      { only: only ?? null, orders: found.map((m) => m.order) });
  }
  return wanted.map(({ order, moment }) => ({ order, moment, secondMoment: found[0]!.moment }));
}
