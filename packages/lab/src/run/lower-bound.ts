import { fieldsOf } from '@lethe/numerics';
import {
  clippedMeanEvent,
  parseOrThrow,
  type Adjacency,
  type Calibrate,
  type LowerBound,
  type Problem,
  type Registry,
} from '@lethe/core';
import { riskBound } from '../experiment/hard-plugin.js';
import type { BoundPoint, ProblemResult } from '../experiment/results.js';
import type { BudgetSpec, Evaluation } from '../experiment/schema.js';

/**
 * The lower bound's curve over the sizes and budgets of an evaluation, from the problem's public facts. A
 * bound for ρ-zCDP is evaluated at the ρ of the Gaussian mechanism that meets the budget exactly.
 */
export function lowerBoundOf(
  { lowerBound, budgets, adjacency }: Evaluation,
  sizes: readonly number[],
  problemOf: (n: number, budget: BudgetSpec) => Problem,
  { registry, calibrate }: { readonly registry: Registry; readonly calibrate: Calibrate },
): ProblemResult['lowerBound'] {
  if (lowerBound === undefined) return null;
  const plugin = riskBound(lowerBound.name, registry);
  const points = budgets.flatMap((budget) => {
    const rho = rhoOf(budget, adjacency, calibrate);
    return sizes.map((n): BoundPoint => {
      const { facts, dimension } = problemOf(n, budget);
      const order = momentOrder(lowerBound.params, facts);
      const known = {
        n,
        dimension,
        rho,
        radius: (facts['diameter']?.value ?? Number.NaN) / 2,
        momentOrder: order,
        moment: facts[`gradientMoment.${order}`]?.value,
        secondMoment: facts['gradientMoment.2']?.value,
        convexity: (facts['populationStrongConvexity'] ?? facts['strongConvexity'])?.value,
      };
      const { value, explicit } = plugin.evaluate(boundParams(plugin, known, lowerBound.params));
      return { n, epsilon: budget.epsilon, value, explicit };
    });
  });
  return saysOf(plugin, points);
}

/** A lower bound with its points. */
export const saysOf = (
  { name, statement, source }: LowerBound,
  points: readonly BoundPoint[],
): NonNullable<ProblemResult['lowerBound']> => ({
  name,
  statement,
  source: `${source.id}, ${source.item}`,
  points,
});

/**
 * Parameters of a lower bound: those that are given, over those of its names that the experiment knows.
 *
 * @throws {InvalidParameter} for what is missing.
 */
export function boundParams(
  plugin: LowerBound,
  known: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): unknown {
  const names = Object.keys(fieldsOf(plugin.params) ?? known);
  const filled = Object.fromEntries(
    Object.entries(known).filter(([name, value]) => value !== undefined && names.includes(name)),
  );
  return parseOrThrow(plugin.params, { ...filled, ...given }, `lower bound '${plugin.name}'`);
}

/** The largest declared moment order, unless the experiment names one. */
function momentOrder(params: Readonly<Record<string, unknown>>, facts: Problem['facts']): number {
  const declared = Object.keys(facts)
    .filter((name) => name.startsWith('gradientMoment.'))
    .map((name) => Number(name.slice('gradientMoment.'.length)));
  return Number(params['momentOrder'] ?? Math.max(2, ...declared));
}

/** ρ of the Gaussian mechanism that meets a budget exactly. */
export function rhoOf(target: BudgetSpec, adjacency: Adjacency, calibrate: Calibrate): number {
  const { value } = calibrate({
    make: (multiplier) => clippedMeanEvent(multiplier, adjacency),
    target,
    adjacency,
    direction: 'larger-is-private',
  });
  return 1 / (2 * value * value);
}
