import type { Stream } from '../basics.js';
import { streamAnswer } from '../answer.js';
import { bound, noise } from '../parts/noise.js';
import { asWritten, row, type ExampleParts, type Examples } from '../row.js';
import { list, number, record, reference, type RecordOf } from '../schema.js';

const fields = {
  prefixSum: reference('prefixSum'),
  /** Increments at most. */
  steps: number,
  /** Entries of an increment. */
  dimension: number,
  bound,
  noise,
  /** How often a record takes part at most, and at least how many steps apart. */
  participation: record({ times: number, gap: number }),
  /** Public divisor of every increment. */
  normaliser: number,
  /** That of each silo of a federation; left out, `normaliser` is that of all. */
  normalisers: { optional: list(number) },
  /**
   * By how much the noise multiplier of each silo of a federation is larger, at least 1: silos whose records
   * may cost less. Of one silo alone a list of one. Left out, 1 for all.
   */
  noiseFactors: { optional: list(number) },
  /** What draws the batch of each increment, in secret; left out, the batches that are pushed are public. */
  sampling: { optional: reference('sampler') },
  /**
   * The (ε, δ) that the curator verifies by so many samples of privacy losses in each direction, before the
   * first increment. It is what the stream costs; left out, the stream costs what its sampler says.
   */
  verified: { optional: record({ epsilon: number, delta: number, samples: number }) },
};

/** The stream of the examples. */
export const opened = ({
  allRecords,
  prefixSum,
  steps,
  dimension,
  clip,
  mechanism,
}: ExampleParts): RecordOf<typeof fields> => ({
  prefixSum,
  steps,
  dimension,
  bound: { by: 'clip', clip },
  noise: { mechanism, target: { noiseMultiplier: 1.5 } },
  participation: { times: steps, gap: 1 },
  normaliser: allRecords.normaliser,
});
/** The same, with batches that its sampler draws. */
const sampled = (parts: ExampleParts): RecordOf<typeof fields> => ({
  ...opened(parts),
  sampling: parts.streamSampler,
});
/** One increment of it. */
export const pushed = ({ allRecords, dimension }: ExampleParts, stream: Stream) => ({
  stream,
  of: { terms: [{ weight: 2, at: new Float64Array(dimension).fill(0.5) }] },
  batch: allRecords,
});

/**
 * Opens a stream of prefix sums. Bound, noise and participation are fixed, and charged here. A sampled stream
 * takes all records at each step; its sampler draws the batch.
 */
export const open = row({
  fields,
  answer: streamAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link open}. */
export const openExamples: Examples<typeof open> = (parts) => ({
  'a stream': {
    query: () => opened(parts),
    after: (stream: Stream) => [
      { ask: 'push', ...pushed(parts, stream) },
      { ask: 'push', ...pushed(parts, stream) },
    ],
  },
  'a sampled stream': {
    query: () => sampled(parts),
    after: (stream: Stream) => [{ ask: 'push', ...pushed(parts, stream) }],
  },
  'a sampled stream that is verified': {
    query: () => ({ ...sampled(parts), verified: { epsilon: 4, delta: 0.5, samples: 64 } }),
    after: (stream: Stream) => [{ ask: 'push', ...pushed(parts, stream) }],
  },
});
