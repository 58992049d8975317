import type { PublicPlan } from './plan.js';
import type { Budget, Problem } from './problem.js';

/**
 * A planned run as JSON, from which `Optimizer.fromPlan` starts
 * it: later, in another process, on another machine.
 */
export interface StoredPlan {
  readonly format: 1;
  /** Version of Lethe, and mark of the optimizer: others might do something else with it. */
  readonly lethe: string;
  readonly optimizer: string;
  readonly mark: string;
  readonly problem: Problem;
  readonly budget: Budget;
  readonly plan: PublicPlan;
  /**
   * Whether event and gradients were found by running the steps without data. A plan that says no is believed
   * only where its steps have no price without answers.
   */
  readonly priced: boolean;
}
