import type { PrivacyEvent, SamplerSpec } from '../events/schema.js';
import type { Json } from '../json.js';
import type { Ref } from '../plugins/plugin.js';
import type { Bound, Noise } from '../query/query.js';

/** A stretch `[from, to)` of slots of one space; a batch is one of these. */
export interface SlotRange { readonly space: string; readonly from: number; readonly to: number }

/**
 * A coordinate system for slots. `all` has the slots in stored order; every shuffle, weighted split, deal or draw makes a new one
 * below the stretch it was made from. Stretches of one space with no common position have no common slot.
 */
export interface Partition {
  readonly id: string;
  readonly how: 'permutation' | 'weights' | 'sample' | 'deal';
  readonly parent: string;
  readonly within: SlotRange;
  /** The law of a draw that earns amplification; `null` for everything else. */
  readonly sampler: SamplerSpec | null;
  /** What the curator needs to find the members again from its coins. */
  readonly recipe: Json;
}

/** A batch as the curator remembers it. */
export interface StoredBatch {
  readonly id: string;
  readonly stretch: SlotRange;
  readonly normaliser: number;
  readonly size: 'exact' | 'hidden';
  readonly scope: string | null;
}

/** An open stream of prefix sums as the curator remembers it. */
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
}

/** An event, and the slots it touches. */
export interface Charge { readonly on: SlotRange; readonly event: PrivacyEvent }

/** What one query does to the ledger and to the curator's secret state. */
export interface Effect {
  readonly charge?: Charge;
  /** A release from a batch whose costs were stated, and charged, when it was drawn. */
  readonly prepaid?: Charge;
  /** The answer to whether the run can afford a query. */
  readonly affords?: boolean;
  readonly space?: Partition;
  readonly batches?: readonly StoredBatch[];
  readonly stream?: StoredStream;
  readonly push?: { readonly stream: string; readonly batch: string };
  /** Spaces of scopes that end with this query, innermost first. */
  readonly closes?: readonly string[];
}

/** One query of one run, as it stands in the ledger. */
export interface Entry { readonly run: string; readonly index: number; readonly digest: string; readonly effect: Effect }

/** The entries of one run, in order. */
export interface Entries extends Iterable<Entry> {
  readonly length: number;
  /**
   * One entry. Where it is one of many equal steps, its digest is read again from the store the first time.
   *
   * @throws {InvalidParameter} for an index that is not one of them.
   */
  entry(index: number): Entry;
  /** What one query did, without its digest: nothing is read for it. An effect of equal steps shares its event with theirs. */
  effectAt(index: number): Effect;
  /**
   * The query after the equal steps that begin with query `from` and end before `until`; `from` where none do. Whoever has followed the run to
   * `from` may go on there: these steps leave nothing behind but their charges.
   */
  afterSteps(from: number, until: number): number;
}
