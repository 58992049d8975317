/**
 * Numbers kept outside memory, such as in a private file that nobody else writes to: of 64 bits, or of 32.
 * Calls are synchronous, and either do the whole of their work or throw.
 */
export interface NumberStore<Numbers extends Float64Array | Float32Array = Float64Array> {
  /** Numbers that it holds. */
  readonly length: number;
  /** Copies the numbers from place `at` on into `into`, all of it. */
  read(at: number, into: Numbers): void;
  /** Puts the numbers of `from` at place `at`. */
  write(at: number, from: Numbers): void;
}

/**
 * Dense records too many for memory, row after row. A data set that is attached to them takes the stores
 * over: records are moved into their bounds there, and whatever changes afterwards is refused.
 */
export type StoredRows = {
  readonly rows: number;
  readonly columns: number;
  /** `[rows, labelWidth]`, row-major. */
  readonly labels: NumberStore;
} & (
  | {
      /** `[rows, columns]`, row-major. */
      readonly features: NumberStore;
      /** Bits of a number of the features. @defaultValue 64 */
      readonly precision?: 64;
    }
  | { readonly features: NumberStore<Float32Array>; readonly precision: 32 }
);
