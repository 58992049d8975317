import { vectorAnswer } from '../answer.js';
import { certifiedBound, noise } from '../parts/noise.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import { number, oneOf, reference, vector, type RecordOf } from '../schema.js';

const fields = {
  lambda: number,
  centre: vector,
  domain: reference('domain'),
  batch,
  solver: reference('solver'),
  /** Distance to the minimiser at most. */
  tolerance: number,
  bound: certifiedBound,
  /** In which the noise is calibrated: ℓ1 or ℓ2. */
  norm: oneOf(1, 2),
  noise,
};

/** Output perturbation of `argmin_domain F_batch(x) + (λ/2)‖x − centre‖²`. */
export const minimiser = row({
  fields,
  answer: vectorAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link minimiser}. */
export const minimiserExamples: Examples<typeof minimiser> = ({
  allRecords,
  dimension,
  domain,
  solver,
  mechanism,
}) => ({
  'a minimiser': {
    query: () => ({
      lambda: 0.5,
      centre: new Float64Array(dimension),
      domain,
      batch: allRecords,
      solver,
      tolerance: 1e-6,
      bound: { by: 'certificate', fact: 'lipschitz' },
      norm: 2,
      noise: { mechanism, target: { noiseMultiplier: 1.5 } },
    }),
  },
});
