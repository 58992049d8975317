import type {
  Fact,
  GradientTerms,
  LinearMean,
  Loss,
  Norm,
  RecordDomain,
  Ref,
  Resolved,
  Vector,
} from '@lethe/core';
import type { CsrMatrix, MatrixView } from '@lethe/numerics';
import type { Ledger } from '../ledger/index.js';
import type { LongSum, SumByBlocks } from './long-sum.js';
import type { Rows } from './members.js';

export const isSparse = (matrix: MatrixView | CsrMatrix): matrix is CsrMatrix => 'rowStarts' in matrix;

/** How sparse rows are checked and summed. */
export interface SparseRecords {
  /**
   * A copy of well-formed rows.
   * @throws {InvalidParameter} for arrays of other types or lengths.
   * @throws {InvalidData} for columns outside, or that do not ascend in a row.
   */
  checked(features: CsrMatrix): CsrMatrix;
  /** Memory for a long sum of them, or null. */
  sumBeside(stored: CsrMatrix): LongSum | null;
  /** A sum over few of them by blocks, or null where one as a whole costs less. */
  sumOfFew(data: DataSet, rows: Rows, of: GradientTerms, mean: LinearMean): SumByBlocks | null;
  /** Calls `use` with each record's gradient by its entries, in slot order. */
  eachGradient(
    data: DataSet,
    rows: Rows,
    of: GradientTerms,
    use: (slot: number, indices: Uint32Array, values: Vector) => void,
  ): void;
}

/**
 * Validated private data with their ledger. Only curators take
 * it; nothing in it may cross to an optimizer but `facts`.
 */
export interface DataSet {
  /** Records, or owners of records. */
  readonly slots: number;
  /** Whether a slot holds all records of one owner. */
  readonly unit: 'record' | 'owner';
  /** Features of a record. */
  readonly columns: number;
  /** Entries of a point and of a gradient, which the loss has of so many columns. */
  readonly dimension: number;
  /** Numbers in one label. */
  readonly labelWidth: number;
  /** The features by rows. Of features that came by columns it is a copy, made when it is first asked for. */
  readonly matrix: MatrixView | CsrMatrix;
  /** The features as they are held: by rows or, where they came so, by columns. */
  readonly stored: MatrixView | CsrMatrix;
  /** `[slots, labelWidth]`, row-major. */
  readonly labels: Float64Array;
  /** `[slots]`: ℓ2 norms of the rows. */
  readonly norms: Float64Array;
  /** `[slots]`: norms of the rows; worked out when they are first asked for. */
  normsIn(norm: Norm): Float64Array;
  readonly nulls: Uint8Array | null;
  /** Null records where those that cannot be read are null ones, else 0; for the owner alone. */
  readonly unreadable: number;
  /** How sums over `stored` are made where it is sparse; null for dense records. */
  readonly sparse: SparseRecords | null;
  /** Where long sums of gradients are made, `[dimension]`, or null. */
  readonly sumMemory: LongSum | null;
  /**
   * Records that are kept outside memory; null for those in memory. Of the former `matrix`, `stored`,
   * `labels`, `norms` and `nulls` are of parts alone, and throw where they are asked of the whole.
   */
  readonly paged: PagedRecords | null;
  /** Memory for long points that no run uses now; it holds points of runs before. */
  readonly sparePoints: Float64Array[];
  readonly loss: Resolved<Loss>;
  readonly lossRef: Ref<'loss'>;
  /** `every-record` facts that follow from the declared domain. */
  readonly facts: Readonly<Record<string, Fact>>;
  /** The declared record domain the facts follow from. */
  readonly domain: Omit<RecordDomain, 'columns'>;
  /**
   * Hash of all that answers depend on: records as bounded,
   * loss and facts. Randomness and digests are keyed by it.
   */
  readonly view: Uint8Array;
  readonly ledger: Ledger;
}

/** Some rows of a data set, in order: records that are in memory, and which of them. */
export interface Part {
  /** Lent until the next part. */
  readonly data: DataSet;
  readonly rows: Rows;
}

/** Records that are kept outside memory. */
export interface PagedRecords {
  /**
   * The rows in order, as parts of a multiple of `step` rows but the last; one part at least. Sums that are
   * made part by part have the bits of those of the same records in memory, where sums by so many rows do.
   *
   * @throws {Corrupt} where the records are not those that were attached.
   */
  parts(rows: Rows, step: number): Generator<Part, void, undefined>;
}
