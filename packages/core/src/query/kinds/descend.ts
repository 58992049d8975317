import { vectorAnswer } from '../answer.js';
import { bound, noise } from '../parts/noise.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import { list, number, oneOf, record, reference, vector, type RecordOf } from '../schema.js';

const steps = {
  /** How many steps in a row are alike. */
  count: number,
  stepSize: number,
  /** Records of each step. */
  batchSize: number,
};

const fields = {
  start: vector,
  domain: reference('domain'),
  batch,
  /** The steps, which read each record of the batch once, in its order. */
  steps: list(record(steps)),
  /** The point after the last step, or the average of the points where gradients are taken. */
  release: oneOf('last', 'average'),
  /** What the noise is added to: the released point, or the average gradient of each step. */
  noiseOn: oneOf('answer', 'steps'),
  bound,
  noise,
};

/** Projected gradient steps in one pass over a batch, of which one point is released. */
export const descend = row({
  fields,
  answer: vectorAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link descend}. */
export const descendExamples: Examples<typeof descend> = ({ allRecords, dimension, domain, mechanism }) => {
  const one = {
    start: new Float64Array(dimension),
    domain,
    batch: allRecords,
    bound: { by: 'certificate', fact: 'lipschitz' },
    noise: { mechanism, target: { noiseMultiplier: 1.5 } },
  } as const;
  const { normaliser } = allRecords;
  return {
    'a descent with noise on its average': {
      query: () => ({
        ...one,
        steps: [{ count: normaliser, stepSize: 0.125, batchSize: 1 }],
        release: 'average',
        noiseOn: 'answer',
      }),
    },
    'a descent with noise on its steps': {
      query: () => ({
        ...one,
        steps: [
          { count: 1, stepSize: 0.1875, batchSize: 1 },
          { count: 1, stepSize: 0.125, batchSize: normaliser - 1 },
        ],
        release: 'last',
        noiseOn: 'steps',
      }),
    },
  };
};
