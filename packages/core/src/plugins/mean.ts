import type * as z from 'zod';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import type { Sensitivity } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Target, Vector } from '../query/query.js';
import type { Fact } from './fact.js';
import type { Moment } from './clip.js';
import type { Norm } from './mechanism.js';
import type { PrivacyBasis } from './plan.js';
import { callablePlugin, refer, type Callable, type Plugin, type Ref } from './plugin.js';
import { resolvePlugin, type Registry } from './registry.js';

/** Public parameters of one release, known before any record is read. */
export interface MeanShape {
  /** Entries of the vectors that are averaged: those of an iterate, or as many as `coordinates`. */
  readonly dimension: number;
  /**
   * Public divisor: the number of slots of the batch, or its
   * normaliser, which need not be whole, where the size is hidden.
   */
  readonly slots: number;
  /** Whether `slots` is the number of records. */
  readonly size: 'exact' | 'hidden';
  /** `Σ|weight|` of the terms: a record's vector is a sum of gradients with these weights. */
  readonly weight: number;
  /** Entries of an iterate. */
  readonly iterateDimension: number;
  /** Which entries of the gradient are averaged; left out: all. */
  readonly coordinates?: Uint32Array | undefined;
  /** Facts that hold for every record of the data set. */
  readonly facts: Readonly<Record<string, Fact>>;
  /** Where a mean finds the plugins that its parameters name. */
  readonly registry: Registry;
}

/**
 * A shape from the two numbers that every mean needs; the rest
 * is that of a single gradient, whole, of a batch of exact size.
 */
export const meanShape = (given: Pick<MeanShape, 'dimension' | 'slots'> & Partial<MeanShape>): MeanShape => ({
  size: 'exact',
  weight: 1,
  iterateDimension: given.dimension,
  facts: {},
  registry: [],
  ...given,
});

/** A release in the shuffle model; `slots` are users. */
export interface ShuffledShape extends MeanShape {
  /** Users that certainly follow the protocol. */
  readonly honestUsers: number;
  readonly target: Target;
}

/** What is made of the mean of scaled records before and after the noise. */
export interface MeanTransform {
  /** The value before noise; linear in the mean. */
  value(mean: Vector): Vector;
  /** The answer from the noised value: post-processing. */
  finish(noised: Vector): Vector;
}

/**
 * A mean `(1/slots) Σ factor(norms of z) z`. A curator may compute it without any gradient, and without a
 * dense vector of each record.
 */
export interface LinearMean {
  /** Norms of a vector that `factor` takes, in its order. @defaultValue `['l2']` */
  readonly norms?: readonly Norm[] | undefined;
  /** Factor of a vector with these norms. */
  factor(...norms: readonly number[]): number;
  /** `r` where the factor is `min(1, r/‖z‖₂)`, which a fused kernel computes; else `null`. */
  readonly radius: number | null;
  /** Left out: the mean is noised as it is, and the noised mean is the answer. */
  transform?(random: RandomSource): MeanTransform;
}

/**
 * One release in progress: records go in one at a time, in slot order; the value is noised by the curator.
 */
export interface MeanRun {
  /** Adds the vector of the record in `slot`. The vector is lent; one that is not finite counts as zero. */
  add(slot: number, gradient: Vector): void;
  /**
   * Adds the vector with `values[k]` at `indices[k]`, ascending, and 0 elsewhere; what is lent stays as it
   * is. The same as `add` of the dense vector. Left out: sparse records are made dense.
   */
  addSparse?(slot: number, indices: Uint32Array, values: Vector): void;
  /** The value before noise. */
  value(): Vector;
  /** The answer from the noised value: post-processing. */
  finish(noised: Vector): Vector;
}

/** Fields of means in every trust model. */
interface AnyMean<Params extends ZodSchema> extends Plugin<'mean', Params> {
  /** Basis of the sensitivity, or of the guarantee of the randomiser. */
  readonly privacyRestsOn: PrivacyBasis;
  /**
   * Parameters of the same mean for records `factor` times as large: it answers `factor · mean(z / factor)`
   * at `factor` times the sensitivity. `null` where a part has no units to change. Left out: this mean never
   * has them.
   */
  scaled?(params: z.output<Params>, factor: number, registry: Registry): unknown;
}

/**
 * A private mean that a trusted curator computes: each record is bounded, an aggregate of them is noised, and
 * the answer is made of it. The curator computes scale and event from what the plugin declares. Moments, bias
 * and variance are in the declared norm.
 */
