import type { Batch } from './basics.js';
import type { Ref } from '../plugins/plugin.js';
import type { StoredPlan } from '../plugins/stored-plan.js';
import type { AnswerShape } from './answer.js';
import type { Fields, RecordOf } from './schema.js';

/** What the examples of queries are made of. */
export interface ExampleParts {
  readonly allRecords: Batch;
  /** Entries of a point: 3 at least. */
  readonly dimension: number;
  /** Increments that a stream has room for: 2 at least. */
  readonly steps: number;
  /** A sampler that hides the size of what it draws, one that does not, and one with partitions. */
  readonly sampler: Ref<'sampler'>;
  readonly exactSampler: Ref<'sampler'>;
  readonly dealer: Ref<'sampler'>;
  /** A sampler of streams, at most one slot in two of which takes part in a step. */
  readonly streamSampler: Ref<'sampler'>;
  /** A clip in l2, and a mechanism for l2. */
  readonly clip: Ref<'clip'>;
  readonly mechanism: Ref<'mechanism'>;
  /** A mean that takes any batch; one that rests on the fact `lipschitz`; one of the shuffle model. */
  readonly mean: Ref<'mean'>;
  readonly certified: Ref<'mean'>;
  readonly shuffled: Ref<'mean'>;
  readonly prefixSum: Ref<'prefixSum'>;
  /** A bounded domain, with few lattice points at distance 1 along an axis. */
  readonly domain: Ref<'domain'>;
  readonly solver: Ref<'solver'>;
  readonly selector: Ref<'selector'>;
  /** The plan of a run on all records. */
  readonly base: StoredPlan;
}

/**
 * A query with the fields `F` and an answer `A`, with queries that
 * have to come before it or can come after it.
 */
export interface Example<F, A> {
  /** The query whose answer the others are given. */
  readonly before?: object;
  query(before: unknown): F;
  /** Queries about what the answer named, which lives on. */
  after?(answer: A, before: unknown): readonly object[];
}

/** A kind of query: its fields, the shape of its answer, and how `ask` builds it. */
export interface Row<F extends Fields = Fields, A = unknown, I = never> {
  readonly fields: F;
  readonly answer: AnswerShape<A, RecordOf<F>>;
  /** The fields from what an optimizer writes. */
  build(input: I): RecordOf<F>;
}

/**
 * Examples of a kind of query, by name; every form of every field occurs in one of them. They are apart from
 * the row, so that programs do not have them.
 */
export type Examples<R> =
  R extends Row<infer F, infer A, never>
    ? (parts: ExampleParts) => Readonly<Record<string, Example<RecordOf<F>, A>>>
    : never;

/** Types a row by its fields and its answer. */
export const row = <const F extends Fields, A, I>(one: Row<F, A, I>): Row<F, A, I> => one;
/** For rows whose input is the fields themselves. */
export const asWritten = <T>(input: T): T => input;
