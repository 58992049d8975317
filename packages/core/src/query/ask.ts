import type { Answer, Query } from './query.js';
import { withRoom } from './room.js';
import { table, type AnswerOf, type QueryName, type Table } from './table.js';

export type { Where } from './parts/gradient.js';

/** A computation that asks queries and ends in an `R`. */
export type Program<R> = Generator<Query, R, Answer>;
type Ask<N extends QueryName> = (input: Parameters<Table[N]['build']>[0]) => Program<AnswerOf<N>>;

const askFor = <N extends QueryName>(name: N): Ask<N> => {
  const build = table[name].build as (input: unknown) => object;
  return function* asked(input: unknown): Program<AnswerOf<N>> {
    const query = { ask: name, ...build(input) } as Query;
    return (yield withRoom(query, input)) as AnswerOf<N>;
  };
};

/**
 * One typed helper per query: `const g = yield* ask.mean({…})` is a `Vector`, without a cast. Arrays in a
 * query must not change until its answer; arrays in an answer belong to the optimizer. `ask.mean({ …, into
 * })` lets a long answer be written into an array that is no longer needed: use the returned array, which may
 * be another one.
 */
export const ask = Object.freeze(
  Object.fromEntries((Object.keys(table) as QueryName[]).map((name) => [name, askFor(name)])),
) as { readonly [N in keyof Table]: Ask<N> };
