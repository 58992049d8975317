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
