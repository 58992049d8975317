import { createIntake } from './intake.js';
import type { Query } from './query.js';

/**
 * What a curator of one's own takes queries in by, one for each run: a copy of all that a query says when it
 * is read once, whatever its caller makes of it meanwhile. Accessors, proxies, and arrays with methods of
 * their own or on shared memory are queries too, which `structuredClone` refuses or reads otherwise.
 *
 * @returns a function that gives the copy, whose points are new arrays. It throws an `InvalidParameter` for
 * what is no query, naming the field.
 */
export function queryIntake(): (query: unknown) => Query {
  const take = createIntake();
  return (query) => take(query).query;
}
