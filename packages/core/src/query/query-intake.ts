import { createIntake } from './intake.js';
import type { Query } from './query.js';

/**
 * A reader of queries for a curator of one's own; each run has one. It reads a query once and copies it, so
 * that later changes by the caller have no effect. It also takes accessors, proxies, and arrays with methods
 * of their own or on shared memory, which `structuredClone` refuses or reads otherwise.
 *
 * @returns a function that gives the copy, whose points are new arrays. It throws an `InvalidParameter` for
 * what is no query, naming the field.
 */
export function queryIntake(): (query: unknown) => Query {
  const take = createIntake();
  return (query) => take(query).query;
}
