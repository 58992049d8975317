import { findPlugin, parseOrThrow, type LowerBound, type Problem, type Registry } from '@lethe/core';
import type { BoundPoint, ProblemResult } from '../experiment/results.js';
import type { Evaluation } from '../experiment/schema.js';

/** The lower bound's curve over the sizes and budgets of an evaluation, from the problem's declared facts. */
export function lowerBoundOf({ lowerBound, budgets }: Evaluation, sizes: readonly number[], problemOf: (n: number) => Problem, registry: Registry): ProblemResult['lowerBound'] {
  if (lowerBound === undefined) return null;
  const plugin = findPlugin<LowerBound>(registry, 'lowerBound', lowerBound.name);
  const points = sizes.flatMap((n) => budgets.map(({ epsilon, delta }): BoundPoint => {
    const { facts, dimension } = problemOf(n);
    const known = Object.fromEntries(Object.entries(facts).map(([name, { value }]) => [name, value]));
    const params = parseOrThrow(plugin.params, { ...lowerBound.params, n, dimension, epsilon, delta, facts: known }, `lower bound '${plugin.name}'`);
    const { value, explicit } = plugin.evaluate(params);
    return { n, epsilon, value, explicit };
  }));
  return { name: plugin.name, statement: plugin.statement, source: `${plugin.source.id}, ${plugin.source.item}`, points };
}
