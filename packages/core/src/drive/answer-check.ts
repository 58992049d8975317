import { IncompatiblePlugins } from '@lethe/numerics';
import type { Curator } from './curator.js';
import { expectedAnswer, isAnswer } from '../query/answers.js';
import type { Answer, Query } from '../query/query.js';
import { isFoundFinite } from '../query/finite-answers.js';
import { table } from '../query/table.js';

/** @throws {IncompatiblePlugins} for a value that is no query, before data are read. */
export function assertQuery(asked: unknown): asserts asked is Query {
  const ask = typeof asked === 'object' && asked !== null ? (asked as { readonly ask?: unknown }).ask : asked;
  if (typeof ask === 'string' && Object.hasOwn(table, ask)) return;
  throw new IncompatiblePlugins(
    `the optimizer asked for '${String(ask)}', which is no query; use the helpers of ask: ` +
      `${Object.keys(table).join(', ')}`,
    { ask: String(ask) },
  );
}

/**
 * The answer, or an error where it has another type than its query asks for.
 *
 * @param by - The function of a curator that has just returned it. @defaultValue none: it was stored
 */
export function checkAnswer(
  query: Query,
  answer: unknown,
  by?: Curator['answer'],
): { readonly answer: Answer; readonly wrong?: never } | { readonly wrong: string } {
  return (by !== undefined && isFoundFinite(answer, by)) || isAnswer(query, answer)
    ? { answer }
    : { wrong: `a '${query.ask}' query is answered by ${expectedAnswer(query)}, not by ${describe(answer)}` };
}

function describe(answer: unknown): string {
  if (answer === null || answer === undefined) return String(answer);
  if (answer instanceof Float64Array) return `a Float64Array of length ${answer.length}`;
  return Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
}
