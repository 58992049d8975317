import type { Domain, Proximal } from '@lethe/numerics';
import type { Adjacency } from '../adjacency.js';
import type { Fact } from './fact.js';
import type { TrustModel } from '../trust.js';
import type { Capabilities } from './capabilities.js';
import type { Ref } from './plugin.js';
import type { Registry } from './registry.js';
import type { RegulariserReference } from './regulariser.js';

/** Public facts: all that a plan may read. Nothing here may be computed from the private records. */
export interface Problem<out Has extends Capabilities = Capabilities> {
  readonly adjacency: Adjacency;
  readonly trust: TrustModel;
  /** Entries of an iterate of the loss, for the columns of the records. */
  readonly dimension: number;
  /**
   * Slots per silo, null records counted; exact under
   * replace-one and zero-out, a public guess under add-remove.
   */
  readonly slots: readonly number[];
  /**
   * What is protected: one record, or all that one owner has; `slots` are then those of owners.
   * @defaultValue a record
   */
  readonly unit?: 'record' | 'owner';
  readonly domain: Ref<'domain'>;
  readonly loss: Ref<'loss'>;
  readonly capabilities: Has;
  readonly facts: Readonly<Record<string, Fact>>;
  /**
   * A public convex function that is added to the average loss, such as
   * `{ name: 'l2-squared', params: { strength: 0.01 } }`. It reads no record, and is in no query.
   */
  readonly regulariser?: RegulariserReference;
}
/** Privacy budget of a run: (ε, δ), in the adjacency of its problem. */
export interface Budget {
  readonly epsilon: number;
  readonly delta: number;
}

/** The parts of a problem that its references name, found in the registry that the run was prepared with. */
export interface ProblemParts {
  readonly registry: Registry;
  /** The set of feasible iterates. */
  readonly domain: Domain;
  /** `null` where the problem has none. */
  readonly regulariser: Proximal | null;
}
