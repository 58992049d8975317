import type { Adjacency } from '../adjacency.js';
import type { Effect, StoredBatch } from '../ledger/index.js';
import type { Registry } from '../plugins/registry.js';
import type { Answer, Batch, Query, Stream } from '../query/query.js';
import type { RandomSource } from '../random/index.js';
import type { DataSet } from './data-set.js';
import type { Rows } from './members.js';
import type { OpenStream } from './stream.js';

/** What the handlers of queries share: data, names, and the live state of one run. */
export interface CuratorContext {
  readonly run: string;
  readonly data: DataSet;
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly allowUnprotected: boolean;
  readonly everyone: StoredBatch;
  /** Whether nobody knows beforehand what the run will ask, so that a scope has to state what it costs. */
  readonly isUnplanned: boolean;
  /** Whether what is released from a batch was charged when its scope was opened. */
  isPrepaid(batch: StoredBatch): boolean;
  /** A live batch. @throws {InvalidParameter} when the curator never made it, or its scope has ended. */
  batch(token: Batch): StoredBatch;
  /** The slots of a live batch; secret. */
  rows(batch: StoredBatch): Rows;
  stream(token: Stream): OpenStream;
  /** Open scopes made directly from this batch. */
  scopesFrom(batch: StoredBatch): readonly string[];
}

/**
 * A query taken in, before anything is spent: its effect on the ledger, decided by public values alone, and the release,
 * which reads data and draws coins only after the effect is on record.
 */
export interface Prepared<A extends Answer = Answer> {
  readonly effect: Effect;
  /** Coins are made when asked for: many queries need none. */
  release(coins: () => RandomSource): A;
}

/** Takes one kind of query. `id` is unique in the data set's ledger. */
export type Handler<Q extends Query> = (context: CuratorContext, query: Q, id: string) => Prepared<Answer<Q>>;

/** The token of a batch: what an optimizer may know of it. */
export const tokenOf = ({ id, normaliser, size, scope }: StoredBatch): Batch => Object.freeze({ id, normaliser, size, scope }) as Batch;
