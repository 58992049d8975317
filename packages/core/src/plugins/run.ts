import type { RandomSource } from '@lethe/numerics';
import type { PrivacyEvent } from '../events/schema.js';
import type { Loops } from '../loops/loops.js';
import type { Program } from '../query/ask.js';
import type { Batch, Vector } from '../query/query.js';
import type { PrivacyFilter } from './filter.js';
import type { Price, PublicPlan } from './plan.js';
import type { Budget, Problem } from './problem.js';

/** What the steps of a run are started with. */
export interface RunContext extends Loops {
  readonly start: Vector;
  readonly allRecords: Batch;
  readonly random: RandomSource;
}

/** A planned run hides the plan's type, so that runs of different optimizers share one type. */
export interface Run {
  readonly name: string;
  /**
   * Identifies the version of the optimizer; a transcript is resumed with the same one only.
   */
  readonly mark?: string;
  readonly problem: Problem;
  readonly plan: PublicPlan;
  /** Budget of the plan. */
  readonly budget?: Budget;
  /** The filter that the curator of an adaptive optimizer is made with. */
  readonly held?: PrivacyFilter;
  /**
   * Price of the steps, by one iteration of each kind, or by all (`unrolled`);
   * `null` where the plan states its own cost.
   */
  price?(options?: { readonly unrolled?: boolean }): Price | null;
  /**
   * Names of the facts that plan and steps have read so far, and of the required ones. Other facts have had
   * no effect.
   */
  factsRead?(): readonly string[];
  /** Starts the optimizer; nothing is asked before the first `next`. */
  steps(context: RunContext): Program<Vector>;
}

/**
 * The option of a run's curator that reserves its cost: the event of the plan, or, where stopping is
 * adaptive, the filter of the run.
 */
export const reservationFor = ({
  plan,
  held,
}: Run): { readonly planned: PrivacyEvent } | { readonly held: PrivacyFilter } =>
  held === undefined ? { planned: plan.event } : { held };
