import type { z } from 'zod';
import type { Fact, Vector } from '../query/query.js';
import type { RandomSource } from '@lethe/numerics';
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

/** A lower bound on the excess risk of every algorithm of a class. */
export interface LowerBound<Params extends z.ZodType = z.ZodType> extends Plugin<'lowerBound', Params> {
  /** The inequality in words, with its regime. */
  readonly statement: string;
  /**
   * The bound's value. Where the source hides constants, `constant` says which factor was used and `explicit`
   * is false: the curve then has the right shape, not a proved height.
   *
   * @throws {InvalidParameter} outside the regime.
   */
  evaluate(params: z.output<Params>): {
    readonly value: number;
    readonly explicit: boolean;
    readonly terms: Readonly<Record<string, number>>;
  };
  /** The problem that instances pose; `null` for a bound that is only a formula so far. */
  readonly problem: ((params: z.output<Params>) => HardProblem) | null;
  /** Draws an instance of that problem that witnesses the bound; `null` where `problem` is. */
  readonly instance: ((params: z.output<Params>, random: RandomSource) => HardInstance) | null;
}

/** Declares a lower bound. */
export function defineLowerBound<Params extends z.ZodType>(
  definition: Omit<LowerBound<Params>, 'kind'>,
): LowerBound<Params> {
  return plainPlugin({ ...definition, kind: 'lowerBound' });
}
