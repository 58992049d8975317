import type { Ref } from '../plugins/plugin.js';
import type { Bound, Noise } from '../query/parts/noise.js';

/** Noise that an answer was charged for and is left without, for a trusted server to add. All public. */
export interface LeftNoise {
  readonly mechanism: Ref<'mechanism'>;
  /** Scale that the silo would have drawn. */
  readonly scale: number;
  /** What the value reaches on the silo's records. */
  readonly size: number;
  /**
   * Of an answer about a part of the records: 16 bytes in hexadecimal, made of the silo's secret key and of
   * the queries that made the part. A digest of the query has the part's name alone, which another split may
   * have given to other records.
   */
  readonly part?: string;
  /**
   * Of an increment: 16 bytes in hexadecimal, made of the silo's secret key, of the pushes to the stream so
   * far, this one included, and of the queries that made their batches.
   */
  readonly course?: string;
  /** The stream that the answer is an increment of, and increments before it. */
  readonly stream?: StoredStream & { readonly pushed: number };
}

/** An open stream of prefix sums in the curator's state. */
export interface StoredStream {
  readonly id: string;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly steps: number;
  readonly dimension: number;
  readonly bound: Bound;
  readonly noise: Noise;
  readonly scale: number;
  readonly participation: { readonly times: number; readonly gap: number };
  readonly normaliser: number;
  readonly sampling?: Ref<'sampler'>;
  readonly verified?: Verification;
}

/** Numbers of a verification of (ε, δ) by sampling. */
export interface Verification {
  readonly epsilon: number;
  readonly delta: number;
  /** Privacy losses in each direction. */
  readonly samples: number;
  /** The largest mean of `(1 − e^(ε − loss))₊` that passes. */
  readonly threshold: number;
  /** Standard deviation of the rows of noise, over the norm of an increment. */
  readonly sigma: number;
  /** Importance sampling towards large losses. @defaultValue none */
  readonly exaggeration?: { readonly factor: number; readonly largest: number };
}
