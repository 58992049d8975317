import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Json } from '../json.js';
import type { Ref } from '../plugins/plugin.js';

/** A dense real vector: iterates, gradients, answers. */
export type Vector = Float64Array;

/** Who may rely on a fact: `every-record` facts hold for all possible records, `population` facts only on average. */
export type Scope = 'every-record' | 'population';
/**
 * Where a number comes from: declared by whoever states the problem, derived from the declared domain of records, or the answer of an
 * earlier query, which was paid for. One that was `computed` from the records themselves is not public: no plan takes it.
 */
export type Provenance = 'declared' | 'from-domain' | 'released' | 'computed';
/** A public number that a plan may read. Only `every-record` facts may enter a sensitivity. */
export interface Fact { readonly value: number; readonly scope: Scope; readonly provenance: Provenance }

/** Whom the records' owners trust. For an untrusted server each silo's messages are private by themselves. */
export type TrustModel =
  | { readonly model: 'central' }
  | { readonly model: 'shuffle'; readonly honestUsers: number }
  | { readonly model: 'federated'; readonly silos: number; readonly server: 'trusted' | 'untrusted' }
  | { readonly model: 'secure-aggregation'; readonly silos: number; readonly honestSilos: number };

declare const token: unique symbol;
/** A name for a set of records; membership stays with the curator. */
export interface Batch {
  readonly [token]: 'batch';
  readonly id: string;
  /** The public divisor of a mean: slots for a fixed size, expected size under Poisson; never a realised count. */
  readonly normaliser: number;
  readonly size: 'exact' | 'hidden';
  /** The draw whose amplification this batch shares; `null` when it is not sampled. */
  readonly scope: string | null;
}
/** A name for a stream of noisy prefix sums. */
export interface Stream { readonly [token]: 'stream'; readonly id: string }

/**
 * Draws a secret batch with fresh curator coins and opens a scope. `costs` states what all releases of the scope come to, before
 * amplification: it is charged here, and they may then be chosen by answers of the scope. A run without a plan has to state it
 * where a limit is to hold.
 */
export interface DrawQuery { readonly ask: 'draw'; readonly sampler: Ref<'sampler'>; readonly from: Batch; readonly costs?: PrivacyEvent }
/**
 * Disjoint parts of a batch; leftovers are dropped. A batch with a scope is always split by fresh curator coins; `order` concerns
 * parts by size only. `costs` is that of {@link DrawQuery}, of each of the batches that a sampler deals.
 */
export interface SplitQuery {
  readonly ask: 'split'; readonly of: Batch; readonly order: 'stored' | 'shuffled';
  readonly parts:
    | { readonly by: 'size'; readonly sizes: readonly number[] }
    | { readonly by: 'weight'; readonly weights: readonly number[] }
    | { readonly by: 'sampler'; readonly sampler: Ref<'sampler'>; readonly costs?: PrivacyEvent };
}
/** Ends a scope: its charges become one sampled composition. */
export interface CloseQuery { readonly ask: 'close'; readonly batch: Batch }

/** One point of {@link GradientTerms}, with its weight. */
export interface Term { readonly weight: number; readonly at: Vector }
/** Per record `Σ_k weight_k ∇f(at_k; z)`: the loss only, bounded once; optionally restricted to coordinates. */
export interface GradientTerms { readonly terms: readonly Term[]; readonly coordinates?: Uint32Array }

/** How one record's contribution is bounded: by clipping, or by an `every-record` fact that the curator holds. */
export type Bound =
  | { readonly by: 'clip'; readonly clip: Ref<'clip'> }
  | { readonly by: 'certificate'; readonly fact: string; readonly lipschitzStep?: number };
/** What one release costs in the run's adjacency. The curator turns it into a scale. */
export type Target =
  | { readonly noiseMultiplier: number }
  | { readonly rho: number }
  | { readonly epsilon: number; readonly delta: number }
  | { readonly unprotected: true };
/** Which mechanism adds the noise, and at what cost; `targetBySilo` where the server is not trusted. */
export interface Noise { readonly mechanism: Ref<'mechanism'>; readonly target: Target; readonly targetBySilo?: readonly Target[] }

