import type { z } from 'zod';
import type { PrivacyEvent } from '../events/schema.js';
import type { Target, Vector } from '../query/query.js';
import type { RandomSource } from '../random/index.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** Public facts of one shuffled release: length of a record’s vector, users, how many of them are honest, and the cost aimed at. */
export interface ShuffleContext { readonly dimension: number; readonly users: number; readonly honestUsers: number; readonly target: Target }

/** Shuffle model: one record to messages, the multiset of all messages to a vector. */
export interface LocalRandomiser<Params extends z.ZodType = z.ZodType> extends Plugin<'localRandomiser', Params> {
  /** Messages one user sends, the null record included. */
  messageCount(params: z.output<Params>, context: ShuffleContext): number;
  /** Messages of one user; the null record sends those of zero. */
  randomise(params: z.output<Params>, context: ShuffleContext, record: Vector, random: RandomSource): Uint32Array;
  /** Estimate of the sum from the shuffled messages of all users. */
  analyse(params: z.output<Params>, context: ShuffleContext, messages: Uint32Array): Vector;
  /** The cited guarantee; `honestUsers` is a floor below which it is refused. */
  event(params: z.output<Params>, context: ShuffleContext): PrivacyEvent;
}

/** Declares a local randomiser; the result, called with parameters, is a reference for queries. */
export function defineLocalRandomiser<Params extends z.ZodType>(definition: Omit<LocalRandomiser<Params>, 'kind'>): Callable<LocalRandomiser<Params>> {
  return callablePlugin({ ...definition, kind: 'localRandomiser' });
}
