import type { HeavyTailsSetting } from '@lethe/algorithms';
import type { Calibrate, Problem } from '@lethe/core';
import { rateOf } from '../experiment/rate.js';
import type { RateCurve } from '../experiment/results.js';
import type { BudgetSpec, Evaluation } from '../experiment/schema.js';
import { rhoOf } from './lower-bound.js';

/**
 * Rates over the sizes and budgets of a problem. The setting is that of the problem's facts, and of the ε of
 * the Gaussian mechanism that meets the budget exactly, `√(2ρ)`.
 *
 * @throws {InvalidParameter} naming the number that a rate lacks.
 */
export function ratesOf(
  { rates, budgets, adjacency }: Evaluation,
  sizes: readonly number[],
  problemOf: (n: number, budget: BudgetSpec) => Problem,
  { calibrate }: { readonly calibrate: Calibrate },
): readonly RateCurve[] {
  if (rates.length === 0) return [];
  const epsilons = budgets.map((budget) => Math.sqrt(2 * rhoOf(budget, adjacency, calibrate)));
  return rates.map((spec): RateCurve => {
    const { title, source, value } = rateOf(spec);
    const { name, label = name, params, factor } = spec;
    const points = sizes.flatMap((n) =>
      budgets.map((budget, i) => ({
        n,
        epsilon: budget.epsilon,
        value:
          factor *
          value({
            ...settingOf(problemOf(n, budget), params['order']),
            records: n,
            epsilon: epsilons[i],
            ...params,
          }),
      })),
    );
    return { label, name, title, source, factor, points };
  });
}

/**
 * What the public facts of a problem say of a setting; an order that is not given is the largest with a
 * moment.
 */
function settingOf(
  { facts, dimension }: Problem,
  given: number | undefined,
): Omit<HeavyTailsSetting, 'records' | 'epsilon'> {
  const orders = (['gradientMoment.', 'uniformGradientMoment.', 'coordinateGradientMoment.'] as const).map(
    (prefix) =>
      Object.keys(facts)
        .filter((name) => name.startsWith(prefix))
        .map((name) => Number(name.slice(prefix.length))),
  );
  const order = given ?? Math.max(2, ...(orders.find((found) => found.length > 0) ?? []));
  const first = (...names: readonly string[]): number | undefined =>
    names.map((name) => facts[name]?.value).find((value) => value !== undefined);
  const found = {
    order,
    moment: first(`gradientMoment.${order}`, `uniformGradientMoment.${order}`, 'lipschitz'),
    secondMoment: first('gradientMoment.2', 'uniformGradientMoment.2'),
    uniformDoubleMoment: first(`uniformGradientMoment.${2 * order}`, 'lipschitz'),
    coordinateMoment: first(`coordinateGradientMoment.${order}`),
    coordinateSecondMoment: first('coordinateGradientMoment.2'),
    diameter: first('diameter'),
    smoothness: first('populationSmoothness', 'smoothness'),
    convexity: first('populationStrongConvexity', 'proximalPolyakLojasiewicz', 'strongConvexity'),
    worstSmoothness: first('smoothness'),
    lipschitz: first('lipschitz'),
  };
  return {
    dimension,
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
  };
}
