import type { Stream, Vector } from '../basics.js';
import { vectorAnswer } from '../answer.js';
import { gradient, termsOf, type Gradient } from '../parts/gradient.js';
import { batch, stream } from '../parts/tokens.js';
import { row } from '../row.js';
import type { RecordOf } from '../schema.js';
import { opened, pushed } from './open.js';

const fields = { stream, of: gradient, batch };
type Push = RecordOf<typeof fields>;

/**
 * Adds one increment; the answer is the noisy increment
 * `x_t + (Bz)_t − (Bz)_{t−1}`, whose running sum is post-processing.
 */
export const push = row({
  fields,
  answer: vectorAnswer,
  build: (input: Gradient & Pick<Push, 'stream' | 'batch'>): Push => ({
    stream: input.stream,
    of: termsOf(input),
    batch: input.batch,
  }),
  examples: (parts) => ({
    'an increment': {
      before: { ask: 'open', ...opened(parts) },
      query: (to: Stream) => pushed(parts, to),
      after: (_answer: Vector, to: Stream) => [{ ask: 'push', ...pushed(parts, to) }],
    },
  }),
});
