import type { PrivacyEvent } from '../events/schema.js';

/**
 * How a run ends: always the same; a function of public coins;
 * or adaptively, under a filter's a-priori limit.
 */
export type Stopping = 'fixed' | 'public-coins' | 'adaptive';
/**
 * Regularisers by what they declare: none; a ridge; a sum over
 * coordinates, a ridge among them; any with a proximal map.
 */
export type Regularisers = 'none' | 'ridge' | 'separable' | 'any';
/** Basis of the sensitivity bound. */
export type PrivacyBasis = 'clip' | 'every-record constants' | 'convexity';

/** Cost of a run, found by running its steps without data; runs with adaptive stopping state it. */
export interface PlannedCost {
  /** The exact privacy event the run will cost. */
  readonly event: PrivacyEvent;
  /** Upper bound on the number of per-record gradients. */
  readonly gradients: number;
}
/**
 * What `plan` returns: the schedule that `steps` follow, as JSON.
 * Those whose steps cannot be priced without answers add their cost.
 */
export interface Draft extends Partial<PlannedCost> {
  /**
   * Predicted bound on the expected excess risk, with where it comes
   * from; `null` when the theory does not cover the parameters.
   */
  readonly utility: { readonly bound: number; readonly source: string } | null;
}
/** A plan is JSON: printed by `lethe plan`, recorded with results, heading of every transcript. */
export interface PublicPlan extends Draft, PlannedCost {
  readonly event: PrivacyEvent;
  readonly gradients: number;
}

/** What a run costs, found by running its steps without data. */
export interface Price extends PlannedCost {
  readonly queries: number;
}
