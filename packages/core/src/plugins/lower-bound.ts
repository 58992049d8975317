import type { z } from 'zod';
import type { Json } from '../json.js';
import type { Vector } from '../query/query.js';
import type { RandomSource } from '../random/index.js';
import { plainPlugin, type Plugin } from './plugin.js';

/** A drawn hard instance: its records and the population optimum that only its author knows. */
export interface HardInstance {
  readonly features: Float64Array; readonly labels: Float64Array; readonly rows: number; readonly columns: number;
  readonly optimum: Vector;
  /** Excess population risk of `w`, exactly. */
  excessRisk(w: Vector): number;
}

/** A lower bound on the excess risk of every algorithm of a class. */
export interface LowerBound<Params extends z.ZodType = z.ZodType> extends Plugin<'lowerBound', Params> {
  /** The inequality in words, with its regime. */
  readonly statement: string;
  /**
   * The bound's value. Where the source hides constants, `constant` says which factor was used and `explicit` is false:
   * the curve then has the right shape, not a proved height.
   *
   * @throws {InvalidParameter} outside the regime.
   */
  evaluate(params: z.output<Params>): { readonly value: number; readonly explicit: boolean; readonly terms: Readonly<Record<string, number>> };
  /** Draws an instance that witnesses the bound; `null` for a bound that is only a formula so far. */
  readonly instance: ((params: z.output<Params>, random: RandomSource) => HardInstance) | null;
  /** Loss of the instance, as a reference. */
  readonly loss: Json;
}

/** Declares a lower bound. */
export function defineLowerBound<Params extends z.ZodType>(definition: Omit<LowerBound<Params>, 'kind'>): LowerBound<Params> {
  return plainPlugin({ ...definition, kind: 'lowerBound' });
}
