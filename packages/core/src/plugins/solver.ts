import type { z } from 'zod';
import type { Domain } from '../domains/index.js';
import type { Vector } from '../query/query.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** `min_domain F(x)`, F differentiable (or with subgradients), `strongConvexity`-strongly convex; smooth when `smoothness` is finite. */
export interface SolverProblem {
  readonly domain: Domain;
  readonly strongConvexity: number;
  readonly smoothness: number;
  readonly start: Vector;
  /** Writes the gradient at `x` and returns the value. */
  valueAndGradientInto(out: Vector, x: Vector): number;
}
/** A point at most `distance` from the minimiser, certified. */
export interface Solution { readonly point: Vector; readonly distance: number }

export interface Solver<Params extends z.ZodType = z.ZodType> extends Plugin<'solver', Params> {
  /** Returns within a number of iterations fixed by public numbers; `distance` may exceed `tolerance`, and the curator then answers the start. */
  solve(params: z.output<Params>, problem: SolverProblem, tolerance: number): Solution;
}

export function defineSolver<Params extends z.ZodType>(definition: Omit<Solver<Params>, 'kind'>): Callable<Solver<Params>> {
  return callablePlugin({ ...definition, kind: 'solver' });
}
