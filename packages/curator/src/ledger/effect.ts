import type { PrivacyEvent, Ref, SamplerSpec, StoredStream } from '@lethe/core';

/** A range `[from, to)` of slots of one partition; a batch is such a range. */
export interface SlotRange {
  readonly space: string;
  readonly from: number;
  readonly to: number;
}

/**
 * An ordering of slots. `all` has the slots in stored order; every shuffle, weighted split, random allocation
 * or draw makes a new partition below the range it divides. Disjoint ranges of one partition have no common
 * slot.
 */
export interface Partition {
  readonly id: string;
  readonly how: 'permutation' | 'weights' | 'sample' | 'deal';
  readonly parent: string;
  readonly within: SlotRange;
  /** Sampling distribution of a draw with privacy amplification; `null` otherwise. */
  readonly sampler: SamplerSpec | null;
  readonly recipe: PartitionProvenance;
}

/** Parameters from which the curator reproduces the members of a partition with its random seeds. */
export type PartitionProvenance =
  | { readonly by: 'permutation' }
  | { readonly by: 'deal'; readonly sampler: Ref<'sampler'>; readonly hidden: boolean }
  | { readonly by: 'weights'; readonly weights: readonly number[] }
  | { readonly by: 'sample'; readonly sampler: Ref<'sampler'>; readonly hidden: boolean };

/** A batch in the curator's state. */
export interface StoredBatch {
  readonly id: string;
  readonly stretch: SlotRange;
  readonly normaliser: number;
  readonly size: 'exact' | 'hidden';
  readonly scope: string | null;
}

/** An event and the slots that it reads. */
export interface Charge {
  readonly on: SlotRange;
  readonly event: PrivacyEvent;
}

/** Effect of one query on the ledger and on the curator's secret state. */
export interface Effect {
  readonly charge?: Charge;
  /** A release from a batch whose cost was declared and charged when the batch was drawn. */
  readonly prepaid?: Charge;
  /** Answer of an `afford` query: whether the run has room for another query. */
  readonly affords?: boolean;
  readonly space?: Partition;
  readonly batches?: readonly StoredBatch[];
  readonly stream?: StoredStream;
  readonly push?: { readonly stream: string; readonly batch: string };
  /** Partitions of the scopes that this query closes, innermost first. */
  readonly closes?: readonly string[];
}

/** One query of one run, as stored in the ledger. */
export interface Entry {
  readonly run: string;
  readonly index: number;
  readonly digest: string;
  readonly effect: Effect;
}

/** The entries of one run, in order. */
export interface Entries extends Iterable<Entry> {
  readonly length: number;
  /**
   * One entry. The first access to an entry among equal steps reads its digest from the store.
   *
   * @throws {InvalidParameter} for an index out of range.
   */
  entry(index: number): Entry;
  /**
   * Effect of one query, without its digest and without reading the store. Equal steps share their events.
   */
  effectAt(index: number): Effect;
  /**
   * Index of the query after the equal steps that begin at query `from` and end before `until`; `from` if
   * there are none. A replay at `from` may continue there: these steps change no state except their charges.
   */
  afterSteps(from: number, until: number): number;
}
