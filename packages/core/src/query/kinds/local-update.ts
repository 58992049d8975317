import { vectorAnswer } from '../answer.js';
import { localSteps } from '../parts/local-steps.js';
import { target } from '../parts/noise.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import { number, reference, vector, type RecordOf } from '../schema.js';

const fields = {
  /** Where every slot begins. */
  from: vector,
  local: localSteps,
  batch,
  /** Bounds the updates, aggregates them and says what noise the aggregate needs. */
  mean: reference('mean'),
  target,
  /**
   * Records from which a slot counts whole: one of `n` fewer counts `n / fullRecords`, after the bound.
   * @defaultValue all slots count the same
   */
  fullRecords: { optional: number },
};

/**
 * A private mean of local updates: each slot takes steps on its own records from a common point, and the
 * way from there to its last point is bounded once. With `fullRecords` slots of few records count less.
 */
export const localUpdate = row({
  fields,
  answer: vectorAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link localUpdate}. */
export const localUpdateExamples: Examples<typeof localUpdate> = ({
  allRecords,
  dimension,
  domain,
  mean,
}) => ({
  'a local update': {
    query: () => ({
      from: new Float64Array(dimension).fill(0.25),
      local: { domain, epochs: 2, batchSize: 1, stepSize: 0.125 },
      batch: allRecords,
      mean,
      target: { noiseMultiplier: 1.5 },
    }),
  },
  'a local update with weights': {
    query: () => ({
      from: new Float64Array(dimension),
      local: { domain, epochs: 1, batchSize: 2, stepSize: 0.5 },
      batch: allRecords,
      mean,
      target: { noiseMultiplier: 1.5 },
      fullRecords: 4,
    }),
  },
});
