import type * as z from 'zod';
import type { Domain, ZodSchema } from '@lethe/numerics';
import type { Vector } from '../query/query.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/**
 * `min_domain F(x)`, F differentiable (or with subgradients),
 * `strongConvexity`-strongly convex; smooth when `smoothness` is finite.
 */
export interface SolverProblem {
  readonly domain: Domain;
  readonly strongConvexity: number;
  readonly smoothness: number;
  readonly start: Vector;
  /** Writes the gradient at `x` and returns the value. */
  valueAndGradientInto(out: Vector, x: Vector): number;
}
/** A point at most `distance` from the minimiser, certified. */
export interface Solution {
  readonly point: Vector;
  readonly distance: number;
}

/** Public constants of an objective, from which a solver's error is bounded before it reads data. */
export interface SolverPromise {
  readonly strongConvexity: number;
  readonly smoothness: number;
  /** Bound on the distance from the start to the minimiser. */ readonly startDistance: number;
}

/** Finds minimisers to a certified distance, for output perturbation. */
export interface Solver<Params extends ZodSchema = ZodSchema> extends Plugin<'solver', Params> {
  /**
   * Upper bound on `distance` for every objective with these constants; a curator accepts no solver on less.
   */
  worstDistance(params: z.output<Params>, promise: SolverPromise): number;
  /**
   * Largest number of evaluations of value and gradient, for any objective; prices of runs use it. Left out:
   * unknown.
   */
  evaluations?(params: z.output<Params>): number;
  /** Takes a number of iterations fixed by public numbers. */
  solve(params: z.output<Params>, problem: SolverProblem, tolerance: number): Solution;
}

/** Declares a solver; the result, called with parameters, is a reference for queries. */
export function defineSolver<Params extends ZodSchema>(
  definition: Omit<Solver<Params>, 'kind'>,
): Callable<Solver<Params>> {
  return callablePlugin({ ...definition, kind: 'solver' });
}
