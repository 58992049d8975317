import type { DataSet, TrustModel, Vector } from '@lethe/core';
import type { BudgetSpec } from '../experiment/schema.js';
import type { PublicProblem } from './problem.js';

/** The records of one seed, and what only a simulation may know of them. */
export interface Sample {
  readonly data: DataSet;
  /** Where optimizers start: the point of the domain nearest to zero, or to where the loss begins. */
  readonly start: Vector;
  readonly startExcess: number;
  /** Risk of `w` above the non-private optimum; the risk itself, where nobody knows one. */
  excessRisk(w: Vector): number;
}

/** Where a problem's records come from, ready to be drawn from. */
export interface Drawable {
  /** Non-private optimum, where it is one for all seeds. */
  readonly optimum: { readonly risk: number; readonly point: readonly number[] } | null;
  /** Why nobody knows an optimum: then excess risks are risks. */
  readonly withoutOptimum?: string;
  /** Records for one seed: the same for every optimizer, and for every budget that the law does not depend on. */
  draw(n: number, budget: BudgetSpec, seed: number): Sample;
}

/** The source of a problem: what plans may know first, and records afterwards. */
export interface Population {
  /** Entries of an iterate. */
  readonly dimension: number;
  readonly featureNames: readonly string[];
  /** Records that there are; `null` where every seed makes its own. */
  readonly records: number | null;
  /**
   * Public description, all that a plan may read. It may depend
   * on the budget: a worst case for one is none for another.
   */
  describe(n: number, budget: BudgetSpec, trust: TrustModel): PublicProblem;
  /** Finds the optimum, which takes its time. */
  open(): Drawable;
}
