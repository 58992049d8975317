import type {
  AffordQuery, Answer, Batch, ChooseQuery, CloseQuery, Checkpoint, DrawQuery, GradientTerms, MeanQuery, MinimiserQuery, OpenQuery, PublicState, PushQuery, Query, SelectQuery,
  SplitQuery, Stream, ValueQuery, Vector,
} from './query.js';

/** A computation that asks queries and ends in an `R`. */
export type Asking<R> = Generator<Query | Checkpoint, R, Answer>;

/** Where gradients are taken: one point, or a weighted sum over points that is bounded once. */
export type Where = { readonly at: Vector; readonly terms?: never } | { readonly terms: GradientTerms['terms']; readonly at?: never };
type Gradient = Where & { readonly coordinates?: Uint32Array };

const termsOf = (where: Gradient): GradientTerms => {
  const terms = where.terms ?? [{ weight: 1, at: where.at }];
  return where.coordinates === undefined ? { terms } : { terms, coordinates: where.coordinates };
};

const exponential: ChooseQuery['selector'] = Object.freeze({ kind: 'selector', name: 'exponential', params: Object.freeze({}) });

/**
 * One typed helper per query: `const g = yield* ask.mean({…})` is a `Vector`, without a cast. Arrays in a query are lent
 * until its answer; arrays in an answer are given.
 */
export const ask = {
  /** A secret batch drawn by a sampler. Costs nothing by itself; opens a scope whose charges are amplified together. */
  *draw(query: Omit<DrawQuery, 'ask'>): Asking<Batch> {
    return (yield { ask: 'draw', ...query }) as Answer<DrawQuery>;
  },
  /** Disjoint parts of a batch. Costs nothing; charges on different parts add up in parallel. */
  *split(query: Omit<SplitQuery, 'ask'>): Asking<readonly Batch[]> {
    return (yield { ask: 'split', of: query.of, order: query.order, parts: query.parts }) as Answer<SplitQuery>;
  },
  /** Ends the scope of a drawn batch. */
  *close(batch: Batch): Asking<null> {
    return (yield { ask: 'close', batch }) as Answer<CloseQuery>;
  },
  /** A private mean of gradients over a batch. */
  *mean(query: Gradient & Pick<MeanQuery, 'batch' | 'release'>): Asking<Vector> {
    return (yield { ask: 'mean', of: termsOf(query), batch: query.batch, release: query.release }) as Answer<MeanQuery>;
  },
  /** A stream of noisy prefix sums, paid for here. */
  *open(query: Omit<OpenQuery, 'ask'>): Asking<Stream> {
    return (yield { ask: 'open', ...query }) as Answer<OpenQuery>;
  },
  /** Adds an increment to a stream and gives it back with noise. */
  *push(query: Gradient & Pick<PushQuery, 'stream' | 'batch'>): Asking<Vector> {
    return (yield { ask: 'push', stream: query.stream, of: termsOf(query), batch: query.batch }) as Answer<PushQuery>;
  },
  /** A scalar statistic with noise. */
  *value(query: Omit<ValueQuery, 'ask'>): Asking<number> {
    return (yield { ask: 'value', ...query }) as Answer<ValueQuery>;
  },
  /** The minimiser of a batch’s regularised risk, with noise. */
  *minimiser(query: Omit<MinimiserQuery, 'ask'>): Asking<Vector> {
    return (yield { ask: 'minimiser', ...query }) as Answer<MinimiserQuery>;
  },
  /** One of public candidates, by the exponential mechanism unless another selector is named. */
  *choose(query: Omit<ChooseQuery, 'ask' | 'selector'> & Partial<Pick<ChooseQuery, 'selector'>>): Asking<Vector> {
    return (yield { ask: 'choose', selector: exponential, ...query }) as Answer<ChooseQuery>;
  },
  /** The best of a random number of runs, by private selection. */
  *select(query: Omit<SelectQuery, 'ask'>): Asking<Answer<SelectQuery>> {
    return (yield { ask: 'select', ...query }) as Answer<SelectQuery>;
  },
  /** Whether the limit that the run is held to has room for a query; costs nothing. Refused in a run that is not held to one. */
  *afford(query: AffordQuery['query']): Asking<boolean> {
    return (yield { ask: 'afford', query }) as Answer<AffordQuery>;
  },
  /** Offers the driver a place to resume from; it decides whether to store it. Costs nothing and reaches no curator. */
  *checkpoint(state: PublicState): Asking<void> {
    yield { ask: 'checkpoint', state };
  },
} as const;
