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

/** Asks for a batch of records. */
export type DrawQuery = QueryOf<'draw'>;
/** Asks for disjoint batches that hold all records. */
export type SplitQuery = QueryOf<'split'>;
/** Asks for a noisy mean of gradients or statistics over a batch. */
export type MeanQuery = QueryOf<'mean'>;
/** Opens a stream of noisy prefix sums. */
export type OpenQuery = QueryOf<'open'>;
/** Adds a term to an open stream, and asks for the noisy sum so far. */
export type PushQuery = QueryOf<'push'>;
/** Asks for a noisy mean of losses at a point. */
export type ValueQuery = QueryOf<'value'>;
/** Asks for a noisy minimiser of a regularised empirical risk. */
export type MinimiserQuery = QueryOf<'minimiser'>;
/** Asks for the noisy end of a descent whose iterates stay hidden. */
export type DescendQuery = QueryOf<'descend'>;
/** Asks for a noisy mean of updates that owners of records make on their own. */
export type LocalUpdateQuery = QueryOf<'localUpdate'>;
/** Asks whether the reservation of the run has room for a charge. */
export type AffordQuery = QueryOf<'afford'>;
/** All that an optimizer can ask of a curator. */
export type Query = { readonly [N in QueryName]: QueryOf<N> }[QueryName];

/** Answer of the curator to a query of type `Q`. */
export type Answer<Q extends Query = Query> = AnswerOf<Q['ask']>;

/** JSON in which typed vectors may stand: what an optimizer may remember. */
export type PublicState = Json | Vector | readonly PublicState[] | { readonly [key: string]: PublicState };

export type { Adjacency };
