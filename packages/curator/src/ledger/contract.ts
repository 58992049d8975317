import type { Adjacency, PrivacyEvent, PrivacyFilter, Store } from '@lethe/core';
import type { RandomSource } from '@lethe/numerics';
import type { Effect, Entries, Entry } from './effect.js';
import type { Limit } from './limits.js';

/** Adjacency, storage and privacy limit of a ledger. */
export interface LedgerOptions {
  readonly adjacency: Adjacency;
  /**
   * Storage; without one the ledger is in memory only. The bytes contain the runs' secret keys: protect them
   * like the data.
   */
  readonly store?: Store;
  /**
   * Stored with the ledger: a later opening must also give a limit, and a looser one requires `raiseLimit`. A
   * limit that is first given after some answers counts their charges and holds for later queries: see {@link
   * Limit}.
   */
  readonly limit?: Limit;
  /** Confirms that the data owner wants a looser limit than the stored one. @defaultValue false */
  readonly raiseLimit?: boolean;
}

/** State of a run in its ledger. */
export interface RunStanding {
  readonly ended: boolean;
  /** The reservation that the run has not released; `null` for none. */
  readonly reserved: PrivacyEvent | null;
  /** What the run set aside, released since or not; `null` for a run that set nothing aside. */
  readonly planned: PrivacyEvent | null;
  /** The event that counts against the data set's limit: the reservation, or else the charges. */
  readonly counts: PrivacyEvent;
}

/**
 * The part of the data set's limit that a run reserves when it opens: the event of its plan (`planned`), or
 * the limit of a privacy filter (`held`). Charges are compared with the reservation, without an accountant.
 */
export type Reservation =
  | { readonly planned: PrivacyEvent; readonly held?: never }
  | { readonly held: PrivacyFilter; readonly planned?: never };

/** A run on record in the ledger. */
export interface RunRecord {
  readonly run: string;
  readonly random: RandomSource;
  readonly entries: Entries;
  /** Whether the run has ended: it takes no further charge. */
  ended(): boolean;
  /** The run's reservation: the event of its plan, or the limit of its filter. */
  readonly reserved: PrivacyEvent | null;
  /** Whether the reservation has room for a charge. @throws {Unsupported} for a run without a reservation. */
  affords(effect: Effect): boolean;
  /**
   * Records that the run uses `what`, such as a plugin, in the version identified by `mark`.
   *
   * @param options - `always`: every run records it before its first query; a run without it was begun by an
   * older version of Lethe.
   * @throws {Corrupt} when the run used another version: its random seeds would draw the same noise for a
   * different query.
   */
  uses(what: string, mark: string, options?: { readonly always?: boolean }): void;
}

/** How the fingerprint of a ledger is made; all true for a new ledger. */
export interface FingerprintForm {
  /**
   * False for ledgers begun before ledgers named their unit, whose fingerprints of owners cover how many
   * records of one owner count.
   */
  readonly namesUnit: boolean;
  /** False for ledgers whose fingerprints of records hash every byte in place of sums of them. */
  readonly isBySums: boolean;
}

/**
 * Record of all privacy costs of one data set, over all runs, repetitions, crashes and resumes. Attach the
 * data to it, and every curator of the data writes its charges here before it reads a record.
 */
export interface Ledger {
  readonly adjacency: Adjacency;
  readonly limit: Limit | null;
  /**
   * Binds the ledger to the data on first use and checks the data later. `fingerprint` is a keyed hash of the
   * data; the ledger stores the key. `unit` is what a slot of the data holds: one record, or all that one
   * owner has.
   *
   * @throws {Corrupt} when the ledger belongs to other data.
   */
  bind(fingerprint: (key: Uint8Array, form: FingerprintForm) => Uint8Array, unit?: 'record' | 'owner'): void;
  /** What the ledger adds up; `undefined` before it is bound to data. @defaultValue one record */
  unit?(): 'record' | 'owner' | undefined;
  /**
   * Opens a run, or finds it again with its stored key. `random` is the curator's root random source for a
   * new run.
   *
   * @throws {BudgetExceeded} when the limit has no room for the reservation; nothing is written.
   * @throws {InvalidParameter} when the run is on record with another reservation.
   */
  openRun(run: string, random: RandomSource, reservation?: Reservation): RunRecord;
  /**
   * Checks the run's reservation, or else the limit, then appends. When it returns, the store has made the
   * charge durable.
   *
   * @throws {BudgetExceeded} with nothing written.
   * @throws {Corrupt} with nothing written, for an entry out of order, a run or partition that is not open,
   * or a partition of another run.
   * @throws {Unsupported} when the filter of the limit cannot add up the total.
   */
  append(entry: Entry): void;
  /**
   * Ends a run and closes its scopes: it takes no further charge. What it set aside and did not use is
   * released, unless the run is held to a filter, has charged for samples, or the filters of the limit do not
   * admit what is set aside; then the whole reservation goes on counting, as after any charge.
   *
   * @param options - `keepReserved`: nothing is released, for a ledger that may be older than its answers.
   */
  endRun(run: string, options?: { readonly keepReserved?: boolean }): void;
  /** Checks that the limit has room for a plan. @throws {BudgetExceeded} */
  assertAffordable(event: PrivacyEvent): void;
  /**
   * Event of all privacy costs of the data set. A run with a filter counts with the filter's limit. It counts
   * nothing once it has ended without a charge and its reservation was released.
   */
  total(): PrivacyEvent;
  /** Event of one run; for a run with a filter, the filter's limit. */
  spentBy(run: string): PrivacyEvent;
  /**
   * Event of the actual charges of one run. For a run with a filter it depends on the answers and is no
   * privacy guarantee by itself.
   */
  chargedBy(run: string): PrivacyEvent;
  /** Names of all runs, in the order of opening. */
  runs(): readonly string[];
  /** State of one run. @throws {Corrupt} for a run that is not on record. */
  standing(run: string): RunStanding;
}
