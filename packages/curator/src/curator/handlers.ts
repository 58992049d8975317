import type { AnswerOf, QueryName, QueryOf } from '@lethe/core';
import type { AnyTable, Table } from '@lethe/core/internal';
import { Unsupported } from '@lethe/numerics';
import type { Prepared, PublicContext } from './context.js';

/** Takes one kind of query. `id` is unique in the data set's ledger. */
export type Handler<N extends keyof T, T extends AnyTable = Table> = (
  context: PublicContext,
  query: QueryOf<N, T>,
  id: string,
) => Prepared<AnswerOf<N, T>>;
/**
 * What a curator makes of every kind of query: how it is
 * answered, or why not. A kind that is left out does not compile.
 */
export type Handlers<T extends AnyTable = Table> = { readonly [N in keyof T]: Handler<N, T> };

/**
 * The handler of a kind of query that a curator does not answer.
 *
 * @param why - What follows "a … curator does not answer '…': ".
 */
export const refused =
  (curator: string, why: string) =>
  (_context: PublicContext, query: { readonly ask: string }): never => {
    throw new Unsupported(`a ${curator} curator does not answer '${query.ask}': ${why}`, { ask: query.ask });
  };

/** Calls the handler of the query's kind. */
export const dispatch = <N extends QueryName>(
  handlers: Handlers,
  context: PublicContext,
  query: QueryOf<N>,
  id: string,
): Prepared<AnswerOf<N>> => handlers[query.ask](context, query, id);
