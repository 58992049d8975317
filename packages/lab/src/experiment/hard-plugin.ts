import {
  findPlugin,
  Unsupported,
  type HardInstance,
  type HardProblem,
  type LowerBound,
  type RandomSource,
  type Registry,
  type RiskLowerBound,
} from '@lethe/core';

/** A lower bound with its instances. */
export interface HardPlugin {
  /** The bound itself. */
  readonly bound: RiskLowerBound;
  problem(params: unknown): HardProblem;
  instance(params: unknown, random: RandomSource): HardInstance;
}

/**
 * A lower bound on the excess risk.
 *
 * @throws {Unsupported} for a bound on something else.
 */
export function riskBound(name: string, registry: Registry): RiskLowerBound {
  const bound = findPlugin<LowerBound>(registry, 'lowerBound', name);
  if (bound.measure === 'excess-risk') return bound;
  throw new Unsupported(
    `lower bound '${name}' is on the error of a mean; use it in an experiment of kind mean-error`,
    { lowerBound: name },
  );
}

/**
 * The plugin behind a hard problem.
 *
 * @throws {Unsupported} for a lower bound without instances, or on the error of a mean.
 */
export function hardPlugin(name: string, registry: Registry): HardPlugin {
  const bound = riskBound(name, registry);
  const { problem, instance } = bound;
  if (problem === null || instance === null)
    throw new Unsupported(
      `lower bound '${name}' is only a formula: it has no instance to draw; name it under lowerBound instead`,
      { lowerBound: name },
    );
  return { bound, problem, instance };
}
