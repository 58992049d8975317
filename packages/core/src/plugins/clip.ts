import type { ZodSchema } from '@lethe/numerics';
import type * as z from 'zod';
import type { Vector } from '../query/query.js';
import type { Norm } from './mechanism.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/**
 * `E‖z‖^order ≤ value` for the vector being bounded, `order ≥ 2`. It is in the norm that the clip or the mean
 * declares, as are the bounds on bias and variance.
 */
export interface Moment {
  readonly order: number;
  readonly value: number;
  /** `E‖z‖² ≤ second`, where more is known of it than follows; a bound need not make use of it. */
  readonly second?: number | undefined;
}

/** Bounds one record's contribution. A vector with a NaN or infinite entry must become zero. */
export interface Clip<Params extends ZodSchema = ZodSchema> extends Plugin<'clip', Params> {
  /** The norm in which `radius` bounds the result. */
  readonly norm: Norm;
  /** Bound on the norm of every clipped vector. */
  radius(params: z.output<Params>): number;
  /**
   * The factor a vector is multiplied by whose norm is `norm`, in the norm of the clip, when the clip is a
   * scaling by a function of that norm alone; linear models then never materialise per-record gradients.
   * `null` when it is not.
   */
  readonly factor: ((params: z.output<Params>, norm: number) => number) | null;
  /** True when `factor` is `min(1, radius/norm)` in ℓ2, so that the fused kernel may stand in for it. */
  readonly isProjection: boolean;
  /**
   * The only length of vectors it takes; left out where it takes
   * any. A curator refuses others before anything is charged.
   */
  vectorLength?(params: z.output<Params>): number;
  /**
   * A power of two of which every entry of a clipped vector is a whole multiple, and of at most 2²⁶ of
   * which the radius is; so sums of clipped vectors are exact. Left out: entries are any numbers.
   */
  spacing?(params: z.output<Params>): number;
  /** Clips `vector` itself. */
  clipInPlace(params: z.output<Params>, vector: Vector): void;
  /**
   * Parameters of the same clip in other units: it makes
   * `factor · clip(z / factor)` of `z`. Left out: it has no units to change.
   */
  scaled?(params: z.output<Params>, factor: number): unknown;
  /**
   * Upper bound on `‖E clip(z) − E z‖` in the declared norm.
   *
   * @throws {InvalidParameter} for a moment of an order below 2, of a negative value, or that is not a
   * number; `assertMoment` of `@lethe/mechanisms` checks it.
   */
  biasBound(params: z.output<Params>, moment: Moment): number;
  /**
   * Upper bound on `E‖clip(z) − E clip(z)‖²`, given the second moment `E‖z‖²` or a higher one. Throws as
   * {@link Clip.biasBound}.
   */
  varianceBound(params: z.output<Params>, moment: Moment): number;
}

/** Declares a clip; the result, called with parameters, is a reference for queries. */
export function defineClip<Params extends ZodSchema>(
  definition: Omit<Clip<Params>, 'kind'>,
): Callable<Clip<Params>> {
  return callablePlugin({ ...definition, kind: 'clip' });
}
