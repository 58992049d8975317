import type { Owners, StoredRows } from '@lethe/core';
import type { LabelledRows, Table } from '@lethe/losses';
import type { Source } from './ledger-path.js';

/** Records of a problem, dense ones in kernel memory. */
export type Records = LabelledRows & RecordFacts;

/** What is known of records besides themselves. */
export interface RecordFacts {
  /** Entries of a label. */
  readonly labelWidth: number;
  readonly featureNames: readonly string[];
  /**
   * Bound on every row's ℓ2 norm that follows from the design; `Infinity` for unbounded generated features.
   */
  readonly rowNorm: number;
  /**
   * Bound on the absolute value of every entry of each column
   * that follows from the design; `null` for generated features.
   */
  readonly columnBounds: readonly number[] | null;
  /** Entries of a record that may differ from zero, by the design; left out: all. */
  readonly sparsity?: number;
  /** `[rows]`: 1 for a record that could not be read; of `unreadable: 'null'` alone. */
  readonly nulls?: Uint8Array;
  /** Whose the records are, where all that one owner has is protected. */
  readonly owners?: Owners;
  /** The source. Order and design do not matter: all share one ledger. */
  readonly source: () => Promise<Source>;
}

/** Records that are kept outside memory. */
export interface StoredRecords extends RecordFacts {
  readonly rows: number;
  readonly columns: number;
  readonly stored: StoredRows;
  /** Frees the room on the disk. */
  close(): void;
}

/** Positions of the records to use, in order; `undefined` for all in stored order. */
export type OrderOf = (rows: number) => Uint32Array | undefined;

/** A table, and a check that its file is the one that was read. */
export interface WatchedTable {
  readonly table: Table;
  readonly assertUnchanged: () => void;
}

/** Tables that several problems share, by source. */
export type Tables = Map<string, Promise<WatchedTable>>;

/** Options of `loadRecords`. */
export interface LoadOptions {
  /** @defaultValue none */
  readonly tables?: Tables;
  /** @defaultValue all records: of a table in a public random order, of a generator in generated order */
  readonly orderOf?: OrderOf;
  /** Accepts a table without records. @defaultValue false */
  readonly allowEmpty?: boolean;
  /** What a record of a table does that cannot be read. @defaultValue 'reject' */
  readonly unreadable?: 'reject' | 'null';
}
