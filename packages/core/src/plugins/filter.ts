import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Json } from '../json.js';
import type { EventKind } from './event.js';

/** Limit of a whole interaction, and its adjacency. */
export interface FilterRequest {
  readonly epsilon: number;
  readonly delta: number;
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
}

/**
 * A privacy filter: a rule, fixed before the first answer, by which an interaction is (ε, δ)-DP as a whole
 * although each release is chosen after the answers so far. A filter keeps no state: it judges the
 * composition of everything.
 *
 * @see Rogers, Roth, Ullman, Vadhan 2016; Feldman, Zrnic 2021.
 */
export interface PrivacyFilter {
  /** Name of the rule for messages and reports, such as `renyi`. */
  readonly rule: string;
  /**
   * All that fixes the rule, as JSON: orders, shares of δ. A ledger stores it, and is opened again with the
   * same. `null` fixes nothing: a ledger or a run that began with it goes on with any filter whose spec is
   * `null`.
   */
  readonly spec: Json;
  /** Cost of the interaction for any queries: a `core/filtered` event. */
  readonly limit: PrivacyEvent;
  /**
   * Whether an interaction that adds up to `event` stays within the limit. It is decided structurally: by
   * sums over compositions and maxima over parallel parts, never by an accountant's search.
   *
   * @throws {Unsupported} when a part of the event has no characterisation that the rule can add up.
   */
  admits(event: PrivacyEvent): boolean;
  /**
   * The share of the limit that `event` takes, rounded up: more
   * than 1 is beyond it. For messages and reports.
   */
  share(event: PrivacyEvent): number;
}

/** Opens a filter for a limit. @throws {InvalidParameter} for a limit that the rule cannot keep. */
export type FilterMaker = (request: FilterRequest) => PrivacyFilter;