export interface CentralMean<Params extends ZodSchema = ZodSchema> extends AnyMean<Params> {
  readonly trust: 'central';
  /** The mechanism that noises `value()`. */
  mechanism(params: z.output<Params>): Ref<'mechanism'>;
  /** The norm of `sensitivity`. */
  norm(params: z.output<Params>, shape: MeanShape): Norm;
  /**
   * Every entry of `value()` is a whole number below 2⁵³ in size,
   * whatever the records are: what an exact mechanism needs.
   */
  readonly integers?: true;
  /**
   * It needs a public divisor only: batches of hidden size are released too, however many records they have.
   * `value()` depends neither on the numbers of their slots nor on their order, and `sensitivity` covers a
   * record that leaves or enters. A curator refuses to give such batches to other means.
   */
  readonly hiddenSize?: true;
  /**
   * Sensitivity of `value()` per adjacency, for every data set.
   * A curator refuses an adjacency that is missing.
   */
  sensitivity(params: z.output<Params>, shape: MeanShape): Sensitivity;
  /**
   * What an entry of `value()` reaches on `slots` records. Left out: the slots times the largest sensitivity.
   */
  largestEntry?(params: z.output<Params>, shape: MeanShape): number;
  /**
   * The mean as a sum of scaled vectors; `null`, or left out,
   * where it is none. The code of `begin` says the same.
   */
  linear?(params: z.output<Params>, shape: MeanShape): LinearMean | null;
  /**
   * Starts one release. `random` is randomness of the mean's own,
   * drawn after the data are fixed and unrelated to the noise.
   */
  begin(params: z.output<Params>, shape: MeanShape, random: RandomSource): MeanRun;
  /**
   * The event of the whole release, given that of the noise; the identity
   * when there is no other cost, and no more to say of the value.
   */
  event(params: z.output<Params>, noise: PrivacyEvent, shape: MeanShape): PrivacyEvent;
  /**
   * Upper bound on `‖E answer − E gradient‖`, whatever the scale of
   * the noise; for independent records of one law with the `moment`.
   *
   * @throws {InvalidParameter} for a moment that is none, and for slots that are not positive and finite.
   */
  biasBound(params: z.output<Params>, shape: MeanShape, moment: Moment): number;
  /**
   * Upper bound on `E‖answer − E answer‖²` for such records, with
   * noise of variance `noiseVariance` per entry of `value()`.
   *
   * @throws {InvalidParameter} as {@link CentralMean.biasBound},
   * and for a variance that is negative or not finite.
   */
  varianceBound(params: z.output<Params>, shape: MeanShape, moment: Moment, noiseVariance: number): number;
}

/** A private mean in the shuffle model: the sum of a local randomiser's messages, divided by the users. */
export interface ShuffledMean<Params extends ZodSchema = ZodSchema> extends AnyMean<Params> {
  readonly trust: 'shuffle';
  /** The local randomiser of each user. */
  randomiser(params: z.output<Params>): Ref<'localRandomiser'>;
  /** Upper bound on `‖E answer − E gradient‖`; `null` where none is known. */
  biasBound(params: z.output<Params>, shape: ShuffledShape, moment: Moment): number | null;
  /** Upper bound on `E‖answer − E answer‖²`, noise included; `null` where none is known. */
  varianceBound(params: z.output<Params>, shape: ShuffledShape, moment: Moment): number | null;
}

/** A private mean in any trust model. */
export type Mean<Params extends ZodSchema = ZodSchema> = CentralMean<Params> | ShuffledMean<Params>;

/**
 * Declares a private mean of the central model; the result,
 * called with parameters, is a reference for queries.
 */
export function defineMean<Params extends ZodSchema>(
  definition: Omit<CentralMean<Params>, 'kind'>,
): Callable<CentralMean<Params>> {
  return callablePlugin({ ...definition, kind: 'mean' });
}

/**
 * Declares a private mean of the shuffle model; the result,
 * called with parameters, is a reference for queries.
 */
export function defineShuffledMean<Params extends ZodSchema>(
  definition: Omit<ShuffledMean<Params>, 'kind'>,
): Callable<ShuffledMean<Params>> {
  return callablePlugin({ ...definition, kind: 'mean' });
}

/**
 * The same mean for records `factor` times as large; `null` where it has no units of its own to change.
 *
 * @param registry - Plugins, the mean's and its parts' among them.
 */
export function scaledMean(registry: Registry, ref: Ref<'mean'>, factor: number): Ref<'mean'> | null {
  const { plugin, params } = resolvePlugin<Mean>(registry, ref);
  const changed = plugin.scaled?.(params, factor, registry) ?? null;
  return changed === null ? null : refer(plugin, changed);
}
