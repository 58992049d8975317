import { numberAnswer } from '../answer.js';
import { noise } from '../parts/noise.js';
import { statistic, type Statistic } from '../parts/statistic.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import { vector, type RecordOf } from '../schema.js';

const fields = { statistic, at: vector, batch, noise };

/** A noisy {@link Statistic} of a batch at one point. */
export const value = row({
  fields,
  answer: numberAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link value}. */
export const valueExamples: Examples<typeof value> = ({ allRecords, dimension, clip, domain, mechanism }) => {
  const forms: { readonly [Of in Statistic['of']]: Extract<Statistic, { readonly of: Of }> } = {
    risk: { of: 'risk' },
    'risk-difference': { of: 'risk-difference', reference: new Float64Array(dimension).fill(1) },
    'gradient-norm': { of: 'gradient-norm', bound: { by: 'clip', clip } },
    'gradient-norm-beyond': { of: 'gradient-norm-beyond', radius: 0.5 },
    'update-norm-beyond': {
      of: 'update-norm-beyond',
      radius: 0.5,
      local: { domain, epochs: 1, batchSize: 1, stepSize: 0.25 },
    },
  };
  const at = new Float64Array(dimension).fill(0.5);
  return Object.fromEntries(
    Object.values(forms).map((form) => [
      `a value, ${form.of}`,
      {
        query: () => ({
          statistic: form,
          at,
          batch: allRecords,
          noise: { mechanism, target: { noiseMultiplier: 1.5 } },
        }),
      },
    ]),
  );
};
