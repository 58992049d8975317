import type * as z from 'zod';
import type { Sensitivity } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import type { Numerics } from './mechanism.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/**
 * Chooses one of finitely many public candidates by utilities, the largest favoured. Utilities are given in
 * units of their sensitivity: between neighbours each moves by at most 1, independently of the others. Only
 * the choice is released.
 */
export interface Selector<Params extends ZodSchema = ZodSchema> extends Plugin<'selector', Params> {
  readonly numerics: Numerics;
  /** The event of one choice at `epsilon`; `relative` are sensitivities in units of the run's. */
  event(params: z.output<Params>, epsilon: number, relative: Sensitivity): PrivacyEvent;
  /**
   * The position of the chosen candidate: a function of the
   * utilities and of what is drawn from `random`, which moves on.
   *
   * @throws {InvalidParameter} for no candidate, a utility that is not
   * finite, or an epsilon that is not positive and finite.
   */
  choose(params: z.output<Params>, utilities: Float64Array, epsilon: number, random: RandomSource): number;
  /** The probability of each candidate, to within 1e-12; `null` where they have no closed form. */
  probabilities(params: z.output<Params>, utilities: Float64Array, epsilon: number): Float64Array | null;
  /** Upper bound on `E[max utility − utility of the choice]` over all utilities of so many candidates. */
  regretBound(params: z.output<Params>, candidates: number, epsilon: number): number;
}

/** Declares a selector; the result, called with parameters, is a reference for queries. */
export function defineSelector<Params extends ZodSchema>(
  definition: Omit<Selector<Params>, 'kind'>,
): Callable<Selector<Params>> {
  return callablePlugin({ ...definition, kind: 'selector' });
}
