import type * as z from 'zod';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** A drawn set of coordinates, ascending. `block` names it when the sketch has a partition. */
export interface Drawn {
  readonly coordinates: Uint32Array;
  readonly block?: number;
}

/** A random set of coordinates. Its randomness is public: the noise multiplier never depends on the draw. */
export interface Sketch<Params extends ZodSchema = ZodSchema> extends Plugin<'sketch', Params> {
  /**
   * Draws a set of coordinates from public coins. `random` moves
   * on: the next draw from the same source is a draw of its own.
   *
   * @throws {InvalidParameter} for a dimension that is no positive
   * whole number, or that the parameters do not fit.
   */
  draw(params: z.output<Params>, dimension: number, random: RandomSource): Drawn;
  /**
   * `P(j ∈ S)` for every coordinate; scaling by its inverse makes the sketch unbiased. Throws as
   * {@link Sketch.draw}.
   */
  marginals(params: z.output<Params>, dimension: number): Float64Array;
  /**
   * `P(i ∈ S and j ∈ S)`; the marginal for `i = j`. With it, second moments of the scaled sketch are exact.
   *
   * @throws {InvalidParameter} as {@link Sketch.draw}, and for a coordinate that the dimension does not have.
   */
  pairProbability(params: z.output<Params>, dimension: number, i: number, j: number): number;
  /** Every set with its probability, when there are few enough to list; `null` otherwise. */
  enumerate(
    params: z.output<Params>,
    dimension: number,
  ): readonly { readonly drawn: Drawn; readonly probability: number }[] | null;
}

/** Declares a sketch; the result, called with parameters, is a reference. */
export function defineSketch<Params extends ZodSchema>(
  definition: Omit<Sketch<Params>, 'kind'>,
): Callable<Sketch<Params>> {
  return callablePlugin({ ...definition, kind: 'sketch' });
}
