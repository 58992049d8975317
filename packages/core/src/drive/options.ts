import type { Store } from '../journal/store.js';
import type { Query, Vector } from '../query/query.js';
import type { RandomSource } from '@lethe/numerics';

/** How far a run has come. */
export interface Progress {
  /** Queries whose answers the optimizer has. */
  readonly queries: number;
  /** Of these, how many came from the transcript or lie before its checkpoint. */
  readonly replayed: number;
}

/** Start, public coins, transcript and callbacks of a run. */
export interface DriveOptions {
  /** Where the optimizer begins; copied. Public: never computed from the private records. */
  readonly start: Vector;
  /**
   * The optimizer's public coins: key and kind are written into the transcript. Nothing else may use this
   * key, the curator least of all. Randomness is drawn from the key anew, whatever was drawn from this source
   * before.
   */
  readonly random: RandomSource;
  /** Storage of the public transcript. Without it a run cannot be resumed. */
  readonly transcript?: Store;
  /** 16 bytes that authenticate the transcript. Without them damage is detected, forgery is not. */
  readonly transcriptKey?: Uint8Array;
  /**
   * An `AbortSignal`. Checked before every query is sent and
   * after every pause; an answer under way is stored first.
   */
  readonly signal?: { throwIfAborted(): void };
  /** Called after every answer. */
  readonly progress?: (progress: Progress) => void;
  /**
   * Answers between checkpoints. A checkpoint holds the states at the head of an iteration of the optimizer's
   * loops, from which a resumed run continues. An optimizer without declared state has none. `Infinity`:
   * none. @defaultValue 1000; `Infinity` for a curator whose runs go on only by all of their answers
   */
  readonly checkpointEvery?: number;
  /** Drops the answers before a stored checkpoint, by atomic rewriting. @defaultValue false */
  readonly compact?: boolean;
  /** Called with every query. Its arrays may change later: encode or copy them. */
  readonly observe?: (query: Query, index: number) => void;
}

/** {@link DriveOptions} of {@link drive}. */
export interface AsyncDriveOptions extends DriveOptions {
  /**
   * Called before every query, and awaited. Use it to yield to the
   * event loop at times.
   */
  readonly pause?: () => Promise<void> | undefined;
}

/** Result of a run. */
export interface DriveResult {
  readonly output: Vector;
  /** Queries of the whole run, those before a resume included. */
  readonly queries: number;
  /** Index of the first query that was not in the transcript; 0 for a run that was not resumed. */
  readonly resumedAt: number;
}
