import type { ZodSchema } from '@lethe/numerics';
import type {
  Adjacency,
  Capabilities,
  Draft,
  Json,
  PlanContext,
  Plugin,
  PrivacyBasis,
  Problem,
  ProblemParts,
  Program,
  Registry,
  Regularisers,
  Stopping,
  TrustModel,
  Vector,
} from '@lethe/core';
import type { RunContext } from '@lethe/core/internal';
import type * as z from 'zod';

/** Argument of `steps`. */
export interface StepsContext<Plan, Needs extends Capabilities> extends ProblemParts, RunContext {
  readonly plan: Plan;
  readonly problem: Problem<Needs>;
}

/** An optimizer as its author writes it. */
export interface OptimizerDefinition<
  Name extends string,
  Params extends ZodSchema,
  Needs extends Capabilities,
  Plan extends Draft,
> extends Omit<Plugin<'optimizer', Params>, 'kind'> {
  readonly name: Name;
  /** Capabilities of the loss that it cannot do without. @defaultValue none */
  readonly needs?: Needs;
  readonly adjacencies: readonly Adjacency[];
  readonly trustModels: readonly TrustModel['model'][];
  readonly privacyRestsOn: PrivacyBasis;
  /** @defaultValue 'fixed' */
  readonly stopping?: Stopping;
  /**
   * Names of the required facts, with the reason. Other facts are read where they are declared, and may not
   * change the cost of a run unless `privacyRestsOn` says so. @defaultValue none
   */
  readonly facts?: Readonly<Record<string, string>>;
  /** The regularisers it takes into account; a problem with any other is refused. @defaultValue none */
  readonly regularisers?: Regularisers;
  /**
   * Checks that the plugins which the parameters name go together, as far as that is known without a problem.
   *
   * @defaultValue no check
   * @throws {Unsupported} or `InvalidParameter`, as its planning would.
   */
  fits?(params: z.output<Params>, registry: Registry): void;
  /**
   * Schema of the fields of a stored plan that `steps` read; other fields
   * pass. @defaultValue no check but that of the price of its steps
   */
  readonly schedule?: ZodSchema;
  /** Must precede `steps` in the literal, so that the plan's type is known there. */
  plan(context: PlanContext<z.output<Params>, Needs>): Plan & Plain<Plan>;
  /**
   * Has no access to data: everything it does with answers is post-processing. It is also run with answers
   * of zeros, to price it, so that it must not read a clock or change anything outside.
   */
  steps(context: StepsContext<Plan, Needs>): Program<Vector>;
}
/** Rejects, in the type, what JSON cannot hold. */
export type Plain<T> = Json extends T
  ? T
  : T extends (...args: never[]) => unknown
    ? 'a plan is JSON: no functions'
    : T extends Float64Array
      ? 'a plan is JSON: use number[]'
      : T extends object
        ? { readonly [K in keyof T]: Plain<T[K]> }
        : T;
