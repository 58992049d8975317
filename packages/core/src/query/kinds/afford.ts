import { yesOrNo } from '../answer.js';
import { row, type Examples } from '../row.js';
import type { Schema } from '../schema.js';
import { overall } from './mean.js';

/**
 * Asks whether the limit that the run is held to has room for a
 * query. It costs nothing: the answer is a function of public values.
 *
 * @param query - Any query that is answered from records.
 */
export const affordOf = <Q>(query: Schema<Q>) =>
  row({
    fields: { query },
    answer: yesOrNo,
    build: (asked: Q) => ({ query: asked }),
  });

/** Examples of the row that {@link affordOf} makes of a schema of queries, a mean among them. */
export const affordExamples: Examples<ReturnType<typeof affordOf<ReturnType<typeof overall>>>> = (parts) => ({
  'a question what can be afforded': {
    query: () => ({ query: overall(parts, parts.allRecords) }),
    after: () => [overall(parts, parts.allRecords)],
  },
});
