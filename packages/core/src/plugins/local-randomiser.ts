import type * as z from 'zod';
import type { PrivacyEvent } from '../events/schema.js';
import type { Target, Vector } from '../query/query.js';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import type { Moment } from './clip.js';
import { callablePlugin, type Callable, type Plugin, type Ref } from './plugin.js';

/**
 * Public facts of one shuffled release: length of a record’s vector,
 * users, how many of them are honest, and the cost aimed at.
 */
export interface ShuffleContext {
  readonly dimension: number;
  readonly users: number;
  readonly honestUsers: number;
  readonly target: Target;
}

/**
 * Shuffle model: one record to messages, the multiset of all messages to a vector.
 *
 * The messages of one user are private only among those of others: their number by kind and their order say
 * more than the event claims. They go to a shuffler and nowhere else.
 */
export interface LocalRandomiser<Params extends ZodSchema = ZodSchema> extends Plugin<
  'localRandomiser',
  Params
> {
  /** Messages one user sends, the null record included. */
  messageCount(params: z.output<Params>, context: ShuffleContext): number;
  /**
   * Messages of one user, `messageCount` of them. The null record sends those of zero with the same draws of
   * `random`, and so does one with an entry that is not finite. The array `record` is reused after the call.
   * `random` serves this user alone: what others draw, and the order of the messages, does not come from it.
   */
  randomise(
    params: z.output<Params>,
    context: ShuffleContext,
    record: Vector,
    random: RandomSource,
  ): Uint32Array;
  /**
   * Estimate of the sum of all users' records from their shuffled messages. An estimator of the mean returns
   * it times `users`, since every mean is divided by a public number afterwards.
   */
  analyse(params: z.output<Params>, context: ShuffleContext, messages: Uint32Array): Vector;
  /**
   * The answer of {@link LocalRandomiser.analyse} on the messages of all users, drawn from the same
   * distribution without the messages, for protocols with more of them than memory holds. `records` gives one
   * vector per user, once, in memory that is reused. Left out: messages are always drawn.
   */
  simulateSum?(
    params: z.output<Params>,
    context: ShuffleContext,
    records: Iterable<Vector>,
    random: RandomSource,
  ): Vector;
  /** The cited guarantee; `honestUsers` is a floor below which it is refused. */
  event(params: z.output<Params>, context: ShuffleContext): PrivacyEvent;
  /**
   * The records whose sum is estimated without bias, if that is claimed; {@link LocalRandomiser.randomise}
   * moves others into it. Left out: all records.
   */
  domain?(params: z.output<Params>, dimension: number): Ref<'domain'>;
  /**
   * Parameters of the same randomiser in other units: of records `factor` times as large it estimates
   * `factor` times the sum. Left out: none.
   */
  scaled?(params: z.output<Params>, factor: number): unknown;
  /**
   * Upper bound on `‖E estimate/users − E z‖₂` for independent records
   * of one law with the moment in ℓ2. Left out: none is known.
   */
  biasBound?(params: z.output<Params>, moment: Moment): number;
  /**
   * Upper bound on `E‖c(z) − E c(z)‖²` for such a record, `c(z)` the
   * point of the domain that it counts as. Left out: none is known.
   */
  recordVarianceBound?(params: z.output<Params>, moment: Moment): number;
  /**
   * Upper bound on `E‖estimate − E estimate‖²` over the randomness of
   * all users, whatever their records. Left out: none is known.
   */
  varianceBound?(params: z.output<Params>, context: ShuffleContext): number;
}

/** Declares a local randomiser; the result, called with parameters, is a reference for queries. */
export function defineLocalRandomiser<Params extends ZodSchema>(
  definition: Omit<LocalRandomiser<Params>, 'kind'>,
): Callable<LocalRandomiser<Params>> {
  return callablePlugin({ ...definition, kind: 'localRandomiser' });
}
