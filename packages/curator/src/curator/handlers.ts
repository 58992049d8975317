import type { AnswerOf, QueryName, QueryOf } from '@lethe/core';
import type { AnyTable, Table } from '@lethe/core/internal';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import type { Prepared, PublicContext } from './context.js';
import type { openStream } from './stream.js';

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

/**
 * What a curator does about kinds of queries that belong together. A curator, or an optimizer, that is made
 * of chosen parts refuses all other queries by name.
 */
export interface Answers {
  readonly handlers: Partial<Handlers>;
  /** Of streams: opens one, also when a run is resumed. */
  readonly openStream?: typeof openStream;
}

/**
 * The refusal of a part that answers some queries of a kind.
 *
 * @param what - What it does not answer.
 * @param parts - `whole`: the part that does; `narrow`: the one that refuses.
 */
export const beyondPart = (
  what: string,
  parts: { readonly whole: string; readonly narrow: string },
  details: Readonly<Record<string, unknown>>,
): Unsupported =>
  new Unsupported(
    `${what} is none that this curator or optimizer was made to answer; take ${parts.whole} of ` +
      `@lethe/curator in place of ${parts.narrow}`,
    details,
  );

/** The parts that this package made. */
const own = new WeakSet<Answers>();

/**
 * A part that a curator may be made of. This package alone makes parts: a handler of somebody else could
 * answer without noise or a charge.
 */
export function part<A extends Answers>(answers: A): A {
  Object.freeze(answers.handlers);
  Object.freeze(answers);
  own.add(answers);
  return answers;
}

/**
 * The answers of several parts.
 *
 * @throws {InvalidParameter} for one that this package did not make.
 */
export function answersOf(parts: readonly Answers[]): Answers {
  const taken = [...parts];
  if (!taken.every((one) => own.has(one)))
    throw new InvalidParameter(
      'a curator is made of parts that @lethe/curator exports, such as meanAnswers; other handlers could ' +
        'answer without a charge',
      {},
    );
  return Object.assign({}, ...taken, {
    handlers: Object.assign({}, ...taken.map(({ handlers }) => handlers)),
  });
}

/**
 * Calls the handler of the query's kind.
 *
 * @throws {Unsupported} for a kind that the curator was made without.
 */
export function dispatch<N extends QueryName>(
  handlers: Partial<Handlers>,
  context: PublicContext,
  query: QueryOf<N>,
  id: string,
): Prepared<AnswerOf<N>> {
  const handler: Handler<N> | undefined = handlers[query.ask];
  if (handler === undefined) throw leftOut(query.ask);
  return handler(context, query, id);
}

/** Kinds of queries by the part of this package that answers them. */
const partOf: { readonly [N in QueryName]: string } = {
  draw: 'batchAnswers',
  split: 'batchAnswers',
  close: 'batchAnswers',
  mean: 'meanAnswers',
  localUpdate: 'localUpdateAnswers',
  open: 'streamAnswers',
  push: 'streamAnswers',
  value: 'valueAnswers',
  minimiser: 'minimiserAnswers',
  descend: 'descentAnswers',
  choose: 'choiceAnswers',
  select: 'selectionAnswers',
  afford: 'limitAnswers',
};

const leftOut = (ask: QueryName): Unsupported =>
  new Unsupported(
    `'${ask}' is no kind of query that this curator or optimizer was made to answer; ` +
      `add ${partOf[ask]} of @lethe/curator to its parts, or make it without parts, which answers all`,
    { ask },
  );
