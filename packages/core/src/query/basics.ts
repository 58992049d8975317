/** A dense real vector: iterates, gradients, answers. */
export type Vector = Float64Array;

declare const token: unique symbol;
/** A name for a set of records; membership stays with the curator. */
export interface Batch {
  readonly [token]: 'batch';
  readonly id: string;
  /**
   * The public divisor of a mean: slots for a fixed size,
   * expected size under Poisson; never a realised count.
   */
  readonly normaliser: number;
  readonly size: 'exact' | 'hidden';
  /** The draw whose amplification this batch shares; `null` when it is not sampled. */
  readonly scope: string | null;
}
/** A name for a stream of noisy prefix sums. */
export interface Stream {
  readonly [token]: 'stream';
  readonly id: string;
}
