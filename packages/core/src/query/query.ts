import type { Adjacency } from '../adjacency.js';
import type { Json } from '../json.js';
import type { Vector } from './basics.js';
import type { AnswerOf, QueryName, QueryOf } from './table.js';

export type { Batch, Stream, Vector } from './basics.js';
export type { Candidates } from './kinds/choose.js';
export type { GradientTerms, Term, Where } from './parts/gradient.js';
export type { Bound, Noise, Target } from './parts/noise.js';
export type { Statistic } from './parts/statistic.js';
export type { AnswerOf, QueryName, QueryOf } from './table.js';

/**
 * Who may rely on a fact: `every-record` facts hold for all
 * possible records, `population` facts only on average.
 */
export type Validity = 'every-record' | 'population';
/**
 * Where a number comes from: declared with the problem, derived from the declared domain of records, or the
 * answer of an earlier query, which was charged. A number `computed` from the records is not public: no plan
 * takes it.
 */
export type Provenance = 'declared' | 'from-domain' | 'released' | 'computed';
/** A public number that a plan may read. Only `every-record` facts may enter a sensitivity. */
export interface Fact {
  readonly value: number;
  /** For a fact about each coordinate of the iterate: one number each; `value` is the largest. */
  readonly each?: readonly number[];
  readonly scope: Validity;
  readonly provenance: Provenance;
}

/**
 * Who is trusted by the owners of records. With an untrusted server, the messages of each silo are private by
 * themselves. The
 * averages of silos have `weights` that add up to 1; left out, all are equal.
 */
export type TrustModel =
  | { readonly model: 'central' }
  | { readonly model: 'shuffle'; readonly honestUsers: number }
  | {
      readonly model: 'federated';
      readonly silos: number;
      readonly server: 'trusted' | 'untrusted';
      readonly weights?: readonly number[];
    }
  | {
      readonly model: 'secure-aggregation';
      readonly silos: number;
      /** Silos that may side with the server, at most. */
      readonly corrupted: number;
      /** Silos that a sum has at least; noise counts for `survivors − corrupted` of them. */
      readonly survivors: number;
    };

export type DrawQuery = QueryOf<'draw'>;
export type SplitQuery = QueryOf<'split'>;
export type MeanQuery = QueryOf<'mean'>;
export type OpenQuery = QueryOf<'open'>;
export type PushQuery = QueryOf<'push'>;
export type ValueQuery = QueryOf<'value'>;
export type MinimiserQuery = QueryOf<'minimiser'>;
export type DescendQuery = QueryOf<'descend'>;
export type LocalUpdateQuery = QueryOf<'localUpdate'>;
export type AffordQuery = QueryOf<'afford'>;
/** All that an optimizer can ask of a curator. */
export type Query = { readonly [N in QueryName]: QueryOf<N> }[QueryName];

/** Answer of the curator to a query of type `Q`. */
export type Answer<Q extends Query = Query> = AnswerOf<Q['ask']>;

/** JSON in which typed vectors may stand: what an optimizer may remember. */
export type PublicState = Json | Vector | readonly PublicState[] | { readonly [key: string]: PublicState };

export type { Adjacency };
