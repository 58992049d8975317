import { clippedMeanEvent, findPlugin, parseOrThrow, type Adjacency, type Calibrate, type LowerBound, type Problem, type Registry } from '@lethe/core';
import type { BoundPoint, ProblemResult } from '../experiment/results.js';
import type { BudgetSpec, Evaluation } from '../experiment/schema.js';

/**
 * The lower bound's curve over the sizes and budgets of an evaluation, from the problem's public facts. A bound for ρ-zCDP is
 * read at the ρ of the Gaussian mechanism that meets the budget exactly.
 */
export function lowerBoundOf(
  { lowerBound, budgets, adjacency }: Evaluation, sizes: readonly number[], problemOf: (n: number) => Problem, { registry, calibrate }: { readonly registry: Registry; readonly calibrate: Calibrate },
): ProblemResult['lowerBound'] {
  if (lowerBound === undefined) return null;
  const plugin = findPlugin<LowerBound>(registry, 'lowerBound', lowerBound.name);
  const points = sizes.flatMap((n) => budgets.map((budget): BoundPoint => {
    const { facts, dimension } = problemOf(n);
    const order = momentOrder(lowerBound.params, facts);
    const known = {
      n, dimension, rho: rhoOf(budget, adjacency, calibrate), radius: (facts['diameter']?.value ?? Number.NaN) / 2, momentOrder: order,
      moment: facts[`gradientMoment.${order}`]?.value, secondMoment: facts['gradientMoment.2']?.value,
    };
    const params = parseOrThrow(plugin.params, { ...defined(known), ...lowerBound.params }, `lower bound '${plugin.name}'`);
    const { value, explicit } = plugin.evaluate(params);
    return { n, epsilon: budget.epsilon, value, explicit };
  }));
  return { name: plugin.name, statement: plugin.statement, source: `${plugin.source.id}, ${plugin.source.item}`, points };
}

/** The largest declared moment order, unless the experiment names one. */
function momentOrder(params: Readonly<Record<string, unknown>>, facts: Problem['facts']): number {
  const declared = Object.keys(facts).filter((name) => name.startsWith('gradientMoment.')).map((name) => Number(name.slice('gradientMoment.'.length)));
  return Number(params['momentOrder'] ?? Math.max(2, ...declared));
}

function rhoOf(target: BudgetSpec, adjacency: Adjacency, calibrate: Calibrate): number {
  const { value } = calibrate({ make: (multiplier) => clippedMeanEvent(multiplier, adjacency), target, adjacency, direction: 'larger-is-private' });
  return 1 / (2 * value * value);
}

const defined = (record: Readonly<Record<string, unknown>>): Record<string, unknown> => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
