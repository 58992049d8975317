import { MissingFact, type Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { momentsOf, recordLipschitzOf } from '../facts.js';

/** What the localized method reads of a problem’s gradients, as roots. */
export interface UniformMoments {
  /** `k`. */
  readonly order: number;
  /** `r̃_k`. */
  readonly uniformMoment: number;
  /** `r̃_{2k}`. */
  readonly uniformDoubleMoment: number;
  /** `r_2`. */
  readonly secondMoment: number;
  /** `r̃_2`. */
  readonly uniformSecondMoment: number;
  /** `L` of every record, where it is known: no gradient is longer. */
  readonly longest?: number | undefined;
}

/** Tried where a Lipschitz constant bounds the moments of every order. */
const boundedOrders = [2, 4, 8, 16];

/**
 * Moments that a problem declares as facts `uniformGradientMoment.2k`, for every `k ≥ 2` they allow; the fact
 * `lipschitz` of every record bounds all of them. Moments grow with the order, so one of a higher order
 * stands in for a lower one.
 *
 * @param only - The one `k` wanted.
 * @returns none when nothing bounds a moment of order `2k`.
 */
export function knownUniformMoments(
  problem: Problem,
  domain: Domain,
  only?: number,
): readonly UniformMoments[] {
  const uniform = momentsOf(problem, 'uniform');
  const pointwise = momentsOf(problem, 'pointwise');
  const longest = recordLipschitzOf(problem, domain) ?? Infinity;
  const atLeast = (order: number): number =>
    Math.min(longest, ...uniform.filter((known) => known.order >= order).map(({ moment }) => moment));
  const uniformSecondMoment = atLeast(2);
  const secondMoment = Math.min(uniformSecondMoment, ...pointwise.map(({ moment }) => moment));
  const orders =
    only === undefined
      ? [
          ...new Set([
            ...uniform.filter(({ order }) => order >= 4).map(({ order }) => order / 2),
            ...(longest < Infinity ? boundedOrders : []),
          ]),
        ]
      : [only];
  return orders
    .map((order) => ({
      order,
      uniformMoment: atLeast(order),
      uniformDoubleMoment: atLeast(2 * order),
      secondMoment,
      uniformSecondMoment,
      ...(longest < Infinity ? { longest } : {}),
    }))
    .filter(({ uniformDoubleMoment }) => uniformDoubleMoment < Infinity);
}

/** The same for a method that cannot do without. @throws {Unsupported} when there are none. */
export function uniformMomentsOf(problem: Problem, domain: Domain, only?: number): readonly UniformMoments[] {
  const found = knownUniformMoments(problem, domain, only);
  const uniform = momentsOf(problem, 'uniform');
  if (found.length > 0) return found;
  const lacking = `uniformGradientMoment.${2 * (only ?? 2)}`;
  throw new MissingFact(
    'the problem bounds no uniform moment of order ' +
      `${only === undefined ? '4 or more' : `${2 * only} or more`}: add a fact such as ` +
      `'${lacking}', a positive bound on (E sup ‖∇f‖^m)^(1/m) over the ` +
      "domain, or 'lipschitz' of every record; it has orders " +
      `${uniform.map(({ order }) => order).join(', ') || 'none'}`,
    [lacking],
  );
}