/** A private mean `(1/normaliser) Σ_batch`. */
export interface MeanQuery {
  readonly ask: 'mean'; readonly of: GradientTerms; readonly batch: Batch;
  readonly release:
    | { readonly by: 'noise'; readonly bound: Bound; readonly noise: Noise }
    | { readonly by: 'oracle'; readonly oracle: Ref<'meanOracle'>; readonly target: Target }
    | { readonly by: 'shuffle'; readonly randomiser: Ref<'localRandomiser'>; readonly target: Target };
}
/** Opens a stream of prefix sums. Bound, noise and participation are fixed for its life and paid for here. */
export interface OpenQuery {
  readonly ask: 'open'; readonly prefixSum: Ref<'prefixSum'>; readonly steps: number; readonly dimension: number;
  readonly bound: Bound; readonly noise: Noise;
  readonly participation: { readonly times: number; readonly gap: number }; readonly normaliser: number;
}
/** Adds one increment; the answer is the noisy increment `x_t + (Bz)_t − (Bz)_{t−1}`, whose running sum is post-processing. */
export interface PushQuery { readonly ask: 'push'; readonly stream: Stream; readonly of: GradientTerms; readonly batch: Batch }
/** A scalar whose sensitivity the curator derives from facts; `gradient-norm-beyond` is the share of records whose gradient has an ℓ2 norm above `radius`. */
export type Statistic =
  | { readonly of: 'risk' }
  | { readonly of: 'risk-difference'; readonly reference: Vector }
  | { readonly of: 'gradient-norm'; readonly bound: Bound }
  | { readonly of: 'gradient-norm-beyond'; readonly radius: number };
/** A noisy {@link Statistic} of a batch at one point. */
export interface ValueQuery { readonly ask: 'value'; readonly statistic: Statistic; readonly at: Vector; readonly batch: Batch; readonly noise: Noise }
/** Output perturbation of `argmin_domain F_batch(x) + (λ/2)‖x − centre‖²`. */
export interface MinimiserQuery {
  readonly ask: 'minimiser'; readonly lambda: number; readonly centre: Vector; readonly domain: Ref<'domain'>; readonly batch: Batch;
  readonly solver: Ref<'solver'>; readonly tolerance: number;
  readonly bound: Extract<Bound, { by: 'certificate' }>; readonly norm: 1 | 2; readonly noise: Noise;
}
/** Public points to choose from: a list, or the sparse points of a lattice in a domain. */
export type Candidates =
  | { readonly by: 'list'; readonly points: readonly Vector[] }
  | { readonly by: 'lattice'; readonly domain: Ref<'domain'>; readonly spacing: number; readonly sparsity: number };
/** One of public candidates, chosen by a selector; the smallest statistic is favoured. */
export interface ChooseQuery { readonly ask: 'choose'; readonly candidates: Candidates; readonly statistic: Statistic; readonly batch: Batch; readonly selector: Ref<'selector'>; readonly target: { readonly epsilon: number } }
/** Private selection with random stopping; runs, their number and all coins stay inside the curator. */
export interface SelectQuery {
  readonly ask: 'select'; readonly base: Ref<'optimizer'>; readonly start: Vector; readonly batch: Batch;
  readonly baseTarget: { readonly epsilon: number; readonly delta: number };
  readonly score: { readonly statistic: Statistic; readonly noise: Noise };
  readonly stopProbability: number; readonly cap: number;
}
/** Asks whether the limit that the run is held to has room for a query. It costs nothing: the answer is a function of public values. */
export interface AffordQuery { readonly ask: 'afford'; readonly query: Exclude<Query, AffordQuery> }
/** All that an optimizer can ask of a curator. */
export type Query = DrawQuery | SplitQuery | CloseQuery | MeanQuery | OpenQuery | PushQuery | ValueQuery | MinimiserQuery | ChooseQuery | SelectQuery | AffordQuery;

/** What the curator says to a query of type `Q`. */
export type Answer<Q extends Query = Query> =
  Q extends DrawQuery ? Batch : Q extends SplitQuery ? readonly Batch[] : Q extends CloseQuery ? null : Q extends OpenQuery ? Stream
    : Q extends AffordQuery ? boolean : Q extends ValueQuery ? number : Q extends SelectQuery ? { readonly point: Vector; readonly score: number } : Vector;

/** A query with its place in a run; `digest` is a keyed hash of the query under the curator's key. */
export interface Envelope<Q extends Query = Query> { readonly run: string; readonly index: number; readonly digest: string; readonly query: Q }

/** Public optimizer state stored so that a long run can be resumed without replaying every query. Asked of the driver, not of a curator. */
export interface Checkpoint { readonly ask: 'checkpoint'; readonly state: PublicState }
/** JSON in which typed vectors may stand. */
export type PublicState = Json | Vector | readonly PublicState[] | { readonly [key: string]: PublicState };

export type { Adjacency };
