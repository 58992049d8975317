import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Store } from '../journal/store.js';
import type { PrivacyFilter } from '../plugins/index.js';
import type { RandomSource } from '@lethe/numerics';
import type { Effect, Entries, Entry } from './effect.js';
import type { Limit } from './limits.js';

/** Adjacency of a ledger, where it is kept, and the most that may be spent. */
export interface LedgerOptions {
  readonly adjacency: Adjacency;
  /** Where it is kept; without one it lasts as long as the process. The bytes hold the runs' secret keys: guard them like the data. */
  readonly store?: Store;
  /**
   * Stored with the ledger: a later opening must give a limit too, and a looser one only with `raiseLimit`. One that is first
   * given after answers counts them, and holds for what is asked from then on: see {@link Limit}.
   */
  readonly limit?: Limit;
  /** The owner's word that a limit looser than the stored one is meant. @defaultValue false */
  readonly raiseLimit?: boolean;
}

/** How a run stands with its ledger. */
export interface RunStanding {
  readonly ended: boolean;
  /** What the run set aside and did not give back; `null` for none. */
  readonly reserved: PrivacyEvent | null;
  /** What counts against the limit of the data set: what is set aside, or else what was charged. */
  readonly counts: PrivacyEvent;
}

/**
 * What a run sets aside of the data set's limit when it opens: the event it is planned to cost, or the limit of a filter
 * that it is held to. Its charges are compared with that, and need no accountant.
 */
export type Reservation = { readonly planned: PrivacyEvent; readonly held?: never } | { readonly held: PrivacyFilter; readonly planned?: never };

/** A run as the ledger knows it. */
export interface RunRecord {
  readonly run: string;
  readonly random: RandomSource;
  readonly entries: Entries;
  ended(): boolean;
  /** What the run set aside: the event of its plan, or the limit of its filter. */
  readonly reserved: PrivacyEvent | null;
  /** Whether what the run set aside has room for a charge. @throws {Unsupported} for a run that set nothing aside. */
  affords(effect: Effect): boolean;
  /**
   * Notes that the run uses `what`, such as a plugin, as it is now.
   *
   * @param options - `always`: every run has it on record from its first query on; one without was begun by an older version.
   * @throws {Corrupt} when it used another: its coins would draw the same noise for something else.
   */
  uses(what: string, mark: string, options?: { readonly always?: boolean }): void;
}

/**
 * What has been spent on one data set, over all runs, repetitions, crashes and resumes. It belongs to the data set: attach
 * the data to it, and every curator of those data writes here before it touches them.
 */
export interface Ledger {
  readonly adjacency: Adjacency;
  readonly limit: Limit | null;
  /**
   * Binds the ledger to the data on first use and recognises them later. `fingerprint` is a keyed hash of the data under a
   * key that the ledger holds.
   *
   * @throws {Corrupt} when the ledger belongs to other data.
   */
  bind(fingerprint: (key: Uint8Array) => Uint8Array): void;
  /**
   * Opens a run, or finds it again with the key it had. `random` is the root of the curator's coins for a new run.
   *
   * @throws {BudgetExceeded} when the limit has no room for what the run sets aside; nothing is written.
   * @throws {InvalidParameter} when the run is on record with another reservation.
   */
  openRun(run: string, random: RandomSource, reservation?: Reservation): RunRecord;
  /**
   * Checks what the run set aside, or else the limit, then appends; when it returns the charge is as safe as the store makes it.
   *
   * @throws {BudgetExceeded} with nothing written.
   * @throws {Corrupt} for an entry out of turn, or about a run or space that is not open or has ended, or a space of another run, with nothing written.
   * @throws {Unsupported} when the filter of the limit cannot add up the total.
   */
  append(entry: Entry): void;
  /** Marks a run as over; its scopes end. */
  endRun(run: string): void;
  /** Refuses a plan that could not be paid for. @throws {BudgetExceeded} */
  assertAffordable(event: PrivacyEvent): void;
  /**
   * The event of everything ever spent on the data set. A run that is held to a filter counts with the filter's limit, and
   * with nothing once it has ended without a charge and the limit of the data set has taken back what it set aside.
   */
  total(): PrivacyEvent;
  /** The event of one run alone; of a run that is held to a filter, the filter's limit. */
  spentBy(run: string): PrivacyEvent;
  /** What one run was really charged. Of a run that is held to a filter it depends on the answers, and guarantees nothing by itself. */
  chargedBy(run: string): PrivacyEvent;
  /** Names of all runs, in the order they were opened. */
  runs(): readonly string[];
  /** How one run stands. @throws {Corrupt} for a run that the ledger does not have. */
  standing(run: string): RunStanding;
}
