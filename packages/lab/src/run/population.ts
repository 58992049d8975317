import type { LabelledRows } from '@lethe/losses';
import type { NonPrivateOptimum, TrustModel, Vector } from '@lethe/core';
import type { DataSet } from '@lethe/curator';
import type { ProblemResult, TestScore } from '../experiment/results.js';
import type { BudgetSpec } from '../experiment/schema.js';
import type { PublicProblem } from './problem.js';
import type { RecordFacts } from './records.js';

/** Records of one seed, with the facts that only a simulation may use. */
export interface Sample {
  readonly data: DataSet;
  /** Start of optimizers: the point of the domain nearest to zero, or to the start of the loss. */
  readonly start: Vector;
  readonly startExcess: number;
  /** Risk of `w` above the non-private optimum; the risk itself without a known optimum. */
  excessRisk(w: Vector): number;
  /** How `w` predicts the records held out; left out where there are none. */
  readonly test?: ((w: Vector) => TestScore) | undefined;
}

/** Source of a problem's records, ready for sampling. */
export interface Drawable {
  /** Non-private optimum, if all seeds share it. */
  readonly optimum: { readonly risk: number; readonly point: readonly number[] } | null;
  /** Reason why no optimum is known; excess risks are then risks. */
  readonly withoutOptimum?: string;
  readonly heldOut?: ProblemResult['heldOut'];
  /**
   * Records of one seed. Optimizers share them; so do budgets, unless the distribution depends on the budget.
   */
  draw(n: number, budget: BudgetSpec, seed: number): Sample;
}

/** What is slow to read and to compute of a problem, as a worker thread receives it. */
export interface SharedRecords {
  /** Features are in shared memory, so that a thread gets no copy. */
  readonly records: LabelledRows & Omit<RecordFacts, 'source'>;
  readonly recordsKey: string;
  /** The optimum, or the reason why none is known. */
  readonly optimum: NonPrivateOptimum | { readonly why: string };
}

/** Source of a problem: the public description first, the records afterwards. */
export interface Population {
  /** Entries of an iterate. */
  readonly dimension: number;
  readonly featureNames: readonly string[];
  /** Number of records; `null` where every seed generates its own. */
  readonly records: number | null;
  /** What tells the records from others, beside the specification of the problem. */
  recordsKey(): Promise<string>;
  /**
   * Public description, all that a plan may read. It depends on the budget for worst-case instances.
   */
  describe(n: number, budget: BudgetSpec, trust: TrustModel): PublicProblem;
  /** Computes the optimum; slow. */
  open(): Drawable;
  /**
   * What other threads need not read and compute again; slow. `null` where dense records are not in shared
   * memory, left out where there is nothing to read.
   */
  share?(): Promise<SharedRecords | null>;
}
