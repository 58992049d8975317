import type { z } from 'zod';
import type { Sensitivity } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Vector } from '../query/query.js';
import type { RandomSource } from '@lethe/numerics';
import type { Moment } from './clip.js';
import type { Norm } from './mechanism.js';
import { callablePlugin, type Callable, type Plugin, type Ref } from './plugin.js';

/** What an oracle may know of a release before it sees records. */
export interface OracleContext {
  readonly dimension: number;
  /** Public number of slots in the batch; its normaliser, which need not be whole, where the size is hidden. */
  readonly slots: number;
  /** The oracle's own curator coins (public matrices drawn after the data are fixed), unrelated to the noise. */
  readonly random: RandomSource;
}

/** One release in progress: records go in one at a time, in slot order; the value is noised by the curator. */
export interface OracleRun {
  /** Adds the contribution of the record in `slot`; the vector is lent. A non-finite vector counts as zero. */
  add(slot: number, gradient: Vector): void;
  /** The value that gets noise. */
  value(): Vector;
  /** From the noised value to the answer: post-processing. */
  finish(noised: Vector): Vector;
}

/**
 * Bound + aggregate + release of a mean, as one plugin. The curator computes scale and event from what it declares.
 *
 * Moments, bias and variance are all in the declared norm.
 */
export interface MeanOracle<Params extends z.ZodType = z.ZodType> extends Plugin<'meanOracle', Params> {
  /** The mechanism that noises `value()`. */
  readonly mechanism: Ref<'mechanism'>;
  readonly norm: Norm;
  /** Every entry of `value()` is a whole number below 2⁵³ in size, whatever the records are: what an exact mechanism needs. */
  readonly integers?: true;
  /**
   * It needs a public normaliser only: batches of hidden size are released too, however many records they have. `value()` depends neither
   * on the numbers of their slots nor on their order, and `sensitivity` covers a record that leaves or enters. A curator refuses to give
   * such batches to other oracles.
   */
  readonly hiddenSize?: true;
  /** Sensitivity of `value()` per adjacency, for every data set. */
  sensitivity(params: z.output<Params>, context: Omit<OracleContext, 'random'>): Sensitivity;
  /** Starts one release. */
  begin(params: z.output<Params>, context: OracleContext): OracleRun;
  /** The event of the whole release, given that of the noise; the identity when there is no other cost, and no more to say of the value. */
  event(params: z.output<Params>, noise: PrivacyEvent, context: Omit<OracleContext, 'random'>): PrivacyEvent;
  /** Upper bound on `‖E answer − E gradient‖`, whatever the scale of the noise; for independent records of one law with the `moment`. */
  biasBound(params: z.output<Params>, context: Omit<OracleContext, 'random'>, moment: Moment): number;
  /** Upper bound on `E‖answer − E answer‖²` for such records, with noise of variance `noiseVariance` per entry of `value()`. */
  varianceBound(params: z.output<Params>, context: Omit<OracleContext, 'random'>, moment: Moment, noiseVariance: number): number;
}

/** Declares a mean oracle; the result, called with parameters, is a reference for queries. */
export function defineMeanOracle<Params extends z.ZodType>(definition: Omit<MeanOracle<Params>, 'kind'>): Callable<MeanOracle<Params>> {
  return callablePlugin({ ...definition, kind: 'meanOracle' });
}
