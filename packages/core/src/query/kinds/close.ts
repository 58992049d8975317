import type { Batch } from '../basics.js';
import { nothing } from '../answer.js';
import { batch } from '../parts/tokens.js';
import { row, type Examples } from '../row.js';
import { overall } from './mean.js';

/** Ends a scope: its charges become one sampled composition. */
export const close = row({
  fields: { batch },
  answer: nothing,
  build: (drawn: Batch) => ({ batch: drawn }),
});

/** Examples of {@link close}. */
export const closeExamples: Examples<typeof close> = ({ allRecords, sampler, ...parts }) => ({
  'the end of a scope': {
    before: { ask: 'draw', sampler, from: allRecords },
    query: (drawn: Batch) => ({ batch: drawn }),
    after: (_answer: null, drawn: Batch) => [overall(parts, drawn)],
  },
});
