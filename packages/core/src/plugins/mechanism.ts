import type * as z from 'zod';
import type { Sensitivity } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Target, Vector } from '../query/query.js';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/**
 * `exact`: integer noise on integers, proved; a curator refuses it on any other value. `idealised`: assumes
 * real arithmetic; carried into every certificate.
 */
export type Numerics = 'exact' | 'idealised';
/** A norm in which sensitivities are bounded. */
export type Norm = 'l1' | 'l2' | 'linf';

/**
 * Noise on a value of bounded sensitivity. Noise is i.i.d. per coordinate with the declared law, times a
 * scale.
 */
export interface Mechanism<Params extends ZodSchema = ZodSchema> extends Plugin<'mechanism', Params> {
  /** Norm of the sensitivity. */
  readonly norm: Norm;
  readonly numerics: Numerics;
  /** Its guarantee holds for values of one entry only; a curator refuses it on longer ones. */
  readonly scalar?: true;
  /**
   * The sum of H independent noises of scale `s/√H` has the law of noise of scale `s`, for every whole H:
   * noise that several parties add in shares is accounted like noise from one.
   */
  readonly divisible?: true;
  /**
   * The event of one release whose scale is `noiseMultiplier` ×
   * sensitivity; `relative` are sensitivities in units of the run's.
   */
  event(params: z.output<Params>, noiseMultiplier: number, relative: Sensitivity): PrivacyEvent;
  /**
   * The smallest representable noise multiplier that meets a target, rounded to the private side.
   *
   * @throws {Unsupported} when no multiplier meets it (pure DP by Gaussian noise).
   */
  multiplierFor(
    params: z.output<Params>,
    target: Exclude<Target, { unprotected: true } | { noiseMultiplier: number }>,
  ): number;
  /**
   * Adds noise of the given scale to every entry, in place. Noise is a function of what is drawn from
   * `random`, which moves on: the next call with the same source adds other noise.
   *
   * @throws {InvalidParameter} unless the scale is positive and finite; `Unsupported` for one that the
   * sampler is not proved for. The value is as it was then.
   */
  addNoise(params: z.output<Params>, value: Vector, scale: number, random: RandomSource): void;
  /**
   * Refuses every positive, finite scale that `addNoise` refuses; left out, there is none. A curator asks
   * before it charges, since a release that is refused later is paid for.
   *
   * @throws {Unsupported} for a scale that the sampler is not proved for.
   */
  assertScale?(params: z.output<Params>, scale: number): void;
  /** Standard deviation of one entry's noise at scale 1. */
  standardDeviation(params: z.output<Params>): number;
  /**
   * Upper bound on the standard deviation of one entry's noise at any scale, divided by the scale. Left out:
   * that at scale 1, which whole noise of a larger scale may exceed.
   */
  deviationBound?(params: z.output<Params>): number;
  /** Distribution function of one entry's noise at scale 1. */
  cdf(params: z.output<Params>, x: number): number;
  /**
   * Distribution function of one entry's noise at a scale. Required of `exact` noise whose event is none of
   * core's discrete noise: integer noise of scale c is not c times that of scale 1. Left out, `idealised`
   * noise of scale c is c times that.
   */
  cdfAt?(params: z.output<Params>, x: number, scale: number): number;
}

/** Upper bound on the variance of one entry's noise at that scale. */
export const noiseVarianceAt = <Params extends ZodSchema>(
  mechanism: Pick<Mechanism<Params>, 'standardDeviation' | 'deviationBound'>,
  params: z.output<Params>,
  scale: number,
): number => ((mechanism.deviationBound?.(params) ?? mechanism.standardDeviation(params)) * scale) ** 2;

/** Declares a noise mechanism; the result, called with parameters, is a reference for queries. */
export function defineMechanism<Params extends ZodSchema>(
  definition: Omit<Mechanism<Params>, 'kind'>,
): Callable<Mechanism<Params>> {
  return callablePlugin({ ...definition, kind: 'mechanism' });
}
