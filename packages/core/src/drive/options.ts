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

/** How a run is driven, and what is kept of it. */
export interface DriveOptions {
  /** Where the optimizer begins; copied. Public: never computed from the private records. */
  readonly start: Vector;
  /**
   * The optimizer's coins. They are public: key and kind are written into the transcript. Nothing else may
   * use this key, the curator least of all. Coins are drawn from the key anew, whatever was drawn from this
   * source before.
   */
  readonly random: RandomSource;
  /** Where the public transcript is kept, and resumed from. Without one a run cannot be resumed. */
  readonly transcript?: Store;
  /** 16 bytes that authenticate the transcript. Without them damage is seen, forgery is not. */
  readonly transcriptKey?: Uint8Array;
  /**
   * An `AbortSignal`. Checked before every query is sent and
   * after every pause; an answer under way is stored first.
   */
  readonly signal?: { throwIfAborted(): void };
  readonly progress?: (progress: Progress) => void;
  /**
   * Answers between checkpoints. One is stored at the head of an iteration of the optimizer's loops, of its
   * states; from there a resumed run goes on. An optimizer that declares no state has none. `Infinity`: none
   * is stored. @defaultValue 1000
   */
  readonly checkpointEvery?: number;
  /** Drops the answers before a stored checkpoint, by atomic rewriting. @defaultValue false */
  readonly compact?: boolean;
  /** Sees every query when it is posed. Its arrays are lent: encode or copy what is to be kept. */
  readonly observe?: (query: Query, index: number) => void;
}

/** {@link DriveOptions} for a driver that waits. */
export interface AsyncDriveOptions extends DriveOptions {
  /**
   * Called before every query; what it returns is awaited. The
   * place to let an event loop breathe, by the caller's clock.
   */
  readonly pause?: () => Promise<void> | undefined;
}

/** What a run came to. */
export interface DriveResult {
  readonly output: Vector;
  /** Queries of the whole run, those before a resume included. */
  readonly queries: number;
  /** Index of the first query that was not in the transcript; 0 for a run that was not resumed. */
  readonly resumedAt: number;
}
