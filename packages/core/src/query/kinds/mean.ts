import type { Batch, Vector } from '../basics.js';
import { vectorAnswer } from '../answer.js';
import { gradient, termsOf, type Gradient } from '../parts/gradient.js';
import { target } from '../parts/noise.js';
import { batch } from '../parts/tokens.js';
import { row, type ExampleParts, type Examples } from '../row.js';
import { reference, type RecordOf } from '../schema.js';

const fields = {
  of: gradient,
  batch,
  /** Bounds the records, aggregates them and says what noise the aggregate needs. */
  mean: reference('mean'),
  target,
  /**
   * Draws a secret sample of the batch for this answer alone, with fresh curator randomness: the mean is of
   * the sample and divides by its public normaliser, and one sampled release is charged.
   */
  sampler: { optional: reference('sampler') },
};
type Mean = RecordOf<typeof fields>;

/** A mean with noise of all the records of a batch at the origin. */
export const overall = (
  { dimension, mean: by }: Pick<ExampleParts, 'dimension' | 'mean'>,
  over: Batch,
): Mean & { readonly ask: 'mean' } => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
  batch: over,
  mean: by,
  target: { noiseMultiplier: 1.5 },
});

/** A private mean `(1/normaliser) Σ_batch`, or of a sample of the batch, by the plugin that `mean` names. */
export const mean = row({
  fields,
  answer: vectorAnswer,
  build: (input: Gradient & Omit<Mean, 'of'> & { readonly into?: Vector }): Mean => ({
    of: termsOf(input),
    batch: input.batch,
    mean: input.mean,
    target: input.target,
    ...(input.sampler === undefined ? {} : { sampler: input.sampler }),
  }),
});

/** Examples of {@link mean}. */
export const meanExamples: Examples<typeof mean> = ({
  allRecords,
  dimension,
  mean: central,
  certified,
  shuffled,
  sampler,
}) => {
  const point = (value: number): Float64Array => new Float64Array(dimension).fill(value);
  const two = {
    terms: [
      { weight: 2, at: point(0.5) },
      { weight: -1, at: point(0) },
    ],
    coordinates: Uint32Array.of(0, 2),
  };
  const one = { terms: [{ weight: 2, at: point(0.5) }] };
  return {
    'a mean': { query: () => ({ of: one, batch: allRecords, mean: central, target: { rho: 0.5 } }) },
    'a mean along coordinates': {
      query: () => ({ of: two, batch: allRecords, mean: central, target: { noiseMultiplier: 1.5 } }),
    },
    'a certified mean': {
      query: () => ({ of: two, batch: allRecords, mean: certified, target: { noiseMultiplier: 1.5 } }),
    },
    'a mean of a sample': {
      query: () => ({
        of: one,
        batch: allRecords,
        mean: central,
        target: { noiseMultiplier: 1.5 },
        sampler,
      }),
    },
    'a shuffled mean': {
      query: () => ({ of: one, batch: allRecords, mean: shuffled, target: { epsilon: 0.25, delta: 1e-6 } }),
    },
  };
};
