import { Unsupported, type Problem } from '@lethe/core';

/** Moments of the gradient, as roots. */
export interface DeclaredMoments { readonly order: number; readonly moment: number; readonly secondMoment: number }

const pattern = /^gradientMoment\.(\d+(?:\.\d+)?)$/u;

/**
 * The moments a problem declares as facts `gradientMoment.k`, `k ≥ 2`, with `r_2` at most every other one (a declared
 * `gradientMoment.2` that is larger is replaced: moments grow with the order). Ascending by order.
 *
 * @param only - The one order wanted.
 * @throws {Unsupported} when there is none, or not the one wanted.
 */
export function declaredMoments({ facts }: Problem, only?: number): readonly DeclaredMoments[] {
  const found = Object.entries(facts)
    .flatMap(([name, { value }]) => {
      const order = Number(pattern.exec(name)?.[1] ?? Number.NaN);
      return order >= 2 && value > 0 && Number.isFinite(value) ? [{ order, moment: value }] : [];
    })
    .toSorted((a, b) => a.order - b.order);
  const wanted = only === undefined ? found : found.filter(({ order }) => order === only);
  if (wanted.length === 0) {
    throw new Unsupported(`the problem declares no ${only === undefined ? "gradient moment: add a fact such as 'gradientMoment.2'" : `fact 'gradientMoment.${only}'`}, a positive bound on (E‖∇f‖^k)^(1/k); it has orders ${found.map((m) => m.order).join(', ') || 'none'}`,
      { only: only ?? null, orders: found.map((m) => m.order) });
  }
  const secondMoment = (upTo: number): number => Math.min(...found.filter(({ order }) => order <= upTo || order === 2).map((m) => m.moment));
  return wanted.map(({ order, moment }) => ({ order, moment, secondMoment: secondMoment(order) }));
}
