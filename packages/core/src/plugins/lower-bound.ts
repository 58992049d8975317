import type * as z from 'zod';
import type { Vector } from '../query/query.js';
import type { Fact } from './fact.js';
import type { CsrMatrix, RandomSource, ZodSchema } from '@lethe/numerics';
import type { Adjacency } from '../adjacency.js';
import type { RecordDomain } from './loss.js';
import { plainPlugin, type Plugin, type Ref } from './plugin.js';

/**
 * What is publicly known of the hard problem before an instance is drawn: it depends on the parameters alone,
 * so that an optimizer can be planned for it. Whatever instance is drawn at the same parameters meets all of
 * it.
 */
export interface HardProblem {
  readonly loss: Ref<'loss'>;
  /** Domain of the iterates; it contains the optimum of every instance. */
  readonly domain: Ref<'domain'>;
  /** Bounds of every record of every instance. */
  readonly record: RecordDomain;
  /** Facts of the class: gradient moments and curvatures of the population. */
  readonly facts: Readonly<Record<string, Fact>>;
}

/** A drawn hard instance: its records and the population optimum that only its author knows. */
export interface HardInstance {
  readonly features: Float64Array;
  readonly labels: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly optimum: Vector;
  /** Excess population risk of `w`, exactly. */
  excessRisk(w: Vector): number;
}

/** What every lower bound says, whatever it measures. */
interface AnyLowerBound<Params extends ZodSchema> extends Plugin<'lowerBound', Params> {
  /** The inequality in words, with its regime. */
  readonly statement: string;
}

/** Value of a lower bound at given parameters. */
export interface BoundValue {
  readonly value: number;
  /** Whether the constants are proved; otherwise the curve has the right shape, not a proved height. */
  readonly explicit: boolean;
  readonly terms: Readonly<Record<string, number>>;
}

/** Value of a lower bound on the excess risk. */
export interface RiskValue extends BoundValue {
  /**
   * The part of the value that instances drawn at these parameters prove: every algorithm of the class has at
   * least this mean excess risk over draws. Smaller than the value where it is the larger of several bounds,
   * each with an instance of its own; the instances of some choice prove all of it.
   *
   * @defaultValue `value`
   */
  readonly drawn?: number;
}

/** A lower bound on the excess risk of every algorithm of a class. */
export interface RiskLowerBound<Params extends ZodSchema = ZodSchema> extends AnyLowerBound<Params> {
  readonly measure: 'excess-risk';
  /**
   * The bound's value.
   *
   * @throws {InvalidParameter} outside the regime.
   */
  evaluate(params: z.output<Params>): RiskValue;
  /** The problem that instances pose; `null` for a bound that is only a formula so far. */
  readonly problem: ((params: z.output<Params>) => HardProblem) | null;
  /**
   * Draws an instance of that problem that witnesses the bound: on average over draws every algorithm of the
   * class has at least the excess risk `drawn`. `null` where `problem` is.
   */
  readonly instance: ((params: z.output<Params>, random: RandomSource) => HardInstance) | null;
}

/** What is publicly known of hard records before they are drawn: a private mean can be planned for it. */
export interface HardMeanProblem {
  readonly columns: number;
  /** Bound on the ℓ2 norm of a record. */
  readonly radius: number;
  /** Most entries of a record that are not zero. */
  readonly sparsity: number;
  /** The bound speaks of every (ε, δ)-differentially private estimate under this adjacency. */
  readonly target: { readonly epsilon: number; readonly delta: number };
  readonly adjacency: Adjacency;
}

/** Drawn hard records, with their mean. */
export interface HardMean {
  /** Row-major `[rows · columns]`, or a sparse matrix of as many rows and columns. */
  readonly features: Float64Array | CsrMatrix;
  readonly rows: number;
  readonly columns: number;
  /** `(1/rows) Σ record`, of length `columns`. */
  readonly mean: Vector;
}

/** Value of a lower bound on the error of a mean. */
export interface MeanErrorValue extends BoundValue {
  /**
   * The error `‖answer − mean‖₂` is at least `value` with at least this probability, over instance and
   * answer; `null` where the source hides it.
   */
  readonly probability: number | null;
  /** Lower bound on `√E‖answer − mean‖²₂` for the same instance; `null` where constants are hidden. */
  readonly rootMeanSquare: number | null;
}

/**
 * A lower bound on the ℓ2 error of every private estimate of the mean of the records themselves, which is not
 * the mean of a population.
 */
export interface MeanErrorLowerBound<Params extends ZodSchema = ZodSchema> extends AnyLowerBound<Params> {
  readonly measure: 'mean-error';
  /**
   * The bound's value.
   *
   * @throws {InvalidParameter} outside the regime.
   */
  evaluate(params: z.output<Params>): MeanErrorValue;
  /** What is known of the instances; `null` for a bound that is only a formula. */
  readonly problem: ((params: z.output<Params>) => HardMeanProblem) | null;
  /** Draws records that witness the bound; `null` where `problem` is. */
  readonly instance: ((params: z.output<Params>, random: RandomSource) => HardMean) | null;
}

/** A lower bound, by what it measures. */
export type LowerBound<Params extends ZodSchema = ZodSchema> =
  | RiskLowerBound<Params>
  | MeanErrorLowerBound<Params>;

/** Declares a lower bound on the excess risk. */
export function defineLowerBound<Params extends ZodSchema>(
  definition: Omit<RiskLowerBound<Params>, 'kind' | 'measure'>,
): RiskLowerBound<Params> {
  return plainPlugin({ ...definition, kind: 'lowerBound', measure: 'excess-risk' });
}

/** Declares a lower bound on the error of a mean. */
export function defineMeanErrorBound<Params extends ZodSchema>(
  definition: Omit<MeanErrorLowerBound<Params>, 'kind' | 'measure'>,
): MeanErrorLowerBound<Params> {
  return plainPlugin({ ...definition, kind: 'lowerBound', measure: 'mean-error' });
}
