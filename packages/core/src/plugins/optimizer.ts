import type { RandomSource, ZodSchema } from '@lethe/numerics';
import type * as z from 'zod';
import type { Adjacency } from '../adjacency.js';
import type { TrustModel } from '../trust.js';
import type { Calibrate } from './accountant.js';
import type { Capabilities } from './capabilities.js';
import type { FilterMaker, PrivacyFilter } from './filter.js';
import type { PrivacyBasis, Regularisers, Stopping } from './plan.js';
import type { Plugin } from './plugin.js';
import type { Budget, Problem, ProblemParts } from './problem.js';
import type { Registry } from './registry.js';
import type { Run } from './run.js';
import type { StoredPlan } from './stored-plan.js';

/** Argument of `plan`; `params` are parsed. */
export interface PlanContext<Params, Needs extends Capabilities> extends ProblemParts {
  readonly problem: Problem<Needs>;
  readonly budget: Budget;
  readonly params: Params;
  readonly calibrate: Calibrate;
  /**
   * The least noise multiplier at which a run keeps the budget. Multipliers are remembered: a draft with the
   * event of an earlier one gets its multiplier without a search. A plan with another event than the
   * calibrated one is priced, and refused beyond the budget.
   *
   * @param draft - The part of a plan that the steps read, at that multiplier. Nothing else that changes the
   * cost may differ between drafts.
   */
  noiseFor(draft: (noiseMultiplier: number) => object): number;
  /**
   * The privacy filter of the budget, for an optimizer whose stopping is `adaptive`: the event of its plan is
   * `filter.limit`, and its run is held to the filter. Others have none.
   */
  readonly filter?: PrivacyFilter;
  /**
   * Whether several runs follow the plan, each with public coins of its own. Planning
   * then uses no randomness; the event of the plan bounds the cost whatever a run draws in its steps.
   */
  readonly repeated: boolean;
  /** Public randomness, equal to that of `steps`; of a repeated plan it refuses to be drawn from. */
  readonly random: RandomSource;
}

/** An optimizer as its user sees it: plan and steps behind {@link Optimizer.prepare}. */
export interface Optimizer<
  Name extends string = string,
  Params extends ZodSchema = ZodSchema,
  Needs extends Capabilities = Capabilities,
> extends Plugin<'optimizer', Params> {
  readonly name: Name;
  readonly needs: Needs;
  readonly adjacencies: readonly Adjacency[];
  readonly trustModels: readonly TrustModel['model'][];
  readonly privacyRestsOn: PrivacyBasis;
  readonly stopping: Stopping;
  readonly facts: Readonly<Record<string, string>>;
  readonly regularisers?: Regularisers;
  /** As its author declares it, of parsed parameters; experiments are checked by it beforehand. */
  fits?(params: unknown, registry: Registry): void;
  /**
   * Plans a run from public facts alone.
   *
   * @throws {IncompatiblePlugins} when the loss lacks a capability it
   * needs, or the problem has a regulariser that it ignores.
   * @throws {Unsupported} for an adjacency, a trust model, a
   * missing fact, or facts computed from the records.
   * @throws {InvalidParameter} when a fact is not a number with a known scope and
   * provenance, or its name is nearly that of one that is looked for, or parameters
   * or budget do not fit, or lead to a number that is not finite.
   * @throws {IncompatiblePlugins} for a plan with calibrated noise that costs more than its budget, and for
   * a mean that rests on facts of the records where privacy rests on clipping.
   */
  prepare(context: PrepareContext<z.input<Params>, Needs>): Run;
  /**
   * Starts a run from a plan that was stored, without planning it again.
   *
   * @throws {IncompatiblePlugins} for a plan of another optimizer, of another version of it, or of Lethe.
   * @throws {Corrupt} for a plan of another schema, or with another cost than its steps have.
   * @throws as {@link Optimizer.prepare} where the problem does not fit.
   */
  fromPlan(context: StoredPlanContext): Run;
}

/**
 * What an optimizer is planned from. `filter` opens the filter of an adaptive one: that of an accountant,
 * such as `bestOf(accountants).filter`.
 */
export interface PrepareContext<Params, Needs extends Capabilities> extends Omit<
  PlanContext<Params, Needs>,
  'filter' | 'domain' | 'regulariser' | 'noiseFor' | 'repeated'
> {
  readonly filter?: FilterMaker | undefined;
  /**
   * Whether the plan is for several runs, such as those of a selection, each with public coins of its own. A
   * plan that draws randomness itself is refused then. @defaultValue false
   */
  readonly repeated?: boolean;
}

/** Context of a stored plan; `random` as in {@link Optimizer.prepare}. */
export interface StoredPlanContext {
  readonly plan: StoredPlan;
  readonly registry: Registry;
  readonly random: RandomSource;
  readonly filter?: FilterMaker | undefined;
}
