import { scoredPointAnswer } from '../answer.js';
import { noise } from '../parts/noise.js';
import { statistic } from '../parts/statistic.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row } from '../row.js';
import { number, record, reference, vector, type RecordOf } from '../schema.js';

const fields = {
  base: reference('optimizer'),
  start: vector,
  batch,
  baseTarget: record({ epsilon: number, delta: number }),
  score: record({ statistic, noise }),
  stopProbability: number,
  /** Runs at most. */
  cap: number,
};

/** Private selection with random stopping; runs, their number and all coins stay inside the curator. */
export const select = row({
  fields,
  answer: scoredPointAnswer,
  build: asWritten<RecordOf<typeof fields>>,
  examples: ({ allRecords, dimension, mechanism }) => ({
    'a selection': {
      query: () => ({
        base: { kind: 'optimizer', name: 'any', params: {} },
        start: new Float64Array(dimension),
        batch: allRecords,
        baseTarget: { epsilon: 1, delta: 1e-6 },
        score: { statistic: { of: 'risk' }, noise: { mechanism, target: { noiseMultiplier: 1.5 } } },
        stopProbability: 0.5,
        cap: 3,
      }),
    },
  }),
});
