/**
 * Numbers kept outside memory, such as in a private file that nobody else writes to. Calls are synchronous,
 * and either do the whole of their work or throw.
 */
export interface NumberStore {
  /** Numbers that it holds. */
  readonly length: number;
  /** Copies the numbers from place `at` on into `into`, all of it. */
  read(at: number, into: Float64Array): void;
  /** Puts the numbers of `from` at place `at`. */
  write(at: number, from: Float64Array): void;
}

/**
 * Dense records too many for memory, row after row. A data set that is attached to them takes the stores
 * over: records are moved into their bounds there, and whatever changes afterwards is refused.
 */
export interface StoredRows {
  readonly rows: number;
  readonly columns: number;
  /** `[rows, columns]`, row-major. */
  readonly features: NumberStore;
  /** `[rows, labelWidth]`, row-major. */
  readonly labels: NumberStore;
}
