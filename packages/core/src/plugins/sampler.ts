import type * as z from 'zod';
import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent, SamplerSpec } from '../events/schema.js';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';
import type { Participation } from './prefix-sum.js';

/**
 * Under one adjacency: the distribution by which an accountant may amplify (`null`: none), and the adjacency
 * that the inner event must support. It is that of the draws, exactly: laws compare every probability with
 * it. A sampler of another distribution, as one whose records take part by unequal probabilities, has none.
 */
export interface Amplification {
  readonly sampler: SamplerSpec | null;
  readonly inner: Adjacency;
}

/**
 * A partition into disjoint batches, drawn at once. A record is in at most one batch, and costs what its
 * batch costs; the distribution of the partition may amplify beyond that.
 */
export interface SamplerPartition<Params extends ZodSchema = ZodSchema> {
  /** The public normaliser of each batch: its size, or its expected size. As many as there are batches. */
  normalisers(params: z.output<Params>, slots: number): readonly number[];
  /** Amplification of the partition as a whole; an absent adjacency is unsupported. */
  amplification(params: z.output<Params>, slots: number): { readonly [A in Adjacency]?: Amplification };
  /** Ascending positions in `[0, slots)` of each batch, no position in two. */
  draw(params: z.output<Params>, slots: number, random: RandomSource): readonly Uint32Array[];
}

/** A stream of prefix sums as the sampler of its batches sees it, for increments of norm at most 1. */
export interface SampledStream {
  readonly steps: number;
  /** How many slots there are, where their number is public. */
  readonly slots?: number;
  /** Standard deviation of the rows of noise, over the norm of an increment. */
  readonly sigma: number;
  /** Entry (row, column) of C; zero above the diagonal, and `bandwidth` or more rows below it. */
  encoder(row: number, column: number): number;
  readonly bandwidth: number;
  /** As in a prefix sum: an upper bound on the norm of `C(x − x′)`. */
  columnNorm(participation: Participation): number;
}

/**
 * Secret batches for all steps of a stream of prefix sums, drawn independently for each slot unless
 * `isJoint`. The stream is accounted as a whole: later increments depend on earlier sums, and the noise of
 * steps is correlated.
 */
export interface SamplerStream<Params extends ZodSchema = ZodSchema> {
  /**
   * Whether a slot may displace another one; the cost then depends on `slots`, and there are no densities.
   */
  readonly isJoint?: boolean;
  /** How often a slot takes part at most, and at least how many steps apart. */
  participation(params: z.output<Params>, steps: number): Participation;
  /**
   * Checks the shape of the stream alone: what can be said before its noise is known.
   *
   * @throws {Unsupported} as `event`.
   */
  fits?(params: z.output<Params>, stream: Pick<SampledStream, 'steps' | 'bandwidth'>): void;
  /** The public normaliser of the increments: the expected size of a batch. */
  normaliser(params: z.output<Params>, slots: number): number;
  /**
   * The cost of the stream; an absent adjacency is unsupported.
   *
   * @throws {Unsupported} for a matrix C that the analysis does not cover.
   */
  event(params: z.output<Params>, stream: SampledStream): { readonly [A in Adjacency]?: PrivacyEvent };
  /**
   * Draws the batches: each call gives the ascending positions of the next step.
   *
   * @param slots - Whole, from 0.
   */
  begin(params: z.output<Params>, slots: number, steps: number, random: RandomSource): () => Uint32Array;
  /**
   * Logarithm of the density of the sums `Cx + σz` of one slot that takes part with increments of 1, over the
   * density of the noise alone. This pair has to dominate the stream under zero-out, in both directions, for
   * increments that depend on earlier sums. With it a curator can verify (ε, δ) by sampling.
   *
   * @throws {Unsupported} as `event`.
   */
  logRatio?(params: z.output<Params>, stream: SampledStream): (sums: Float64Array) => number;
  /**
   * Upper bound on `log E exp(λ‖Cx‖²)` for `λ ≥ 0`, for one slot that takes part with increments of 1; convex
   * in λ. The nearer it is, the fewer samples a verification takes.
   *
   * @defaultValue λ times the square of the largest norm
   * @throws {Unsupported} as `event`.
   */
  logMoment?(params: z.output<Params>, stream: SampledStream): (lambda: number) => number;
}

/** Chooses who takes part in a step, with the curator's randomness and without reading data. */
export interface Sampler<Params extends ZodSchema = ZodSchema> extends Plugin<'sampler', Params> {
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
   * Ascending positions in `[0, slots)`, with repetitions where the declared distribution is sampling with
   * replacement and nowhere else: a function of what is drawn from `random`, which moves on, so that the next
   * draw from the same source is a draw of its own.
   *
   * @throws {InvalidParameter} unless `slots` is a whole number of as many as it needs.
   */
  draw(params: z.output<Params>, slots: number, random: RandomSource): Uint32Array;
  /**
   * Partitions of a batch into disjoint ones, where it has them: an epoch of batches, an allocation to steps.
   */
  readonly partition?: SamplerPartition<Params>;
  /** Where it can draw the batches of a stream of prefix sums. */
  readonly stream?: SamplerStream<Params>;
}

/**
 * Declares a sampler; the result, called with parameters, is a reference for queries.
 *
 * @throws {InvalidParameter} for a `size` that is neither `'exact'` nor `'hidden'`.
 */
export function defineSampler<Params extends ZodSchema>(
  definition: Omit<Sampler<Params>, 'kind'>,
): Callable<Sampler<Params>> {
  return callablePlugin({ ...definition, kind: 'sampler' });
}
