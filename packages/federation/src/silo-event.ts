import type { PrivacyEvent } from '@lethe/core';
import type { SealedPlan } from './plan.js';
import type { RefusalCode } from './refusal.js';

/** What happens at a silo, for its owner. Nothing in it crosses the network. */
export type SiloEvent =
  | { readonly what: 'agreed'; readonly plan: SealedPlan }
  | { readonly what: 'answered'; readonly index: number; readonly of: number; readonly again: boolean }
  | { readonly what: 'refused'; readonly code: RefusalCode | 'failed'; readonly error: unknown }
  /**
   * The records could not be read, so that the plan is neither agreed to nor declined. The server hears that
   * the owner has not decided yet: what is wrong with the records is not for it.
   */
  | { readonly what: 'undecided'; readonly error: unknown }
  /** A plan was taken back that was not agreed to yet. */
  | { readonly what: 'withdrawn'; readonly reason: string }
  /** The run that was agreed to is over; without `run`: before it was opened in this process. */
  | { readonly what: 'ended'; readonly reason: string; readonly run: EndedRun | null };

/** A run that was agreed to and is over. */
export interface EndedRun {
  readonly plan: SealedPlan;
  readonly silo: number;
  readonly answered: number;
  /** What its ledger holds of the run. */
  readonly spent: PrivacyEvent;
  /** What the whole plan costs: what the run has cost at most, however its end was chosen. */
  readonly planned: PrivacyEvent;
}
