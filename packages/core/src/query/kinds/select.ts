import type { StoredPlan } from '../../plugins/stored-plan.js';
import { scoredPointAnswer } from '../answer.js';
import { noise } from '../parts/noise.js';
import { statistic } from '../parts/statistic.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row } from '../row.js';
import { number, plainRecord, record, vector, type RecordOf } from '../schema.js';

const fields = {
  /** The run that is repeated: the plan of an optimizer that the curator's registry has. */
  base: plainRecord<StoredPlan>(),
  /** Where every run begins. */
  start: vector,
  /** All records. */
  batch,
  /** What is least at the best of the runs, with noise. */
  score: record({ statistic, noise }),
  /** Probability with which a run is the last. */
  stopProbability: number,
  /** Runs at most. */
  cap: number,
};

/**
 * Private selection with random stopping: the output of the run with the least noisy score. The number of
 * runs, the other runs and all their randomness stays inside the curator.
 */
export const select = row({
  fields,
  answer: scoredPointAnswer,
  build: asWritten<RecordOf<typeof fields>>,
  examples: ({ allRecords, dimension, mechanism, base }) => ({
    'a selection': {
      query: () => ({
        base,
        start: new Float64Array(dimension),
        batch: allRecords,
        score: { statistic: { of: 'risk' }, noise: { mechanism, target: { noiseMultiplier: 1.5 } } },
        stopProbability: 0.5,
        cap: 3,
      }),
    },
  }),
});
