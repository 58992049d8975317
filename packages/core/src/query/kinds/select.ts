import type { StoredPlan } from '../../plugins/stored-plan.js';
import { scoredPointAnswer } from '../answer.js';
import { noise } from '../parts/noise.js';
import { statistic } from '../parts/statistic.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
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
  /**
   * The number of runs, which is never 0. `stopProbability` and `cap`: each run is the last with this
   * probability, and so is the run at the cap. `stopProbability` and `shape`: a negative binomial number, as
   * the event `core/negative-binomial-selection` has it. `mean`: a Poisson number, as that of
   * `core/poisson-selection`.
   */
  stopProbability: { optional: number },
  cap: { optional: number },
  shape: { optional: number },
  mean: { optional: number },
};

/**
 * Private selection with random stopping: the output of the run with the least noisy score. The number of
 * runs, the other runs and all their randomness stays inside the curator.
 */
export const select = row({
  fields,
  answer: scoredPointAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link select}. */
export const selectExamples: Examples<typeof select> = ({ allRecords, dimension, mechanism, base }) => {
  const common = {
    base,
    start: new Float64Array(dimension),
    batch: allRecords,
    score: { statistic: { of: 'risk' }, noise: { mechanism, target: { noiseMultiplier: 1.5 } } },
  } as const;
  return {
    'a selection': { query: () => ({ ...common, stopProbability: 0.5, cap: 3 }) },
    'a selection by a logarithmic number of runs': {
      query: () => ({ ...common, stopProbability: 0.5, shape: 0 }),
    },
    'a selection by a Poisson number of runs': { query: () => ({ ...common, mean: 2 }) },
  };
};
