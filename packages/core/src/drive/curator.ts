import type { PrivacyEvent } from '../events/schema.js';
import type { LeftNoise } from './left-noise.js';
import type { Answer, Batch, Query } from '../query/query.js';
import type { TrustModel } from '../trust.js';

/**
 * An answer with the keyed digest of its query. Digests are
 * public: they reveal nothing without the curator's key.
 */
export interface Answered<A extends Answer = Answer> {
  readonly answer: A;
  readonly digest: string;
  /** Of an answer without noise to a trusted server: the noise that it owes. */
  readonly left?: LeftNoise;
}

/** Public facts of a curator. */
export interface CuratorFacts {
  /** Identifies the run in the ledger. */
  readonly run: string;
  /** True when the curator's randomness comes from a seed, so that the run is not private. */
  readonly simulation: boolean;
  /**
   * One-way name of the root of the curator's randomness; a driver refuses to give the optimizer the same
   * root, with which it could subtract the noise.
   */
  readonly root?: string;
  /** The same of each silo of a federation. */
  readonly roots?: readonly string[];
  /**
   * Whom the records are trusted to; a driver refuses a run that
   * was planned for another model. Left out, nothing is compared.
   */
  readonly trust?: TrustModel;
  /**
   * What the run set aside of the data set's limit: the event of its plan, or the limit of the filter that it
   * is held to. A driver refuses another plan.
   */
  readonly reserved?: PrivacyEvent;
  /**
   * Whether queries may be left out: whoever asks counts them, and this curator answers any that comes after
   * its last. A driver does not compare how many its ledger holds.
   */
  readonly gaps?: true;
  /** Whether a run goes on only by all of its answers: a driver then takes no checkpoints. */
  readonly wholeTranscript?: true;
  /** Set where what is protected is all that one owner has, instead of one record. */
  readonly unit?: 'owner';
  /** Conditions of every number computed from its events, beyond those that the events carry themselves. */
  readonly assumptions: readonly string[];
}

/**
 * Interprets the queries of one run. It alone sees data and draws noise, and it writes the ledger in the same
 * call: it checks the limit, appends the charge, draws, and only then answers.
 */
export interface Curator<out R extends Answered | Promise<Answered> = Answered | Promise<Answered>> {
  readonly facts: CuratorFacts;
  /** The batch of all records. */
  readonly allRecords: Batch;
  /**
   * Answers query number `index` of the run, counted from 0 in order. The query is read once, by
   * `queryIntake`: whoever asks may change it meanwhile, or give accessors, proxies and arrays with methods
   * of their own. Randomness is a function of the run's secret key, the index and the digest, so a query
   * asked again after a crash gets the same answer and is not charged again. So does the last query, asked
   * again because its reply was lost: the answer is the same, and nothing is charged.
   *
   * @throws {Corrupt} when another query was charged at this index, or indices are skipped.
   * @throws {BudgetExceeded} before data are touched, when the charge is no part of the run's plan, or would
   * pass the filter that the run is held to, or the data set's limit.
   */
  answer(index: number, query: Query): R;
  /**
   * Confirms that a stored answer may be sent again: the ledger
   * holds query `index` with this digest and the query has it.
   *
   * @throws {Corrupt} otherwise.
   */
  replay(index: number, query: Query, digest: string): R extends Promise<unknown> ? Promise<void> : void;
  /** Queries of this run that the ledger holds; for a curator elsewhere, as of its last answer. */
  recorded(): number;
  /** The event this run has cost so far; of a run that is held to a filter, the filter's limit. */
  spent(): R extends Promise<unknown> ? Promise<PrivacyEvent> : PrivacyEvent;
}
