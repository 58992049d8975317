import type { Stream } from '../basics.js';
import { streamAnswer } from '../answer.js';
import { bound, noise } from '../parts/noise.js';
import { asWritten, row, type ExampleParts } from '../row.js';
import { number, record, reference, type RecordOf } from '../schema.js';

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
/** One increment of it. */
export const pushed = ({ allRecords, dimension }: ExampleParts, stream: Stream) => ({
  stream,
  of: { terms: [{ weight: 2, at: new Float64Array(dimension).fill(0.5) }] },
  batch: allRecords,
});

/** Opens a stream of prefix sums. Bound, noise and participation are fixed for its life and paid for here. */
export const open = row({
  fields,
  answer: streamAnswer,
  build: asWritten<RecordOf<typeof fields>>,
  examples: (parts) => ({
    'a stream': {
      query: () => opened(parts),
      after: (stream: Stream) => [
        { ask: 'push', ...pushed(parts, stream) },
        { ask: 'push', ...pushed(parts, stream) },
      ],
    },
  }),
});
