import type {
  Adjacency,
  Answer,
  Batch,
  Fact,
  LeftNoise,
  Query,
  Registry,
  StoredStream,
  Stream,
  Vector,
} from '@lethe/core';
import type { RandomSource } from '@lethe/numerics';
import type { Effect, StoredBatch } from '../ledger/effect.js';
import type { DataSet } from './attached.js';
import type { Rows, Sample } from './members.js';
import type { OpenStream, Push } from './stream.js';

/** A stream as far as it is public. */
export interface PublicStream extends StoredStream {
  /** Increments so far. */
  readonly pushed: number;
  /** Whether every record of the batch may take part in the next increment. */
  admits(batch: StoredBatch): boolean;
  /**
   * Samples the losses of a stream that is to be verified, unless that was done.
   *
   * @throws {Unsupported} for a stream whose verification failed.
   */
  assertVerified(): void;
}

/**
 * Input of handlers for the cost of a query: public values and the live names of one run, without records, so
 * no effect and no refusal depends on a record.
 */
export interface PublicContext {
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly allowUnprotected: boolean;
  readonly allRecords: StoredBatch;
  /** Entries of a point and of a gradient. */
  readonly dimension: number;
  readonly loss: { readonly name: string; readonly isConvex: boolean; readonly isLinear: boolean };
  /** `every-record` facts of the data set. */
  readonly facts: Readonly<Record<string, Fact>>;
  /**
   * The facts for iterates of at most this ℓ2 norm, which may be infinite, instead of those that were
   * declared. A run that is only priced has those of its problem.
   */
  factsWithin(iterateNorm: number): PublicContext['facts'];
  /** Whether records are kept outside memory, where a row is read as a whole. */
  readonly isPaged?: true;
  /**
   * Whether this is a price estimate with preliminary noise, whose scale need not be supported.
   */
  readonly isEstimate?: boolean;
  /** Whether answers are left without the noise that they are charged for, since a trusted server adds it. */
  readonly isRaw?: true;
  /**
   * Of a silo in secure sums: in how many shares the noise of an answer is drawn, of which this silo adds
   * one. Answers are whole sums in steps of the grid, and charged for all of the noise.
   */
  readonly noiseShares?: number;
  /** Whether the run has no plan, so that a scope has to state its cost. */
  readonly isUnplanned: boolean;
  /** Whether releases from a batch were charged when its scope was opened. */
  isPrepaid(batch: StoredBatch): boolean;
  /** A live batch. @throws {InvalidParameter} when the curator never made it, or its scope has ended. */
  batch(token: Batch): StoredBatch;
  stream(token: Stream): PublicStream;
  /** Open scopes made directly from this batch. */
  scopesFrom(batch: StoredBatch): readonly string[];
  /** Whether the limit that the run is held to has room for a query; `id` is that of the question. */
  affords(query: Query, id: string): boolean;
}

/** What a release may use once its charge is on record. */
export interface PrivateContext {
  readonly data: DataSet;
  /** The slots of a live batch. */
  rows(batch: StoredBatch): Rows;
  /** The slots of a sample that only this query is about, drawn with its randomness. */
  sample(sample: Sample): Rows;
  stream(token: Stream): OpenStream;
  /** Of a push: what the noise of its step is keyed by. */
  push(): Push;
  /** The array that the optimizer gave for the answer, if it gave one; nothing else is written to it. */
  readonly room: Vector | null;
  /** The randomness of the query; made when asked for: many queries need none. */
  randomness(): RandomSource;
}

/** A query taken in, before anything is spent. */
export interface Prepared<out A = Answer> {
  /** What it does to the ledger, decided by public values alone. */
  readonly effect: Effect;
  /**
   * An answer of the right shape that no record has a part in: the answer itself where there is no `release`.
   * A run that is only priced is answered with it.
   */
  blank(): A;
  /** Of a raw answer about records. */
  readonly left?: LeftNoise;
  /** Whether the answer may depend on plugins that the query does not name. */
  readonly isOfRegistry?: boolean;
  /**
   * Decides, once the effect is on record, whether there is an answer at all. It reads no record, and its
   * refusal leaves the charge.
   */
  confirm?(context: PublicContext): void;
  /**
   * Whether the release is a function of the query, the data and the randomness that changes nothing: then a
   * last answer whose reply was lost is worked out again, and no copy of it is kept.
   */
  readonly isRepeatable?: boolean;
  /** The answer, from data and randomness, after the effect is on record. */
  release?(context: PrivateContext): A;
}

/** The token of a batch: what an optimizer may know of it. */
export const tokenOf = ({ id, normaliser, size, scope }: StoredBatch): Batch =>
  Object.freeze({ id, normaliser, size, scope }) as Batch;
