import type { z } from 'zod';
import type { Adjacency } from '../adjacency.js';
import type { SamplerSpec } from '../events/schema.js';
import type { RandomSource } from '@lethe/numerics';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/**
 * Under one adjacency: the law an accountant may amplify by
 * (`null`: none) and the adjacency the inner event must support.
 */
export interface Amplification {
  readonly sampler: SamplerSpec | null;
  readonly inner: Adjacency;
}

/**
 * Several disjoint batches dealt at once, so that every record is in at most one: what a record costs is what
 * its batch costs, and whatever the law of the dealing earns beyond that.
 */
export interface SamplerPartition<Params extends z.ZodType = z.ZodType> {
  /** The public normaliser of each batch: its size, or its expected size. As many as there are batches. */
  normalisers(params: z.output<Params>, slots: number): readonly number[];
  /** The amplification earned by the dealing as a whole; an absent adjacency is unsupported. */
  amplification(params: z.output<Params>, slots: number): { readonly [A in Adjacency]?: Amplification };
  /** Ascending positions in `[0, slots)` of each batch, no position in two. */
  draw(params: z.output<Params>, slots: number, random: RandomSource): readonly Uint32Array[];
}

/** Chooses who takes part in a step, with the curator's coins and without reading data. */
export interface Sampler<Params extends z.ZodType = z.ZodType> extends Plugin<'sampler', Params> {
  /** Whether the batch's size is public. */
  readonly size: 'exact' | 'hidden';
  /**
   * The amplification earned when drawing from `slots` records; an absent adjacency is unsupported.
   *
   * @throws {InvalidParameter} as {@link Sampler.normaliser}.
   */
  amplification(params: z.output<Params>, slots: number): { readonly [A in Adjacency]?: Amplification };
  /**
   * The public normaliser of means over a draw: size, or expected size.
   *
   * @param slots - Where the size is hidden, an expected number, which need not be whole.
   * @throws {InvalidParameter} unless `slots` is positive and finite, and as many as the sampler needs.
   */
  normaliser(params: z.output<Params>, slots: number): number;
  /**
   * Ascending positions in `[0, slots)`, with repetitions where the declared law is sampling with replacement
   * and nowhere else: a function of what is drawn from `random`, which moves on, so that the next draw from
   * the same source is a draw of its own.
   *
   * @throws {InvalidParameter} unless `slots` is a whole number of as many as it needs.
   */
  draw(params: z.output<Params>, slots: number, random: RandomSource): Uint32Array;
  /** Where it can deal a batch out to disjoint ones: an epoch of batches, an allocation to steps. */
  readonly partition?: SamplerPartition<Params>;
}

/** Declares a sampler; the result, called with parameters, is a reference for queries. */
export function defineSampler<Params extends z.ZodType>(
  definition: Omit<Sampler<Params>, 'kind'>,
): Callable<Sampler<Params>> {
  return callablePlugin({ ...definition, kind: 'sampler' });
}
