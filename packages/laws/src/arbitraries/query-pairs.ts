import { InvalidParameter } from '@lethe/numerics';

/** Answers to queries on two neighbours. */
export type QueryPair = readonly [readonly number[], readonly number[]];

/** What is known of the queries of a release. */
export interface QueryPairsOptions {
  /** Number of queries. */
  readonly queries: number;
  /** How far a query moves between neighbours, at most. @defaultValue 1 */
  readonly sensitivity?: number;
  /** Value that answers are compared with, or the middle of their range. @defaultValue 0 */
  readonly threshold?: number;
  /** Whether all queries move the same way between neighbours, as counts do. @defaultValue false */
  readonly monotone?: boolean;
}

/**
 * Neighbours for a release of the answers to queries, or of what is above a threshold: pairs that tell the
 * published mistakes apart, the worst first. At a threshold: queries on one side that move onto it, with one,
 * or half of them, coming from the other side (Lyu, Su and Li 2017, against the sparse vector technique).
 * Elsewhere: one query that moves, all of them, half up and half down, and one against all others (Ding et
 * al. 2018).
 *
 * @throws {InvalidParameter} for fewer than one query, or a sensitivity that is not positive.
 */
export function queryPairs({
  queries,
  sensitivity = 1,
  threshold = 0,
  monotone = false,
}: QueryPairsOptions): readonly QueryPair[] {
  if (!(Number.isSafeInteger(queries) && queries > 0))
    throw new InvalidParameter(`queries is ${queries}; it must be a positive whole number`, { queries });
  if (!(sensitivity > 0 && sensitivity < Infinity))
    throw new InvalidParameter(`sensitivity is ${sensitivity}; it must be positive and finite`, {
      sensitivity,
    });
  /** Answers at so many sensitivities from the threshold. */
  const at = (of: (query: number) => number): readonly number[] =>
    Array.from({ length: queries }, (_, query) => threshold + sensitivity * of(query));
  const onIt = at(() => 0);
  /** Those from a query on come from above; of queries that move one way from below too. */
  const towards = (from: number): QueryPair => [at((i) => (i < from || monotone ? -1 : 1)), onIt];
  const halfway = Math.ceil(queries / 2);
  const moved = (by: (query: number) => number): QueryPair => [onIt, at(by)];
  const both = [towards(queries - 1), towards(halfway), moved(() => 1), moved((i) => Number(i === 0))];
  const opposite = [moved((i) => (i < halfway ? 1 : -1)), moved((i) => (i === 0 ? 1 : -1))];
  const distinct = new Map(
    [...both, ...(monotone || queries === 1 ? [] : opposite)].map((pair) => [JSON.stringify(pair), pair]),
  );
  return [...distinct.values()];
}
