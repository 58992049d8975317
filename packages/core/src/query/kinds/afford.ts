import { yesOrNo } from '../answer.js';
import { row } from '../row.js';
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
    examples: (parts) => ({
      'a question what can be afforded': {
        query: () => ({ query: overall(parts, parts.allRecords) as Q }),
        after: () => [overall(parts, parts.allRecords)],
      },
    }),
  });
